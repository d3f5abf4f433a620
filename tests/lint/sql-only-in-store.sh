#!/bin/bash
# SQL stands in daemon/store*.c and daemon/schema alone.
. "$(dirname "$0")/../lib/lint.sh"

# Benchmarks ask SQLite itself for its commit rate; the store's test tries what the ledger must refuse.
exempt='^(daemon/store[a-z_]*\.c|tests/bench/.*|tests/unit/test_store\.c)$'

breaches() {
    local file
    files "$1" '*.[ch]' | grep -Ev "$exempt" | while read -r file; do
        grep -Hn --label="$file" -E \
            '"[[:space:]]*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA|BEGIN|COMMIT|WITH) ' \
            <"$1/$file"
    done
}

plant_select() {
    mkdir "$1/api"
    echo 'static const char sql[] = "SELECT name FROM job";' >"$1/api/x.c"
}

plant_pragma() {
    mkdir "$1/daemon"
    echo '    run("PRAGMA synchronous = OFF");' >"$1/daemon/jobs.c"
}

lint "SQL is only in daemon/store*.c"
