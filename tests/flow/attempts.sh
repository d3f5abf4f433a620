#!/bin/bash
# Attempts: what is tried again and what is not, each with its own folder, end and bill; the daemon killed between them.
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

# attempts NAME: "CAUSE/SECONDS" of each.
attempts() {
    http "/v1/training-jobs/$1" | /usr/bin/python3 -c '
import json, sys
print(*("{}/{}".format((a["end"] or {}).get("cause"), a["billable_seconds"]) for a in json.load(sys.stdin)["attempts"]))'
}

# moves NAME: its states, in order.
moves() {
    http "/v1/training-jobs/$1/transitions" | /usr/bin/python3 -c '
import json, sys
print(*(item["status"] for item in json.load(sys.stdin)["items"]))'
}

# pauses NAME: whole seconds of every wait between attempts.
pauses() {
    http "/v1/training-jobs/$1/transitions" | /usr/bin/python3 -c '
import datetime, json, sys
at = lambda text: datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
print(*(int((at(i["end"]) - at(i["start"])).total_seconds())
        for i in json.load(sys.stdin)["items"] if i["status"] == "Restarting"))'
}

daemon_start

# --- real processes ---

submit again 'echo "attempt $RAILHEAD_ATTEMPT"; [ $RAILHEAD_ATTEMPT = 3 ] || exit 5' \
    '{"retry": {"max_attempts": 3, "on": ["failed"]}}'
submit enough 'exit 5' '{"retry": {"max_attempts": 2, "on": ["failed"]}}'
submit not-that 'exit 5' '{"retry": {"max_attempts": 3, "on": ["infrastructure", "interrupted"]}}'
submit once 'exit 5'
echo "[{\"prefix\": \"file://$WORK/\"}, \"nothing\"]" >"$WORK/manifest"
submit missing true "{\"inputs\": {\"train\": {\"uri\": \"file://$WORK/manifest\", \"data_type\": \"ManifestFile\"}},
    \"retry\": {\"max_attempts\": 3, \"on\": [\"input\"]}}"
check "a job that fails twice and is tried three times ends" wait_for again 30
check_equal "it is Completed" "$(show again status) $(show again end.cause)" '"Completed" "completed"'
check_equal "it went through its attempts" "$(moves again)" \
    "Pending Starting Downloading Training Restarting Starting Downloading Training Restarting Starting Downloading Training Completed"
check_equal "each pause is twice as long as the one before" "$(pauses again)" "1 2"
check_equal "every attempt has its own end" "$(attempts again | sed 's|/[0-9]*||g')" "failed failed completed"
check_equal "the bill is the sum of its attempts" "$(show again billable_seconds)" \
    "$(attempts again | tr ' ' '\n' | awk -F/ '{ sum += $2 } END { print sum }')"
id=$(show again id | tr -d '"')
for attempt in 1 2 3; do
    check_equal "attempt $attempt has its own log" "$(cat "$STATE/jobs/$id-$attempt-0/rank-0.log")" "attempt $attempt"
done
check_equal "the logs are the last attempt's" "$("$JOBCTL" logs again)" "attempt 3"
check_equal "or those of the one that is asked for" "$("$JOBCTL" logs again --attempt 1) $("$JOBCTL" logs again -f -a 2)" \
    "attempt 1 attempt 2"
check_equal "one that never was is an error" "$("$JOBCTL" logs again --attempt 4 2>&1)" \
    "jobctl: job again has no attempt 4; it has had 3"
check "a job that fails as often as it may ends" wait_for enough
check_equal "with its last failure" "$(show enough status) $(show enough end.exit_code) $(attempts enough | wc -w)" '"Failed" 5 2'
check "an end that the spec does not name ends the job" wait_for not-that
check_equal "in its first attempt" "$(show not-that end.cause) $(attempts not-that | wc -w)" '"failed" 1'
check "a job without retry ends" wait_for once
check "a job whose data is not there ends" wait_for missing
check_equal "and is not tried again, though its retry names that" "$(attempts missing | sed 's|/[0-9]*||g')" input
check_equal "in its only attempt" "$(attempts once | wc -w)" 1

# --- a worker is lost, its peer is stopped, and both start again ---

submit lost 'echo $$ >>'"$WORK"'/lost.$RAILHEAD_WORKER.$RAILHEAD_ATTEMPT; [ $RAILHEAD_ATTEMPT = 2 ] || sleep 1000' \
    '{"instance_count": 2, "grace": 5, "retry": {"max_attempts": 2}}'
