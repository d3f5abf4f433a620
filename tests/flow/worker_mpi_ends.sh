#!/bin/bash
# Which rank below mpirun failed, and how: over two workers of two ranks, without a daemon, with a real mpirun that
# kills all ranks for the first.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"
if ! command -v mpirun >/dev/null || ! /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    skip "openmpi-bin or python3-mpi4py is not installed"
fi

cat >"$WORK/rank.py" <<'PYTHON'
import os, signal, subprocess, sys, time
mode = sys.argv[sys.argv.index("--mode") + 1]
if mode.startswith("mute"):
    os.environ["OMPI_MCA_orte_execute_quiet"] = "1"
from mpi4py import MPI
comm = MPI.COMM_WORLD
comm.Barrier()
if mode == "folder":
    with open(f"{os.environ['WORK']}/said-folder", "a") as said:
        said.write(os.environ["PMIX_SERVER_TMPDIR"] + "\n")
    comm.Barrier()
    os.kill(os.getppid(), signal.SIGKILL) if comm.rank == 3 else time.sleep(1000)
if mode in ("daemon", "stays"):
    daemon = subprocess.Popen(["/bin/sh", "-c", 'trap "" TERM HUP; exec sleep 333'], start_new_session=True, env={})
    with open(f"{os.environ['WORK']}/said-{mode}", "a") as said:
        said.write(f"{daemon.pid}\n")
if mode == "daemon":
    sys.exit(0)
if mode == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if comm.rank == 1:
    time.sleep(0.5)
    if mode in ("leaves", "deaf"):
        os._exit(0)
    if mode == "exits":
        sys.exit(7)
    if mode == "raises":
        raise ValueError("wrong")
    if mode == "aborts":
        comm.Abort(0)
    if mode.startswith("mute"):
        comm.Abort(int(mode[4:]))
if comm.rank == 2 and mode == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if mode in ("leaves", "deaf", "raises"):
    comm.Barrier()
time.sleep(1000)
PYTHON

free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_INET6); s.bind(("::", 0)); print(s.getsockname()[1])'
}

# begin MODE
begin() {
    local worker
    cat >"$WORK/$1.json" <<JSON
{"name": "test", "entry_point": "rank.py", "source_dir": "$WORK", "instance_type": "ml.c5.xlarge", "grace": 20,
 "instance_count": 2, "hyperparameters": {"mode": "$1"}, "environment": {"WORK": "$WORK"},
 "distribution": {"mpi": {"enabled": true, "processes_per_host": 2}}}
JSON
    rm -rf "$WORK/$1-1-0" "$WORK/$1-1-1"
    env -i PATH=/usr/local/bin:/usr/bin:/bin RAILHEAD_RSH="$BUILD/railhead-rsh" OPENBLAS_NUM_THREADS=1 \
        "$BUILD/tests/flow/make_plan" "$WORK/$1.json" "$WORK/$1" "$(free_port)" || return 1
    for worker in 0 1; do
        mkdir -p "$WORK/$1-1-$worker/ml/output/data"
        cp "$WORK/rank.py" "$WORK/$1-1-$worker/ml/output/data/"
        start_worker "$WORK/$1-1-$worker"
    done
}

# run MODE: sets `took`.
run() {
    local started=$SECONDS
    begin "$1"
    wait
    took=$((SECONDS - started))
}

# gone MODE: the daemons of four ranks were there, and are not any more.
gone() {
    local pid
    check_equal "$1: all four were there" "$(wc -l <"$WORK/said-$1")" 4
    while read -r pid; do
        check "$1: none is left" test ! -e "/proc/$pid"
    done <"$WORK/said-$1"
}

all_stay() {
    [ "$(wc -l <"$WORK/said-stays" 2>/dev/null || echo 0)" -eq 4 ]
}

# What the job would be told to have failed of: what the workers say that completed not and have no peer to blame.
failure() {
    local worker
    for worker in 0 1; do
        case $(ended "$WORK/$1-1-$worker" cause) in
            '"peer"' | '"completed"') ;;
            *) ended "$WORK/$1-1-$worker" message ;;
        esac
    done
}

run folder
check_equal "the files of mpirun and its daemons are in the folders of their workers" \
    "$(sed "s|^$WORK/||; s|/mpi/.*|/mpi|" "$WORK/said-folder" | sort | uniq -c | tr -s ' ')" " 2 folder-1-0/mpi
 2 folder-1-1/mpi"

run daemon
check_equal "ranks that leave daemons with their output are well" "$(ended "$WORK/daemon-1-0" cause) $(ended "$WORK/daemon-1-1" cause)" \
    '"completed" "completed"'
check "mpirun does not wait for these ($took s)" test $took -lt 12
gone daemon

begin stays
wait_until 30 all_stay
started=$SECONDS
ask_stop "$WORK/stays-1-0" user_stop
ask_stop "$WORK/stays-1-1" user_stop
wait
check "a stop does not wait out its grace for these ($((SECONDS - started)) s)" test $((SECONDS - started)) -lt 12
check_equal "and is a stop" "$(ended "$WORK/stays-1-0" cause) $(ended "$WORK/stays-1-1" cause)" '"user_stop" "user_stop"'
gone stays

leaves='"rank 1 ended without MPI_Finalize, which is a failure to mpirun"'
for round in 1 2; do
    for mode in leaves deaf aborts; do
        run $mode
        check_equal "a rank that $mode is told of, and no other ($round)" "$(failure $mode)" "$leaves"
    done
    run exits
    check_equal "a rank that exits by MPI_Abort is told of, and its code ($round)" "$(failure exits)" '"rank 1 exited with code 7"'
    run raises
    check_equal "a rank with an exception is told of ($round)" "$(failure raises)" '"rank 1 exited with code 1"'
    run killed
    check_equal "a rank that is killed is told of ($round)" "$(failure killed | head -n 1)" '"rank 2 was killed by signal 9 (SIGKILL)"'
done

# As when mpirun loses the message of MPI_Abort, which it does on a busy host.
run mute0
check_equal "a rank that aborts without a word is told of, and no other" "$(failure mute0)" "$leaves"
run mute7
check_equal "and with its code" "$(failure mute7)" '"rank 1 exited with code 7"'
check_equal "what mpirun says of its ranks' states is in no log" "$(grep -l ACTIVATE "$WORK"/*-1-[01]/rank-*.log)" ""
finish
