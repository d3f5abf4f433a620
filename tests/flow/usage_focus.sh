#!/bin/bash
# Exports of usage: FOCUS 1.2, the columns of a cost-and-usage report, and the page.  They keep the rules of their form and
# add up to the report; jobctl hands them on byte for byte.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
export DAEMON_CONFIG=$WORK/railhead.yaml
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

PYTHON=/usr/bin/python3
CHECK=$SOURCE/tests/flow/usage_focus.py

# usage NAME MEMBERS: of $WORK/NAME.db; MEMBERS of the request, as JSON.
usage() {
    echo "{\"do\":\"usage\",\"database\":\"$WORK/$1.db\",\"state\":\"$WORK\",$2}" | "$BUILD/railhead-bill"
}

# exports NAME SPAN: every form of it, in $WORK/NAME.*
exports() {
    usage "$1" "\"format\":\"focus\",$2" >"$WORK/$1.focus" &&
        usage "$1" "\"format\":\"cur\",$2" >"$WORK/$1.cur" &&
        usage "$1" "\"format\":\"html\",\"by\":\"day\",$2" >"$WORK/$1.html" &&
        usage "$1" "\"by\":\"day\",$2" >"$WORK/$1.days" &&
        usage "$1" "\"by\":\"project\",$2" >"$WORK/$1.projects"
}

# --- a ledger of all kinds, over an end of summer time and two of months, long ago: idle time is told up to now ---

"$BUILD/tests/flow/make_ledger" "$WORK/mixed.db" 7 1600 1761264000 1764664000 || exit 1
check "every form can be had" exports mixed '"from":"2025-10-20","to":"2025-12-10"'
check "FOCUS: each column keeps its rules, products are exact, and it adds up by day and by project" \
    "$PYTHON" "$CHECK" focus "$WORK/mixed.focus" "$WORK/mixed.days" "$WORK/mixed.projects"
check "those rules refuse what breaks them" "$PYTHON" "$CHECK" spoiled "$WORK/mixed.focus"
check "the manual's row is right, and it tells every column of our own" \
    "$PYTHON" "$CHECK" manual "$SOURCE/man/railhead-billing.7" "$WORK/mixed.focus"
check "a cost-and-usage report has its columns, and adds up" "$PYTHON" "$CHECK" cur "$WORK/mixed.cur" "$WORK/mixed.days"
check "the page is whole, loads nothing and shows the same total" \
    "$PYTHON" "$CHECK" html "$WORK/mixed.html" "$WORK/mixed.days"

check "an export of a part of a day is cut there" exports mixed '"from":"2025-10-31T11:11:11Z","to":"2025-11-01T00:00:01Z"'
check "and adds up, too" "$PYTHON" "$CHECK" focus "$WORK/mixed.focus" "$WORK/mixed.days" "$WORK/mixed.projects"
exports mixed '"from":"2025-10-30T18:15:00Z","to":"2025-11-02T18:15:00Z"' &&
    usage mixed '"format":"focus","tz":"Asia/Kathmandu","from":"2025-10-31","to":"2025-11-03"' >"$WORK/mixed.focus"
check "of a zone's days it begins and ends where those do, in days of UTC" \
    "$PYTHON" "$CHECK" focus "$WORK/mixed.focus" "$WORK/mixed.days" "$WORK/mixed.projects"

usage mixed '"format":"html","by":"day,attempt","from":"2025-10-20","to":"2025-12-10"' >"$WORK/jobs.html"
check "of many rows the page has the first thousand, and says so" grep -q "the first 1000 of" "$WORK/jobs.html"
usage mixed '"format":"html","by":"day","from":"1999-01-01","to":"1999-02-01"' >"$WORK/none.html"
check "a page of nothing says so" grep -q "Nothing was charged" "$WORK/none.html"
check_equal "an export of nothing is its header" \
    "$(usage mixed '"format":"focus","from":"1999-01-01","to":"1999-02-01"' | wc -l)" 1

# --- of a daemon: names that somebody chose, a reservation, an account ---

