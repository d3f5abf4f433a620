#!/bin/bash
# Budgets: what they let begin, whom they stop and when, what is left of them after a crash.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

# An instance-second costs a thousandth of a dollar, so amounts read as seconds.
DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 200, usd_per_hour: "3.6"}
  - {instance_type: ml.c5.9xlarge, scheduler: fake, count: 1, usd_per_hour: "3.6"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 2, usd_per_hour: "3.6"}
CONFIG

# fake NAME PROJECT MEMBERS: a job of timers.
fake() {
    submit "$1" true "{\"instance_type\": \"ml.c5.xlarge\", \"tags\": {\"project\": \"$2\"}, $3}"
}

# of BUDGET MEMBER
of() {
    http "/v1/budgets/$1" | /usr/bin/python3 -c '
import json, sys
print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}

none_is_counting() {
    ! http /v1/budgets | grep -q '"counting":true'
}

# kinds BUDGET: its events, oldest first, a "reached" with its percent.
kinds() {
    http "/v1/budgets/$1" | /usr/bin/python3 -c '
import json, sys
print(*("{kind}{percent}".format(**{"percent": "", **e}) for e in reversed(json.load(sys.stdin)["events"])))'
}

# flood PROJECT MEMBERS: 100 submits at once; answers in folder PROJECT.
flood() {
    mkdir -p "$WORK/$1"
    echo "{\"command\": [\"true\"], \"framework\": \"plain\", \"instance_type\": \"ml.c5.xlarge\",
           \"tags\": {\"project\": \"$1\"}, $2}" >"$WORK/$1/spec"
    seq 100 | xargs -P 100 -I %% curl -sS --max-time 20 --unix-socket "$RAILHEAD_SOCKET" -o "$WORK/$1/%%" -w '%{http_code}\n' \
        -H 'Content-Type: application/json' --data-binary "@$WORK/$1/spec" http://railhead/v1/training-jobs |
        sort | uniq -c | awk '{ print $2 ": " $1 }' | paste -sd' '
}

# refusals_say PROJECT PATTERN: each that was refused says so.
refusals_say() {
    ! grep -l '"status":429' "$WORK/$1"/[0-9]* | xargs grep -LE "$2" | grep .
}

# project_is_over PROJECT: none of its jobs is live.
project_is_over() {
    http '/v1/training-jobs?limit=1000&status=InProgress' | grep -q '"items":\[\]' &&
        http '/v1/training-jobs?limit=1000&status=Stopping' | grep -q '"items":\[\]'
}

# at_most AMOUNT BOUND: exactly, not as floats.
at_most() {
    /usr/bin/python3 -c '
import decimal, sys
sys.exit(decimal.Decimal(sys.argv[1]) > decimal.Decimal(sys.argv[2]))' "${1//\"/}" "$2" || { echo "$1 > $2"; return 1; }
}

daemon_start

# --- one that refuses ---

"$JOBCTL" budget set refuses --usd 0.44 --project refused >/dev/null
# max_run 15 s, grace 6 s, 1 s of rounding: 20 of them fit.
check_equal "of 100 submits at once those are taken on that fit" \
    "$(flood refused '"max_run": 15, "grace": 6, "fake": {"run_ms": 60000}')" "201: 20 429: 80"
check "each refusal says which budget, and what is left of what" refusals_say refused \
    'budget refuses: 0 of 0.44 USD are left.* this job needs 0.022 at most'
check_equal "nothing is left" "$(of refuses left_usd)" 0
fake other unbounded '"max_run": 1, "fake": {"run_ms": 60000}'
check_equal "another project is not concerned" "$(show other name)" '"other"'
daemon_kill
daemon_start
check_equal "after kill -9 it holds as before" "$(of refuses left_usd)" 0
cat >"$WORK/more.yaml" <<'SPEC'
name: more
command: [x]
framework: plain
instance_type: ml.c5.xlarge
max_run: 15
grace: 6
tags: {project: refused}
SPEC
check_status "jobctl submit ends with 6" 6 "$JOBCTL" submit "$WORK/more.yaml"
check "and says which budget" grep -q "budget refuses: 0 of 0.44 USD are left" <<<"$("$JOBCTL" submit "$WORK/more.yaml" 2>&1)"
check_status "so does a dry run" 6 "$JOBCTL" submit --dry-run "$WORK/more.yaml"

# --- one that stops ---

