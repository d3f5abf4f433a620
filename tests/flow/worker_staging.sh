#!/bin/bash
# When railhead-worker runs which verb of railhead-stage, and what it makes of what that says.  A stand-in takes the
# place of railhead-stage: $STAGES/VERB.sh.
. "$(dirname "$0")/../lib/test.sh"
mkdir "$WORK/bin" "$WORK/stages"
export STAGES=$WORK/stages
cp "$BUILD/railhead-worker" "$BUILD/railhead-archive" "$WORK/bin/"
cat >"$WORK/bin/railhead-stage" <<'SH'
#!/bin/bash
echo "$1" >>"$STAGES/ran"
exec bash "$STAGES/$1.sh"
SH
chmod +x "$WORK/bin/railhead-stage"
. "$(dirname "$0")/../lib/worker.sh"
WORKER=$WORK/bin/railhead-worker

# stage VERB SCRIPT
stage() { printf '%s\n' "$2" >"$STAGES/$1.sh"; }

channel() {
    printf '"channels": {"train": {"uri": "file:///data", "mode": "%s"}}' "$1"
}

# begin NAME MEMBERS ARGV...: leaves the folder's name; what ran is forgotten.
begin() {
    rm -f "$STAGES/ran"
    folder=$(worker_folder "$1")
    write_plan "$folder" "${@:2}"
}
job() {
    begin "$@"
    run_worker "$folder"
}
ran() { paste -sd' ' "$STAGES/ran" 2>/dev/null; }

job none '{}' '["true"]'
check_equal "a job without data runs no stage" "$(ran)" ""

ready='echo "{\"ready\":true}"'
progress='echo "{\"progress\":{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":NN,\"bytes_total\":9,\"objects\":0,\"objects_total\":1}}"'
stage in "cat >\$STAGES/plan; echo '{\"warning\":\"one object is empty\"}'
for i in 1 2 3 4; do ${progress/NN/\$i}; sleep 0.3; done; ${progress/NN/9}"
job file "{$(channel File)}" '["true"]'
check_equal "data is brought before the launch" "$(kinds "$folder")" "ready progress progress progress launched rank_exited ended"
check_equal "the last progress is told" "$(lines "$folder" progress bytes | tail -n 1)" 9
check_equal "a warning is in the worker's own log" "$(cat "$folder/worker.log")" "one object is empty"
check_equal "the stage is given the plan, without the ranks" \
    "$(/usr/bin/python3 -c 'import json, sys; plan = json.load(open(sys.argv[1])); print(list(plan["channels"]), plan["ranks"])' "$STAGES/plan")" \
    "['train'] []"

stage in 'echo "{\"error\":\"channel train: no object\",\"retry\":true}"; exit 1'
job input "{$(channel FastFile)}" '["true"]'
check_equal "data that cannot be had is the cause input" "$(ended "$folder" cause)" '"input"'
check_equal "with the stage's words" "$(ended "$folder" message)" '"channel train: no object"'
check_equal "and whether it can go well another time" "$(ended "$folder" retry)" true
check_equal "nothing is launched then" "$(kinds "$folder")" "ready ended"

stage in 'echo "cannot load a library" >&2; exit 127'
job mute "{$(channel File)}" '["true"]'
check_equal "a stage that cannot speak is quoted" "$(ended "$folder" message)" '"cannot load a library"'
stage in 'kill -KILL $$'
job killed "{$(channel File)}" '["true"]'
check_equal "a stage that is killed says so" "$(ended "$folder" message)" '"the helper was killed by signal 9"'
check_equal "and that it can go well another time" "$(ended "$folder" retry)" true

stage in 'echo $$ >$STAGES/pid; exec sleep 1000'
begin stop "{$(channel File)}" '["true"]'
start_worker "$folder"
wait_until 5 test -s "$STAGES/pid"
ask_stop "$folder" user_stop
check "a stop ends the staging" wait_until 5 has_line "$folder" ended
wait
check_equal "it is the cause" "$(ended "$folder" cause)" '"user_stop"'
check_status "the stage is gone" 1 lives "$(cat "$STAGES/pid")"
job max-run "{\"max_run_s\": 1, $(channel File)}" '["true"]'
check_equal "max_run counts while data is staged" "$(ended "$folder" cause)" '"max_run"'

begin heartbeat "{$(channel File)}" '["true"]'
stage in 'sleep 5.3'
run_worker "$folder"
check_equal "the heart beats meanwhile" "$(kinds "$folder")" "ready heartbeat launched rank_exited ended"

