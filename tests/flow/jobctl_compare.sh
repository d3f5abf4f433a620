#!/bin/bash
# Runs beside each other as people see them: those that others published, those of a benchmark by turns, and claims
# without runs.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"

DAEMON_CONFIG=$SOURCE/etc/quickstart.yaml
# shellcheck disable=SC2119
daemon_start || exit 1

compare() {
    "$JOBCTL" compare "$@"
}

# The tag of a benchmark, from what it said.
tag_of() {
    sed -n 's/.*benchmark=\([^ ]*\)$/\1/p' "$1" | head -n 1
}

well_formed() {
    /usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}

# --- runs that were published: 4,372 and 5,836 billable seconds at 3.825 and 1.515 dollars an hour ---

published=$SOURCE/tests/data/roberta-sst2.csv
compare --import "$published" --output json >"$WORK/published.json"
check_equal "the published runs cost what their seconds say" \
    "$(jq -c '[.runs[].cost_usd]' "$WORK/published.json")" '["4.64525","2.455983333"]'
check_equal "the one is compared with the other" \
    "$(jq -c '[.baseline, (.arms[1].against_baseline.saving.value * 1000 | round)]' "$WORK/published.json")" '["ml.p3.2xlarge",471]'
compare --import "$published" >"$WORK/published.txt"
check "people are shown cents" grep -q '\$4\.65' "$WORK/published.txt"
check "of both" grep -q '\$2\.46' "$WORK/published.txt"
check "and told that it shows nothing beyond itself" grep -q 'shows no difference beyond itself' "$WORK/published.txt"
compare --import "$published" --output csv >"$WORK/published.csv"
check_equal "CSV has a line a run" "$(wc -l <"$WORK/published.csv")" 3
check_equal "whose columns are members of a run" \
    "$(jq -r '.runs[0] | keys[]' "$WORK/published.json" | sort | comm -13 - <(head -n 1 "$WORK/published.csv" | tr -d '\r' | tr , '\n' | sort))" ""
compare --import "$published" --output svg >"$WORK/picture.svg"
check "the picture is well-formed" well_formed "$WORK/picture.svg"
check_equal "with a dot for every run in each of its parts" "$(grep -o '<circle' "$WORK/picture.svg" | wc -l)" 4

# --- what others wrote may be wrong ---

printf 'name,instance_type,billable_seconds\n"<script>x</script>",ml.p3.2xlarge,10\n' >"$WORK/hostile.csv"
compare --import "$WORK/hostile.csv" --output html >"$WORK/hostile.html"
check "words of a table are words on the page" grep -q '&lt;script&gt;' "$WORK/hostile.html"
check_equal "and nothing else" "$(grep -c '<script' "$WORK/hostile.html")" 0
printf 'instance_type,billable_seconds\nml.p3.2xlarge\n' >"$WORK/short.csv"
compare --import "$WORK/short.csv" >"$WORK/out" 2>&1
check_equal "a line that is too short ends it with 2" $? 2
check "and is named" grep -q 'short.csv: line 2: 1 fields' "$WORK/out"
printf 'instance_type,billable_seconds\nml.p3.2xlarge,ten\n' >"$WORK/words.csv"
compare --import "$WORK/words.csv" >"$WORK/out" 2>&1
check_equal "seconds that are no number end it with 2" $? 2
check "and are named" grep -q 'import\[0\].billable_seconds' "$WORK/out"
{
    printf 'name,instance_type,billable_seconds\n'
    head -c 9000000 /dev/zero | tr '\0' x
    printf ',ml.p3.2xlarge,10\n'
} >"$WORK/long.csv"
compare --import "$WORK/long.csv" >"$WORK/out" 2>&1
check_equal "more than the daemon takes ends it with 6" $? 6
check "and it is said how much that is, and what sets it" grep -q '1048576 bytes.*limits.body_bytes' "$WORK/out"
compare --import "$WORK" >"$WORK/out" 2>&1
check_equal "a folder is no table of runs" $? 2
check_equal "runs come from standard input, too" "$(compare --import - --output json <"$published" | jq '.runs | length')" 2
printf '\357\273\277\n [{"instance_type": "ml.p3.2xlarge", "billable_seconds": 10}]' >"$WORK/marked.json"
check_status "JSON is JSON behind blanks and a byte order mark, too" 0 compare --import "$WORK/marked.json"
compare --job nobody >"$WORK/out" 2>&1
check_equal "a job that is not there ends it with 3" $? 3

# --- a benchmark by turns ---

