#!/bin/bash
# Lists of jobs: filters, also of much history, and the cursors that lead through them.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"

cat >"$WORK/lists.yaml" <<'END'
pools: [{instance_type: local, scheduler: local, count: 1}]
END
DAEMON_CONFIG=$WORK/lists.yaml # what waits in the history finds no place
COUNT=30000
mkdir -p "$STATE"
check "there is a history of $COUNT jobs" "$BUILD/tests/flow/make_jobs" "$STATE/railhead.db" 7 $COUNT
check "a daemon starts" daemon_start

# list QUERY: a page.
list() {
    http "/v1/training-jobs?$1"
}

# walk QUERY: the names of all pages, and "empty" for a page that has none.
walk() {
    local page cursor=
    while page=$(list "$1${cursor:+&cursor=$cursor}"); do
        jq -r 'if .items == [] then "empty" else .items[].name end' <<<"$page"
        cursor=$(jq -r '.next_cursor // empty' <<<"$page")
        [ "$cursor" ] || return 0
    done
}

# expected CONDITION: names by the database itself, newest first.
expected() {
    /usr/bin/python3 - "$STATE/railhead.db" "$1" <<'END'
import sqlite3, sys
for name, in sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute(
        "SELECT name FROM job WHERE %s ORDER BY job_id DESC" % sys.argv[2]):
    print(name)
END
}

# same NAME QUERY CONDITION
same() {
    local wanted

    wanted=$(expected "$3")
    check_equal "$1" "$(walk "$2" | sha256sum)" "$(printf '%s\n' "${wanted:-empty}" | sha256sum)"
}

tagged="EXISTS (SELECT 1 FROM job_tag WHERE key = 'project' AND value = 'vision' AND job_id = job.job_id)"
same "every job comes once" "limit=1000" "1"
same "of an owner and a status" "owner=bo&status=Failed&limit=37" "owner = 'bo' AND status = 'Failed'"
same "of a tag and a type" "tag=project%3Dvision&instance_type=ml.g5.2xlarge" "$tagged AND instance_type = 'ml.g5.2xlarge'"
same "of a secondary status" "status=MaxWaitTimeExceeded&limit=2" "state = 'MaxWaitTimeExceeded'"
same "of what lives" "status=InProgress" "status = 'InProgress'"
same "of a part of the name, far between" "name=%2D00129&limit=7" "name LIKE '%-00129%'"
same "of a part that no name has" "name=nothing" "0"
same "of a time in which the clock was set back" "created_after=1700898000&created_before=1700898600&limit=3" \
    "created_us >= 1700898000000000 AND created_us < 1700898600000000"
same "of all of these" "owner=ana&status=Completed&tag=team%3Dads&instance_type=ml.c5.xlarge&name=bert&created_before=1700060000" \
    "owner = 'ana' AND status = 'Completed' AND instance_type = 'ml.c5.xlarge' AND name LIKE '%bert%'
     AND created_us < 1700060000000000
     AND EXISTS (SELECT 1 FROM job_tag WHERE key = 'team' AND value = 'ads' AND job_id = job.job_id)"

check_equal "jobctl asks for what a short page left out" \
    "$("$JOBCTL" ls --name 001 --limit 60 --output json | jq '.items | length')" 60
check_equal "jobctl has the same filters" \
    "$("$JOBCTL" ls --owner bo --tag project=vision --instance-type ml.g5.2xlarge --created-before 2023-11-20 --all --output json |
        jq -r '.items[].name' | sha256sum)" \
    "$(expected "owner = 'bo' AND instance_type = 'ml.g5.2xlarge' AND created_us < 1700438400000000 AND $tagged" | sha256sum)"

# refused NAME QUERY DETAIL
refused() {
    check_equal "$1" "$(list "$2" 2>/dev/null | jq -r '"\(.status) \(.code) \(.detail)"')" "400 invalid_parameter $3"
}

cursor=$(list "owner=ana&limit=5" | jq -r .next_cursor)
refused "a cursor is for its filters" "owner=bo&cursor=$cursor" "cursor: it was given for a request with other filters"
refused "and for no other list" "cursor=$cursor" "cursor: it was given for a request with other filters"
refused "a cursor that was changed is refused" "owner=ana&cursor=${cursor%?}" "cursor: it is none that this server gave"
refused "so is a number" "cursor=77" "cursor: it is none that this server gave"
refused "a tag has a value" "tag=project" 'tag: expected KEY=VALUE, got "project"'
refused "a time is a time" "created_after=soon" "$(list created_after=soon 2>/dev/null | jq -r .detail)"
check_equal "the key is for the daemon alone" "$(stat -c '%a %s' "$STATE/cursor.key")" "600 32"
page=$(list "owner=ana&limit=3&cursor=$cursor")
daemon_kill
check "the daemon is killed and starts again" daemon_start
check_equal "a cursor outlives it" "$(list "owner=ana&limit=3&cursor=$cursor")" "$page"
daemon_kill
rm "$STATE/cursor.key"
check "the key is lost" daemon_start
refused "and its cursors with it" "owner=ana&cursor=$cursor" "cursor: it is none that this server gave"
truncate -s 7 "$STATE/cursor.key"
daemon_kill
daemon_start --verbose >/dev/null 2>&1
check "a key that was cut is told at the start" grep -q 'cursor.key: expected 32 bytes, has 7' "$WORK/railheadd.log"
