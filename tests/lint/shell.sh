#!/bin/bash
# Shell scripts are clean by shellcheck.
. "$(dirname "$0")/../lib/lint.sh"
needs shellcheck

# By their first line, whatever their name; completions and sourced files say "shellcheck shell=".
scripts() {
    files "$1" '*' | grep -v '^\(configure\|config\.status\|build-aux/\)' | while read -r file; do
        head -n 1 "$1/$file" | tr -d '\0' | grep -Eq '^(#!.*[/ ](ba)?sh( |$)|# shellcheck shell=)' && echo "$file"
    done
}

breaches() {
    local names
    mapfile -t names < <(scripts "$1")
    [ ${#names[@]} -gt 0 ] || return 0
    (cd "$1" && shellcheck --external-sources --source-path=SCRIPTDIR --severity=info \
        --exclude=SC2016,SC2317 --format=gcc "${names[@]}")
}

plant_unquoted() {
    printf '#!/bin/sh\nrm -rf %s1/x\n' '$' >"$1/remove"
}

lint "shell scripts are clean by shellcheck"
