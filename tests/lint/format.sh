#!/bin/bash
# C is laid out by clang-format with the settings of .clang-format (version 14, Debian 12's).
. "$(dirname "$0")/../lib/lint.sh"
needs clang-format

breaches() {
    local names
    mapfile -t names < <(files "$1" '*.[ch]')
    [ ${#names[@]} -gt 0 ] || return 0
    (cd "$1" && clang-format --style=file:"$SOURCE/.clang-format" --dry-run -Werror "${names[@]}" 2>&1 |
        sed -n 's/:.*error:.*/: not laid out by .clang-format/p' | uniq)
}

plant_gnu_braces() {
    printf 'int f(void) {\n  return 1;\n}\n' >"$1/f.c"
}

lint "clang-format would change nothing (scripts/format does it)"
