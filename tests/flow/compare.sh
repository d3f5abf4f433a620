#!/bin/bash
# Comparisons of jobs that ran here: whose runs they are, what they cost, where their seconds went, what is not alike.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"

DAEMON_CONFIG=$WORK/config.yaml
cat >"$DAEMON_CONFIG" <<'YAML'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 4, usd_per_hour: "36"}
  - {instance_type: ml.c5.2xlarge, scheduler: fake, count: 4, usd_per_hour: "0.9"}
YAML
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

daemon_start || exit 1

# compare REQUEST: the answer is $WORK/answer.json.
compare() {
    http /v1/comparisons -H 'Content-Type: application/json' --data-binary "$1" >"$WORK/answer.json"
}

# says CONDITION: of the answer, as Python; `arms` has them by name.
says() {
    /usr/bin/python3 - "$WORK/answer.json" "$1" <<'PYTHON'
import json, statistics, sys
from decimal import Decimal
answer = json.load(open(sys.argv[1], encoding="utf-8"))
arms = {arm["name"]: arm for arm in answer.get("arms", [])}
checks = {check["what"]: check for check in answer.get("checks", [])}
runs = {run["name"]: run for run in answer.get("runs", [])}
verdict = answer.get("verdict")
if not eval("(" + sys.argv[2] + ")"):
    print("# not so:", sys.argv[2])
    print("#", json.dumps({name: answer.get(name) for name in ("verdict", "remarks", "checks", "detail", "errors")}))
    raise SystemExit(1)
PYTHON
}

# --- arms of three, by turns ---

for i in 1 2 3; do
    submit "slow-$i" true '{"instance_type": "ml.c5.2xlarge", "fake": {"run_ms": 2700}, "tags": {"experiment": "speed"}}'
    submit "fast-$i" true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 700}, "tags": {"experiment": "speed"}}'
done
submit broken true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 700, "exit_code": 3}, "tags": {"experiment": "speed"}}'
for job in slow-1 slow-2 slow-3 fast-1 fast-2 fast-3 broken; do
    wait_for "$job"
done

SPEED='"tags": {"experiment": "speed"}'
compare "{$SPEED}"
check "jobs of a tag are arms by instance type, the first job's the baseline" \
    says 'answer["baseline"] == "ml.c5.2xlarge" and [a["runs"] for a in answer["arms"]] == [3, 4]'
costs_are_of_jobs() {
    for job in slow-1 fast-1 fast-2 fast-3 broken; do
        says "runs['$job']['cost_usd'] == $(show "$job" cost_usd)" || return 1
        says "runs['$job']['billable_seconds'] == $(show "$job" billable_seconds)" || return 1
    done
}
check "every run costs what its job was billed" costs_are_of_jobs
check "the figures of an arm are those of its runs that completed" says '
all(Decimal(arm["cost_usd"]["median"]) == statistics.median(
        Decimal(run["cost_usd"]) for run in runs.values() if run["arm"] == name and run["counted"])
    and arm["counted"] == arm["cost_usd"]["runs"] == 3 for name, arm in arms.items())'
check "a failed run is shown, and is in the cost per successful run alone" says '
runs["broken"]["counted"] is False and runs["broken"]["why_not"] == "it did not complete"
and Decimal(arms["ml.c5.xlarge"]["spent_usd"]) == sum(
    Decimal(run["cost_usd"]) for run in runs.values() if run["arm"] == "ml.c5.xlarge")
and abs(Decimal(arms["ml.c5.xlarge"]["usd_per_success"]) - Decimal(arms["ml.c5.xlarge"]["spent_usd"]) / 3) < Decimal("1e-9")'
check "what differs is said with its interval, in cost and in time" says '
verdict["kind"] == "difference" and "ml.c5.xlarge costs" in verdict["text"] and "3 and 3 runs" in verdict["text"]
and arms["ml.c5.xlarge"]["against_baseline"]["cost"] == "more" and arms["ml.c5.xlarge"]["against_baseline"]["time"] == "less"
and arms["ml.c5.xlarge"]["against_baseline"]["cost_ratio"]["method"] == "t"'
check "that they took turns is seen" says 'checks["interleaved"]["result"] == "equal"'