cat >"$WORK/job.yaml" <<'YAML'
command: [/bin/sh, -c, "echo samples=1000; sleep 0.1"]
instance_type: ml.c5.xlarge
metric_definitions: [{name: "train:samples", regex: "samples=([0-9]+)"}]
work: {unit: samples, metric: "train:samples"}
YAML
"$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge,ml.c5.2xlarge --runs 2 --output json \
    >"$WORK/bench.json" 2>"$WORK/bench.log"
check_equal "a benchmark whose runs all completed ends with 0" $? 0
tag=$(tag_of "$WORK/bench.log")
check_equal "types take turns, the second time the other way round" \
    "$(http '/v1/training-jobs?limit=100' | jq -c '[.items | sort_by(.created_at)[].instance_type]')" \
    '["ml.c5.xlarge","ml.c5.2xlarge","ml.c5.2xlarge","ml.c5.xlarge"]'
check_equal "all of them are compared" "$(jq -c '[.arms[] | [.name, .counted, .emulated]]' "$WORK/bench.json")" \
    '[["ml.c5.xlarge",2,true],["ml.c5.2xlarge",2,true]]'
check_equal "and can be again, by their tag" "$(compare --tag "benchmark=$tag" --output json | jq '.runs | length')" 4
check_equal "at the prices of another day" \
    "$(compare --tag "benchmark=$tag" --reprice now --output json | jq '.repriced_at != null')" true

"$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge --runs 20 --set grace=1 --max-usd 0.0004 \
    >"$WORK/out" 2>"$WORK/max.log"
check "with no money for another run there is none" grep -q 'no more runs' "$WORK/max.log"
check_equal "no dollar beyond is spent" \
    "$(compare --tag "benchmark=$(tag_of "$WORK/max.log")" --output json | jq '[.runs[].cost_usd | tonumber] | add <= 0.0004')" true
"$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge --max-usd 0.0001 >"$WORK/out" 2>&1
check_equal "money that does not pay for one run ends it with 2" $? 2
check_status "a run that failed makes it end with 1" 1 \
    "$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge --runs 1 --set 'command=[/bin/false]'
mv "$WORK/check.out" "$WORK/failed.txt"
check "and is in the comparison none the less" grep -q ' Failed .*it did not complete' "$WORK/failed.txt"
"$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge,ml.c5.nothing >"$WORK/out" 2>&1
check_equal "a type that is not there ends it with 2" $? 2
check_equal "before anything has run" "$(grep -c 'Completed' "$WORK/out")" 0
"$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge,ml.c5.xlarge >"$WORK/out" 2>&1
check_equal "a type that is named twice ends it with 2" $? 2
"$JOBCTL" benchmark "$WORK/job.yaml" --types ml.c5.xlarge --baseline ml.c5.2xlarge >"$WORK/out" 2>&1
check_equal "so does a baseline that is not among them" "$?, $(grep -c 'Completed' "$WORK/out") ran" "2, 0 ran"
"$JOBCTL" benchmark - --types ml.c5.xlarge <"$WORK/job.yaml" >"$WORK/out" 2>&1
check_equal "and a spec that could be read once only" $? 2
"$JOBCTL" benchmark "$WORK/job.yaml" --types 'ml.c5"' >"$WORK/out" 2>&1
check "a type is a word, whatever is in it" grep -q "no instance type 'ml.c5\"'" "$WORK/out"

# --- a claim that was published without its runs ---

compare --what-if --faster 22 --cheaper 50 --baseline-usd 37.688 --usd 24.725 --usd 22.90 --output json >"$WORK/claim.json"
check_equal "it holds up to a price, by what was meant" \
    "$(jq -c '[.less_time.usd_per_hour_at_most, .more_speed.usd_per_hour_at_most]' "$WORK/claim.json")" \
    '["24.158974358","22.98968"]'
check_equal "at a price it holds or not" \
    "$(jq -c '[.prices[] | [.usd_per_hour, .less_time.holds, .more_speed.holds]]' "$WORK/claim.json")" \
    '[["24.725",false,false],["22.9",true,true]]'
compare --what-if --faster 22 --cheaper 100 --baseline-usd 37.688 >"$WORK/out" 2>&1
check_equal "what cannot be claimed ends it with 2" $? 2
compare --what-if --faster 99.999999 --cheaper 0 --baseline-usd 1 --usd 2 >"$WORK/out"
check "the utmost that can be claimed is a finite speed" grep -q '^99.999999 % faster' "$WORK/out"
check_equal "and every figure of it is a number" "$(grep -c 'inf\|nan' "$WORK/out")" 0
check "what is not cheaper is said to be dearer" grep -q ' 0.0 % dearer' "$WORK/out"
check_status "a claim is not compared with jobs" 2 compare --what-if --faster 22 --cheaper 50 --baseline-usd 1 --job nobody
check_status "nor are jobs with a claim" 2 compare --job nobody --usd 22
finish
