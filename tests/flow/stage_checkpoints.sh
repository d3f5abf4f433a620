#!/bin/bash
# Checkpoints are kept at their URI while the job runs, at its end, and by several workers.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/stage.sh"

stored() { (cd "$1" && find . -type f | sort | paste -sd' '); }
is_stored() { test "$(stored "$1")" = "$2"; }

# stop_syncing: SIGTERM, and its status.
stop_syncing() {
    kill "$stage_pid"
    stage_status
}

instance=$(stage_instance sync)
mkdir "$WORK/disk"
ln -s disk "$WORK/mounted"
kept=$WORK/mounted/kept # what leads there may be a link
here=$instance/ml/checkpoints
mkdir -p "$kept/old" "$kept/others"
echo restored >"$kept/old/step-1"
echo restored >"$kept/old/step-2"
stage_plan "$instance" "{\"checkpoint_uri\": \"file://$kept\"}"
run_stage "$instance" in
start_stage "$instance" checkpoints
check "it says when it is ready" wait_until 10 grep -q '"ready":true' "$instance/checkpoints.out"
mkdir "$here/new"
head -c 1000000 /dev/urandom >"$here/new/step-3"
echo theirs >"$kept/others/rank-9"
check "a new file is stored" wait_until 15 cmp -s "$here/new/step-3" "$kept/new/step-3"
check "nothing half is left" nothing_half "$kept" "$here"
check_equal "with the time that it has" "$(stat -c %y "$kept/new/step-3")" "$(stat -c %y "$here/new/step-3")"
echo changed >"$here/old/step-1"
rm "$here/old/step-2"
check "a change is stored" wait_until 15 cmp -s "$here/old/step-1" "$kept/old/step-1"
check "what was restored and removed is removed there" wait_until 15 test ! -e "$kept/old/step-2"
check_equal "what others stored stays" "$(cat "$kept/others/rank-9")" theirs
rm "$here/new/step-3"
check "what was stored and removed is removed there" wait_until 15 test ! -e "$kept/new/step-3"

# Whoever replaces a checkpoint is never without one there, and a folder that is away for
# a moment takes nothing with it.
mkdir "$here/swap"
echo 1 >"$here/swap/step-4"
check "the one before is stored" wait_until 15 test -e "$kept/swap/step-4"
(while sleep 0.05; do date +%N >"$here/swap/step-5" 2>/dev/null || exit; done) &
writer=$!
at_exit "kill $writer 2>/dev/null"
sleep 0.2
rm "$here/swap/step-4"
sleep 5
check "it stays until the next is stored" test -e "$kept/swap/step-4"
kill $writer
wait $writer 2>/dev/null
check "the next is stored" wait_until 15 cmp -s "$here/swap/step-5" "$kept/swap/step-5"
check "then the one before goes" wait_until 15 test ! -e "$kept/swap/step-4"
mv "$here" "$here.away"
sleep 5
check "a folder that is away removes nothing" test -e "$kept/swap/step-5"
mv "$here.away" "$here"
rm "$here/swap/step-5"
check "what is removed in it still is removed there" wait_until 15 test ! -e "$kept/swap/step-5"
rmdir "$here/swap"

# Written to all the time: never complete.
(while sleep 0.05; do echo more >>"$here/growing" 2>/dev/null || exit; done) &
writer=$!
at_exit "kill $writer 2>/dev/null"
sleep 5
check "a file that grows is not stored" test ! -e "$kept/growing"
kill $writer
wait $writer 2>/dev/null
echo last >"$here/at the end"
ln -s growing "$here/link"
check "SIGTERM is a last look, and the end" stop_syncing
check_equal "all is stored then" "$(stored "$kept")" "./at the end ./growing ./old/step-1 ./others/rank-9"
check "but a link, which is told" stage_says "$instance" checkpoints warning "link is a link: it is left out"
check "and counted" stage_says "$instance" checkpoints remark "^1 file of the checkpoints left out, being links or no regular files; worker.log names it$"
check "and how far it was" stage_says "$instance" checkpoints progress '"what": "checkpoints"'

# --- what is removed while nobody looks ---