cat >"$DAEMON_CONFIG" <<'YAML'
emulate: true
billing: {account_id: cc-4711, account_name: "=Machine learning"}
pools:
  - {instance_type: ml.c5.xlarge, count: 4}
  - {instance_type: ml.c5.2xlarge, count: 3, name: "+rack", pricing: reserved, usd_per_hour: "0.3"}
  - {instance_type: ml.g5.xlarge, count: 2, name: night, pricing: spot, usd_per_hour: "0.4"}
  - {instance_type: local}
YAML
daemon_start || exit 1
submit bold 'true' '{"instance_type": "ml.c5.xlarge", "instance_count": 2, "tags": {"project": "<b>\"R&D\", it", "=x": "=1+1"}}'
submit reserved 'true' '{"tags": {"project": "speech"}, "keep_alive": 1}'
submit spot 'true' '{"instance_type": "ml.g5.xlarge"}'
submit unpriced 'true' '{"instance_type": "local"}'
for job in bold reserved spot unpriced; do
    wait_for $job || not_ok "$job ends"
done
warm_ended() {
    [ "$(show reserved warm_pool.status)" = '"Terminated"' ]
}
wait_until 20 warm_ended

# So that it is the same whenever it is asked for: up to a second that is over.
to=$(date -u +%Y-%m-%dT%H:%M:%SZ)
from=$(date -u -d "$to - 1 day" +%Y-%m-%dT%H:%M:%SZ)
bill() {
    "$JOBCTL" bill --from "$from" --to "$to" "$@"
}
wait_until 3 test "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '>' "$to"
for form in focus cur html; do
    bill --by day --output $form >"$WORK/live.$form" 2>"$WORK/live.$form.note"
done
bill --by day --output json >"$WORK/live.days"
bill --by project --output json >"$WORK/live.projects"
for form in focus cur; do
    check_equal "jobctl hands on $form byte for byte" "$(sha256sum <"$WORK/live.$form")" \
        "$(http "/v1/usage?from=$from&to=$to&by=day&format=$form" | sha256sum)"
done
check "what a daemon exports as FOCUS keeps the rules, unused reservations with it" \
    "$PYTHON" "$CHECK" focus "$WORK/live.focus" "$WORK/live.days" "$WORK/live.projects"
check "so does its cost-and-usage report" "$PYTHON" "$CHECK" cur "$WORK/live.cur" "$WORK/live.days"
check "and its page" "$PYTHON" "$CHECK" html "$WORK/live.html" "$WORK/live.days"
column() {
    "$PYTHON" -c 'import csv, sys
print(*sorted({row[sys.argv[2]] for row in csv.DictReader(open(sys.argv[1], newline=""))}), sep="|")' "$WORK/live.$1" "$2"
}
check_equal "it says whom is billed" "$(column focus BillingAccountId)" cc-4711
check_equal "no name becomes a formula" "$(column focus BillingAccountName)|$(column cur bill_payer_account_name)" \
    "'=Machine learning|'=Machine learning"
check_equal "unused capacity is told from used" "$(column focus CapacityReservationStatus)" "|Unused|Used"
check "what an instance is made of is in there" grep -q '""CoreCount"":4,""GpuCount"":1,""MemorySize"":16' "$WORK/live.focus"
check_equal "tags are there as they were" \
    "$(column focus Tags | tr '|' '\n' | grep -c -F '{"=x":"=1+1","project":"<b>\"R&D\", it"}')" 1
check "on the page a name is words, whatever it looks like" grep -q '&lt;b&gt;&quot;R&amp;D&quot;, it' "$WORK/live.html"
check_equal "and never markup" "$(grep -c '<b>&quot;' "$WORK/live.html")" 0
check_equal "time without a price is left out, not free" "$(column focus x_InstanceType)" \
    "ml.c5.2xlarge|ml.c5.xlarge|ml.g5.xlarge"
check "but jobctl notes it" grep -q "of instance time has no price and is in no row" "$WORK/live.focus.note"
check_equal "all that is wrong is said, however much it is" \
    "$(http "/v1/usage?by=$(seq -s, -f 'key%g' 1 90)" 2>/dev/null | "$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["errors"]))')" 90
check_equal "where nothing is left out it notes nothing" "$(cat "$WORK/live.html.note")" ""
daemon_stop
finish
