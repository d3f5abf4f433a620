#!/bin/bash
# Each point of the seam (fault.c) is met by the programs, and what fails there is told and costs nothing that was promised.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 4, usd_per_hour: "0.36"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 4, usd_per_hour: "0.36"}
CONFIG
FAULTS=(env "LD_PRELOAD=$BUILD/tests/drill/fault.so")
! grep -q fsanitize "$BUILD/config.status" || skip "sanitizers want to be loaded first themselves"

# with_fault FAULT COMMAND...
with_fault() {
    local fault=$1
    shift
    "${FAULTS[@]}" "RAILHEAD_FAULT=$fault" "$@"
}

# start_with NAME=FAULT...
start_with() {
    daemon_prefix=("${FAULTS[@]}" "$@")
    daemon_start
    local status=$?
    daemon_prefix=()
    return $status
}

ended() {
    ! kill -0 "$daemon_pid" 2>/dev/null
}

upload() {
    printf 'some source' >"$WORK/source"
    http "/v1/sources/$(sha256sum <"$WORK/source" | cut -d ' ' -f 1)" -T "$WORK/source"
}

fake() {
    submit "$1" true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 100}}'
}

not_started() {
    ! start_with "RAILHEAD_FAULT=$1" >"$WORK/out"
}

# --- at a start ---

check_status "a fault that is none is refused" 2 with_fault sync:0:EIO "$JOBCTL" --version
check "a daemon does not start without its first sync" not_started sync:1:EIO
check "and says why" grep -q 'daemon.start_failed.*\(Input/output\|disk I/O\)' "$WORK/railheadd.log"
check "nor when its log cannot be written" not_started 'write=*-wal:1:EIO'
check_equal "which it says, too" "$(grep -c 'daemon.start_failed.*\(Input/output\|disk I/O\)' "$WORK/railheadd.log")" 2
check "that its log finds no room is no reason" start_with 'RAILHEAD_FAULT=write=*-wal:1:ENOSPC'
daemon_stop
check "and starts well after that" daemon_start
daemon_stop

# --- the database ---

start_with "RAILHEAD_FAULT=step=INSERT INTO job_event*:3:EIO" # placed with the submit, then ready
fake first
check "a daemon whose database fails ends" wait_until 10 ended
daemon_wait
check "and says so" grep -q 'store.failed' "$WORK/railheadd.log"
daemon_start
check "its next start goes on with what was promised" wait_for first
daemon_stop

# commit_with ACTION NAME: the daemon ends at the commit of that submit.
commit_with() {
    start_with "RAILHEAD_FAULT=step=COMMIT:1:$1:$WORK/$2.token"
    fake "before-$2"
    wait_for "before-$2" # what a start commits is behind us
    touch "$WORK/$2.token"
    fake "$2" >/dev/null 2>&1
    check "a daemon ends at a commit ($1)" wait_until 10 ended
    daemon_wait 2>/dev/null
}
commit_with EIO second
check_equal "that did not come about: the job is not there" "$(sql "SELECT name FROM job WHERE name = 'second'")" ""
commit_with kill-before third
check_equal "before which it was killed: the same" "$(sql "SELECT name FROM job WHERE name = 'third'")" ""
commit_with kill-after fourth
check_equal "behind which it was killed: the job is there" "$(sql "SELECT name FROM job WHERE name = 'fourth'")" fourth

# --- files, processes, memory, answers ---

start_with 'RAILHEAD_FAULT=rename=*/sources/*:1:EIO'
check_status "a source that does not get its name is refused" 22 upload
check_equal "nothing of it is left" "$(ls -A "$STATE/sources")" ""
check "another time it is taken" upload
check "and is there" test -n "$(ls "$STATE/sources")"
daemon_stop

start_with 'RAILHEAD_FAULT=spawn=*/railhead-worker:1:EAGAIN'
submit unborn 'exit 0'
check "a job ends whose nursery cannot be started" wait_for unborn
check "for that" grep -q 'Resource temporarily unavailable' <<<"$(show unborn failure_reason)$(show unborn end.message)"
submit born 'exit 0'
check "the next one is not concerned" wait_for born
check_equal "and completes" "$(show born end.cause)" '"completed"'
daemon_stop

start_with 'RAILHEAD_FAULT_WORKER=fork:1:EAGAIN'
submit unforked 'exit 0'
check "so does one that cannot be forked" wait_for unforked
check "for that" grep -q 'Resource temporarily unavailable' <<<"$(show unforked failure_reason)$(show unforked end.message)"

touch "$WORK/token"
daemon_stop
start_with "RAILHEAD_FAULT_WORKER=write=*/journal.jsonl:2:kill-before:$WORK/token"
submit killed 'exit 0'
check "a worker is killed at its journal" wait_for killed
check_equal "and lost" "$(show killed end.cause)" '"lost"'
check "it has taken the token" grep -q "$(show killed id | tr -d '"')-1-0" "$WORK/token.taken"
submit spared 'exit 0'
wait_for spared
check_equal "so the next one is not hit" "$(show spared end.cause)" '"completed"'

check_status "an answer that does not come is told as that" 7 with_fault answer:1:EIO "$JOBCTL" ls
for allocation in 100 200 400 800 1600; do
    with_fault "alloc:$allocation:ENOMEM" "$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$WORK/other" \
        --socket "$WORK/no/socket" || true
done >"$WORK/out" 2>&1
check "memory that is out is told" grep -q 'out of memory' "$WORK/out"
finish
