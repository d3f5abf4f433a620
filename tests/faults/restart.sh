#!/bin/bash
# What a daemon finds when it starts again: workers that were slow to show themselves, torn beginnings of journals,
# a configuration or a catalog without what its jobs need.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

# A worker that takes its time, beside a daemon that looks for it there.
REAL=$BUILD
BUILD=$WORK/slow
mkdir "$BUILD"
cp "$REAL/railheadd" "$BUILD/"
cat >"$BUILD/railhead-worker" <<SLOW
#!/bin/sh
exec /usr/bin/python3 "$SOURCE/tests/faults/slow_nursery.py" "$REAL/railhead-worker" 2
SLOW
chmod +x "$BUILD/railhead-worker"

was_given_out() {
    [ "$(show "$1" secondary_status)" = '"Starting"' ] && [ -e "$(worker_of "$1")/journal.jsonl" ]
}

gone() {
    ! lives "$1"
}

# tear FOLDER LINE: its journal loses the second half of that line's bytes and all after it.
tear() {
    /usr/bin/python3 - "$1/journal.jsonl" "$2" <<'PYTHON'
import os, sys
path, number = sys.argv[1], int(sys.argv[2])
lines = open(path, "rb").read().splitlines(keepends=True)
os.truncate(path, sum(map(len, lines[:number - 1])) + len(lines[number - 1]) // 2)
PYTHON
}

# --- a second worker for a folder that the first has taken ---

daemon_start
submit twice "echo run >>$WORK/twice.runs; sleep 3; exit 5" '{"instance_count": 1}'
wait_until 10 was_given_out twice
sleep 0.3
daemon_kill
daemon_start
check "a job that was handed out twice ends" wait_for twice
check_equal "it ran once" "$(cat "$WORK/twice.runs")" run
check_equal "with the end of that run" "$(show twice end.cause) $(show twice end.exit_code)" '"failed" 5'

# --- journals that are torn before anybody read them ---

until_told="until [ -e $WORK/go ]; do sleep 0.1; done"
submit no-ready "echo \$\$ >$WORK/no-ready.pid; $until_told"
asked=$SECONDS
submit no-launched "echo \$\$ >$WORK/no-launched.pid; $until_told"
wait_until 10 was_given_out no-ready
wait_until 10 was_given_out no-launched
no_ready=$(worker_of no-ready)
no_launched=$(worker_of no-launched)
daemon_kill
for name in no-ready no-launched; do
    process_of "$WORK/$name.pid" >/dev/null
done
runs=$SECONDS
tear "$no_ready" 1
tear "$no_launched" 2
daemon_start
told=$SECONDS
touch "$WORK/go"
check "a job whose beginning is not known ends" wait_for no-ready
check_equal "it is lost: what it cost is not known either" "$(show no-ready end.cause) $(show no-ready billable_seconds)" '"lost" 0'
check "its process is gone" wait_until 2 gone "$(cat "$WORK/no-ready.pid")"
check "a job whose launch is not known ends" wait_for no-launched
ended=$SECONDS billed=$(show no-launched billable_seconds)
check_equal "with its own end" "$(show no-launched end.cause)" '"completed"'
check "billed for what it ran" test "$billed" -ge $((told - runs - 1)) -a "$billed" -le $((ended - asked + 2))
daemon_stop

# --- what jobs need is not there any more ---

BUILD=$REAL
cat >"$WORK/fake.yaml" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake}
CONFIG
mkdir "$WORK/catalog"
cp "$SOURCE"/instance-profiles/p3.yaml "$WORK/catalog/"
plain=$DAEMON_CONFIG
DAEMON_CONFIG=$WORK/fake.yaml
daemon_start
submit timers true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 6000}}'
submit process "echo \$\$ >$WORK/process.pid; sleep 6"
process_of "$WORK/process.pid" >/dev/null
wait_until 10 test "$(show process secondary_status)" = '"Training"'
daemon_kill
DAEMON_CONFIG=$plain
RAILHEAD_INSTANCE_PROFILES=$WORK/catalog
daemon_start
sleep 1
check_equal "a job whose type is not in the catalog any more trains on" "$(show process status)" '"InProgress"'
check "its process lives" lives "$(cat "$WORK/process.pid")"
check_equal "a job whose scheduler is not configured any more is not given up" "$(show timers status)" '"InProgress"'
daemon_kill
DAEMON_CONFIG=$WORK/fake.yaml
RAILHEAD_INSTANCE_PROFILES=$SOURCE/instance-profiles
daemon_start
check "both end once it is there again (process)" wait_for process
check "both end once it is there again (timers)" wait_for timers
check_equal "as if nothing had been" "$(show process end.cause) $(show timers end.cause)" '"completed" "completed"'
check "billed to their ends" grep -Eqx '6|7' <<<"$(show process billable_seconds)"
not_started() {
    ! daemon_start >"$WORK/out"
}

# --- a database that something has bitten a piece out of ---

daemon_stop
sql "INSERT INTO job (id, name, owner, state, status, over, instance_type, instance_count, scheduler, emulated, created_us,
    changed_us, recipe) VALUES ('x', 'x', 'x', 'Training', 'InProgress', 0, 'ml.c5.xlarge', 1, 'local', 0, 0, 0, '')"
check "a daemon does not start on a job without its events" not_started
check "and says what to do" grep -q 'has no event: restore a backup' "$WORK/railheadd.log"
finish
