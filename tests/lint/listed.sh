#!/bin/bash
# Every file of the project is named in a local.mk: what is not, is not in a release.
. "$(dirname "$0")/../lib/lint.sh"

# Of the git tree alone, and what lies in a folder that is named whole.
exempt='^(\.git.*|\.ci/.*|\.clang-.*|\.editorconfig|configure.*|aclocal\.m4|Makefile\..*|.*local\.mk|m4/.*|config\.h.*|config\.(log|status)|Makefile|stamp-h.*|build-aux/.*|README.*|INSTALL|LICENSE|COPYING|tests/fuzz/(corpus|dictionary)/.*)$'

breaches() {
    local listed
    listed=$(cd "$1" && find . -name local.mk -exec cat Makefile.am {} +)
    tracked "$1" | grep -Ev "$exempt" | while read -r file; do
        grep -Fqw -- "$file" <<<"$listed" || echo "$file: in no local.mk"
    done
}

# In a git tree what git tracks, elsewhere all.
tracked() {
    if [ -e "$1/.git" ]; then
        git -C "$1" -c safe.directory='*' ls-files
    else
        files "$1" '*'
    fi
}

plant_forgotten_file() {
    mkdir "$1/src"
    touch "$1/Makefile.am" "$1/src/forgotten.c"
}

lint "every file is named in a local.mk"