compare '{"jobs": ["slow-1", "broken"]}'
check "an arm of failed runs alone has no figures" says '
verdict["kind"] == "none" and "(no run has completed)" in verdict["text"] and "an arm has no completed run" in answer["remarks"]'

compare "{$SPEED, \"baseline\": \"ml.c5.xlarge\"}"
check "another baseline turns the ratio round" \
    says 'answer["arms"][0]["name"] == "ml.c5.xlarge" and arms["ml.c5.2xlarge"]["against_baseline"]["cost"] == "less"'

# --- at other prices ---

http /v1/prices -H 'Content-Type: application/json' \
    --data-binary '{"instance_type": "ml.c5.xlarge", "usd_per_hour": "0.36", "from": "2999-01-01"}' >/dev/null
compare "{$SPEED, \"reprice\": \"2999-01-02\"}"
check "runs are repriced by the book of a day" says '
answer["repriced_at"].startswith("2999-01-02") and arms["ml.c5.xlarge"]["usd_per_hour"] == ["0.36"]
and all(Decimal(run["cost_usd"]) == Decimal("0.0001") * run["instance_seconds"] for run in runs.values() if run["arm"] == "ml.c5.xlarge")
and any("not what was charged" in remark for remark in answer["remarks"])'
compare "{$SPEED, \"reprice\": \"now\"}"
check "and at today's they cost what they did" says 'arms["ml.c5.xlarge"]["usd_per_hour"] == ["36"]'

# --- what is not alike ---

submit other true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 300}, "hyperparameters": {"epochs": 2, "batch_size": 8}}'
submit one true '{"instance_type": "ml.c5.2xlarge", "fake": {"run_ms": 300}, "hyperparameters": {"epochs": 1, "batch_size": 4}}'
wait_for other
wait_for one
compare '{"jobs": ["one", "other"]}'
check "other hyperparameters are named, and there is no verdict" says '
not answer["comparable"] and verdict["kind"] == "none" and checks["hyperparameters"]["flagged"]
and checks["hyperparameters"]["message"] == "hyperparameters differ: epochs" and "epochs" in verdict["text"]'
check "another batch size is said" says '
checks["batch_size"]["result"] == "differs" and not checks["batch_size"]["flagged"]
and any("batch_size=4" in remark for remark in answer["remarks"])'

compare '{"jobs": ["fast-1"], "import": [{"instance_type": "ml.c5.xlarge", "billable_seconds": 2, "usd_per_hour": "1"}]}'
check "emulated and real runs are not mixed" says '
arms["ml.c5.xlarge"]["emulated"] is None and arms["ml.c5.xlarge"]["cost_usd"]["runs"] == 0
and checks["emulated"]["flagged"] and verdict["kind"] == "none"'

# --- where the seconds went ---

# Three values a second apart are steady; before them 1.5 s of start-up, after them a wait.
TRAIN='sleep 1.5; for i in 1 2 3 4 5 6; do echo "samples=$((i * 100)) acc=0.$i"; sleep 0.5; done; sleep 0.7'
STEADY='{"instance_type": "ml.c5.4xlarge", "metric_definitions": [
  {"name": "samples", "regex": "samples=([0-9]+)"}, {"name": "acc", "regex": "acc=([0-9.]+)"}],
  "work": {"unit": "samples", "metric": "samples"}, "objective": {"metric": "acc", "goal": "maximize", "target": 0.35},
  "tags": {"compile_cache": "cold"}}'
submit steady "$TRAIN" "$STEADY"
wait_for steady
compare '{"jobs": ["steady", "one"]}'
phases_add_up() {
    says '
(p := runs["steady"]["phases"]) and p["unavailable"] is None
and abs(sum(p[n] for n in ("staging_seconds", "startup_seconds", "steady_seconds", "other_seconds", "ending_seconds"))
        - runs["steady"]["billable_seconds"]) < 1e-4
and 100 < p["steady_per_second"] < 250 and 0.5 < p["startup_seconds"] < 4 and 2.4 < p["steady_seconds"] < 6'
}
check "start-up and the end are told from steady state, and all add up to what is billed" phases_add_up
check "what it took and cost until the target is told" says '
(t := runs["steady"]["to_target"]) and 2 < t["seconds"] <= runs["steady"]["billable_seconds"]
and 0 < Decimal(t["cost_usd"]) <= Decimal(runs["steady"]["cost_usd"])'
check "a tag tells the state of its compile cache" \
    says 'runs["steady"]["compile_cache"] == "cold" and runs["one"]["compile_cache"] == "unknown"'
