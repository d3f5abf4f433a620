#!/bin/bash
# Nothing in the project knows the folders of the machine that it was written on.  Ana is the user of the examples.
. "$(dirname "$0")/../lib/lint.sh"

breaches() {
    local file
    files "$1" '*' | while read -r file; do
        grep -HnI --label="$file" -E '(^|[^A-Za-z0-9_.$})/])/(hom[e]|roo[t]|wor[k]|User[s])/' <"$1/$file" | grep -v '/home/ana/\|"/home/ana"'
    done
}

plant_home() {
    echo 'see /hom''e/somebody/notes' >"$1/README.md"
}

lint "no path of a developer's machine is in the project"
