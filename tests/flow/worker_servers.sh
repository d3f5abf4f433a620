#!/bin/bash
# Parameter servers: they serve until the ranks of all workers have ended, and then go without being a failure.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

# pair NAME RANK0 SERVER0 RANK1 SERVER1: two workers of a rank and a server each, as argv in JSON; waits for both.
pair() {
    begin_pair "$@"
    wait
}

begin_pair() {
    local worker folder peers="[\"$WORK/$1-0\", \"$WORK/$1-1\"]"
    for worker in 0 1; do
        folder=$(worker_folder "$1-$worker")
        write_plan "$folder" "{\"worker\": $worker, \"worker_count\": 2, \"peers\": $peers, \"grace_s\": 5}" \
            "${@:2 + 2 * worker:2}"
        sed -i 's/"kind": "program", "rank": 1/"kind": "server", "rank": 1/' "$folder/plan.json"
        start_worker "$folder"
    done
}

serve='["sh", "-c", "trap \"echo served; exit 9\" TERM; while :; do sleep 0.1; done"]'

pair both '["sleep", "0.2"]' "$serve" '["sleep", "2"]' "$serve"
for worker in 0 1; do
    folder=$WORK/both-$worker
    check_equal "worker $worker is completed, whatever its server's status" "$(ended "$folder" cause)" '"completed"'
    check_equal "worker $worker says when its ranks are done" "$(kinds "$folder")" \
        "ready launched rank_exited ranks_done rank_exited ended"
    check "the server of worker $worker is told by SIGTERM" grep -q served "$folder/rank-1.log"
done
server_end=$(lines "$WORK/both-0" rank_exited boot_us | tail -1)
check "a server outlives the ranks of all workers" test "$server_end" -ge "$(lines "$WORK/both-1" ranks_done boot_us)"

pair stubborn '["true"]' '["sh", "-c", "trap \"\" TERM; while :; do sleep 0.1; done"]' '["true"]' "$serve"
check_equal "a server that ignores SIGTERM is killed, and that is no failure" "$(ended "$WORK/stubborn-0" cause)" '"completed"'
check_equal "it was killed" "$(lines "$WORK/stubborn-0" rank_exited signal | tail -1)" 9

pair early '["sleep", "1"]' '["true"]' '["true"]' "$serve"
check_equal "a server that ends well before its time is no failure" "$(ended "$WORK/early-0" cause)" '"completed"'

begin_pair bad '["sleep", "1000"]' '["sh", "-c", "exit 4"]' '["sleep", "1000"]' "$serve"
wait_until 15 has_line "$WORK/bad-0" ended
check_equal "a server that fails before its time fails its worker" "$(ended "$WORK/bad-0" cause)" '"failed"'
check_equal "the server that failed is named" "$(ended "$WORK/bad-0" first_failing_rank)" 1
ask_stop "$WORK/bad-1" peer
wait
check_equal "ranks that were stopped are not done" "$(kinds "$WORK/bad-1" | grep -c ranks_done)" 0

# A peer that vanished waits for nobody.
begin_pair gone '["sh", "-c", "echo up"]' "$serve" '["sh", "-c", "echo up; sleep 1000"]' "$serve"
wait_until 10 grep -q up "$WORK/gone-1/rank-0.log"
wait_until 10 has_line "$WORK/gone-0" ranks_done
check_status "servers wait for the ranks of a peer" 1 has_line "$WORK/gone-0" ended
kill -KILL "$(lines "$WORK/gone-1" ready pid)"
check "a peer that is gone is not waited for" wait_until 5 has_line "$WORK/gone-0" ended
wait
finish
