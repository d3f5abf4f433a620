#!/bin/bash
# What a job would cost is told before it runs, and while it does: at most, and likely where something is known.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"
. "$SOURCE/tests/lib/jobs.sh"

# Where this host is what it says, and where it stands in for that type; half a dollar a job-hour more or less.
cat >"$WORK/real.yaml" <<'YAML'
pools:
  - {instance_type: ml.c5.xlarge, count: 8, emulated: false, usd_per_hour: "3.60"}
YAML
cat >"$WORK/stands_in.yaml" <<'YAML'
pools:
  - {instance_type: ml.c5.xlarge, count: 8, emulated: true, usd_per_hour: "7.20"}
YAML

# spec SCRIPT [MEMBERS]: into a file of jobctl's; members as jq has them.
spec() {
    local members=${2:-}
    [ -n "$members" ] || members='{}'
    jq -n --arg script "$1" '{command: ["/bin/bash", "-c", $script], framework: "plain", instance_type: "ml.c5.xlarge",
        instance_count: 2, max_run: 600, grace: 20} + '"$members" >"$WORK/job.json"
}

# estimate FILTER: of the answer for that file.
estimate() {
    "$JOBCTL" estimate "$WORK/job.json" --output json | jq -rc "$1"
}

# run_job NAME: that file, to its end.
run_job() {
    "$JOBCTL" submit "$WORK/job.json" --name "$1" --wait >"$WORK/run.out" 2>&1
}

forecast() {
    http "/v1/training-jobs/$1" | jq -rc ".forecast | $2"
}

# forecast_by NAME BASIS
forecast_by() {
    [ "$(forecast "$1" .basis)" = "$2" ]
}

DAEMON_CONFIG=$WORK/real.yaml
check "a daemon starts" daemon_start

# --- before anything ran ---

spec 'sleep 1.2'
check_equal "the most is max_run, grace and a second of both instances" "$(estimate '.most | [.seconds, .cost_usd]')" '[621,"1.242"]'
check_equal "the price is of both instances" "$(estimate '[.price.usd_per_hour, .usd_per_hour, .emulated]')" '["3.6","7.2",false]'
check_equal "what is likely is said to be unknown" "$(estimate '.likely | [.basis, .seconds, .cost_usd, .low_usd, .unavailable]')" \
    '[null,null,null,null,"no finished job of the same code, hyperparameters and instance type"]'
check_equal "people are told the same" "$("$JOBCTL" estimate "$WORK/job.json" | sed -n '2,$p')" \
    "  price            \$3.6 per instance-hour (configuration, high confidence)
  price in all     \$7.2 per hour
  at most          10 min 21 s, \$1.24
  likely           not known: no finished job of the same code, hyperparameters and instance type"
check_equal "an estimate makes no job" "$(http /v1/training-jobs | jq -c .items)" '[]'
check_equal "a body in YAML is estimated alike" "$(http /v1/estimates -H 'Content-Type: application/yaml' --data-binary \
    'command: [/bin/bash, -c, "sleep 1.2"]
instance_type: ml.c5.xlarge
instance_count: 2
framework: plain
max_run: 10m
grace: 20' | jq -Sc .)" "$(estimate . | jq -Sc .)"
check_equal "attempts and a warm pool are in the most" \
    "$(spec true '{retry: {max_attempts: 3}, keep_alive: 60}' && estimate '.most | [.seconds, .keep_alive_seconds, .keep_alive_usd]')" \
    '[623,60,"0.12"]'
check_equal "what has no limit is said not to be counted" \
    "$(spec true "{output_path: \"file://$WORK/out\"}" && estimate .most.not_counted)" \
    "storing outputs and checkpoints once the program has ended"
check_equal "a budget bounds the most" "$(spec true '{budget_usd: 0.5}' && estimate '.most | [.seconds, .cost_usd]')" '[250,"0.5"]'
check_equal "a type without a price has no amount" \
    "$(spec true '{instance_type: "local", instance_count: 1}' && estimate '[.price, .usd_per_hour, .most.cost_usd]')" '[null,null,null]'

# --- mistakes are those of a submit ---

spec true '{instance_cuont: 2, grace: -1}'
"$JOBCTL" submit "$WORK/job.json" 2>"$WORK/of_submit"
check_status "a spec with mistakes is refused" 2 "$JOBCTL" estimate "$WORK/job.json"
check_equal "with the words of a submit" "$("$JOBCTL" estimate "$WORK/job.json" 2>&1)" "$(cat "$WORK/of_submit")"
spec true '{instance_count: 9}'
"$JOBCTL" submit "$WORK/job.json" 2>"$WORK/of_submit"
check_equal "also with what only the server knows" "$("$JOBCTL" estimate "$WORK/job.json" 2>&1)" "$(cat "$WORK/of_submit")"
check_equal "a body that is no spec is refused" \
    "$(curl -s --unix-socket "$RAILHEAD_SOCKET" -H 'Content-Type: application/json' -d '[]' http://railhead/v1/estimates | jq -r .code)" invalid_spec

# --- from history ---

spec 'sleep 1.2'
check "a job runs" run_job first
check_equal "the seconds of one job are a guess without a band" "$(estimate '.likely | [.basis, .runs, .seconds, .low_seconds, .unavailable]')" \
    '["history",1,2,null,null]'
check_equal "at the price of all instances" "$(estimate .likely.cost_usd)" '0.004'
check "a second one runs" run_job second
check "and a third one" run_job third
check_equal "three have a band" "$(estimate '.likely | [.basis, .runs, .low_seconds <= .seconds, .seconds <= .high_seconds, (.low_usd | tonumber) <= (.high_usd | tonumber)]')" \
    '["history",3,true,true,true]'
