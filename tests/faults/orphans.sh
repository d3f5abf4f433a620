#!/bin/bash
# shellcheck disable=SC2119
# Nothing that a job started outlives it, no neighbour is touched, and each end is told truly, whoever died before.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

# A process that its parents have left twice, in a session of its own, deaf to SIGTERM.  $FILE gets its pid.
LITTER='(setsid bash -c "trap : TERM HUP; echo \$BASHPID >$FILE; while :; do sleep 1; done" &) ; until [ -s "$FILE" ]; do sleep 0.02; done;'

# litter NAME SCRIPT [MEMBERS]: as submit, with a process left behind; its pid is in $WORK/NAME.pid
litter() {
    submit "$1" "FILE=$WORK/$1.pid; $LITTER $2" "${3:-}"
}

gone() {
    ! lives "$1"
}

each_end_takes_all_along() {
    litter "done-$1" 'exit 0'
    litter "bad-$1" 'exit 3'
    litter "halt-$1" 'exec sleep 1000' '{"grace": 1}'
    process_of "$WORK/halt-$1.pid" >/dev/null
    wait_until 10 test "$(show "halt-$1" secondary_status)" = '"Training"'
    stop "halt-$1"
    wait_for "done-$1" && wait_for "bad-$1" && wait_for "halt-$1"
    check_equal "completed is completed ($1)" "$(show "done-$1" end.cause)" '"completed"'
    check_equal "an exit code is kept ($1)" "$(show "bad-$1" end.exit_code)" 3
    check_equal "a stop is a stop ($1)" "$(show "halt-$1" secondary_status)" '"Stopped"'
    for name in "done-$1" "bad-$1" "halt-$1"; do
        check "a grandchild that left its session is gone at the end of $name" gone "$(process_of "$WORK/$name.pid")"
    done
}

# The worker itself is killed.
a_killed_worker_is_lost() {
    local folder rank near last
    submit "near-$1" "echo \$\$ >$WORK/near-$1.pid; exec sleep 1000"
    near=$(process_of "$WORK/near-$1.pid")
    litter "orphan-$1" "echo \$\$ >$WORK/orphan-$1.rank; exec sleep 1000"
    rank=$(process_of "$WORK/orphan-$1.rank")
    folder=$(worker_of "orphan-$1")
    wait_until 10 test "$(show "orphan-$1" secondary_status)" = '"Training"'
    sleep 1.2
    kill -KILL "$(line "$folder" ready pid)"
    check "a job whose worker was killed ends ($1)" wait_for "orphan-$1"
    check_equal "its cause is: lost ($1)" "$(show "orphan-$1" end.cause)" '"lost"'
    check "its rank is gone ($1)" gone "$rank"
    check "its grandchild is gone ($1)" wait_until 2 gone "$(process_of "$WORK/orphan-$1.pid")"
    check "the neighbour lives ($1)" lives "$near"
    check_equal "the neighbour trains on ($1)" "$(show "near-$1" secondary_status)" '"Training"'
    last=$(line "$folder" "" boot_us)
    daemon_kill
    check_equal "it is billed to its last evidence ($1)" \
        "$(sql "SELECT c.boot_us FROM interval_close AS c JOIN interval_open AS o ON o.seq = c.open_seq JOIN job USING (job_id) WHERE name = 'orphan-$1'")" "$last"
    daemon_start
    stop "near-$1"
    check "the neighbour ends as it should, after the daemon was killed ($1)" wait_for "near-$1"
    check_equal "its end is its own ($1)" "$(show "near-$1" end.cause)" '"user_stop"'
}

no_cgroup_is_left() {
    [ -z "$(find "$(sed -n 's/.*local.opened.*cgroup=//p' "$WORK/railheadd.log" | tail -n 1)" -mindepth 1 -type d)" ]
}

