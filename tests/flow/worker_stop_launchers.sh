#!/bin/bash
# Stops where a launcher stands between railhead-worker and the user's processes: real torchrun, real mpirun, parameter
# servers, each over two workers and without a daemon.  What is told to whom, what it may save, and what is left.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

# How a rank ends is in the first word of its mode; every line names the process, and those of one rank stay together.
cat >"$WORK/rank.py" <<'PYTHON'
import os, signal, sys, time
mode, mpi = sys.argv[sys.argv.index("--mode") + 1], "OMPI_COMM_WORLD_RANK" in os.environ
if mpi:
    from mpi4py import MPI
    rank = MPI.COMM_WORLD.Get_rank()
else:
    rank = int(os.environ.get("RANK", "0"))
said = open(f"{os.environ['WORK']}/said-{mode}", "a", buffering=1)
told = 0
def say(words):
    said.write(f"rank {rank} {words} {os.getpid()}\n")
def stop(*_):
    global told
    told += 1
    say(f"told {told}")
    if told == 1:
        end = time.time() + 5
        while time.time() < end:
            time.sleep(0.1)
        say("saved")
        os._exit(3 if mode == "code" else 0) if not mpi or mode == "code" else sys.exit(0)
if mode == "ignore":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif not (mode == "dies" and rank == 1):
    signal.signal(signal.SIGTERM, stop)
if mode == "group":
    os.setpgid(0, 0)
if mode == "daemon" and os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("daemon")
    time.sleep(1000)
say("up")
if mode == "fails":
    time.sleep(1 if rank == 3 else 1000)
    os._exit(7)
while True:
    time.sleep(0.1)
PYTHON

# The processes that a mode's ranks made and that are there still.
living() {
    local pid left=0
    while read -r pid; do
        ! lives "$pid" || left=$((left + 1))
    done < <(awk '{ print $NF }' "$WORK/said-$1" | sort -u)
    echo $left
}

count() {
    grep -c "$2" "$WORK/said-$1"
}

has() {
    [ "$(count "$1" "$2")" -ge "$3" ]
}

# begin MODE DISTRIBUTION GRACE: two workers of two ranks each.
begin() {
    local worker
    : >"$WORK/said-$1"
    cat >"$WORK/$1.json" <<JSON
{"name": "test", "entry_point": "rank.py", "source_dir": "$WORK", "instance_type": "ml.c5.xlarge", "grace": $3,
 "instance_count": 2, "hyperparameters": {"mode": "$1"}, "distribution": $2, "environment": {"WORK": "$WORK"}}
JSON
    rm -rf "$WORK/$1-1-0" "$WORK/$1-1-1"
    env -i PATH=/usr/local/bin:/usr/bin:/bin RAILHEAD_TORCHRUN="$SOURCE/libexec/railhead-torchrun.py" \
        RAILHEAD_RSH="$BUILD/railhead-rsh" OPENBLAS_NUM_THREADS=1 \
        "$BUILD/tests/flow/make_plan" "$WORK/$1.json" "$WORK/$1" "$(free_port)" || return 1
    for worker in 0 1; do
        mkdir -p "$WORK/$1-1-$worker/ml/output/data"
        cp "$WORK/rank.py" "$WORK/$1-1-$worker/ml/output/data/"
        start_worker "$WORK/$1-1-$worker"
    done
}

# stopped MODE DISTRIBUTION GRACE: both are asked to stop once all four ranks are up.
stopped() {
    begin "$1" "$2" "$3"
    wait_until 30 has "$1" up 4 || echo "# never up"
    ask_stop "$WORK/$1-1-0" user_stop
    ask_stop "$WORK/$1-1-1" user_stop
    started=$SECONDS
    wait
    took=$((SECONDS - started))
}

free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_INET6); s.bind(("::", 0)); print(s.getsockname()[1])'
}

causes() {
    echo "$(ended "$WORK/$1-1-0" cause) $(ended "$WORK/$1-1-1" cause)"
}

declare -A savers=([dies]=3 [code]=4)

# check_launcher NAME DISTRIBUTION
check_launcher() {
    local mode
    stopped polite "$2" 20
    check_equal "$1: every rank is told" "$(count polite 'told 1')" 4
    check_equal "$1: ranks that save for 5 s have the time to" "$(count polite saved)" 4
    check_equal "$1: the cause is the stop" "$(causes polite)" '"user_stop" "user_stop"'
    check "$1: it ends when the ranks have saved, not with the grace ($took s)" test $took -lt 14
    check_equal "$1: nothing is left" "$(living polite)" 0

    for mode in dies code; do
        stopped $mode "$2" 20
        check_equal "$1, a rank $mode: the others have the time to save" "$(count $mode saved)" "${savers[$mode]}"
        [ "$1" != mpirun ] || check_equal "$1, a rank $mode: nobody is told twice" "$(count $mode 'told 2')" 0
        check "$1, a rank $mode: the stop is over before the grace ($took s)" test $took -lt 14
    done

    for mode in ignore daemon group; do
        stopped $mode "$2" 2
        check_equal "$1, ranks $mode: nothing is left" "$(living $mode)" 0
        check "$1, ranks $mode: the grace bounds it ($took s)" test $took -lt 10
    done
}

if /usr/bin/python3 -c 'import torch.distributed' 2>/dev/null; then
    check_launcher torchrun '{"torch_distributed": {"enabled": true, "processes_per_host": 2, "launcher": "torchrun"}}'
else
    echo "# python3-torch is not installed: no torchrun"
fi

if command -v mpirun >/dev/null && /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    mpi='{"mpi": {"enabled": true, "processes_per_host": 2}}'
    check_launcher mpirun "$mpi"

    begin fails "$mpi" 20
    started=$SECONDS
    wait
    check "mpirun: a rank that fails ends the job ($((SECONDS - started)) s)" test $((SECONDS - started)) -lt 20
    check_equal "mpirun: the failing rank is named" "$(ended "$WORK/fails-1-0" first_failing_rank)" 3
    check_equal "mpirun: its own exit code is told" "$(ended "$WORK/fails-1-0" exit_code)" 7
    check_equal "mpirun: nothing is left after a failure" "$(living fails)" 0
    check "mpirun: its last word is which rank failed" grep -q 'Exit code: *7' "$WORK/fails-1-0/rank-0.log"
    check_equal "mpirun: its own abort is not disturbed" \
        "$(grep -E 'already in progress|Segmentation' "$WORK/fails-1-0/rank-0.log")" ""

    begin killed "$mpi" 5
    wait_until 30 has killed up 4
    kill -KILL "$(lines "$WORK/killed-1-0" launched ranks | grep -o '"pid": [0-9]*' | grep -o '[0-9]*')"
    wait
    check_equal "mpirun killed from outside: its worker says so" "$(ended "$WORK/killed-1-0" signal)" 9
    check_equal "mpirun killed from outside: the other worker ends without a daemon" "$(ended "$WORK/killed-1-1" cause)" '"peer"'
    check_equal "mpirun killed from outside: no rank stays" "$(living killed)" 0
else
    echo "# openmpi-bin or python3-mpi4py is not installed: no mpirun"
fi
finish
