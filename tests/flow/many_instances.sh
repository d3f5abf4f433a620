#!/bin/bash
# A job of many instances is started over some rounds of the daemon's loop: what comes in between is heard.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 300}
  - {instance_type: ml.c5.4xlarge, scheduler: fake, count: 1}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 12}
CONFIG

# many NAME FAKE: a job of all instances of the first pool.
many() {
    submit "$1" true "{\"instance_type\": \"ml.c5.xlarge\", \"instance_count\": 300, \"fake\": $2}"
}

daemon_start

many stopped '{"run_ms": 600000}'
stop stopped
check "one that is stopped as soon as it was submitted ends" wait_for stopped 60
check_equal "by the stop" "$(show stopped end.cause)" '"user_stop"'

many killed '{"run_ms": 600000}'
submit beside true '{"instance_type": "ml.c5.4xlarge", "fake": {"run_ms": 1}}'
daemon_kill
daemon_start
check "a job beside it ends" wait_for beside 60
check "what a killed daemon had begun to start is started" wait_until 60 in_state killed Training
stop killed
check "and stopped, every worker of it" wait_for killed 60
check_equal "which are all there" "$(http /v1/training-jobs/killed | grep -o '"host":"algo-[0-9]*"' | wc -l)" 300

submit real 'exit $((RAILHEAD_WORKER == 11 ? 3 : 0))' '{"instance_count": 12, "grace": 1}'
check "a dozen real workers end" wait_for real 60
check_equal "the last one's failure is the job's" "$(show real end.cause) $(show real end.first_failing_rank)" '"failed" 11'
finish