process_of "$WORK/lost.0.1" >/dev/null
process_of "$WORK/lost.1.1" >/dev/null
wait_until 10 in_state lost Training
worker_pid=$(line "$(worker_of lost 1)" ready pid)
kill -KILL "$worker_pid"
check "a job whose worker was killed starts again and ends" wait_for lost 30
check_equal "it is Completed" "$(show lost status)" '"Completed"'
check_equal "the first attempt was lost" "$(attempts lost | sed 's|/[0-9]*||g')" "lost completed"
check_equal "its peer was stopped for it" "$(show lost attempts.0.workers.0.end.cause)" '"peer"'
check "nothing of the first attempt is left" eval '! lives $(cat '"$WORK"'/lost.0.1) && ! lives $(cat '"$WORK"'/lost.1.1)'

# --- a worker that cannot hear a stop: it is killed 15 s after its grace ---

submit frozen 'echo $$ >'"$WORK"'/frozen; sleep 1000' '{"grace": 1}'
wait_until 10 in_state frozen Training
frozen_pid=$(line "$(worker_of frozen)" ready pid)
kill -STOP "$frozen_pid"
stop frozen

# --- the pause between attempts, and what ends it ---

vanish='"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 100, "lost": true}'
submit waits true "{$vanish, \"retry\": {\"max_attempts\": 30}}"
check "a job waits between its attempts" wait_until 10 in_state waits Restarting
check "and says why" grep -q '"attempt [0-9]* of 30 failed: back in line in [0-9]* s"' <<<"$(show waits queue.reason)"
check_equal "it holds nothing" "$(http /v1/instance-types | /usr/bin/python3 -c '
import json, sys
print(*(i["in_use"] for i in json.load(sys.stdin)["items"] if i["name"] == "ml.c5.xlarge"))')" 0
stop waits
check "a job that waits for its next attempt can be stopped" wait_for waits 3
check_equal "it is Stopped" "$(show waits status) $(show waits end.cause)" '"Stopped" "user_stop"'
check_equal "its attempts are billed" "$(show waits billable_seconds)" "$(attempts waits | wc -w)"

submit patient true "{$vanish, \"retry\": {\"max_attempts\": 30}, \"max_run\": 2, \"max_wait\": 4}"
check "max_wait counts over all attempts" wait_for patient 15
check_equal "and ends a job that waits for another" "$(show patient secondary_status)" '"MaxWaitTimeExceeded"'

# --- max_run counts over attempts ---

submit long 'sleep 1.6; [ $RAILHEAD_ATTEMPT = 1 ] && exit 5; sleep 100' \
    '{"max_run": 3, "grace": 1, "retry": {"max_attempts": 3, "on": ["failed"]}}'
check "a second attempt gets what the first has left of max_run" wait_for long 15
check_equal "and ends by it" "$(show long secondary_status) $(attempts long | sed 's|/[0-9]*||g')" '"MaxRuntimeExceeded" failed max_run'
check "after about 3 s in all" grep -Eqx '[3-5]' <<<"$(show long billable_seconds)"

# --- a stop before any worker showed itself ---

submit early true '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "fake": {"start_ms": 60000}}'
check "a job starts" wait_until 10 in_state early Starting
stop early
check "a job that is stopped while it starts ends" wait_for early 5
check_equal "it is Stopped" "$(show early status)" '"Stopped"'

check "a job whose worker does not hear its stop ends all the same" wait_for frozen 30
check_equal "as what it was told to be" "$(show frozen status) $(show frozen end.cause)" '"Stopped" "user_stop"'
check_equal "with a word about it" "$(show frozen end.message)" '"the worker did not answer to a stop and was killed"'
check "and nothing of it is left" eval '! lives $(cat '"$WORK"'/frozen) && ! lives $frozen_pid'

# --- the daemon is killed in every state on the way ---

submit survivor 'sleep 1; [ $RAILHEAD_ATTEMPT = 3 ] || exit 5' '{"retry": {"max_attempts": 3, "on": ["failed"]}}'
for state in Training Restarting Starting Training Restarting Training; do
    wait_until 10 in_state survivor $state
    daemon_kill
    daemon_start
done
check "a job whose daemon died between and in its attempts ends" wait_for survivor 30
check_equal "after as many as it should have" "$(attempts survivor | sed 's|/[0-9]*||g')" "failed failed completed"

# --- the instance type leaves the catalog while a job runs on it ---

submit orphan 'echo $$ >'"$WORK"'/orphan; sleep 1000' '{"grace": 1}'
orphan=$(process_of "$WORK/orphan")
daemon_kill
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.p3.2xlarge, scheduler: local, count: 1}
CONFIG
mkdir "$WORK/profiles"
cp "$SOURCE/instance-profiles/p3.yaml" "$WORK/profiles"
RAILHEAD_INSTANCE_PROFILES=$WORK/profiles daemon_start
check "a job whose instance type is not in the catalog any more goes on" in_state orphan Training
stop orphan
check "and can be stopped" wait_for orphan 10
check_equal "it is Stopped" "$(show orphan status) $(show orphan end.cause)" '"Stopped" "user_stop"'
check_status "its process is gone" 1 lives "$orphan"
finish