"$JOBCTL" budget set stops --usd 0.1 --project stopped --action stop --per month >/dev/null
# Every one of them is to be stopped, and uses its grace to the full; so some that were refused could have begun later.
counts=$(flood stopped '"grace": 2, "fake": {"run_ms": 60000, "ignore_stop": true}')
check "of 100 submits at once some are taken on, and not all ($counts)" grep -Eq '^201: [1-9][0-9]? 429: [1-9][0-9]$' <<<"$counts"
check "each refusal says what is left" refusals_say stopped 'budget stops: [0-9.]+ of 0.1 USD are left this month \(UTC\)'

# Without room for a second of all of them, one job more would be the stop of all.
"$JOBCTL" budget set full --usd 0.038 --project full --action stop >/dev/null
for name in one two three; do
    fake "full-$name" full '"grace": 10, "fake": {"run_ms": 60000}'
done 2>/dev/null
check "a job whose coming would stop all is refused" grep -q 'budget full: ' "$WORK/submit.out"
check_equal "so those that run go on" "$(show full-one status) $(show full-two status)" '"InProgress" "InProgress"'

# --- one that only tells, set while jobs run; one of each other kind; a job's own ---

fake told told '"grace": 1, "fake": {"run_ms": 6000}'
fake own own '"grace": 2, "budget_usd": 0.009, "fake": {"run_ms": 60000, "ignore_stop": true}'
fake pooled own '"instance_count": 3, "grace": 1, "budget_usd": "0.024", "keep_alive": 600, "fake": {"run_ms": 900}'
fake again own '"grace": 1, "budget_usd": 0.008, "retry": {"max_attempts": 30, "on": ["failed"]}, "fake": {"run_ms": 900, "exit_code": 3}'
submit real 'trap "sleep 1; exit 0" TERM; while :; do sleep 0.1; done' '{"grace": 3, "budget_usd": 0.01}'
fake runs lowered '"grace": 1, "fake": {"run_ms": 60000}'
submit first true '{"instance_type": "ml.c5.9xlarge", "tags": {"project": "queue"}, "grace": 1, "fake": {"run_ms": 5000}}'
submit second true '{"instance_type": "ml.c5.9xlarge", "tags": {"project": "queue"}, "grace": 1, "fake": {"run_ms": 5000}}'
sleep 2
"$JOBCTL" budget set tells --usd 0.005 --project told --action notify --notify-at 50 >/dev/null
check "a budget counts what ran before it was set" at_most 0.002 "$(of tells spent_usd)"
"$JOBCTL" budget set lowers --usd 1 --project lowered --action stop >/dev/null
"$JOBCTL" budget set lowers --usd 0.001 --project lowered --action stop >/dev/null
check "a limit below what is spent stops what runs" wait_for runs 5
check_equal "for that cause" "$(show runs end.cause)" '"budget"'
"$JOBCTL" budget set queues --usd 0.008 --project queue --action stop >/dev/null
check "what waits is not begun when a stop would not fit any more" wait_for second 10
check_equal "it ends for the budget, and cost nothing" "$(show second end.cause) $(show second cost_usd)" '"budget" "0"'
check "and is told why" grep -q 'budget queues is used up: of 0.008 USD' <<<"$(show second end.message)"
wait_for first

wait_for told
check "what is told is told once each" wait_until 5 test "$(kinds tells)" = "set reached50 reached100"
check_equal "and hinders nobody" "$(show told status)" '"Completed"'

wait_for own
check_equal "a job ends by its own budget" "$(show own end.cause) $(show own secondary_status)" '"budget" "Stopped"'
check "before that is exceeded, its grace used to the full" at_most "$(show own cost_usd)" 0.009
check "and not sooner than need be" at_most 0.007 "$(show own cost_usd | tr -d '"')"
wait_for real
check_equal "so does one of real processes" "$(show real end.cause)" '"budget"'
check "within its budget" at_most "$(show real cost_usd)" 0.01
pool_is_over() {
    [ "$(show pooled warm_pool.status)" = '"Terminated"' ]
}
check "a warm pool ends with the budget of its job" wait_until 15 pool_is_over
check_equal "to the second" "$(show pooled billable_seconds) $(show pooled warm_pool.retained_billable_seconds)" "1 7"
check "attempts of a job count together" wait_for again 30
check_equal "until another one would not be paid for" "$(show again end.cause)" '"budget"'
check "and that is not exceeded" at_most "$(show again cost_usd)" 0.008

