#!/bin/bash
# A statement reads a clock once: C calls arguments in any order, so of two readings the first may be the later one, and
# what lies between them less than nothing.
. "$(dirname "$0")/../lib/lint.sh"

breaches() {
    local file
    files "$1" '*.c' | while read -r file; do
        tr '\n' ' ' <"$1/$file" | grep -oE '[^;{}]*clock_(wall|boot)\(\)[^;{}]*' |
            grep -E 'clock_(wall|boot)\(\).*clock_\1\(\)' | sed "s|^ *|$file: |"
    done
}

plant_two() {
    mkdir "$1/daemon"
    printf 'int f(void)\n{\n    return within(clock_wall(),\n                  clock_wall());\n}\n' >"$1/daemon/x.c"
}

lint "a statement reads a clock once"
