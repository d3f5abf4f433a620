#!/bin/bash
# How railhead-worker ends ranks: on request, at a limit, after a failure; and what is left of them then.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

# Runs ARGV... until it is launched and has printed "up", then asks for a stop.
stopped() {
    local folder
    folder=$(worker_folder "$1")
    write_plan "$folder" "$2" "${@:4}"
    start_worker "$folder"
    wait_until 10 grep -q up "$folder/rank-0.log" || echo "# never up" >&2
    ask_stop "$folder" "$3"
    wait
    echo "$folder"
}

folder=$(stopped polite '{}' user_stop \
    '["sh", "-c", "trap \"echo saved; exit 0\" TERM; echo up; while :; do sleep 0.1; done"]')
check_equal "a stop is the cause even of an exit code 0" "$(ended "$folder" cause)" '"user_stop"'
check "SIGTERM lets a program save" grep -q saved "$folder/rank-0.log"

folder=$(stopped peer '{}' peer '["sh", "-c", "echo up; sleep 1000"]')
check_equal "a stop for a failed peer is told as such" "$(ended "$folder" cause)" '"peer"'
check_equal "who is stopped did not fail" "$(ended "$folder" first_failing_rank)" null

started=$SECONDS
folder=$(stopped stubborn '{"grace_s": 1}' user_stop '["sh", "-c", "trap \"\" TERM; echo up; while :; do sleep 0.1; done"]')
check_equal "after the grace comes SIGKILL" "$(lines "$folder" rank_exited signal)" 9
check_equal "the cause stays the stop" "$(ended "$folder" cause)" '"user_stop"'
check "the grace was 1 s, not the default" test $((SECONDS - started)) -lt 8

started=$SECONDS
folder=$(worker_folder notice)
write_plan "$folder" '{"grace_s": 60}' '["sh", "-c", "trap \"\" TERM; echo up; while :; do sleep 0.1; done"]'
start_worker "$folder"
wait_until 10 grep -q up "$folder/rank-0.log"
ask_stop "$folder" 'interrupted","grace_s":1,"why":"' # the request's own grace
wait
check_equal "an interruption is told as such" "$(ended "$folder" cause) $(ended "$folder" message)" \
    '"interrupted" "interrupted: the machine was wanted back"'
check "the grace of the request goes before the plan's" test $((SECONDS - started)) -lt 8

folder=$(stopped shell '{}' user_stop '["sh", "-c", "sh -c \"trap \\\"echo child saved; exit\\\" TERM; echo up; while :; do sleep 0.1; done\"; true"]')
check "the shell's own child is told too" grep -q "child saved" "$folder/rank-0.log"

folder=$(stopped asleep '{"grace_s": 5}' user_stop \
    '["sh", "-c", "trap \"echo saved; exit 0\" TERM; echo up; kill -STOP $$; while :; do sleep 0.1; done"]')
check "a suspended program is woken to save" grep -q saved "$folder/rank-0.log"

folder=$(worker_folder early)
write_plan "$folder" '{}' '["sh", "-c", "echo run >>$WORK/early-runs"]'
ask_stop "$folder" user_stop
run_worker "$folder"
check_equal "a stop before the launch launches nothing" "$(kinds "$folder")" "ready ended"
check_equal "a stop before the launch is a stop" "$(ended "$folder" cause)" '"user_stop"'
check "nothing ran" test ! -e "$WORK/early-runs"

folder=$(worker_folder limit)
write_plan "$folder" '{"max_run_s": 1}' '["sleep", "1000"]'
run_worker "$folder"
check_equal "max_run ends what runs longer" "$(ended "$folder" cause)" '"max_run"'
check_equal "max_run is told in words" "$(ended "$folder" message)" '"ran longer than max_run, 1 s"'

folder=$(worker_folder second)
write_plan "$folder" '{"max_run_s": 1, "attempt": 2}' '["sleep", "1000"]'
run_worker "$folder"
check_equal "another attempt names no limit that nobody wrote" "$(ended "$folder" message)" \
    '"ran longer than the 1 s that attempts before this one had left of max_run"'

folder=$(worker_folder sigterm)
write_plan "$folder" '{}' '["sh", "-c", "echo up; sleep 1000"]'
start_worker "$folder"
wait_until 10 grep -q up "$folder/rank-0.log"
kill -TERM "$(lines "$folder" ready pid)"
wait
check_equal "SIGTERM to the worker is a user's stop" "$(ended "$folder" cause)" '"user_stop"'