check "people are told it" grep -Eq '^  likely +.* s, \$.*; 95 % lie between .* and ' <("$JOBCTL" estimate "$WORK/job.json")
check_equal "a dry run has the same estimate" "$("$JOBCTL" submit "$WORK/job.json" --dry-run --output json | jq -Sc .estimate.likely)" \
    "$(estimate .likely | jq -Sc .)"
check "other hyperparameters are another job" test "$(spec 'sleep 1.2' '{hyperparameters: {lr: 1}}' && estimate .likely.basis)" = null
check "so is another command" test "$(spec 'sleep 1.3' && estimate .likely.basis)" = null
check "other limits and tags are not" test "$(spec 'sleep 1.2' '{grace: 30, tags: {n: "2"}}' && estimate .likely.runs)" = 3
check_equal "what is likely to take too long is warned of" "$(spec 'sleep 1.2' '{max_run: 1}' && estimate .likely.stopped_by)" max_run
spec 'exit 1'
run_job failed
check_equal "a job that failed is no history" "$(estimate .likely.basis)" null
spec 'sleep 1.2'
check "a price is set" "$JOBCTL" admin price set ml.c5.xlarge --usd 36
check_equal "the history is priced at today's price" "$(estimate '.likely | (.cost_usd | tonumber) / .seconds')" 0.02

# --- while it runs ---

spec 'sleep 4'
check "a longer job runs" run_job long-1
check "and once more" run_job long-2
check "and is submitted again" "$JOBCTL" submit "$WORK/job.json" --name long-3
check "its forecast is from history" wait_until 10 eval '[ "$(forecast long-3 "[.basis, .runs, .eta != null]")" = "[\"history\",2,true]" ]'
forecast long-3 . >"$WORK/forecast"
check "with a band" jq -e '.eta_low <= .eta and .eta <= .eta_high and .low_seconds <= .seconds' "$WORK/forecast"
check "jobctl show tells it" grep -Eq '^  likely end +20' <("$JOBCTL" show long-3)
check "it ends" wait_for long-3
check "it ends within the band" test "$(http /v1/training-jobs/long-3 | jq --slurpfile was "$WORK/forecast" \
    '.billable_seconds >= $was[0].low_seconds and .billable_seconds <= $was[0].high_seconds')" = true
check_equal "what has ended has no forecast" "$(forecast long-3 .)" null

spec 'for i in {1..24}; do echo "seen=$i"; sleep 0.5; done' \
    '{metric_definitions: [{name: "seen", regex: "seen=([0-9]+)"}], work: {unit: "steps", metric: "seen", planned: 24}}'
check "a job with planned work begins" "$JOBCTL" submit "$WORK/job.json" --name worker
check "its forecast is from its progress" wait_until 10 forecast_by worker progress
check_equal "which gives no band" "$(forecast worker '[.low_seconds, .high_usd, .eta_low]')" '[null,null,null]'
daemon_kill
check "a daemon that was killed starts" daemon_start
check "and tells it again" wait_until 10 forecast_by worker progress
expected=$(forecast worker .seconds)
check "it ends" wait_for worker 40
check "about when it was said" test "$(show worker billable_seconds)" -ge $((expected - 3)) -a "$(show worker billable_seconds)" -le $((expected + 3))

spec 'sleep 30' '{work: {unit: "steps", metric: "seen"}, metric_definitions: [{name: "seen", regex: "seen=([0-9]+)"}]}'
check "a job without a plan or a history begins" "$JOBCTL" submit "$WORK/job.json" --name unknown
check "it runs" wait_until 10 in_state unknown Training
check_equal "nothing is forecast but the most" "$(forecast unknown '[.basis, .eta, .cost_usd, .most.cost_usd]')" '[null,null,null,"12.42"]'
check "why is told" grep -q '^  likely  *not known: no finished job' <("$JOBCTL" show unknown)
stop unknown
check "it is stopped" wait_for unknown

# --- the most is not passed ---

spec 'trap "" TERM; while :; do sleep 0.1; done' '{max_run: 1, grace: 1}'
most=$(estimate .most.seconds)
run_job stubborn
check_equal "a job that will not end is billed for no more than that" \
    "$(show stubborn secondary_status) $(($(show stubborn billable_seconds) <= most))" '"MaxRuntimeExceeded" 1'

# --- what was emulated tells nothing of what is real, nor the other way round ---

spec 'sleep 1.2'
real=$(estimate .likely.runs)
daemon_stop
DAEMON_CONFIG=$WORK/stands_in.yaml
check "a daemon that stands in starts on the same ledger" daemon_start
check_equal "runs that were real are no history of it" "$real $(estimate '[.emulated, .likely.runs, .likely.basis]')" '3 [true,0,null]'
check "which is said to people" grep -q '^  emulated  *this host stands in for ml.c5.xlarge' <("$JOBCTL" estimate "$WORK/job.json")
check "one that is emulated runs" run_job emulated
check "its cost is said to be that where it is shown while it runs" grep -q '\$[0-9.]*, emulated' "$WORK/run.out"
check_equal "and is" "$(estimate .likely.runs)" 1
daemon_stop
DAEMON_CONFIG=$WORK/real.yaml
check "a daemon on real hardware starts" daemon_start
check_equal "for which it is none" "$(estimate .likely.runs)" 3
finish
