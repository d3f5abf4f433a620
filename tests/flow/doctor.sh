#!/bin/bash
# jobctl doctor finds what was put in the way, names the remedy, and ends with 1 when it is an error.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

# examine: runs the doctor; its words are in $WORK/words, its status in $status.
examine() {
    status=0
    "$JOBCTL" doctor "$@" >"$WORK/words" 2>&1 || status=$?
}
# finds SEVERITY CHECK WORDS
finds() {
    grep -Eq "^$1 +$2 .*$3" "$WORK/words"
}

daemon_start
submit past true '{"instance_type": "ml.c5.xlarge"}'
wait_for past
daemon_stop
daemon_start
examine
check_equal "nothing stands in the way of a daemon that is well" "$status" 0
for found in "disk .*MiB free" "inodes " "database .*every page is whole: 1 jobs" "ledger .*chain of .* rows holds" "orphans .*belongs to one" \
    "step " "ports .*of the ports 20000 to 29999 are free"; do
    check "it is told: $found" grep -Eq "^ok +$found" "$WORK/words"
done
examine --output json
check "as JSON every finding has its remedy or none" /usr/bin/python3 - "$WORK/words" <<'PYTHON'
import json, sys
findings = json.load(open(sys.argv[1]))["findings"]
assert len(findings) > 20, len(findings)
for finding in findings:
    assert set(finding) == {"check", "severity", "text", "remedy"}, finding
    assert finding["severity"] in ("ok", "note", "warning", "error"), finding
    assert finding["severity"] == "ok" or finding["remedy"], finding
PYTHON

# --- what no job accounts for ---

id=$(show past id | tr -d '"')
RAILHEAD_JOB_ID=$id sleep 60 &
left=$!
at_exit "kill $left 2>/dev/null"
RAILHEAD_JOB_ID=01J0000000000000000000000B sleep 60 &
elsewhere=$!
at_exit "kill $elsewhere 2>/dev/null"
mkdir "$STATE/jobs/01J0000000000000000000000A-1-0" "$STATE/jobs/notes"
examine
check "a process of a job that is over is an orphan" finds warning orphans "1 processes belong to no job that runs; the first is $left of job"
check "a folder of a job that is not known is one" finds note orphans "1 folders belong to no job; .*01J0000000000000000000000A-1-0"
check_equal "neither is an error" "$status" 0
mkdir "$STATE/jobs/01J0000000000000000000000B-1-0"
examine
check "a process of a job that is not known is one when its folder is here" finds warning orphans "2 processes"

# --- tools that are not what they seem ---

mkdir "$WORK/tools"
printf '#!/bin/sh\necho "HYDRA build details:"\n' >"$WORK/tools/mpirun"
chmod +x "$WORK/tools/mpirun"
PATH=$WORK/tools:$PATH examine
check "an mpirun of another make is told" finds warning mpirun "$WORK/tools/mpirun is not that of Open MPI"

# --- limits ---

(ulimit -n 1000 && ulimit -u 2000 && examine && cp "$WORK/words" "$WORK/limits")
check "few files are told" grep -q "^warning *files .*at most 1000" "$WORK/limits"
check "few processes are told" grep -q "^warning *processes .*2000" "$WORK/limits"

# --- a database that is damaged under the daemon ---

page=$(/usr/bin/python3 - "$STATE/railhead.db" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
print(db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'job_event'").fetchone()[0])
PYTHON
)
head -c 4096 /dev/urandom | dd of="$STATE/railhead.db" bs=4096 seek=$((page - 1)) conv=notrunc status=none
examine
check_equal "a damaged page is an error" "$status" 1
check "of the database" finds error database "malformed|damaged|btree|Tree|page"
check "with the remedy" grep -q -- "-> .*railheadd --restore" "$WORK/words"
daemon_kill
examine
check_equal "that no daemon answers is one" "$status" 1
finish
