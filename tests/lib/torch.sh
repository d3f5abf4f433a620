# shellcheck shell=bash
# Runs torch jobs of two workers through launch_plan and railhead-worker, without a daemon.
# After test.sh and worker.sh.

/usr/bin/python3 -c 'import torch.distributed' 2>/dev/null || skip "python3-torch is not installed"

free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_INET6); s.bind(("::", 0)); print(s.getsockname()[1])'
}

# torch_job NAME SCRIPT LAUNCHER HYPERPARAMETERS: runs 2 workers x 2 ranks of a script; leaves $WORK/NAME-1-{0,1}.
torch_job() {
    local folder=$WORK/$1 worker passed
    mkdir "$folder"
    cat >"$WORK/$1.json" <<JSON
{"name": "test", "entry_point": "$2", "source_dir": "$WORK", "instance_type": "ml.c5.xlarge",
 "instance_count": 2, "hyperparameters": $4,
 "distribution": {"torch_distributed": {"enabled": true, "processes_per_host": 2, "launcher": "$3"}}}
JSON
    # What the daemon passes on, and no more.
    mapfile -t passed < <(env | grep '^OPENBLAS_')
    env -i PATH=/usr/local/bin:/usr/bin:/bin RAILHEAD_TORCHRUN="$SOURCE/libexec/railhead-torchrun.py" \
        "${passed[@]}" "$BUILD/tests/flow/make_plan" "$WORK/$1.json" "$folder" "$(free_port)" || return 1
    for worker in 0 1; do
        mkdir -p "$folder-1-$worker/ml/output/data"
        cp "$WORK/$2" "$folder-1-$worker/ml/output/data/"
        start_worker "$folder-1-$worker"
    done
    wait
}
