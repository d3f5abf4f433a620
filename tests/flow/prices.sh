#!/bin/bash
# Prices that are set: what is refused, what they change and what they leave alone, over a kill of the daemon; changes that
# cut what runs; reserved pools in the ledger.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
LONG=600000 # ms: a job that runs until it is stopped, however busy the machine is

# configure REPRICE [RESERVED]: how many instances of ml.c5.2xlarge are reserved.
configure() {
    cat >"$DAEMON_CONFIG" <<CONFIG
emulate: true
billing: {reprice: $1}
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 4, usd_per_hour: "0.36"}
  - {instance_type: ml.c5.2xlarge, scheduler: fake, count: ${2:-3}, usd_per_hour: "0.72", pricing: reserved, name: rack}
  - {instance_type: ml.c5.4xlarge, scheduler: fake, count: 2, pricing: free}
  - {instance_type: local, scheduler: fake, count: 2}
CONFIG
}

# fake NAME TYPE MILLISECONDS [INSTANCES]
fake() {
    submit "$1" true "{\"instance_type\": \"$2\", \"instance_count\": ${4:-1}, \"fake\": {\"run_ms\": $3}}"
}

price() {
    "$JOBCTL" admin price "$@"
}

# in_force TYPE: the price of an attempt that begins now, and where it is from.
in_force() {
    http "/v1/prices?instance_type=$1" | /usr/bin/python3 -c '
import json, sys
print(*(item["usd_per_hour"] + " " + item["basis"] for item in json.load(sys.stdin)["items"] if item["in_force"]))'
}

# ask MEMBERS: the HTTP status of a POST, and the members that are wrong.
ask() {
    curl -sS --unix-socket "$RAILHEAD_SOCKET" -H 'Content-Type: application/json' -d "{$1}" http://railhead/v1/prices |
        /usr/bin/python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(answer.get("status", 201), *(error["path"] for error in answer.get("errors", [])))'
}

# ledger SQL: rows of the database, members of one parted by blanks.
ledger() {
    /usr/bin/python3 - "$STATE/railhead.db" "$1" <<'PYTHON'
import sqlite3, sys
for row in sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute(sys.argv[2]):
    print(*row)
PYTHON
}

holds() {
    http /v1/ledger/verification | grep -q '"holds": *true'
}

configure at-open
check "a daemon starts" daemon_start

# --- what is refused ---

check_equal "without a book the pool's own price is in force" "$(in_force ml.c5.xlarge)" "0.36 own"
check_equal "else the catalog's" "$(in_force ml.g5.2xlarge)" "1.515 published"
check_status "a price of 0 is refused" 2 price set ml.c5.xlarge --usd 0
check_status "so is one below 0" 2 price set ml.c5.xlarge --usd -1
check_status "so is one with ten decimals" 2 price set ml.c5.xlarge --usd 0.0000000001
check_status "so is one without an amount" 2 price set ml.c5.xlarge
check_status "so is the price of an unknown type" 2 price set ml.c5.xlrge --usd 1
check "which is told with the nearest one" grep -q 'did you mean ml.c5.xlarge?' <<<"$(price set ml.c5.xlrge --usd 1 2>&1)"
check_status "so is a time that is none" 2 price set ml.c5.xlarge --usd 1 --from yesterday
check_status "so is a price for what is free" 2 price set ml.c5.4xlarge --usd 1
check_equal "so is another currency" "$(ask '"instance_type": "ml.c5.xlarge", "usd_per_hour": "1", "currency": "EUR"')" "400 currency"
check_equal "all that is wrong is told at once" "$(ask '"instance_type": 5, "usd_per_hour": "x", "form": "now"')" \
    "400 instance_type usd_per_hour form"
check_status "prices of an unknown type are not found" 3 price ls ml.c5.xlrge
check_status "an option of another command is a mistake of usage" 2 price ls --usd 1
check_equal "nothing of that is in the ledger" "$(ledger "SELECT COUNT(*) FROM price WHERE basis = 'book'")" 0

# --- what a price changes ---