rm -f "$STAGES/pid"
begin orphan "{$(channel File)}" '["true"]'
stage in 'echo $$ >$STAGES/pid; exec sleep 1000'
start_worker "$folder"
wait_until 5 test -s "$STAGES/pid"
kill -KILL "$(lines "$folder" ready pid)"
{ wait; } 2>/dev/null
stage_is_gone() { ! lives "$(cat "$STAGES/pid")"; }
check "a stage dies with its worker" wait_until 5 stage_is_gone

# --- beside the ranks ---
stage pipe "echo \$\$ >\$STAGES/pid; sleep 0.3; touch \$STAGES/fifo; $ready; exec sleep 1000"
job pipe "{$(channel Pipe)}" '["sh", "-c", "ls $WORK/stages/fifo; kill -0 $(cat $WORK/stages/pid) && echo feeds; setsid sleep 1000 & sleep 0.2"]'
check_equal "FIFOs are there before the ranks, and fed while they run" "$(paste -sd' ' "$folder/rank-0.log")" "$STAGES/fifo feeds"
check_equal "the run is well" "$(ended "$folder" cause)" '"completed"'
check "the feeder is gone after" stage_is_gone
check_equal "no other verb ran" "$(ran)" pipe

stage pipe "$ready; sleep 0.5; echo '{\"error\":\"channel train: reset by peer\",\"retry\":true}'; exit 1"
job pipe-fails "{$(channel Pipe)}" '["sleep", "1000"]'
check_equal "a channel that fails in mid-run ends the ranks" "$(ended "$folder" cause)" '"input"'
check_equal "with its words" "$(ended "$folder" message)" '"channel train: reset by peer"'

# --- checkpoints ---
checkpoint='"checkpoint_uri": "file:///ckpt"'
stage in 'echo in >$STAGES/order'
stage checkpoints "trap 'cat \$STAGES/journal/journal.jsonl >\$STAGES/seen; echo synced >>\$STAGES/order; exit 0' TERM
sleep 0.5; $ready; while :; do sleep 0.05; done"
begin sync "{$checkpoint}" '["sh", "-c", "echo rank >>$WORK/stages/order"]'
ln -sfn "$folder" "$STAGES/journal"
run_worker "$folder"
check_equal "checkpoints are restored before and synced after the ranks" "$(paste -sd' ' "$STAGES/order")" "in rank synced"
check_equal "which is told as uploading" "$(kinds "$folder")" "ready launched rank_exited uploading ended"
check "from before it begins" grep -q '"kind":"uploading"' "$STAGES/seen"
check_equal "with the end so far" "$(lines "$folder" uploading cause)" '"completed"'

stage checkpoints "trap 'echo \"{\\\"error\\\":\\\"disk full\\\",\\\"retry\\\":false}\"; exit 1' TERM; $ready; while :; do sleep 0.05; done"
job sync-fails "{$checkpoint}" '["true"]'
check_equal "a last sync that fails is the cause output" "$(ended "$folder" cause)" '"output"'
check_equal "it is said what was not stored" "$(ended "$folder" message)" "\"the last checkpoints could not be stored: disk full; they are kept in $folder/ml\""
check_equal "that it will not go well another time is said" "$(ended "$folder" retry)" false
job sync-fails-too "{$checkpoint}" '["sh", "-c", "exit 5"]'
check_equal "an earlier cause stays" "$(ended "$folder" cause)" '"failed"'
check_equal "with a remark" "$(ended "$folder" message)" \
    "\"rank 0 exited with code 5; the last checkpoints could not be stored: disk full; they are kept in $folder/ml\""

# The first one dies in mid-run, the second one does the last sync.
stage checkpoints "[ -e \$STAGES/second ] || { touch \$STAGES/second; echo '{\"error\":\"no route\",\"retry\":true}'; exit 1; }
trap 'touch \$STAGES/done; exit 0' TERM; $ready; while :; do sleep 0.05; done"
job sync-dies "{$checkpoint}" '["sleep", "1"]'
check_equal "a sync that dies in mid-run harms nothing" "$(ended "$folder" cause)" '"completed"'
check "it is said in the worker's own log" grep -q 'checkpoints are not kept for now: no route' "$folder/worker.log"
check "the last sync is done nevertheless" test -e "$STAGES/done"

