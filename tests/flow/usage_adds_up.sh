#!/bin/bash
# Usage adds up: days to weeks, months, jobs and the whole, in seconds and in money, to the last unit, in every time zone
# of this host, over changes of the clock and New Year; and it is what another program makes of the intervals.
. "$(dirname "$0")/../lib/test.sh"

BILL=$BUILD/railhead-bill
PYTHON=/usr/bin/python3
"$PYTHON" -c 'import zoneinfo; assert len(zoneinfo.available_timezones()) > 400' 2>/dev/null || skip "there are no time zones"

# ledger NAME SEED INTERVALS FROM TO
ledger() {
    "$BUILD/tests/flow/make_ledger" "$WORK/$1.db" "$2" "$3" "$4" "$5"
}

# usage NAME MEMBERS: MEMBERS of the request, as JSON.
usage() {
    echo "{\"do\":\"usage\",\"database\":\"$WORK/$1.db\",\"state\":\"$WORK\",$2}" | "$BILL"
}

# lengths ZONE FROM TO: of the days, in hours.
lengths() {
    usage year "\"by\":\"day\",\"zero\":\"true\",\"tz\":\"$1\",\"from\":\"$2\",\"to\":\"$3\"" | "$PYTHON" -c '
import datetime, json, sys
for row in json.load(sys.stdin)["rows"]:
    ends = [datetime.datetime.fromisoformat(row[end].rstrip("Z")) for end in ("from", "to")]
    print(row["group"]["day"], (ends[1] - ends[0]).total_seconds() / 3600)'
}

# From August 2024 to November 2025, over which idle time does not grow any more, and a year that Samoa had no 30th of
# December in.
ledger year 11 250 1725000000 1762000000
ledger samoa 5 250 1306886400 1338508800
ledger turn 3 400 1767100000 1767300000
check "in every zone what is added up is what another program adds up" \
    "$PYTHON" "$SOURCE/tests/flow/usage_adds_up.py" "$BILL" "$WORK/year.db" 1 1725000000 1762000000
check "where a zone leaves out a day as well" \
    "$PYTHON" "$SOURCE/tests/flow/usage_adds_up.py" "$BILL" "$WORK/samoa.db" 2 1324000000 1327000000

check_equal "a day of spring has 23 hours" "$(lengths Europe/Berlin 2026-03-28 2026-03-31)" \
    $'2026-03-28 24.0\n2026-03-29 23.0\n2026-03-30 24.0'
check_equal "a day of autumn has 25 hours" "$(lengths Europe/Berlin 2026-10-24 2026-10-27)" \
    $'2026-10-24 24.0\n2026-10-25 25.0\n2026-10-26 24.0'
check_equal "where the clock changes by half an hour a day has 24.5 hours" \
    "$(lengths Australia/Lord_Howe 2026-04-04 2026-04-06)" $'2026-04-04 24.0\n2026-04-05 24.5'
check_equal "and 23.5 hours" "$(lengths Australia/Lord_Howe 2026-10-03 2026-10-05)" $'2026-10-03 24.0\n2026-10-04 23.5'
check_equal "where midnight is left out the day begins after it" \
    "$(lengths America/Havana 2026-03-07 2026-03-09)" $'2026-03-07 24.0\n2026-03-08 23.0'
check_equal "a day that was left out is not there" "$(lengths Pacific/Apia 2011-12-29 2012-01-01)" \
    $'2011-12-29 24.0\n2011-12-31 24.0'

# Both years, and both together, of every job that ran at New Year there.
new_year() {
    local zone=$1 year

    for year in '"from":"2025-12-01","to":"2026-01-01"' '"from":"2026-01-01","to":"2026-02-01"' '"from":"2025-12-01","to":"2026-02-01"'; do
        usage turn "\"by\":\"job\",\"tz\":\"$zone\",$year"
    done | "$PYTHON" -c '
import decimal, json, sys
reader = json.JSONDecoder(parse_float=decimal.Decimal)
text, years = sys.stdin.read(), []
while text:
    year, end = reader.raw_decode(text)
    text = text[end:].lstrip()
    years.append({row["group"]["job"]: (row["instance_seconds"], decimal.Decimal(row["cost_usd"] or 0)) for row in year["rows"] if row["jobs"]})
old, new, both = years
over = set(old) & set(new)
assert over, "no job ran at New Year"
for job in over:
    assert old[job][0] > 0 and new[job][0] > 0, job
    assert tuple(map(sum, zip(old[job], new[job]))) == both[job], job
'
}
check "a job over New Year is in both years with its share" new_year UTC
check "whenever New Year is" new_year Pacific/Kiritimati

check_status "a zone that there is not is refused" 1 usage year '"tz":"Europe/Atlantis"'
check_status "so is one with leap seconds, which the ledger has not" 1 usage year '"tz":"right/Europe/Berlin"'
check_status "and a report that ends before it begins" 1 usage year '"from":"2026-02-01","to":"2026-01-01"'
check_equal "all that is wrong is said at once" \
    "$(usage year '"tz":"Nowhere","by":"ownr","from":"2026-13-01","zero":"maybe","tag":"x","emulated":"no"' |
        "$PYTHON" -c 'import json, sys; print(*sorted(error["path"] for error in json.load(sys.stdin)["errors"]))')" \
    "by emulated from tag tz zero"

finish
