#!/bin/bash
# A dry run prints what would be run, so that a shell can run it, and submits nothing.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"

check "a daemon starts" daemon_start

# plan FILE MEMBERS: a job of these members, as table and as JSON.
plan() {
    jq -n "{name: \"try\", command: [\"/usr/bin/env\", \"-0\"], instance_type: \"ml.c5.2xlarge\"} + $1" >"$WORK/job.json"
    "$JOBCTL" submit --dry-run "$WORK/job.json" >"$WORK/table" &&
        "$JOBCTL" submit --dry-run "$WORK/job.json" --output json >"$WORK/plan.json"
}

# The lines of the table that are beneath "every rank" or "rank N": a command, variables.
section() {
    awk -v title="  $1" '/^$/ { on = 0 } on { print } $0 ~ "^" title "(,|$)" { on = 1 }' "$WORK/table" | sed 's/^    //'
}

# A job's id differs from try to try; without isolation it is in the paths, too.
without_ids() {
    grep -Ev '^(RAILHEAD_JOB_ID|TORCHELASTIC_RUN_ID|PWD|SHLVL|_)=' | sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/ID/g' | sort
}

# The environment of a rank as a shell reads it from the table, and as the JSON has it.
environment_read() {
    { echo 'set -a'; { section 'every rank'; section "rank $1"; } | grep -E '^[A-Za-z_0-9]+='; echo 'exec /usr/bin/env -0'; } \
        >"$WORK/environment.sh"
    env -i /bin/bash "$WORK/environment.sh" | tr '\0\n' '\n ' | without_ids
}

environment_planned() {
    jq -j ".plan.ranks[] | select(.rank == $1) | .environment[] | . + \"\\u0000\"" "$WORK/plan.json" |
        tr '\0\n' '\n ' | without_ids
}

odd='["/usr/bin/printf", "%s|", "a b", "", "it'"'"'s", "\"$HOME\" `x`", "two\nlines", "-x", "\\back", "\u001b[2J", "ü*?~"]'
check "a plan of one rank" plan "{command: $odd}"
check_equal "its command can be pasted" "$(section 'rank 0' | head -n 1 | bash)" \
    "$(jq -j '.command[2:][] | . + "|"' "$WORK/job.json")"

check "a plan of four ranks" plan '{instance_count: 2, environment: {API_TOKEN: "hunter2-hunter2", MESSAGE: "a b\nc d"},
    distribution: {torch_distributed: {enabled: true, processes_per_host: 2}}}'
check_equal "has all of them in JSON" "$(jq -c '[.plan.ranks[] | [.rank, .host, .kind]]' "$WORK/plan.json")" \
    '[[0,"algo-1","program"],[1,"algo-1","program"],[2,"algo-2","program"],[3,"algo-2","program"]]'
for rank in 0 3; do
    check_equal "a shell reads the environment of rank $rank from the table" "$(environment_read $rank)" \
        "$(environment_planned $rank)"
done
check_equal "what they have alike is told once" "$(grep -c '^    WORLD_SIZE=4$' "$WORK/table")" 1
check_equal "and what differs of each one" "$(grep '^    RANK=' "$WORK/table" | paste -sd' ' | tr -s ' ')" " RANK=0 RANK=1 RANK=2 RANK=3"
check_equal "a secret is masked" "$(grep -h '^ *API_TOKEN=' "$WORK/table")" "    API_TOKEN='***'"
check_equal "and nowhere in clear" "$({ cat "$WORK/table"; jq -c .plan "$WORK/plan.json"; } | grep -c hunter2)" 0

check "a plan of mpi" plan '{instance_count: 2, distribution: {mpi: {enabled: true, processes_per_host: 2}}}'
check_equal "has mpirun and what it starts elsewhere" "$(jq -c '[.plan.ranks[].kind]' "$WORK/plan.json")" '["launcher","remote"]'
check "and tells mpirun's command line" grep -q '^ *mpirun .*-np 4' <(section 'rank 0' | sed 's|^[^ ]*/mpirun|mpirun|')
check "a plan of parameter servers" plan '{instance_count: 2, distribution: {parameter_server: {enabled: true}}}'
check_equal "has servers and workers" "$(jq -c '[.plan.ranks[].kind] | sort' "$WORK/plan.json")" \
    '["program","program","server","server"]'

check_equal "nothing was submitted" "$("$JOBCTL" ls --output json | jq -c .items)" '[]'
check_status "a spec with a mistake has no plan" 2 "$JOBCTL" submit --dry-run - <<<'{"command": [], "instance_type": "ml.c5.2xlarge"}'
finish
