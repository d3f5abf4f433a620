#!/bin/bash
# The man pages are clean mdoc.
. "$(dirname "$0")/../lib/lint.sh"
needs mandoc

breaches() {
    find "$1/man" -name '*.[1-8]' -print0 | xargs -0 -r mandoc -T lint -W warning
}

plant_unknown_macro() {
    mkdir "$1/man"
    printf '.Dd November 30, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd is\n.Qz\n' >"$1/man/x.1"
}

lint "the man pages are clean by mandoc"
