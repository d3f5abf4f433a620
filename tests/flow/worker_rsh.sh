#!/bin/bash
# railhead-rsh, which mpirun calls in the place of ssh: what it starts is the other worker's rank, and what it says when
# there is nothing to be started.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

RSH=$BUILD/railhead-rsh
pids=()

# refused NAME WORDS HOST: nothing is started on the host, and the words say why.
refused() {
    local status=0
    "$RSH" "$3" true 2>"$WORK/refused.err" || status=$?
    check_equal "$1" "$status $(grep -c "$2" "$WORK/refused.err")" "255 1"
}

# A folder longer than a socket's path may be.
long=$(printf 'l%.0s' {1..120})

# remote NAME MEMBERS: a worker of one rank that mpirun is to ask for, in the background.
remote() {
    local folder
    folder=$(worker_folder "$1")
    write_plan "$folder" "$2" '[]'
    sed -i 's/"kind": "program"/"kind": "remote"/' "$folder/plan.json"
    start_worker "$folder"
    pids+=($!)
    export RAILHEAD_RSH_HOSTS="algo-2 $folder
127.1.0.2 $folder
"
}

folder=$WORK/$long
remote "$long" '{}'
output=$(echo from the caller | "$RSH" -x -l somebody -o A=b algo-2 'cat;' echo "'two  words'" '$HOME;' pwd ';' exit 3)
status=$?
check_equal "the command has the caller's streams, a shell, and the rank's environment and folder" "$output" \
    "from the caller
two  words $folder
$folder/ml/output/data"
check_equal "its status is given back" $status 3
wait
check_equal "what ended was the worker's rank" "$(kinds "$folder")" "ready launched rank_exited ended"
check_equal "and failed as a rank does" "$(ended "$folder" cause) $(ended "$folder" exit_code)" '"failed" 3'
refused "afterwards nothing is started there" "algo-2: its worker is stopping or has ended" algo-2

remote killed '{}'
"$RSH" algo-2 'sh -c "kill -KILL \$\$"; exit $?' 2>/dev/null
check_equal "mpirun sees what a shell makes of a death" $? 137
wait
check_equal "its worker knows that it was a signal" "$(ended "$WORK/killed" cause) $(ended "$WORK/killed" signal)" '"signal" 9'

remote busy '{}'
"$RSH" 127.1.0.2 exec sleep 1000 2>"$WORK/first.err" &
first=$!
wait_until 10 grep -q sleep "/proc/$(pgrep -P "${pids[-1]}" -x sleep)/comm"
refused "a worker takes one command" "algo-2: something was started here already" algo-2
kill -TERM $first
wait $first
check_equal "a signal is passed on, and comes back as the end" $? 143
wait
check_equal "the rank died of it" "$(ended "$WORK/busy" signal)" 15

remote stop '{"grace_s": 30}'
wait_until 10 has_line "$WORK/stop" launched
ask_stop "$WORK/stop" user_stop
wait
check_equal "a worker that mpirun never asked ends with a stop" "$(kinds "$WORK/stop")" "ready launched ended"
refused "who asks for it too late is told so" "algo-2: its worker is stopping or has ended" algo-2

# Without a daemon: what became of mpirun is in the journal of its worker.
beside() {
    local first
    first=$(worker_folder "$1-0")
    write_plan "$first" '{}' "$2"
    remote "$1-1" "{\"worker\": 1, \"worker_count\": 2, \"peers\": [\"$first\", \"$WORK/$1-1\"]}"
    start_worker "$first"
    wait
    ended "$WORK/$1-1" cause
}
check_equal "a worker that was not needed is completed with mpirun's" "$(beside unneeded '["sleep", "0.5"]')" '"completed"'
check_equal "a worker whose mpirun failed is stopped" "$(beside failed '["sh", "-c", "sleep 0.5; exit 2"]')" '"peer"'

export RAILHEAD_RSH_HOSTS="algo-2 $WORK/nowhere
"
refused "a host that is not of the job is refused by name" "algo-3: no such host" algo-3
refused "a folder that is not there is an error" "algo-2: open $WORK/nowhere: No such file" algo-2
check_status "no command is a mistake of usage" 255 "$RSH" algo-2

# A rank below mpirun: its end is its own, and is held back on request.
check_status "an exit code passes through" 7 "$RSH" --rank sh -c 'exit 7'
check_status "a death by a signal passes through" 139 sh -c "'$RSH' --rank sh -c 'kill -SEGV \$\$'"
check_status "a program that is not there is told as by a shell" 127 "$RSH" --rank /no/such
# shellcheck disable=SC2016
check_equal "a rank's Pipe channels are its own" \
    "$(RAILHEAD_PIPES="SM_CHANNEL_A SM_CHANNEL_B-C" OMPI_COMM_WORLD_LOCAL_RANK=1 SM_CHANNEL_A=/ml/data/a SM_CHANNEL_F=/ml/data/f \
        "$RSH" --rank sh -c 'echo "$SM_CHANNEL_A $SM_CHANNEL_F ${RAILHEAD_PIPES-none}"')" "/ml/data/rank-1/a /ml/data/f none"
"$RSH" --rank sleep 0.5 &
held=$!
wait_until 5 grep -qx railhead-rank /proc/$held/comm
kill -USR1 $held
sleep 1
check "an end is held back after SIGUSR1" lives $held
kill -USR2 $held
wait $held
check_equal "and comes through after SIGUSR2" $? 0
finish