# --- outputs ---
output='"output_uri": "file:///out/test/output"'
stage out 'echo "{\"artifacts\":{\"model\":\"file:///out/model.tar.gz\",\"output\":null}}"'
job out "{$output}" '["true"]'
check_equal "outputs are stored after the ranks" "$(kinds "$folder")" "ready launched rank_exited uploading ended"
check_equal "the end says where" "$(ended "$folder" artifacts)" '{"model": "file:///out/model.tar.gz", "output": null}'
job out-after-failure "{$output}" '["false"]'
check_equal "they are stored after a failure, too" "$(ended "$folder" cause) $(ran)" '"failed" out'
job out-after-max-run "{\"max_run_s\": 1, $output}" '["sleep", "1000"]'
check_equal "and after max_run" "$(ended "$folder" cause) $(ran)" '"max_run" out'
job out-launch "{$output}" '["/no/such"]'
check_equal "but not when nothing was launched" "$(ended "$folder" cause) $(ran)" '"launch" '
job out-worker-1 "{\"worker\": 1, \"worker_count\": 2, $output}" '["true"]'
check_equal "only worker 0 stores them" "$(ran)" ""
check_equal "the others have nothing to upload but say so" "$(kinds "$folder")" "ready launched rank_exited uploading ended"

stage out 'echo "{\"error\":\"403 Forbidden\",\"retry\":false}"; exit 1'
job out-fails "{$output}" '["true"]'
check_equal "outputs that cannot be stored are the cause output" "$(ended "$folder" cause)" '"output"'
check_equal "with the reason, and where they are" "$(ended "$folder" message)" \
    "\"outputs could not be stored: 403 Forbidden; they are kept in $folder/ml\""

stage out 'echo "{\"remark\":\"2 files of the model left out\"}"; echo "{\"remark\":\"1 file of the output left out\"}"'
job out-remark "{$output}" '["true"]'
check_equal "what was left out is told with the end" "$(ended "$folder" cause) $(ended "$folder" message)" \
    '"completed" "2 files of the model left out; 1 file of the output left out"'

# Killed from outside: the first one, then every one.
for verb in in out; do
    stage in 'true'
    stage out 'true'
    members=$([ $verb = in ] && channel File || echo "$output")
    stage $verb '[ -e $STAGES/killed ] || { touch $STAGES/killed; kill -9 $$; }'
    job "$verb-killed" "{$members}" '["true"]'
    check_equal "a helper that was killed from outside is started again ($verb)" "$(ended "$folder" cause) $(ran)" "\"completed\" $verb $verb"
    rm "$STAGES/killed"
    stage $verb 'kill -9 $$'
    job "$verb-killed-twice" "{$members}" '["true"]'
    check_equal "once ($verb)" "$(ended "$folder" cause) $(ran)" "\"${verb}put\" $verb $verb"
    check "which it was is told ($verb)" grep -q "the helper was killed by signal 9" "$folder/journal.jsonl"
done
stage in 'true'
stage checkpoints "trap '[ -e \$STAGES/killed ] || { touch \$STAGES/killed; kill -9 \$\$; }; touch \$STAGES/done; exit 0' TERM
$ready; while :; do sleep 0.05; done"
rm -f "$STAGES/done"
job sync-killed "{$checkpoint}" '["true"]'
check_equal "so is the last sync of checkpoints" "$(ended "$folder" cause) $(ls "$STAGES/done")" "\"completed\" $STAGES/done"

# A stop, and a second one, while outputs are stored.
stage out 'touch $STAGES/storing; sleep 1; touch $STAGES/stored'
begin out-stop "{$output}" '["true"]'
start_worker "$folder"
wait_until 5 test -e "$STAGES/storing"
ask_stop "$folder" user_stop
sleep 0.2
ask_stop "$folder" user_stop
wait
check_equal "a stop that comes later changes no cause" "$(ended "$folder" cause)" '"completed"'
check "and cuts no upload" test -e "$STAGES/stored"

# Worker 0 with a peer that is played by hand: its journal, locked.
other=$(worker_folder peer)
touch "$WORK/peer-lives"
(
    flock 9
    printf '{"seq":1,"kind":"ready","boot_us":1,"wall_us":1}\n' >>"$other/journal.jsonl"
    while [ -e "$WORK/peer-lives" ]; do sleep 0.05; done
    printf '{"seq":2,"kind":"ended","boot_us":1,"wall_us":1,"cause":"completed"}\n' >>"$other/journal.jsonl"
) 9>>"$other/journal.jsonl" &
wait_until 5 has_line "$other" ready
stage out 'touch $STAGES/peers-stored'
begin out-peers "{\"worker_count\": 2, \"peers\": [\"$WORK/out-peers\", \"$other\"], $output}" '["true"]'
start_worker "$folder"
wait_until 5 has_line "$folder" uploading
sleep 0.5
check "worker 0 waits until its peers have ended" test ! -e "$STAGES/peers-stored"
rm "$WORK/peer-lives"
wait
check "then it stores the outputs of all" test -e "$STAGES/peers-stored"

rm "$WORK/bin/railhead-stage"
job no-stage "{$(channel File)}" '["true"]'
check_equal "a stage that is not installed is our fault" "$(ended "$folder" cause)" '"infrastructure"'
finish