check "all that were stopped have ended" wait_until 30 project_is_over
check "one that stops is not overrun, with every grace used to the full" at_most "$(of stops spent_usd)" 0.1
check "one that refuses is not overrun" at_most "$(of refuses spent_usd)" 0.44
check_equal "and has all back that it held" "$(of refuses reserved_usd)" 0
sum=$(http '/v1/training-jobs?limit=1000' | /usr/bin/python3 -c '
import decimal, json, sys
total = sum(decimal.Decimal(j["cost_usd"]) for j in json.load(sys.stdin)["items"]) + decimal.Decimal("0.021")
print(format(total.normalize(), "f"))')
"$JOBCTL" budget set all --usd 100 --action notify >/dev/null
check_equal "what a new one counts is what jobs and their pools cost" "$(of all spent_usd)" "$sum"
check_equal "it says that all of it is emulated" "$(of all emulated_usd)" "$(of all spent_usd)"
daemon_kill
daemon_start
check_equal "and counts the same after kill -9" "$(of all spent_usd)" "$sum"

# --- a month that begins while nobody is there ---

fake monthly monthly '"fake": {"run_ms": 900}'
wait_for monthly
for name in first second; do
    "$JOBCTL" budget set "month-$name" --usd 1 --project monthly --per month --action notify >/dev/null
done
daemon_stop
/usr/bin/python3 - "$STATE/railhead.db" <<'UNCOUNTED'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("UPDATE budget SET from_s = 0, counted_seq = 0, spent_nanousd = 0 WHERE name LIKE 'month-%'")
database.commit()
UNCOUNTED
daemon_start
is_counted() {
    [ "$(of month-first spent_usd) $(of month-second spent_usd)" = "0.001 0.001" ]
}
check "a month that began while the daemon was away is whole in every budget" wait_until 5 is_counted

# --- a stop that comes due while nobody is there, and one after a crash ---

fake crash crash '"grace": 1, "fake": {"run_ms": 60000}'
"$JOBCTL" budget set crashes --usd 0.009 --project crash --action stop >/dev/null
daemon_kill
daemon_start
wait_for crash
check "a crash between does not move a stop" at_most "$(show crash cost_usd)" 0.009
check_equal "nor hide its cause" "$(show crash end.cause)" '"budget"'

# --- what ended while nobody was there ---

"$JOBCTL" budget set away --usd 0.03 --project away --action stop >/dev/null
for name in one two three four five; do
    fake "away-$name" away '"grace": 1, "fake": {"run_ms": 900}'
done
fake away-on away '"grace": 1, "fake": {"run_ms": 7000}'
daemon_kill
sleep 5
daemon_start
wait_for away-on
check_equal "what ended while the daemon was away does not stop what goes on" "$(show away-on end.cause)" '"completed"'
check_equal "nor is a mark told for it" "$(kinds away)" "set"

# --- prices that change ---

submit block true '{"instance_type": "ml.c5.9xlarge", "grace": 1, "max_run": 60, "fake": {"run_ms": 60000}}'
submit waits true '{"instance_type": "ml.c5.9xlarge", "grace": 1, "max_run": 8, "tags": {"project": "price"}}'
"$JOBCTL" budget set prices --usd 1 --project price >/dev/null
check_equal "a job that waits is held for at the price of now" "$(of prices reserved_usd)" 0.01
"$JOBCTL" admin price set ml.c5.9xlarge --usd 7.2 >/dev/null
reserved_is() {
    [ "$(of prices reserved_usd)" = "$1" ]
}
check "and at the new one when it changes" wait_until 5 reserved_is 0.02
stop waits
check "a job that is stopped while it waits gives back what was held" wait_until 5 reserved_is 0
stop block

# With reprice: at-change also what runs is dearer from then on.
daemon_stop
echo 'billing: {reprice: at-change}' >>"$DAEMON_CONFIG"
daemon_start
fake dear dear '"grace": 1, "budget_usd": 0.05, "fake": {"run_ms": 60000, "ignore_stop": true}'
"$JOBCTL" budget set dears --usd 1 --project dear --action notify >/dev/null
sleep 1
"$JOBCTL" admin price set ml.c5.xlarge --usd 36 >/dev/null
wait_for dear
check "a stop comes sooner when the price rises while a job runs" at_most "$(show dear cost_usd)" 0.05
check_equal "its cost is what budgets count" "\"$(of dears spent_usd)\"" "$(show dear cost_usd)"

submit unpriced true '{"instance_type": "local", "budget_usd": 1}' 2>/dev/null
check "a job whose type has no price may not have a budget" grep -q 'has no price here' "$WORK/submit.out"

# What is known to come is reckoned with before it comes.
submit unknown 'while :; do sleep 0.1; done' '{"instance_type": "local", "tags": {"project": "unknown"}, "grace": 1}'
"$JOBCTL" budget set unknown --usd 0.006 --project unknown --action stop >/dev/null
"$JOBCTL" budget set comes --usd 1 --project comes --action stop >/dev/null
"$JOBCTL" budget set refuses-it --usd 5 --project comes-too >/dev/null
wait_for block
"$JOBCTL" admin price set ml.c5.9xlarge --usd 3600 --from "$(date -u -d '+5 seconds' +%FT%TZ)" >/dev/null
fake refused-it comes-too '"instance_type": "ml.c5.9xlarge", "max_run": 60, "grace": 1' 2>/dev/null
check "a job that would run into a price above the limit is refused" grep -q 'budget refuses-it: ' "$WORK/submit.out"
fake comes comes '"instance_type": "ml.c5.9xlarge", "grace": 1, "fake": {"run_ms": 60000, "ignore_stop": true}'
"$JOBCTL" admin price set local --usd 3.6 >/dev/null
wait_for comes
check "one that runs into it ends before its stop would cost that" at_most "$(show comes cost_usd)" 1
check_equal "for that cause" "$(show comes end.cause)" '"budget"'
wait_for unknown
check_equal "what got a price while it ran is stopped, too" "$(show unknown end.cause)" '"budget"'

# --- what is refused ---

check_status "a foreign currency" 2 "$JOBCTL" budget set x --usd "100 EUR"
check "is told what to write" grep -q 'US dollars' <<<"$("$JOBCTL" budget set x --usd "100 EUR" 2>&1)"
check_status "an amount of nothing" 2 "$JOBCTL" budget set x --usd 0
check_status "two tags" 2 "$JOBCTL" budget set x --usd 1 --project a --tag b=c
check_status "a tag without a value" 2 "$JOBCTL" budget set x --usd 1 --tag b
check_status "an unknown action" 2 "$JOBCTL" budget set x --usd 1 --action stopp
check "gets the nearest right one" grep -q 'did you mean stop?' <<<"$("$JOBCTL" budget set x --usd 1 --action stopp 2>&1)"
check_status "a name with a blank" 2 "$JOBCTL" budget set 'a b' --usd 1
check_status "one that is not there" 3 "$JOBCTL" budget show x
check_status "jobctl budget rm takes one away" 0 "$JOBCTL" budget rm refuses
check_status "once" 3 "$JOBCTL" budget rm refuses
check "what it held back is free" "$JOBCTL" submit "$WORK/more.yaml"
check_equal "what was done is kept for the next of its name" \
    "$("$JOBCTL" budget set refuses --usd 5 >/dev/null; kinds refuses | tr -s ' ' '\n' | sort -u | paste -sd' ')" "removed set"
echo '{"limit_usd": 1, "scope": {"owner": "nobody"}}' >"$WORK/body"
put() {
    curl -sS --unix-socket "$RAILHEAD_SOCKET" -X PUT -H 'Content-Type: application/json' --data-binary "@$WORK/body" \
        -o /dev/null -w '%{http_code}\n' "http://railhead/v1/budgets/$1"
}
check_equal "there are a hundred budgets at most" "$(for n in $(seq 100); do put "n$n"; done | sort -u | paste -sd' ')" "201 429"
check_equal "a full hundred" "$(http /v1/budgets | grep -o '"name":' | wc -l)" 100
check_equal "each of which can be set anew" "$(put n1)" 200
check "and all count all that there is" wait_until 5 none_is_counting
echo '{"limit_usd": 1, "currency": "EUR"}' >"$WORK/body"
check_equal "a foreign currency by REST" "$(http /v1/budgets/x -X PUT -H 'Content-Type: application/json' --data-binary "@$WORK/body" 2>/dev/null | grep -o '"path":"currency"')" '"path":"currency"'
fake poor own '"grace": 120, "budget_usd": 0.1'
check "a budget of a job that its grace alone exceeds" grep -q 'do not pay for the stop' "$WORK/submit.out"
finish
