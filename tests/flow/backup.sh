#!/bin/bash
# A backup is made under load, the daemon is killed, and the backup is restored elsewhere: what was promised before it is there,
# the ledger goes on from the head that it told, and what ran is looked for and not started again.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"
. "$SOURCE/tests/lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 50, usd_per_hour: "0.36"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 1, usd_per_hour: "0.36"}
CONFIG
FILE=$WORK/backup.db

# Submits one after the other until $WORK/enough is there; the names of what was promised go to $WORK/promised.
load() {
    /usr/bin/python3 -B - "$RAILHEAD_SOCKET" "$WORK" <<'PYTHON'
import http.client, json, os, socket, sys
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(sys.argv[1])
spec = {"command": ["true"], "framework": "plain", "instance_type": "ml.c5.xlarge", "fake": {"run_ms": 20}}
connection = Connection("railhead")
number = 0
with open(sys.argv[2] + "/promised", "w", buffering=1) as promised:
    while not os.path.exists(sys.argv[2] + "/enough"):
        connection.request("POST", "/v1/training-jobs", json.dumps({"name": f"load-{number}", **spec}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 201:
            sys.exit(f"status {answer.status}")
        print(f"load-{number}", file=promised)
        number += 1
PYTHON
}
promised() {
    wc -l <"$WORK/promised"
}
at_least() {
    [ "$(promised)" -ge "$1" ]
}

check "a daemon starts" daemon_start
submit running 'echo $$ >"'"$WORK"'/pid"; exec sleep 600'
submit waiting 'echo ran >>"'"$WORK"'/waiting.ran"'
check "a job runs" wait_until 20 in_state running Training
pid=$(process_of "$WORK/pid")
touch "$WORK/promised"
load 2>"$WORK/load.err" &
load=$!
check "jobs are submitted" wait_until 20 at_least 50

# --- the backup ---

cp "$WORK/promised" "$WORK/before"
began=$(date -u +%FT%T.%6NZ)
check "a backup is made meanwhile" "$JOBCTL" admin backup "$FILE"
line=$(cat "$WORK/check.out")
head=${line##*head }
check "its line tells rows, bytes and the head of the ledger" \
    grep -Eq "^$FILE: [0-9]+ jobs, [0-9]+ events, [0-9]+ rows of the ledger, $(stat -c %s "$FILE") bytes, head [0-9]+:[0-9a-f]{64}$" <<<"$line"
check_equal "nothing but the file is left" "$(cd "$WORK" && ls -d backup.db*)" backup.db
check_equal "nobody else can read it" "$(stat -c %a "$FILE")" 600
check "jobs are submitted all the while" wait_until 20 at_least $(($(wc -l <"$WORK/before") + 50))
kept=$(sha256sum "$FILE")
check_status "a file that is there is not replaced" 4 "$JOBCTL" admin backup "$FILE"
check_equal "and is what it was" "$(sha256sum "$FILE")" "$kept"
echo old >"$WORK/second.db"
check "unless that is forced" "$JOBCTL" admin backup --force --output json "$WORK/second.db"
check_equal "the digest that is told is that of the file" \
    "$(jq -r .sha256 "$WORK/check.out")" "$(sha256sum "$WORK/second.db" | cut -d ' ' -f 1)"
check "a folder that is not there is told" test "$("$JOBCTL" admin backup "$WORK/no/such" 2>&1 >/dev/null | grep -c "$WORK/no/such.part")" = 1
http /v1/backup >"$WORK/by-curl.db"
check_equal "any client gets a database of one file" \
    "$(/usr/bin/python3 -c 'import sqlite3, sys
print(*sqlite3.connect("file:%s?mode=ro&immutable=1" % sys.argv[1], uri=True).execute("PRAGMA integrity_check").fetchone())' "$WORK/by-curl.db")" ok
touch "$WORK/enough"
wait "$load"
check_equal "no submit was refused" "$(cat "$WORK/load.err")" ""

# --- the loss ---

daemon_kill 2>/dev/null
restore() {
    timeout 60 "$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$1" --restore "$2"
}
check_status "nothing is restored over the database of the daemon" 1 restore "$STATE" "$FILE"
old=$STATE
STATE=$WORK/restored
check "the backup is restored elsewhere" restore "$STATE" "$FILE"
restored=$(cat "$WORK/check.out")
check "the same head is told" grep -q "the head of the ledger is $head\$" <<<"$restored"
check "what ran is told, and that it is looked for" grep -Eq '^jobs that were running: [0-9]+; they are looked for' <<<"$restored"
check "what waits is told" grep -Eq '^jobs that wait: [1-9][0-9]*; they start when railheadd does' <<<"$restored"
check "that folders are missing is told" grep -Eq '^missing: the folders of [0-9]+ of [0-9]+ jobs that ran' <<<"$restored"
check_equal "only the database is there" "$(cd "$STATE" && ls)" "railhead.db
railhead.db.lock"
check_status "a second time is refused" 1 restore "$STATE" "$FILE"

# --- after it ---

check "a daemon starts on it" daemon_start
"$JOBCTL" ls --limit 1000 --output json >"$WORK/list"
sql "SELECT name FROM job" | sort >"$WORK/there"
check_equal "no job that was promised before the backup is missing" "$(sort "$WORK/before" | comm -23 - "$WORK/there")" ""
check "the ledger goes on from the head of the backup" "$JOBCTL" bill verify --against "$head"
check "what ran and is not found has ended" wait_for running
check_equal "as lost" "$(show running end.cause)" '"lost"'
check "billed no longer than the backup knows of it" \
    test "$(http /v1/training-jobs/running/receipt | jq -r '.attempts[].intervals[].ended_at')" "<" "$began"
check "what runs in the other daemon's place is left alone" lives "$pid"
check "what waited runs" wait_for waiting
check_equal "once" "$(cat "$WORK/waiting.ran")" ran
all_ended() { [ "$("$JOBCTL" ls --status InProgress --output json | jq '.items | length')" = 0 ]; }
check "all jobs end" wait_until 30 all_ended
check "and the ledger holds" "$JOBCTL" bill verify --against "$head"

# --- where its folders are ---

daemon_stop
end_cgroups
STATE=$old
mkdir "$WORK/aside"
mv "$STATE"/railhead.db* "$WORK/aside"
check "a backup is put in the place of the lost database" restore "$STATE" "$FILE"
check "a daemon starts there" daemon_start
check_equal "what runs still is found, and runs" "$(show running secondary_status)" '"Training"'
check "and can be stopped" "$JOBCTL" stop --wait running
check "by this daemon" wait_until 10 eval "! lives $pid"
check "the ledger holds" "$JOBCTL" bill verify --against "$head"

# --- what must not be restored ---

daemon_stop
cp "$FILE" "$WORK/tampered.db"
/usr/bin/python3 - "$WORK/tampered.db" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
    db.execute("DROP TRIGGER " + name)
db.execute("UPDATE interval_close SET seconds = seconds + 1 WHERE seq = (SELECT MIN(seq) FROM interval_close)")
db.commit()
PYTHON
check_status "a backup whose ledger was tampered with is refused" 2 restore "$WORK/third" "$WORK/tampered.db"
check "with the row" grep -q 'its ledger does not hold: row [0-9]' <<<"$(restore "$WORK/third" "$WORK/tampered.db" 2>&1)"
check_equal "and nothing is in place" "$(cd "$WORK/third" && ls)" railhead.db.lock
finish