# Who has left session, parents and environment is still in the control group.
a_cgroup_knows_the_nameless() {
    submit nameless "setsid env -i bash -c 'echo \$\$ >$WORK/nameless.pid; exec sleep 1000' & exec sleep 1000"
    process_of "$WORK/nameless.pid" >/dev/null
    wait_until 10 test "$(show nameless secondary_status)" = '"Training"'
    kill -KILL "$(line "$(worker_of nameless)" ready pid)"
    wait_for nameless
    check "a process without its environment is gone with its killed worker" wait_until 2 gone "$(cat "$WORK/nameless.pid")"
    check "and the cgroup, too" wait_until 2 no_cgroup_is_left
}

# One of two workers is killed: its peer is ended, and told to be a peer.
a_lost_worker_ends_its_peers() {
    local last
    submit "pair-$1" "trap 'sleep 0.5; exit' TERM; echo \$\$ >$WORK/pair-$1.\$RAILHEAD_WORKER; sleep 1000 & wait" '{"instance_count": 2}'
    process_of "$WORK/pair-$1.0" >/dev/null
    process_of "$WORK/pair-$1.1" >/dev/null
    wait_until 10 test "$(show "pair-$1" secondary_status)" = '"Training"'
    last=$(line "$(worker_of "pair-$1" 1)" "" boot_us)
    kill -KILL "$(line "$(worker_of "pair-$1" 1)" ready pid)"
    check "a job that lost one of two workers ends ($1)" wait_for "pair-$1"
    check_equal "its end is the loss, not the stop of the peer ($1)" "$(show "pair-$1" end.cause)" '"lost"'
    check "the peer is gone ($1)" gone "$(cat "$WORK/pair-$1.0")"
    daemon_kill
    check_equal "who was lost is billed to the last evidence, the peer to its own end ($1)" \
        "$(sql "SELECT o.worker, c.boot_us > $last FROM interval_close AS c JOIN interval_open AS o ON o.seq = c.open_seq JOIN job USING (job_id) WHERE name = 'pair-$1' ORDER BY o.worker")" \
        "$(printf '0 1\n1 0')"
    daemon_start
}

daemon_start
each_end_takes_all_along cgroup
if grep -q 'local.place cgroup=/' "$WORK/railheadd.log"; then
    a_cgroup_knows_the_nameless
else
    echo "# no control groups here"
fi
a_killed_worker_is_lost cgroup
a_lost_worker_ends_its_peers cgroup

# --- the daemon is away ---

submit away 'sleep 2; exit 7'
wait_until 10 test -s "$(worker_of away)/journal.jsonl"
daemon_kill
sleep 3
daemon_start
check "a job that ended while the daemon was away ends" wait_for away 5
check_equal "with its own exit code" "$(show away end.exit_code)" 7
check "billed for what it ran, not for the absence" grep -Eqx '2|3' <<<"$(show away billable_seconds)"

# A stop is on disk, and the daemon died before it could act.
ask_stop_on_disk() {
    sql "INSERT INTO job_event (job_id, seq, at_us, kind, data)
         SELECT job_id, MAX(seq) + 1, MAX(at_us), 'stop_asked', '{\"cause\":\"user_stop\",\"by\":\"ana\"}'
         FROM job_event JOIN job USING (job_id) WHERE name = '$1' GROUP BY job_id"
    sql "UPDATE job SET state = 'Stopping' WHERE name = '$1'"
}

litter unheard 'exec sleep 1000'
litter unheard-lost 'exec sleep 1000'
for name in unheard unheard-lost; do
    process_of "$WORK/$name.pid" >/dev/null
    wait_until 10 test "$(show $name secondary_status)" = '"Training"'
done
folder=$(worker_of unheard-lost)
daemon_kill
ask_stop_on_disk unheard
ask_stop_on_disk unheard-lost
kill -KILL "$(line "$folder" ready pid)"
daemon_start
check "a stop that was promised is kept after a restart" wait_for unheard 10
check_equal "it is a stop" "$(show unheard end.cause)" '"user_stop"'
check "its grandchild is gone" gone "$(process_of "$WORK/unheard.pid")"
check "a worker that died before the promised stop is found dead at once, not after its grace" wait_for unheard-lost 10
check_equal "it is lost" "$(show unheard-lost end.cause)" '"lost"'
check "its grandchild is gone too" wait_until 2 gone "$(process_of "$WORK/unheard-lost.pid")"

# --- journals that a disk has torn ---

