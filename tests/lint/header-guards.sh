#!/bin/bash
# The guard of folder/file.h is FOLDER_FILE_H.
. "$(dirname "$0")/../lib/lint.sh"

# A list to be included many times has no guard.
exempt='^tests/unit/suites.h$'

breaches() {
    local file guard
    files "$1" '*.h' | grep -v "$exempt" | while read -r file; do
        guard=$(tr 'a-z/.-' 'A-Z___' <<<"$file")
        printf '#ifndef %s\n#define %s\n' "$guard" "$guard" | cmp -s - <(head -n 2 "$1/$file") ||
            echo "$file: does not begin with the guard $guard"
        [ "$(tail -n 1 "$1/$file")" = '#endif' ] || echo "$file: does not end with #endif"
    done
}

plant_wrong_guard() {
    mkdir "$1/src"
    printf '#ifndef ERR_H\n#define ERR_H\n#endif\n' >"$1/src/err.h"
}

plant_no_guard() {
    mkdir "$1/src"
    printf '#pragma once\n#endif\n' >"$1/src/err.h"
}

lint "every header has the guard of its name"