fake before ml.c5.xlarge "$LONG"
check "a job runs" wait_until 60 in_state before Training
check "a price is set for a day to come" price set ml.c5.xlarge --usd 9.99 --from 2999-01-01
check_equal "it is not in force yet" "$(in_force ml.c5.xlarge)" "0.36 own"
check "one is set from now on" price set ml.c5.xlarge --usd 0.31 --note "new contract"
check_equal "it is in force at once" "$(in_force ml.c5.xlarge)" "0.31 book"
stop before
check "the job ends" wait_for before 60
check_equal "it kept the price that it began with" "$(show before price.usd_per_hour)" '"0.36"'
fake after ml.c5.xlarge 1000
check "another job ends" wait_for after 60
check_equal "it has the new one" "$(show after price.usd_per_hour) $(show after price.basis)" '"0.31" "book"'
check_equal "which says who set it, and why" "$(show after price.source)" "\"set by $(id -un): new contract\""

# --- the past ---

check_status "a price that would have been that of closed time is refused" 4 price set ml.c5.xlarge --usd 1 --from 2026-01-01
refusal=$(price set ml.c5.xlarge --usd 1 --from 2026-01-01 2>&1)
check "the refusal says how many intervals, and since when" \
    grep -q 'price of ml.c5.xlarge from 2026-01-01T00:00:00.* would be that of 2 closed intervals' <<<"$refusal"
check_status "the time that it names is early enough" 0 price set ml.c5.xlarge --usd 0.32 \
    --from "$(sed -n 's/.* from \([^ ]*\) or later.*/\1/p' <<<"$refusal")"
check_status "the past of a type that nothing ran on may be priced" 0 price set ml.g5.2xlarge --usd 1 --from 2026-01-01
check_equal "what was charged costs what it did" "$(show after price.usd_per_hour)" '"0.31"'

daemon_kill
check "the daemon is killed and starts again" daemon_start
check_equal "the book is as it was" "$(price ls ml.c5.xlarge --output json | /usr/bin/python3 -c '
import json, sys
print(*(item["usd_per_hour"] for item in json.load(sys.stdin)["items"] if item["basis"] == "book"))')" "0.31 0.32 9.99"
one_by_one() {
    local cursor=
    while page=$(http "/v1/prices?limit=3&instance_type=ml.c5.xlarge${cursor:+&cursor=$cursor}"); do
        jq -c '.items[]' <<<"$page"
        cursor=$(jq -r '.next_cursor // empty' <<<"$page")
        [ "$cursor" ] || return 0
    done
}
check_equal "page by page it is the same" "$(one_by_one)" "$(http /v1/prices?instance_type=ml.c5.xlarge | jq -c '.items[]')"
check_equal "a page has no more than was asked for" "$(http '/v1/prices?limit=3' | jq '.items | length')" 3
check_equal "a cursor that is none is refused" "$(http '/v1/prices?cursor=x' 2>/dev/null | jq .status)" 400
cursor=$(http '/v1/prices?limit=3' | jq -r .next_cursor)
check_equal "so is one of other prices" "$(http "/v1/prices?instance_type=local&cursor=$cursor" 2>/dev/null | jq -r .detail)" \
    "cursor: it was given for a request with other filters"
check_equal "a page of too many is refused" "$(http '/v1/prices?limit=1001' 2>/dev/null | jq .status)" 400
check "a price is found by its type, not by reading all of them" grep -q 'SEARCH price USING INDEX price_by_type' <<<"$(
    ledger "EXPLAIN QUERY PLAN SELECT seq FROM price WHERE instance_type = 'a' AND hourly_nanousd = 1 AND from_us = 2
        AND as_of = '' AND basis = 'book' AND confidence = '' AND source = '' ORDER BY seq DESC LIMIT 1")"
check "and the ledger holds" holds

# --- reserved ---

reserved="SELECT pool, instances, hourly_nanousd FROM reservation JOIN price ON price.seq = price ORDER BY reservation.seq"
check_equal "a reserved pool is in the ledger, once" "$(ledger "$reserved")" "rack 3 720000000"
check "its price changes" price set ml.c5.2xlarge --usd 0.70
check_equal "so does the reservation's" "$(ledger "$reserved" | tail -n 1)" "rack 3 700000000"
daemon_stop

# --- changes that cut ---

