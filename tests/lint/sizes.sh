#!/bin/bash
# A file has at most 600 lines, a function at most 60.  With braces as clang-format sets them, a function's
# body is what stands between "{" and "}" alone in the first column.
. "$(dirname "$0")/../lib/lint.sh"

breaches() {
    local names
    mapfile -t names < <(files "$1" '*.[ch]')
    [ ${#names[@]} -gt 0 ] || return 0
    (cd "$1" && awk -v file_max=600 -v function_max=60 '
        FNR == 1 { open = 0 }
        FNR == file_max + 1 { print FILENAME ": more than " file_max " lines" }
        /^{$/ { open = FNR }
        /^}/ && open {
            if (FNR - open - 1 > function_max)
                print FILENAME ":" open ": a function of " FNR - open - 1 " lines"
            open = 0
        }
    ' "${names[@]}")
}

plant_long_file() {
    seq 601 | sed 's|^|// |' >"$1/long.c"
}

plant_long_function() {
    { echo 'void f(void)'; echo '{'; seq 61 | sed 's|^|    g(|; s|$|);|'; echo '}'; } >"$1/f.c"
}

lint "no file is above 600 lines, no function above 60"
