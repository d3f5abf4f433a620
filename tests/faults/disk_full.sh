#!/bin/bash
# The disk of the state folder fills up under a busy daemon: what was promised before is there when there is room again, nothing is
# half there, and the jobs go on.
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
mount -t tmpfs -o size=24m none "$STATE" || skip "no tmpfs"
at_exit leave_disk
DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 1000}
CONFIG

# Submits until it is refused or the daemon is gone; prints the names of what was promised.
fill() {
    /usr/bin/python3 - "$RAILHEAD_SOCKET" <<'PYTHON'
import http.client, json, socket, sys
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(sys.argv[1])
spec = {"command": ["true"], "framework": "plain", "instance_type": "ml.c5.xlarge", "instance_count": 3,
        "fake": {"run_ms": 20}, "tags": {"filling": "x" * 200}}
connection = Connection("railhead")
try:
    for number in range(20000):
        connection.request("POST", "/v1/training-jobs", json.dumps({"name": f"fill-{number}", **spec}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 201:
            print("#", answer.status, body.decode(), file=sys.stderr)
            break
        print(f"fill-{number}")
except (OSError, http.client.HTTPException) as error:
    print("#", repr(error), file=sys.stderr)
PYTHON
}

daemon_start
fill >"$WORK/promised" 2>"$WORK/refusal"
sed 's/^/# /' "$WORK/refusal"
check "many were promised before" test "$(wc -l <"$WORK/promised")" -gt 50
check "the daemon says that the disk is full" grep -q "store.failed.*full" "$WORK/railheadd.log"
daemon_ended() { ! kill -0 "$daemon_pid"; }
check "and ends, for its next start to recover" wait_until 10 daemon_ended
daemon_wait
check "once" test "$(grep -c store.failed "$WORK/railheadd.log")" = 1
mount -o remount,size=256m "$STATE"
check_equal "no event log has a gap" "$(sql "SELECT job_id FROM job_event GROUP BY job_id HAVING MIN(seq) != 1 OR MAX(seq) != COUNT(*)")" ""
check_equal "no job is without its first event" "$(sql "SELECT name FROM job WHERE job_id NOT IN (SELECT job_id FROM job_event WHERE seq = 1)")" ""
daemon_start
all_ended() { [ "$(http "/v1/training-jobs?status=InProgress" | grep -c '"name"')" = 0 ]; }
check "with room again all of them end" wait_until 30 all_ended
daemon_stop
sql "SELECT name FROM job" | sort >"$WORK/there"
check_equal "none that was promised is missing" "$(sort "$WORK/promised" | comm -23 - "$WORK/there")" ""
check_equal "all have completed" "$(sql "SELECT DISTINCT state FROM job")" Completed
check_equal "each was billed once for each of its instances" \
    "$(sql "SELECT job_id FROM job LEFT JOIN interval_open USING (job_id) LEFT JOIN interval_close AS c ON c.open_seq = interval_open.seq GROUP BY job_id HAVING COUNT(*) != 3 OR SUM(seconds) != 3")" ""
finish
