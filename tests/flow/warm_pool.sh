#!/bin/bash
# Warm pools: what an ended job holds, who gets it, what it costs, and how it ends.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 3, usd_per_hour: "0.36"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 1, usd_per_hour: "0.36"}
CONFIG

pool_is() {
    [ "$(show "$1" warm_pool.status)" = "\"$2\"" ]
}

# fake NAME MS [MEMBERS]: a job of timers.
fake() {
    submit "$1" true "{\"instance_type\": \"ml.c5.xlarge\", \"fake\": {\"run_ms\": $2}${3:+, $3}}"
}

# use: "IN-USE WARM" of the fake type.
use() {
    http /v1/instance-types | /usr/bin/python3 -c '
import json, sys
print(*("{in_use} {warm}".format(**i) for i in json.load(sys.stdin)["items"] if i["name"] == "ml.c5.xlarge"))'
}

daemon_start

# --- a pool, and the next job like it ---

fake one 100 '"instance_count": 2, "keep_alive": 600'
check "a job with keep_alive ends" wait_for one
check_equal "it is Completed" "$(show one status)" '"Completed"'
check_equal "it holds its instances" "$(show one warm_pool.status) $(use)" '"Available" 0 2'
check_equal "jobctl tells them from those in use" "$("$JOBCTL" instances | awk '$1 == "ml.c5.xlarge" { print $(NF-2), $(NF-1), $NF }')" "0, 2 warm"
fake blocked 60000 '"instance_count": 3, "priority": 100'
fake smaller 100 '"instance_count": 1'
check_equal "a larger job waits, however urgent" "$(show blocked secondary_status)" '"Pending"'
check "and is told why" grep -q '0 in use and 2 warm' <<<"$(show blocked queue.reason)"
fake two 3000 '"instance_count": 2, "priority": 0'
check "a job like the first starts before all others" wait_until 5 in_state two Training
check_equal "and has taken the pool over" "$(show one warm_pool.status) $(show one warm_pool.reused_by)" '"Reused" "two"'
cost=$(show one cost_usd)
seconds=$(show one warm_pool.retained_billable_seconds)
check "the time between is on rows of its own" grep -Eqx '[1-9]' <<<"$seconds"
check_equal "at the job's price, for both instances" "$(show one warm_pool.cost_usd)" "\"0.000$((seconds * 2))\""
check_equal "and not in the cost of the job" "$(show one billable_seconds) $cost" '1 "0.0002"'
check "without keep_alive the pool ends with the job that reused it" wait_until 10 in_state blocked Training
check_equal "it had none itself" "$(show two warm_pool)" null
stop blocked
wait_for blocked
wait_for smaller

# --- it ends by itself, by a stop, and over restarts ---

fake brief 100 '"keep_alive": 1'
check "a pool ends when its time is over" wait_until 5 pool_is brief Terminated
check_equal "billed for that time" "$(show brief warm_pool.retained_billable_seconds)" 1
fake kept 100 '"keep_alive": 600'
wait_until 5 pool_is kept Available
check "a pool can be stopped" "$JOBCTL" stop kept
check_equal "it is Terminated" "$(show kept warm_pool.status) $(show kept status) $(use)" '"Terminated" "Completed" 0 0'
check_status "but once" 4 "$JOBCTL" stop kept

fake lives 100 '"keep_alive": 600'
fake dies 100 '"instance_count": 2, "keep_alive": 2'
wait_until 5 pool_is lives Available
wait_until 5 pool_is dies Available
daemon_kill
sleep 2
daemon_start
check_equal "a pool outlives the daemon" "$(show lives warm_pool.status)" '"Available"'
check "one whose time was over meanwhile ends" wait_until 5 pool_is dies Terminated
check_equal "at that time" "$(show dies warm_pool.retained_billable_seconds)" 2
check_equal "the other one still holds its place" "$(use)" "0 1"
fake after 100
check "and is reused" wait_until 5 pool_is lives Reused
wait_for after

fake earlier 100 '"keep_alive": 600'
wait_until 5 pool_is earlier Available
daemon_stop
# As if it had ended before the machine started again.
sql "DROP TRIGGER job_event_is_append_only"
sql "UPDATE job_event SET data = json_set(data, '\$.boot_id', 'another boot') WHERE kind = 'placed'
     AND job_id = (SELECT job_id FROM job WHERE name = 'earlier')"
daemon_start
check "a pool of an earlier boot of the machine ends" wait_until 5 pool_is earlier Terminated
check_equal "where it began, and holds nothing" "$(show earlier warm_pool.retained_billable_seconds) $(use)" "0 0 0"

# --- what keeps nothing ---

submit fails true '{"instance_type": "ml.c5.xlarge", "keep_alive": 600, "fake": {"run_ms": 100, "exit_code": 3}}'
check "a program's own failure keeps the pool" wait_until 5 pool_is fails Available
submit vanishes true '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "keep_alive": 600, "fake": {"run_ms": 100, "lost": true}}'
wait_for vanishes
check_equal "a lost worker does not" "$(show vanishes warm_pool)" null
check_equal "a job that does not say so keeps nothing" "$(show after warm_pool)" null
stop fails

# --- with real processes it is the place that is kept ---

submit local-one 'exit 0' '{"keep_alive": 600}'
wait_for local-one
check_equal "a local job holds its place" "$(show local-one warm_pool.status)" '"Available"'
check_equal "and no process" "$(pgrep -cf -- "$(worker_of local-one)" || true)" 0
submit local-two 'exit 0' '{"keep_alive": 1}'
check "the next one runs in it" wait_for local-two
check_equal "and keeps it for its own time" "$(show local-one warm_pool.reused_by)" '"local-two"'
check "which ends" wait_until 5 pool_is local-two Terminated
finish
