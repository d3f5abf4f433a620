#!/bin/bash
# Who may include whom, and one door a dependency.
. "$(dirname "$0")/../lib/lint.sh"

# A file beneath the first folder may include headers of the others.  The longest name that fits decides.
layers='
src              src
src/cli          src src/cli
src/worker       src src/worker
src/stage        src src/stage
schedulers       src schedulers
daemon           src schedulers daemon
daemon/billing   src schedulers daemon daemon/billing
daemon/main.c    src schedulers daemon api
api              src schedulers daemon api
tests            src src/cli src/worker src/stage schedulers daemon daemon/billing api tests tests/unit tests/lib tests/contract tests/fuzz
libexec          src
'
# Headers of a dependency and the files that may include them: regular expressions, matched whole.
doors='
(cjson/)?cJSON\.h          src/json\.c
yaml\.h                    src/yaml\.c
curl/.*                    (src/http_client|tests/drill/fault)\.c
openssl/.*                 src/digest\.c
archive(_entry)?\.h        src/archive(_stream)?\.c
pcre2\.h                   src/regex\.c
systemd/.*                 src/loop\.c
sqlite3\.h                 (daemon/store.*\.[ch]|tests/unit/test_store\.c|tests/drill/fault\.c)
microhttpd\.h              api/(server|listener)\.[ch]
check\.h                   tests/unit/.*
'
# Benchmarks measure the bare libraries beside us.
exempt='^tests/bench/'

breaches() {
    local names
    mapfile -t names < <(files "$1" '*.[ch]' | grep -v "$exempt")
    [ ${#names[@]} -gt 0 ] || return 0
    (cd "$1" && awk -v layers="$layers" -v doors="$doors" '
        BEGIN {
            layer_count = split(layers, layer_rows, "\n")
            door_count = split(doors, door_rows, "\n")
        }
        FNR == 1 { allowed = allowed_folders(FILENAME) }
        /^[ \t]*#[ \t]*include[ \t]*["<]/ {
            own = /"/
            header = $0
            sub(/^[^"<]*["<]/, "", header)
            sub(/[">].*/, "", header)
            if (own)
                check_layer(header)
            else
                check_door(header)
        }
        function allowed_folders(file,    i, cell, best, result) {
            for (i = 1; i <= layer_count; i++) {
                split(layer_rows[i], cell, " ")
                if ((file == cell[1] || index(file, cell[1] "/") == 1) && length(cell[1]) > best) {
                    best = length(cell[1])
                    result = layer_rows[i]
                    sub(/^[^ ]+ /, "", result)
                }
            }
            return result " "
        }
        function check_layer(header,    folder) {
            folder = header
            if (!sub(/\/[^\/]*$/, "", folder))
                breach("\"" header "\" does not name its folder")
            else if (!index(allowed, " " folder " "))
                breach("may not include \"" header "\"")
        }
        function check_door(header,    i, cell) {
            for (i = 1; i <= door_count; i++)
                if (split(door_rows[i], cell, " ") == 2 && header ~ "^" cell[1] "$" &&
                    FILENAME !~ "^" cell[2] "$")
                    breach("<" header "> is for " cell[2] " alone")
        }
        function breach(what) { print FILENAME ":" FNR ": " what }
    ' "${names[@]}")
}

plant_include_from_the_right() {
    mkdir -p "$1/src"
    echo '#include "daemon/jobs.h"' >"$1/src/x.c"
}

plant_worker_sees_cli() {
    mkdir -p "$1/src/worker"
    echo '#include "src/cli/print.h"' >"$1/src/worker/x.c"
}

plant_daemon_sees_api() {
    mkdir -p "$1/daemon"
    echo '#include "api/server.h"' >"$1/daemon/jobs.c"
}

plant_second_door() {
    mkdir -p "$1/daemon"
    echo '#include <cjson/cJSON.h>' >"$1/daemon/x.c"
}

plant_include_without_folder() {
    mkdir -p "$1/src"
    echo '#include "err.h"' >"$1/src/x.c"
}

lint "every include keeps to its layer, every dependency has one door"
