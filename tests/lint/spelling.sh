#!/bin/bash
# Words in code, comments and texts are spelled as codespell knows them.
. "$(dirname "$0")/../lib/lint.sh"
needs codespell

# Words that are right here, and what the tests misspell on purpose.
right=crate,ba,te,ans,nd,folow,stopp

breaches() {
    local names
    mapfile -t names < <(files "$1" '*.[ch]' '*.md' '*.sh' '*.yaml' '*.[1-8]' '*.py' '*.am' '*.ac' '*.mk' '*.sql' | grep -v '^build-aux/')
    [ ${#names[@]} -gt 0 ] || return 0
    (cd "$1" && codespell --ignore-words-list "$right" "${names[@]}")
}

plant_typo() {
    echo 'It is rec''ieved.' >"$1/README.md"
}

lint "words are spelled right"