folder=$(worker_folder first)
write_plan "$folder" '{}' '["sh", "-c", "sleep 1000"]' '["sh", "-c", "sleep 0.3; exit 42"]' \
    '["sh", "-c", "trap \"exit 5\" TERM; sleep 1000 & wait"]'
run_worker "$folder"
check_equal "a rank that fails ends the others" "$(lines "$folder" rank_exited rank | sort | paste -sd' ')" "0 1 2"
check_equal "of three ranks the first to fail is named" "$(ended "$folder" first_failing_rank)" 1
check_equal "its exit code is the worker's" "$(ended "$folder" exit_code)" 42

# What a job may put in the place of the request must not hold the worker.
folder=$(worker_folder fifo)
write_plan "$folder" '{"max_run_s": 5}' '["sh", "-c", "mkfifo $HOME/stop; sleep 1000"]'
started=$SECONDS
run_worker "$folder" &
worker=$!
wait_until 15 has_line "$folder" ended
check "a FIFO named stop does not hold the worker" has_line "$folder" ended
kill -KILL "$(lines "$folder" ready pid)" 2>/dev/null
wait $worker
check_equal "it is a stop, as any file of that name" "$(ended "$folder" cause)" '"user_stop"'

# A grandchild in a session of its own that ignores SIGTERM and holds the output.
folder=$(worker_folder grandchild)
write_plan "$folder" '{}' \
    '["sh", "-c", "setsid sh -c \"trap \\\"\\\" TERM HUP; echo \\$\\$ >$WORK/grandchild-pid; echo from below; sleep 1000\" & until [ -s $WORK/grandchild-pid ]; do sleep 0.05; done"]'
started=$SECONDS
run_worker "$folder"
check "a grandchild that holds the output does not hold the end" test $((SECONDS - started)) -lt 10
check_equal "the end is that of the rank" "$(ended "$folder" cause)" '"completed"'
check_status "the grandchild is gone" 1 lives "$(cat "$WORK/grandchild-pid")"
check "its words are kept" grep -q "from below" "$folder/rank-0.log"

# A chain of daemons: each link is orphaned to the worker when the one above is killed.
folder=$(worker_folder chain)
cat >"$WORK/chain.sh" <<'CHAIN'
echo $$ >>"$WORK/chain-pids"
[ "$1" -eq 0 ] || setsid sh "$0" $(($1 - 1)) &
sleep 1000
CHAIN
write_plan "$folder" '{}' \
    "[\"sh\", \"-c\", \"sh $WORK/chain.sh 5 & until [ \\\"\$(wc -l 2>&1 <$WORK/chain-pids)\\\" = 6 ]; do sleep 0.05; done\"]"
run_worker "$folder"
left=0
while read -r pid; do
    ! lives "$pid" || left=$((left + 1))
done <"$WORK/chain-pids"
check_equal "a chain of six daemons is gone" "$(wc -l <"$WORK/chain-pids") $left" "6 0"

# A neighbour of the same user, of the same program, is not ours.
sleep 1000 &
neighbour=$!
folder=$(worker_folder neighbour)
write_plan "$folder" '{"grace_s": 0}' '["sh", "-c", "echo up; (setsid sleep 1000 &) ; sleep 1000"]'
start_worker "$folder"
wait_until 10 grep -q up "$folder/rank-0.log"
ask_stop "$folder" user_stop
wait_until 10 has_line "$folder" ended
check "a neighbour lives on" lives $neighbour
kill $neighbour

# A worker that is killed takes its ranks along.
folder=$(worker_folder killed)
write_plan "$folder" '{}' '["sh", "-c", "echo up; exec sleep 1000"]'
start_worker "$folder"
wait_until 10 grep -q up "$folder/rank-0.log"
rank=$(lines "$folder" launched ranks | grep -o '"pid": [0-9]*' | grep -o '[0-9]*')
kill -KILL "$(lines "$folder" ready pid)"
rank_is_gone() { ! lives "$rank"; }
check "ranks do not outlive their worker" wait_until 5 rank_is_gone
check_status "an end that was not seen is not told" 1 has_line "$folder" ended
finish