configure at-change 5
check "the daemon starts with changes that cut" daemon_start
check_equal "another number of reserved instances is a row of the ledger" "$(ledger "$reserved" | tail -n 1)" "rack 5 700000000"
fake cut ml.c5.xlarge "$LONG" 3
check "a job of three runs" wait_until 60 in_state cut Training
daemon_kill
configure at-open 5
check "the daemon starts again with changes that cut nothing" daemon_start
check_equal "a receipt says what a job began under" \
    "$(http /v1/training-jobs/cut/receipt | jq -r '[.attempts[].intervals[].reprice] | unique | @csv')" '"at-change"'
check "the price of what began before changes meanwhile" price set ml.c5.xlarge --usd 3600
sleep 3.1 # a cut is at a whole second, counted from the one it began in, and reports count seconds that are over
check "the live cost counts the new one" /usr/bin/python3 -c "import sys; sys.exit(float(sys.argv[1].strip('\"')) < 3)" "$(show cut cost_usd)"
check_equal "reports have it at each price" "$(http '/v1/usage?format=intervals&job=cut' | grep -c '"open":true')" 6
stop cut
check "it ends" wait_for cut 60
check_equal "each interval was cut once" "$(ledger "SELECT COUNT(*), COUNT(DISTINCT from_second), MIN(from_second) > 0
    FROM interval_price")" "3 1 1"
check_equal "its cost is that of its seconds at each price" "$(show cut cost_usd | tr -d '"')" "$(ledger "
    SELECT p.hourly_nanousd, SUM(CASE WHEN x.seq IS NULL THEN c.seconds ELSE x.from_second END),
        SUM(COALESCE(c.seconds - x.from_second, 0)) FROM interval_open AS o
    JOIN interval_close AS c ON c.open_seq = o.seq JOIN price AS p ON p.seq = o.price
    JOIN interval_price AS x ON x.open_seq = o.seq" | /usr/bin/python3 -c '
from decimal import Decimal
hourly, before, after = map(int, input().split())
nano = Decimal(1).scaleb(-9)
cost = sum((Decimal(price) * seconds / 3600).scaleb(-9).quantize(nano) for price, seconds in
           ((hourly, before), (3600 * 10 ** 9, after)))
print(format(cost.normalize(), "f"))')"
check_equal "the job keeps to the price that it began with in what it shows" "$(show cut price.usd_per_hour)" '"0.32"'
check_status "a price before the end of closed time is refused" 4 price set ml.c5.xlarge --usd 1 \
    --from "$(ledger "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', MAX(start_s + seconds) - 1, 'unixepoch') FROM interval_close")"

fake held ml.c5.xlarge "$LONG"
check "another job runs" wait_until 60 in_state held Training
daemon_kill
configure at-change 5
check "the daemon starts once more with changes that cut" daemon_start
check "the price of what began before changes meanwhile again" price set ml.c5.xlarge --usd 1800
stop held
check "it ends too" wait_for held 60
check_equal "it was not cut" "$(ledger "SELECT COUNT(*) FROM interval_price JOIN interval_open AS o ON o.seq = open_seq
    JOIN job USING (job_id) WHERE name = 'held'")" 0

# --- a price for what has none ---

fake begun local "$LONG"
check "a job without a price runs" wait_until 60 in_state begun Training
sleep 1.2
check_equal "it has no cost" "$(show begun cost_usd)" null
check "a price is set meanwhile" price set local --usd 3600
sleep 2.1
stop begun
check "it ends" wait_for begun 60
costs="$(show begun cost_usd) and $(show begun unpriced_instance_seconds) s"
check "its cost is that of what has a price, beside what has none" grep -qE '^"[1-9][0-9]*" and [1-9][0-9]* s$' <<<"$costs"
check_equal "its receipt says the same" "$(http /v1/training-jobs/begun/receipt | jq -r '"\(.cost_usd | tojson) and \(.unpriced_instance_seconds) s"')" "$costs"
check_equal "so does the report" \
    "$(http '/v1/usage?job=begun' | jq -r '.total | "\(.cost_usd | tojson) and \(.unpriced_instance_seconds) s"')" "$costs"
check_equal "so does the list" \
    "$(http '/v1/training-jobs?name=begun' | jq -r '.items[0] | "\(.cost_usd | tojson) and \(.unpriced_instance_seconds) s"')" "$costs"
check "jobctl shows both" grep -q 'instance-seconds without a price' <<<"$("$JOBCTL" show begun)"
check "the ledger holds" holds
daemon_stop
finish
