#!/bin/bash
# Metrics and utilization over time: live, of every attempt and instance, over a restart of the daemon, in JSON always.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"
. "$SOURCE/tests/lib/jobs.sh"

check "a daemon starts" daemon_start

# pages JOB QUERY: every item, one a line, page by page.
pages() {
    local cursor=

    while :; do
        http "/v1/training-jobs/$1/metrics?$2${cursor:+&cursor=$cursor}" >"$WORK/page" || return 1
        jq -c '.items[]' "$WORK/page"
        cursor=$(jq -r '.next_cursor // empty' "$WORK/page")
        [ -n "$cursor" ] || return 0
    done
}

values() {
    pages "$1" "${2:-}" | jq -r '"\(.attempt)/\(.worker)/\(.rank) \(.name)=\(.value) \(.step)"' | paste -sd' '
}

status_of() {
    curl -sS -o "$WORK/body" -w '%{http_code}' --unix-socket "$RAILHEAD_SOCKET" "http://railhead/v1/training-jobs/$1"
}

metric='"metric_definitions": [{"name": "loss", "regex": "loss=(\\S+)( step=(?<step>\\d+))?"}]'
# Whoever fails first ends the other one.
submit twice 'printf "loss=NaN\nloss=-inf step=1\nloss=0.5 step=2\n"; sleep 0.5; exit 3' \
    "{$metric, \"instance_count\": 2, \"retry\": {\"max_attempts\": 2, \"on\": [\"failed\"]}}"
check "a job fails twice" wait_for twice
of_worker() {
    echo "$1/$2/$2 loss=NaN null $1/$2/$2 loss=-Infinity 1 $1/$2/$2 loss=0.5 2"
}
all="$(of_worker 1 0) $(of_worker 1 1) $(of_worker 2 0) $(of_worker 2 1)"
check_equal "every value of every attempt and instance is there, as it was printed" "$(values twice)" "$all"
check_equal "and once each, page by page" "$(values twice limit=1)" "$all"
check_equal "those of one rank" "$(values twice rank=1)" "$(of_worker 1 1) $(of_worker 2 1)"
check_equal "those of one instance" "$(values twice worker=0)" "$(of_worker 1 0) $(of_worker 2 0)"
check_equal "those of another metric are none" "$(values twice name=accuracy)" ""
check_equal "those of a later time are none" "$(values twice since=2100-01-01)" ""
printf '{"name":"loss","value":9' >>"$(worker_of twice 1)/metrics.jsonl"
check_equal "a line that was torn is none" "$(values twice)" "$all"
check_equal "nothing more will come of a job that has ended" \
    "$(http /v1/training-jobs/twice/metrics | jq -c '[.next_cursor, .resume_cursor]')" '[null,null]'
check_equal "samples of every attempt and instance are there" \
    "$(http /v1/training-jobs/twice/utilization | jq -c '[.items[] | [.attempt, .worker]] | unique')" \
    '[[1,0],[1,1],[2,0],[2,1]]'
check_equal "a sample tells memory and time" \
    "$(http '/v1/training-jobs/twice/utilization?limit=1' | jq -c '.items | map([(.memory_bytes | type), (.at | length)])')" \
    '[["number",27]]'

check_equal "a cursor that no page gave is refused" "$(status_of 'twice/metrics?cursor=9.9')" 400
check_equal "an instance that is not there is not found" "$(status_of 'twice/metrics?worker=2')" 404
check_equal "a job that is not there is not found" "$(status_of 'nobody/utilization')" 404
check_equal "what a path does not know is refused" "$(status_of 'twice/utilization?rank=1')" 400
check_equal "a job without metrics has none" \
    "$(submit plain true; wait_for plain; http /v1/training-jobs/plain/metrics | jq -c .items)" '[]'

# The values of a job while it runs; its end waits for the test.
submit live "i=0; while [ ! -e $WORK/enough ]; do i=\$((i + 1)); echo loss=\$i; sleep 0.05; done; echo loss=-1" "{$metric}"
"$JOBCTL" metrics live --follow --output json >"$WORK/followed" 2>"$WORK/said" &
follower=$!
# followed_to COUNT
followed_to() {
    [ "$(wc -l <"$WORK/followed")" -ge "$1" ]
}
check "a value is there while the job runs" wait_until 10 followed_to 3
check_equal "which has not ended" "$(show live status)" '"InProgress"'
daemon_kill
check "a daemon starts again" daemon_start
before=$(wc -l <"$WORK/followed")
check "who follows gets on after a restart" wait_until 20 followed_to $((before + 10))
touch "$WORK/enough"
check "the job ends" wait_for live
check "and so does who follows" wait "$follower"
check_equal "no value was left out or given twice" "$(jq -r .value "$WORK/followed" | paste -sd' ')" \
    "$(sed -n 's/^loss=//p' "$(worker_of live)/rank-0.log" | paste -sd' ')"

check "a table tells the bounds" grep -Eq '^loss +1 +6 +0.5 +0.5 +0.5 +2 ' <("$JOBCTL" metrics twice)
check_equal "one of utilization has a line for each instance" \
    "$("$JOBCTL" metrics twice --utilization | awk '$1 == "memory_bytes" { print $2 }' | paste -sd' ')" "0 1"
check_equal "CSV has a line a value" "$("$JOBCTL" metrics twice --output csv | tr -d '\r' | cut -d, -f2- | sed -n '1p;3p')" \
    $'attempt,worker,rank,name,value,step\n1,0,0,loss,-Infinity,1'
check_equal "JSON is one document" "$("$JOBCTL" metrics twice --name loss --output json | jq '.items | length')" 12
check_equal "also when there is nothing" "$("$JOBCTL" metrics plain --output json)" '{"items":[],"next_cursor":null}'
check_status "CSV of what has none is a mistake" 2 "$JOBCTL" ls --output csv
check_status "so is a rank's utilization" 2 "$JOBCTL" metrics twice --utilization --rank 1
check_status "a job that is not there is not found by jobctl, too" 3 "$JOBCTL" metrics nobody
finish
