#!/bin/bash
# The ledger is verified: whatever is tampered with is found and named.  A receipt tells what a job's cost rests on.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"
. "$SOURCE/tests/lib/jobs.sh"

# --- every kind of tampering ---

check "a ledger is made" "$BUILD/tests/flow/make_ledger" "$WORK/made.db" 2 400 1735689600 1743465600
/usr/bin/python3 -B "$SOURCE/tests/lib/tamper.py" "$BUILD/railhead-bill" "$WORK/made.db" >"$WORK/tamper.out" 2>&1 ||
    failures=$((failures + 1))
cat "$WORK/tamper.out"
check "tampering was tried in every way" grep -q 'a sound ledger holds against its own head' "$WORK/tamper.out"

# --- from the daemon to jobctl ---

check "a daemon starts" daemon_start
check "an empty ledger holds" "$JOBCTL" bill verify
submit one 'sleep 0.2' '{"instance_count": 2, "tags": {"project": "reviews"}}'
check "a job ends" wait_for one
check "the ledger holds" "$JOBCTL" bill verify
http /v1/training-jobs/one/receipt >"$WORK/receipt"
of_receipt() {
    jq -r "$1" "$WORK/receipt"
}
head=$(of_receipt '"\(.ledger.seq):\(.ledger.hash)"')
check_equal "a receipt comes to what the job costs" \
    "$(of_receipt '[.billable_seconds, .instance_seconds, .cost_usd] | @csv')" \
    "$(http /v1/training-jobs/one | jq -r '[.billable_seconds, .instance_seconds, .cost_usd] | @csv')"
check_equal "it has an interval for each instance, with both ends" \
    "$(of_receipt '[.attempts[].intervals[] | select(.ended_at and .start_evidence and .end_evidence) | .worker] | @csv')" 0,1
check_equal "it quotes the lines of the journal that both ends rest on" \
    "$(of_receipt '[.attempts[].intervals[].journal[] | fromjson | .kind] | @csv')" '"ready","ended","ready","ended"'
check_equal "the boot clock at the end is that of a line" \
    "$(of_receipt '[.attempts[].intervals[] | .close_boot_us] | max')" \
    "$(of_receipt '[.attempts[].intervals[].journal[] | fromjson | select(.kind == "ended") | .boot_us] | max')"
check "the arithmetic leads to the cost" grep -q ' / 3600 = .*'"$(of_receipt .cost_usd)" <<<"$(of_receipt '.attempts[].amounts[].arithmetic')"
check "the page says the same" grep -q "$(of_receipt .cost_usd)" <<<"$("$JOBCTL" bill receipt one)"
check "and which head to keep" grep -q "$head" <<<"$("$JOBCTL" bill receipt one)"
check_equal "the receipt of a job that is not there is not found" \
    "$("$JOBCTL" bill receipt nobody >/dev/null 2>&1; echo $?)" 3
check "the ledger goes on from the head of the receipt" "$JOBCTL" bill verify --against "$head"
check_status "a head that is none is refused" 2 "$JOBCTL" bill verify --against 3:zz
submit two true
check "another job ends" wait_for two
check "the head of an earlier receipt is still in the ledger" "$JOBCTL" bill verify --against "$head"

# tampered SQL: done to the database between two runs of the daemon
tampered() {
    daemon_stop
    /usr/bin/python3 - "$STATE/railhead.db" "$1" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
    db.execute("DROP TRIGGER " + name)
db.execute(sys.argv[2])
db.commit()
PYTHON
    daemon_start
}

tampered "UPDATE job SET cost_nanousd = 1 WHERE name = 'one'"
check_status "a ledger whose job was tampered with does not hold" 1 "$JOBCTL" bill verify
check "the job is named" grep -q '^  job  *one$' <<<"$("$JOBCTL" bill verify)"
tampered "UPDATE interval_close SET seconds = seconds + 1 WHERE seq = (SELECT MIN(seq) FROM interval_close)"
check_equal "the row, what is there, and what should be" \
    "$("$JOBCTL" bill verify --output json | jq -c '.broken | [.table, .job, .column, .is - .should_be]')" \
    '["interval_close","one","seconds",1]'
finish
