# shellcheck shell=bash
# Runs the real railhead-stage on plans made by hand.  After test.sh:
#
#   instance=$(stage_instance NAME)                 a worker's folder with its ml
#   stage_plan "$instance" '{"channels": {...}}'    members of the plan
#   run_stage "$instance" in                        lines are in $instance/in.out
#   stage_line "$instance" in warning               that member of every line which has it

STAGE=$BUILD/railhead-stage

stage_instance() {
    mkdir -p "$WORK/$1/ml/input/data"
    echo "$WORK/$1"
}

# S3 is where s3_start or s3rver_start has set stage_endpoint, stage_key, stage_secret.
stage_plan() {
    /usr/bin/python3 - "$1" "${2:-{\}}" "${stage_endpoint:-}" "${stage_key:-}" "${stage_secret:-}" <<'PYTHON'
import json, sys
folder, members, endpoint, key, secret = sys.argv[1:]
ml = folder + "/ml"
plan = {
    "job_id": "01TEST", "job_name": "test", "attempt": 1, "worker": 0, "worker_count": 1, "world_size": 1,
    "host_name": "algo-1", "hosts": "127.0.0.1 algo-1\n", "ml_folder": ml, "work_folder": ml + "/output/data",
    "checkpoint_path": ml + "/checkpoints", "memory_bytes": 0, "rank_log_bytes": 0, "max_run_s": 0, "grace_s": 30,
    "local_processes": 1, "output_compressed": True, "configs": [], "metrics": [], "ranks": [], "channels": {},
    "storage": {"endpoint": endpoint or None, "region": "us-east-1", "addressing": "path",
                "access_key": key or None, "secret_key": secret or None},
}
plan.update(json.loads(members))
with open(folder + "/plan.json", "w", encoding="utf-8") as file:
    json.dump(plan, file)
PYTHON
}

run_stage() {
    "$STAGE" "$2" <"$1/plan.json" >"$1/$2.out" 2>"$1/$2.err"
}

# start_stage INSTANCE VERB: beside the test; sets stage_pid, and it ends with the test.
start_stage() {
    : >"$1/$2.out" # now: what an earlier one said is not this one's
    "$STAGE" "$2" <"$1/plan.json" >"$1/$2.out" 2>"$1/$2.err" &
    stage_pid=$!
    at_exit "kill -9 $stage_pid 2>/dev/null"
}

# stage_status: of what start_stage started, which ends by itself.
stage_status() {
    wait_until 30 eval "! lives $stage_pid" || kill -9 "$stage_pid"
    wait "$stage_pid"
}

# stage_line INSTANCE VERB MEMBER: as text where it is one, else as JSON.
stage_line() {
    /usr/bin/python3 - "$1/$2.out" "$3" <<'PYTHON'
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    value = json.loads(line).get(sys.argv[2])
    if value is not None:
        print(value if isinstance(value, str) else json.dumps(value))
PYTHON
}

# stage_says INSTANCE VERB MEMBER PATTERN
stage_says() {
    grep -q -- "$4" <<<"$(stage_line "$1" "$2" "$3")" || {
        cat "$1/$2.out" "$1/$2.err"
        return 1
    }
}

# tree FOLDER: every file beneath with its digest, names sorted.
tree() {
    (cd "$1" && find -L . -type f ! -name '.railhead-*' -exec sha256sum {} + | sort -k 2)
}

same_tree() {
    diff <(tree "$1") <(tree "$2")
}

# nothing_half FOLDER...: no file that is not whole.
nothing_half() {
    ! find "$@" -name '.railhead-*' | grep .
}

# channel URI [MEMBERS]: one channel called train, as members of a plan.
channel() {
    printf '{"channels": {"train": {"uri": "%s"%s}}}' "$1" "${2:+, $2}"
}
