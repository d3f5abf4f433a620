#!/bin/bash
# What a rank's output costs on its way to the log: 512 MiB in lines of 100 bytes through railhead-worker, beside the same
# through a pipe into `cat >file`, by turns.  By hand: RAILHEAD_BUILD=build tests/bench/logs.sh [ROUNDS]
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

bytes=536870912
yes "$(printf '%099d' 0)" | head -c $bytes >"$WORK/lines"

# rate COMMAND...: MiB in a second.
rate() {
    local from=$EPOCHREALTIME

    "$@" >/dev/null
    awk -v from="$from" -v to="$EPOCHREALTIME" -v bytes=$bytes 'BEGIN { printf "%.0f\n", bytes / 1048576 / (to - from) }'
}

by_cat() {
    # shellcheck disable=SC2002
    cat "$WORK/lines" | cat >"$WORK/copy"
}

# by_worker LIMIT
by_worker() {
    rm -rf "$WORK/job"
    folder=$(worker_folder job)
    write_plan "$folder" "{\"rank_log_bytes\": $1}" "[\"cat\", \"$WORK/lines\"]"
    run_worker "$folder"
}

printf '%14s %14s %18s\n' "cat >file" "worker" "worker, 32 MiB kept"
for ((round = 0; round < ${1:-5}; round++)); do
    rm -f "$WORK/copy"
    cat_rate=$(rate by_cat)
    rm -f "$WORK/copy"
    printf '%8s MiB/s %8s MiB/s %12s MiB/s\n' "$cat_rate" "$(rate by_worker 0)" "$(rate by_worker 33554432)"
done
