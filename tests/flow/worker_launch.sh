#!/bin/bash
# What railhead-worker says of a launch: of one that works, and of each way in which it cannot.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

one() {
    local folder
    folder=$(worker_folder "$1")
    write_plan "$folder" "$2" "${@:3}"
    run_worker "$folder" || echo "# worker's exit status $?"
    echo "$folder"
}

folder=$(one true '{}' '["/bin/true"]')
check_equal "a program that ends well leaves four lines" "$(kinds "$folder")" \
    "ready launched rank_exited ended"
check_equal "a program that ends well is completed" "$(ended "$folder" cause)" '"completed"'
check_equal "the exit code of completed is 0" "$(ended "$folder" exit_code)" 0
check_equal "seq counts from 1 without a gap" "$(grep -o '"seq":[0-9]*' "$folder/journal.jsonl" | paste -sd' ')" \
    '"seq":1 "seq":2 "seq":3 "seq":4'
check "the model and output folders are there" test -d "$folder/ml/model" -a -d "$folder/ml/output/data"

folder=$(one configs '{"configs": [{"name": "hyperparameters.json", "text": "{\"lr\":\"0.1\"}"}]}' \
    '["cat", "../../input/config/hyperparameters.json"]')
check_equal "config files of the plan are there" "$(cat "$folder/rank-0.log")" '{"lr":"0.1"}'
check_equal "no folder is made that nobody asked for" "$(cd "$folder/ml" && find . -mindepth 1 -type d | sort | paste -sd' ')" \
    "./checkpoints ./input ./input/config ./input/data ./model ./output ./output/data"

folder=$(one code '{}' '["sh", "-c", "exit 17"]')
check_equal "exit code 17 is failed" "$(ended "$folder" cause)" '"failed"'
check_equal "exit code 17 is told" "$(ended "$folder" exit_code)" 17
check_equal "exit code 17 has words" "$(ended "$folder" message)" '"rank 0 exited with code 17"'

folder=$(one signal '{}' '["sh", "-c", "kill -SEGV $$"]')
check_equal "death by a signal is signal" "$(ended "$folder" cause)" '"signal"'
check_equal "the signal's number is told" "$(ended "$folder" signal)" 11
check_equal "the signal is named" "$(ended "$folder" message)" \
    '"rank 0 was killed by signal 11 (SIGSEGV)"'

folder=$(one enoent '{}' '["/no/such"]')
check_equal "a program that is not there is a failed launch" "$(ended "$folder" cause)" '"launch"'
check_equal "ENOENT is told in words" "$(ended "$folder" message)" \
    '"rank 0: exec /no/such: No such file or directory"'
check_equal "what never ran was not launched" "$(kinds "$folder")" "ready ended"

folder=$(one lookup '{}' '["no-such-program"]')
check_equal "a program that is nowhere on the PATH is a failed launch" "$(ended "$folder" message)" \
    '"rank 0: exec no-such-program: No such file or directory"'

touch "$WORK/not-executable"
folder=$(one eacces '{}' "[\"$WORK/not-executable\"]")
check_equal "EACCES is told in words" "$(ended "$folder" message)" \
    "\"rank 0: exec $WORK/not-executable: Permission denied\""

folder=$(one enotdir '{}' '["/etc/passwd/program"]')
check_equal "ENOTDIR is told in words" "$(ended "$folder" message)" \
    '"rank 0: exec /etc/passwd/program: Not a directory"'

long=$(head -c 200000 /dev/zero | tr '\0' x)
folder=$(worker_folder e2big)
write_plan "$folder" '{}' '["/bin/true", "LONG"]'
sed -i "s/LONG/$long/" "$folder/plan.json" 2>/dev/null \
    || { printf 's/LONG/%s/' "$long" >"$WORK/script" && sed -i -f "$WORK/script" "$folder/plan.json"; }
run_worker "$folder"
check_equal "E2BIG is told in words" "$(ended "$folder" message)" \
    '"rank 0: exec /bin/true: Argument list too long"'

folder=$(worker_folder chdir)
write_plan "$folder" "{\"work_folder\": \"$WORK/not-executable\"}" '["/bin/true"]'
run_worker "$folder"
check_equal "a working folder that is a file is a failed launch" "$(ended "$folder" cause)" '"launch"'

folder=$(one half '{}' '["sleep", "1000"]' '["/no/such"]')
check_equal "one rank that cannot start fails the launch" "$(ended "$folder" cause)" '"launch"'
check_equal "the rank that cannot start is named" "$(ended "$folder" first_failing_rank)" 1

folder=$(worker_folder plan)
echo '{"job_id": 7' >"$folder/plan.json"
run_worker "$folder"
check_equal "a damaged plan is our fault" "$(ended "$folder" cause)" '"infrastructure"'

folder=$(worker_folder twice)
write_plan "$folder" '{}' '["sh", "-c", "echo run >>$WORK/runs; sleep 1"]'
start_worker "$folder"
wait_until 5 has_line "$folder" launched
check_status "a second worker beside the first does nothing" 0 run_worker "$folder"
wait
check_status "a worker that comes after the end does nothing" 0 run_worker "$folder"
check_equal "the program ran once" "$(wc -l <"$WORK/runs")" 1
check_equal "the journal is of one worker" "$(kinds "$folder")" "ready launched rank_exited ended"

check_status "no folder is a mistake of usage" 2 "$WORKER"
check_status "a relative folder is a mistake of usage" 2 "$WORKER" here
finish