instance=$(stage_instance away)
kept=$WORK/away-kept
here=$instance/ml/checkpoints
mkdir "$kept"
echo restored | tee "$kept/step-1" "$kept/step-2" >"$kept/step-3"
stage_plan "$instance" "{\"checkpoint_uri\": \"file://$kept\"}"
run_stage "$instance" in
rm "$here/step-1"
echo theirs >"$kept/rank-9"
start_stage "$instance" checkpoints
check "what was removed before the first look is removed there" wait_until 30 test ! -e "$kept/step-1"
rm "$here/step-2"
mkdir "$here/step-2"
echo inside >"$here/step-2/part"
echo new >"$here/step-4"
check "a file that became a folder stops nothing else" wait_until 30 test -e "$kept/step-4"
kill -9 "$stage_pid"
wait "$stage_pid" 2>/dev/null
rm "$here/step-3" "$here/step-4" "$here/step-2/part"
start_stage "$instance" checkpoints
check "after it was killed, too, what was removed meanwhile is removed there" \
    wait_until 30 is_stored "$kept" ./rank-9
check "and it ends well" stop_syncing
check_equal "what others stored stays" "$(stored "$kept")" ./rank-9

# --- what a job puts in the place of its folder ---

instance=$(stage_instance linked)
mkdir "$instance/ml/checkpoints" "$WORK/elsewhere"
echo theirs >"$WORK/elsewhere/secret"
stage_plan "$instance" "{\"checkpoint_uri\": \"file://$WORK/linked-kept\"}"
start_stage "$instance" checkpoints
check "it watches" wait_until 10 grep -q ready "$instance/checkpoints.out"
sleep 0.5
rmdir "$instance/ml/checkpoints"
ln -s "$WORK/elsewhere" "$instance/ml/checkpoints"
stop_syncing
check_equal "a link in the place of the folder is an error" $? 1
check "which says so" stage_says "$instance" checkpoints error "checkpoints is a link"
check_equal "nothing behind it is stored" "$(find "$WORK/linked-kept" -type f 2>/dev/null)" ""

# --- two workers, one URI ---

shared=$WORK/shared
pids=()
for worker in 0 1; do
    instance=$(stage_instance "shared-$worker")
    stage_plan "$instance" "{\"worker\": $worker, \"worker_count\": 2, \"checkpoint_uri\": \"file://$shared\"}"
    mkdir "$instance/ml/checkpoints"
    start_stage "$instance" checkpoints
    pids+=("$stage_pid")
    echo "$worker" >"$instance/ml/checkpoints/rank-$worker"
done
check "what two workers save is in one place" wait_until 15 is_stored "$shared" "./rank-0 ./rank-1"
sleep 3
check_equal "neither removes what the other has" "$(stored "$shared")" "./rank-0 ./rank-1"
kill "${pids[@]}"
check "both end well" wait "${pids[@]}"

# --- failures ---

instance=$(stage_instance failing)
mkdir "$instance/ml/checkpoints"
echo not-a-folder >"$WORK/file"
stage_plan "$instance" "{\"checkpoint_uri\": \"file://$WORK/later/kept\"}"
start_stage "$instance" checkpoints
sleep 0.5
ln -s "$WORK/nowhere/at/all" "$WORK/later"
echo 1 >"$instance/ml/checkpoints/step-1"
check "a failure is a warning" wait_until 15 grep -q '"warning":"checkpoint step-1: ' "$instance/checkpoints.out"
check "and it goes on" lives "$stage_pid"
rm "$WORK/later"
check "what failed is tried again" wait_until 15 test -e "$WORK/later/kept/step-1"
rm -rf "$WORK/later"
ln -s "$WORK/nowhere/at/all" "$WORK/later"
echo 2 >"$instance/ml/checkpoints/step-2"
stop_syncing
check_equal "in the end a failure is an error: status" $? 1
check "in the end a failure is an error: it says so" stage_says "$instance" checkpoints error "checkpoints: checkpoint step-2: "
check_equal "nothing is removed here" "$(stored "$instance/ml/checkpoints")" "./step-1 ./step-2"
finish
