#!/bin/bash
# The disk of the state folder fills up under a busy daemon, and something takes what becomes free: no job is taken or
# placed, those that run go on and end as they should, and with room again all goes on, without a restart.
# shellcheck disable=SC2119
if [ -z "${PRIVATE_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
    PRIVATE_MOUNTS=1 exec unshare -m "$BASH" "$0"
fi
. "$(dirname "$0")/../lib/test.sh"
[ -n "${PRIVATE_MOUNTS:-}" ] || skip "no mounts of our own: not root"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

leave_disk() {
    umount -l "$STATE"
}
mkdir "$STATE"
mount -t tmpfs -o size=52m none "$STATE" || skip "no tmpfs"
at_exit leave_disk
DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 900}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 4}
CONFIG

# Submits until it is refused; prints the names of what was promised, and the refusal.
fill() {
    /usr/bin/python3 - "$RAILHEAD_SOCKET" <<'PYTHON'
import http.client, json, socket, sys
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(sys.argv[1])
spec = {"command": ["true"], "framework": "plain", "instance_type": "ml.c5.xlarge", "instance_count": 3,
        "fake": {"run_ms": 3000}, "environment": {"FILLING": "x" * 16000}}
connection = Connection("railhead")
for number in range(20000):
    connection.request("POST", "/v1/training-jobs", json.dumps({"name": f"fill-{number}", **spec}),
                       {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = json.load(answer)
    if answer.status != 201:
        print(answer.status, body["code"], file=sys.stderr)
        break
    print(f"fill-{number}")
PYTHON
}

# Takes whatever is free, for as long as it lives.
hog() {
    while :; do
        head -c 65536 /dev/zero >>"$STATE/hog" 2>/dev/null || sleep 0.02
    done
}
reserve() {
    stat -c %s "$STATE/railhead.db.reserve"
}
runs() {
    in_state "$1" Training
}
ended_as() {
    [ "$(show "$1" end.cause) $(show "$1" end.exit_code)" = "$2" ]
}
# are_in_state STATUS NAMES: they and no other jobs.
are_in_state() {
    [ "$(http "/v1/training-jobs?status=$1" | grep -o '"name":"[^"]*"' | cut -d '"' -f 4)" = "$2" ]
}

daemon_start
check_equal "a reserve is set aside" "$(reserve)" 16777216
until_told='until [ -e '$WORK'/go ]; do echo working; sleep 0.05; done'
submit long "$until_told; exit 0"
submit short "until [ -e $WORK/end ]; do echo working; sleep 0.05; done; exit 7"
submit asked "trap 'echo heard >$WORK/heard; exit 3' TERM; while :; do sleep 0.05; done"
for name in long short asked; do
    wait_until 10 runs "$name"
done
fill >"$WORK/promised" 2>"$WORK/refusal"
check "many are promised before the disk is full" test "$(wc -l <"$WORK/promised")" -gt 200
check_equal "then a submit is refused: 507" "$(cat "$WORK/refusal")" "507 disk_full"
hog &
hog_pid=$!
at_exit "kill $hog_pid 2>/dev/null"
sleep 1
check_equal "the daemon says that the disk is full, once" "$(grep -c disk.full "$WORK/railheadd.log")" 1
echo '{"name": "late", "command": ["true"], "framework": "plain", "instance_type": "ml.c5.xlarge"}' >"$WORK/late.json"
status=0
"$JOBCTL" submit "$WORK/late.json" >"$WORK/late.out" 2>&1 || status=$?
check_equal "jobctl ends with 7" "$status" 7
check "and says to try again" grep -q "is full: try again when there is room" "$WORK/late.out"
echo source >"$WORK/source"
http "/v1/sources/$(sha256sum <"$WORK/source" | cut -d ' ' -f 1)" -T "$WORK/source" >"$WORK/source.out" 2>&1
check "a source is not taken either" grep -q '"code":"disk_full"' "$WORK/source.out"
http /readyz >"$WORK/ready.out" 2>&1
check "it is not ready for new work" grep -q disk_full "$WORK/ready.out"
"$JOBCTL" doctor >"$WORK/doctor.out"
check "the doctor says so" grep -q "^error *daemon .*disk of railheadd's state folder is full" "$WORK/doctor.out"
touch "$WORK/end"
stop asked
check "a job ends of itself" wait_for short
check "with its own exit code" ended_as short '"failed" 7'
check "a job that is told to stop ends" wait_for asked
check_equal "as stopped" "$(show asked status)" '"Stopped"'
check "it heard the stop" grep -q heard "$WORK/heard"
sleep 6 # a worker's sign of life is due every 5 s
check "a job trains on" runs long
check "those that were placed all end" wait_until 20 are_in_state Training long
check "the reserve was drawn on" test "$(reserve)" -lt 16777216
check "what waits is told why" grep -q "disk of railheadd's state folder is full" <<<"$(show "$(tail -n 1 "$WORK/promised")" queue.reason)"

kill "$hog_pid"
wait "$hog_pid" 2>/dev/null
rm "$STATE/hog"
mount -o remount,size=256m "$STATE"
check "with room again it is ready" wait_until 10 http /readyz
check_equal "the reserve is whole" "$(reserve)" 16777216
check "a job is taken" submit after true '{"instance_type": "ml.c5.xlarge"}'
check "the daemon is the one that it was" kill -0 "$daemon_pid"
check_equal "it has not failed" "$(grep -c store.failed "$WORK/railheadd.log")" 0
touch "$WORK/go"
check "all jobs end" wait_until 60 are_in_state InProgress ""
check "the job that trained all the time has completed" ended_as long '"completed" 0'
daemon_stop
sql "SELECT name FROM job" | sort >"$WORK/there"
check_equal "none that was promised is missing" "$(sort "$WORK/promised" | comm -23 - "$WORK/there")" ""
check_equal "no event log has a gap" "$(sql "SELECT job_id FROM job_event GROUP BY job_id HAVING MIN(seq) != 1 OR MAX(seq) != COUNT(*)")" ""
check_equal "all have completed" "$(sql "SELECT DISTINCT state FROM job WHERE name LIKE 'fill-%'")" Completed
check_equal "each was billed once for each of its instances" \
    "$(sql "SELECT name FROM job LEFT JOIN interval_open USING (job_id) LEFT JOIN interval_close AS c ON c.open_seq = interval_open.seq WHERE name LIKE 'fill-%' GROUP BY job_id HAVING COUNT(*) != 3 OR SUM(seconds) NOT BETWEEN 9 AND 24")" ""

# --- a start on a full disk, without the log that a clean stop took away ---

head -c 300M /dev/zero >"$STATE/hog" 2>/dev/null
"$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$STATE" --socket "$RAILHEAD_SOCKET" >>"$WORK/railheadd.log" 2>&1 &
daemon_pid=$!
check "a daemon starts on a full disk" wait_until 10 http /healthz
check "and says that it is full" grep -q '"status":"disk_full"' <<<"$(http /healthz)"
rm "$STATE/hog"
check "with room it takes jobs" wait_until 10 http /readyz
daemon_stop
finish
