#!/bin/bash
# Interruptions: the notice reaches the program, the job waits and starts again, a stop wins, and who does not run is
# not interrupted.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 2, usd_per_hour: "0.36"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 2, usd_per_hour: "0.36"}
CONFIG
RETRY='"retry": {"max_attempts": 2, "on": ["interrupted"]}'

runs() {
    wait_until 10 in_state "$1" Training && process_of "$WORK/$1.pid" >/dev/null
}

causes() {
    http "/v1/training-jobs/$1" | /usr/bin/python3 -c '
import json, sys
print(*((a["end"] or {}).get("cause") for a in json.load(sys.stdin)["attempts"]))'
}

moves() {
    http "/v1/training-jobs/$1/transitions" | /usr/bin/python3 -c '
import json, sys
print(*(item["status"] for item in json.load(sys.stdin)["items"]))'
}

interrupt() {
    "$JOBCTL" admin interrupt "$@"
}

daemon_start

# saving NAME: a script that saves on SIGTERM and fails, and ends well in its second attempt if that is there.
saving() {
    echo 'trap "echo saved >'"$WORK/$1"'.saved; exit 1" TERM
echo $$ >'"$WORK/$1"'.pid
[ $RAILHEAD_ATTEMPT = 1 ] || { cat '"$WORK/$1"'.saved; exit 0; }
sleep 1000 & wait $!'
}

submit resumes "$(saving resumes)" "{$RETRY}"
check "a job runs" runs resumes
check "it can be interrupted" interrupt resumes
check "it starts again and ends" wait_for resumes
check_equal "it is Completed" "$(show resumes status)" '"Completed"'
check_equal "its first attempt was interrupted" "$(causes resumes)" "interrupted completed"
check_equal "it was InProgress all the time" "$(moves resumes)" \
    "Pending Starting Downloading Training Interrupted Starting Downloading Training Completed"
check_equal "what it saved within the notice was there" "$(cat "$STATE/jobs/$(show resumes id | tr -d '"')-2-0/rank-0.log")" saved

# The notice takes the place of the grace.
submit stubborn 'trap "" TERM; echo $$ >'"$WORK"'/stubborn.pid; sleep 1000 & wait; sleep 1000' "{\"grace\": 600}"
check "a job that ignores SIGTERM runs" runs stubborn
check "it is given a notice of a second" interrupt stubborn --notice 1
check "and is gone soon after" wait_for stubborn 8
check_equal "without an attempt left it is Failed" "$(show stubborn status) $(show stubborn end.cause)" '"Failed" "interrupted"'
check "and says so in SageMaker's class" grep -q '^"CapacityError: interrupted in attempt 1 of 1' <<<"$(show stubborn failure_reason)"

# --- a stop wins over another attempt ---

submit stopped 'trap "sleep 1; exit 0" TERM; echo $$ >'"$WORK"'/stopped.pid; sleep 1000 & wait $!' "{$RETRY}"
check "another job runs" runs stopped
interrupt stopped >/dev/null
check "an interruption that was asked for twice is one" interrupt stopped
stop stopped
check "a job that was interrupted can be stopped" wait_for stopped
check_equal "and has no other attempt" "$(show stopped status) $(causes stopped)" '"Stopped" user_stop'

# --- it waits for a place, at its old age ---

submit first true '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "fake": {"run_ms": 600000}, '"$RETRY}"
check "a job has all instances" wait_until 10 in_state first Training
submit urgent true '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "priority": 90, "fake": {"run_ms": 3000}}'
submit younger true '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "fake": {"run_ms": 100}}'
interrupt first >/dev/null
check "its place goes to a more urgent one" wait_until 10 in_state urgent Training
check_equal "it waits, Interrupted" "$(show first status) $(show first secondary_status)" '"InProgress" "Interrupted"'
check_equal "first in line" "$(show first queue.position)" 1
daemon_kill
daemon_start
check_equal "also after the daemon was killed" "$(show first secondary_status) $(show first queue.position)" '"Interrupted" 1'
check "it has its place again before a younger one" wait_until 10 in_state first Training
check_equal "which waits" "$(show younger secondary_status)" '"Pending"'
stop first

# --- who does not run is not interrupted ---

submit late true '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "fake": {"run_ms": 600000}}'
check_status "a job that has ended" 4 interrupt resumes
wait_for first 5
wait_for younger 5
submit waits true '{"instance_type": "ml.c5.xlarge", "instance_count": 2}'
wait_until 10 in_state late Training
check_status "a job that waits" 4 interrupt waits
check_status "a job that is not there" 3 interrupt nobody
check_status "a notice that is no time" 2 interrupt late --notice soon
check_status "another word than interrupt" 2 "$JOBCTL" admin reboot late
for body in '[]' '{"notice_s": -1}' '{"notice_s": "120"}' '{"notice": 120}' '{'; do
    check_equal "the body $body is refused" "$(curl -sS -o "$WORK/answer" -w '%{http_code}' --unix-socket "$RAILHEAD_SOCKET" \
        -H 'Content-Type: application/json' -d "$body" http://railhead/v1/training-jobs/late/interrupt)" 400
done
check_equal "and changes nothing" "$(show late secondary_status)" '"Training"'
finish