# tear FILE LINE: cut in the middle of that line.
tear() {
    /usr/bin/python3 - "$1" "$2" <<'PYTHON'
import os, sys
path, number = sys.argv[1], int(sys.argv[2])
lines = open(path, "rb").read().splitlines(keepends=True)
os.truncate(path, sum(map(len, lines[:number - 1])) + len(lines[number - 1]) // 2)
PYTHON
}

submit torn-ended 'sleep 1.5'
submit torn-ready "echo \$\$ >$WORK/torn-ready.pid; sleep 5"
submit torn-launched "echo \$\$ >$WORK/torn-launched.pid; sleep 5"
for name in torn-ready torn-launched; do
    process_of "$WORK/$name.pid" >/dev/null
done
wait_until 10 test "$(show torn-ended secondary_status)" = '"Training"'
declare -A folder_of
for name in torn-ended torn-ready torn-launched; do
    folder_of[$name]=$(worker_of $name)
done
daemon_kill
wait_until 10 grep -q '"ended"' "${folder_of[torn-ended]}/journal.jsonl"
tear "${folder_of[torn-ended]}/journal.jsonl" "$(wc -l <"${folder_of[torn-ended]}/journal.jsonl")"
tear "${folder_of[torn-ready]}/journal.jsonl" 1
tear "${folder_of[torn-launched]}/journal.jsonl" 2
daemon_start
for name in torn-ended torn-ready torn-launched; do
    check "a job with a torn journal ends ($name)" wait_for $name 15
done
check_equal "an end that its journal does not tell is lost" "$(show torn-ended end.cause)" '"lost"'
check_equal "what is recorded needs no journal: the end counts (ready)" "$(show torn-ready end.cause)" '"completed"'
check_equal "what is recorded needs no journal: the end counts (launched)" "$(show torn-launched end.cause)" '"completed"'
for name in torn-ready torn-launched; do
    check "its processes are gone ($name)" wait_until 2 gone "$(process_of "$WORK/$name.pid")"
done

# --- workers that hang ---

# Neither hears of the stop; the beginning of one's journal is gone as well, and with it the knowledge of its pid.
for name in hangs hangs-torn; do
    submit $name "echo \$\$ >$WORK/$name.pid; exec sleep 1000" '{"grace": 1}'
    process_of "$WORK/$name.pid" >/dev/null
    wait_until 10 test "$(show $name secondary_status)" = '"Training"'
    folder_of[$name]=$(worker_of $name)
    worker_pid=$(line "${folder_of[$name]}" ready pid)
    kill -STOP "$worker_pid"
done
daemon_kill
tear "${folder_of[hangs-torn]}/journal.jsonl" 1
daemon_start
for name in hangs hangs-torn; do
    stop $name
done
for name in hangs hangs-torn; do
    check "a worker that hangs is given up after its grace ($name)" wait_for $name 30
    check "its rank is gone ($name)" wait_until 2 gone "$(cat "$WORK/$name.pid")"
done
kill -KILL "$worker_pid"

# --- one daemon a state folder ---

second_daemon() {
    timeout 10 "$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$STATE" --socket "$WORK/second.sock" 2>"$WORK/second.log"
}

check_status "a second daemon on the same state folder is refused" 1 \
    second_daemon
check "and says why" grep -q "in use by another railheadd" "$WORK/second.log"
check "the first one serves on" http /readyz
daemon_stop

# --- without cgroups ---

# Where the control groups are hidden, environments and the process tree must do.
if unshare -m true 2>/dev/null; then
    cat >"$WORK/hidden" <<'HIDDEN'
for at in $(awk '$3 == "cgroup2" { print $2 }' /proc/mounts); do umount -l "$at" || exit 1; done
exec "$@"
HIDDEN
    daemon_prefix=(unshare -m sh "$WORK/hidden")
    : >"$WORK/railheadd.log"
    daemon_start
    check "the daemon does without cgroups" grep -q 'local.place cgroup=none' "$WORK/railheadd.log"
    each_end_takes_all_along walk
    a_killed_worker_is_lost walk
    a_lost_worker_ends_its_peers walk
    daemon_stop
fi
finish