check "what a run does not tell is not available, with the reason" says '
runs["one"]["phases"]["unavailable"] == "no metric tells how its work went on"
and runs["one"]["to_target"]["unavailable"] == "the objective has no target"
and runs["one"]["objective_unavailable"] == "the spec has no objective"'

# --- attempts ---

AGAIN='echo acc=0.1; sleep 0.3; [ "$RAILHEAD_ATTEMPT" = 2 ] || exit 1; echo acc=0.9; sleep 1.3'
submit again "$AGAIN" '{"instance_type": "ml.c5.4xlarge", "instance_count": 2, "retry": {"max_attempts": 2, "on": ["failed"]},
    "metric_definitions": [{"name": "acc", "regex": "acc=([0-9.]+)"}],
    "objective": {"metric": "acc", "goal": "maximize", "target": 0.5}}'
wait_for again
first=$(show again attempts.0.billable_seconds)
at_price='lambda t: Decimal(runs["again"]["usd_per_hour"]) * 2 * t / 3600'
for reprice in '' ', "reprice": "now"'; do
    compare "{\"jobs\": [\"again\"]$reprice}"
    check "a run of two attempts costs both${reprice:+, repriced too}" says "
runs['again']['attempts'] == 2 and runs['again']['billable_seconds'] == $(show again billable_seconds)
and runs['again']['instance_seconds'] == $(show again instance_seconds)
and runs['again']['cost_usd'] == $(show again cost_usd)"
    check "and so does what came before its target${reprice:+, repriced too}" says "
(t := runs['again']['to_target']) and $first < t['seconds'] < runs['again']['billable_seconds']
and abs(Decimal(t['cost_usd']) - ($at_price)(t['seconds'])) < Decimal('2e-9')"
done
check "its phases are not told apart" \
    says 'runs["again"]["phases"]["unavailable"] == "it took several attempts" and runs["again"]["phases"]["steady_seconds"] is None'

# --- the published runs ---

/usr/bin/python3 - "$SOURCE/tests/data/roberta-sst2.csv" >"$WORK/published.json" <<'PYTHON'
import csv, json, sys
print(json.dumps({"import": list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))}))
PYTHON
compare "@$WORK/published.json"
check "the published runs come out to the cent, and one an arm shows nothing beyond itself" says '
round(Decimal(arms["ml.p3.2xlarge"]["spent_usd"]), 2) == Decimal("4.65")
and round(Decimal(arms["ml.g5.2xlarge"]["spent_usd"]), 2) == Decimal("2.46")
and verdict["text"].startswith("One run an arm shows no difference beyond itself: ")'

# --- bad input ---

# refuses CODE PATH REQUEST
refuses() {
    compare "$3"
    says "answer['code'] == '$1' and (not '$2' or '$2' in [error['path'] for error in answer['errors']])"
}
check "nothing to be compared is refused" refuses invalid '' '{"tags": {"experiment": "none"}}'
check "an unknown job is not found" refuses not_found '' '{"jobs": ["nobody"]}'
check "an unknown baseline is refused" refuses invalid '' "{$SPEED, \"baseline\": \"ml.x\"}"
check "an unknown member is named" refuses invalid_parameter tag '{"tag": {}}'
check "what is wrong with an imported run is named" refuses invalid_parameter 'import[0].billable_seconds' \
    '{"import": [{"instance_type": "a", "billable_seconds": "-3"}]}'
check "a time that is none is refused" refuses invalid_parameter reprice "{$SPEED, \"reprice\": \"soon\"}"
check "a member that stands there twice is refused" refuses invalid_parameter jobs '{"jobs": ["slow-1"], "jobs": ["fast-1"]}'
compare '[]'
check "what is no object is refused as a whole" says 'answer["detail"] == "expected an object, got a list"'
check "what is no JSON is refused" refuses malformed_json '' '{'

finish
