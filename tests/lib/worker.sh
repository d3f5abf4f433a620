# shellcheck shell=bash
# Runs the real railhead-worker on plans made by hand.  After test.sh:
#
#   folder=$(worker_folder NAME)
#   write_plan "$folder" '{"grace_s": 1}' '["/bin/true"]'     one argv a rank
#   run_worker "$folder"
#   check_equal "..." "$(ended "$folder" cause)" '"failed"'

WORKER=$BUILD/railhead-worker

# A folder as the scheduler makes one: an empty journal.
worker_folder() {
    mkdir "$WORK/$1"
    : >"$WORK/$1/journal.jsonl"
    echo "$WORK/$1"
}

# write_plan FOLDER MEMBERS ARGV...
write_plan() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import json, os, sys
folder, members, ranks = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
env = ["PATH=" + os.environ["PATH"], "HOME=" + folder, "WORK=" + os.environ["WORK"]]
plan = {
    "job_id": "01TEST", "job_name": "test", "attempt": 1, "worker": 0,
    "world_size": len(ranks), "worker_count": 1, "isolate": False, "host_name": "algo-1", "hosts": "127.0.0.1 algo-1\n",
    "ml_folder": folder + "/ml", "work_folder": folder + "/ml/" + ("code" if "source_archive" in members else "output/data"),
    "checkpoint_path": folder + "/ml/checkpoints", "configs": [], "channels": {}, "local_processes": len(ranks),
    "output_uri": None, "output_compressed": True, "checkpoint_uri": None, "storage": {"addressing": "path"}, "peers": None,
    "memory_bytes": 0, "rank_log_bytes": 0, "source_archive": None, "cgroup": None, "max_run_s": 0, "grace_s": 30, "metrics": [],
    "ranks": [{"kind": "program", "rank": i, "local_rank": i, "argv": json.loads(argv), "env": env}
              for i, argv in enumerate(ranks)],
}
plan.update(members)
with open(folder + "/plan.json", "w", encoding="utf-8") as file:
    json.dump(plan, file)
PYTHON
}

# Its stderr is kept beside the plan.  As the scheduler does it: in a session of its own.
run_worker() {
    setsid --wait "$WORKER" "$1" <"$1/plan.json" >"$1/worker.out" 2>"$1/worker.err"
}

start_worker() {
    setsid "$WORKER" "$1" <"$1/plan.json" >"$1/worker.out" 2>"$1/worker.err" &
}

# lines FOLDER KIND MEMBER: the member of every line of that kind, as JSON, one a line.
lines() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import json, sys
folder, kind, member = sys.argv[1:]
with open(folder + "/journal.jsonl", encoding="utf-8") as file:
    for line in map(json.loads, file):
        if line["kind"] == kind:
            print(json.dumps(line[member]))
PYTHON
}

# ended FOLDER MEMBER
ended() {
    lines "$1" ended "$2"
}

kinds() {
    sed 's/.*"kind":"\([a-z_]*\)".*/\1/' "$1/journal.jsonl" | paste -sd' '
}

has_line() {
    grep -q "\"kind\":\"$2\"" "$1/journal.jsonl"
}

ask_stop() {
    printf '{"cause":"%s"}' "$2" >"$1/stop.new"
    mv "$1/stop.new" "$1/stop"
}

[ -x "$WORKER" ] || {
    echo "not ok railhead-worker is built in $BUILD"
    exit 1
}
