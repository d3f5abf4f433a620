#!/bin/bash
# Models and outputs of all workers together, as archives and as trees.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/stage.sh"

# peers N: N workers' folders; sets instance (of worker 0) and peers (a JSON list).
peers() {
    local worker names=()
    for ((worker = 0; worker < $2; worker++)); do
        mkdir -p "$(stage_instance "$1-$worker")/ml/model" "$WORK/$1-$worker/ml/output/data"
        names+=("\"$WORK/$1-$worker\"")
    done
    instance=$WORK/$1-0
    peers="[$(IFS=,; echo "${names[*]}")]"
}

packed() { tar -tzf "$1" | sort | paste -sd' '; }

peers two 2
one=$WORK/two-0/ml
other=$WORK/two-1/ml
mkdir -p "$one/model/shared" "$other/model/shared" "$other/model/taken" "$one/model/hollow"
head -c 2000000 /dev/urandom >"$one/model/weights"
echo 0 >"$one/model/shared/rank-0"
echo 1 >"$other/model/shared/rank-1"
echo 1 >"$other/model/weights"
echo a file >"$one/model/taken"
echo 1 >"$other/model/taken/inside"
ln -s weights "$one/model/latest"
ln -s ../../../secret "$one/model/out"
mkfifo "$one/model/fifo"
printf '#!/bin/sh\n' >"$one/model/run.sh"
chmod 750 "$one/model/run.sh"
echo log >"$other/output/data/log"
stage_plan "$instance" "{\"peers\": $peers, \"output_uri\": \"file://$WORK/out/job/output\"}"
check "outputs are stored" run_stage "$instance" out
check_equal "where they are is told" "$(stage_line "$instance" out artifacts)" \
    "{\"model\": \"file://$WORK/out/job/output/model.tar.gz\", \"output\": \"file://$WORK/out/job/output/output.tar.gz\"}"
check_equal "models of all workers are one" "$(packed "$WORK/out/job/output/model.tar.gz")" \
    "hollow/ latest run.sh shared/ shared/rank-0 shared/rank-1 taken weights"
check_equal "outputs, too" "$(packed "$WORK/out/job/output/output.tar.gz")" log
mkdir "$WORK/unpacked"
tar -xzf "$WORK/out/job/output/model.tar.gz" -C "$WORK/unpacked"
check "the lowest worker has a name" cmp "$one/model/weights" "$WORK/unpacked/weights"
check_equal "a link that stays inside is one" "$(readlink "$WORK/unpacked/latest")" weights
check_equal "what can be run can be run" "$(stat -c %a "$WORK/unpacked/run.sh")" 755
check "who lost a name is told" stage_says "$instance" out warning "model/weights of instance 1 is left out: instance 0 has the name"
check "a folder that lost it, once" test "$(stage_line "$instance" out warning | grep -c taken)" = 1
check "a link out is left out" stage_says "$instance" out warning 'model/out: a link to "../../../secret" leads out of the tree: it is left out'
check "so is a FIFO" stage_says "$instance" out warning "model/fifo is no regular file: it is left out"
check_equal "what is left out is counted for the job's message, what lost a name is not" "$(stage_line "$instance" out remark)" \
    "2 files of the model left out, being links or no regular files; worker.log names them"
check "nothing half is left" nothing_half "$WORK/out" "$one" "$other"
check "nothing is removed here" cmp "$one/model/weights" "$WORK/unpacked/weights"
# What a killed one left has no lock; what another writes has one.
echo half >"$WORK/out/job/output/.railhead-partial-left"
echo half >"$WORK/out/job/output/.railhead-partial-written"
exec 7<"$WORK/out/job/output/.railhead-partial-written"
flock 7
check "it can be done again" run_stage "$instance" out
check_equal "what a killed one left half-written goes, what another one writes stays" \
    "$(cd "$WORK/out/job/output" && echo .railhead-*)" .railhead-partial-written
exec 7<&-

peers none 2
stage_plan "$instance" "{\"peers\": $peers, \"output_uri\": \"file://$WORK/none\"}"
check "nothing to store is well" run_stage "$instance" out
check_equal "and nothing is stored" "$(stage_line "$instance" out artifacts) $(ls "$WORK/none" 2>/dev/null)" '{"model": null, "output": null} '

stage_plan "$WORK/two-0" "{\"peers\": [\"$WORK/two-0\", \"$WORK/two-1\"], \"output_uri\": \"file://$WORK/trees\", \"output_compressed\": false}"
check "trees are stored" run_stage "$WORK/two-0" out
check_equal "all of their files" "$(cd "$WORK/trees" && find . -type f | sort | paste -sd' ')" \
    "./model/run.sh ./model/shared/rank-0 ./model/shared/rank-1 ./model/taken ./model/weights ./output/log"
check "byte for byte" cmp "$one/model/weights" "$WORK/trees/model/weights"
check_equal "a link goes only with an archive" "$(stage_line "$WORK/two-0" out remark | cut -d, -f 1)" "3 files of the model left out"
echo half >"$WORK/trees/model/shared/.railhead-partial-left"
run_stage "$WORK/two-0" out
check "of trees nothing half is left in any folder" nothing_half "$WORK/trees"
check_equal "their folders are told" "$(stage_line "$WORK/two-0" out artifacts)" \
    "{\"model\": \"file://$WORK/trees/model/\", \"output\": \"file://$WORK/trees/output/\"}"

# What a job puts in the place of its own folders and files leads nowhere.
mkdir "$WORK/elsewhere"
echo theirs >"$WORK/elsewhere/secret"
for linked in model output; do
    for scheme in archive tree; do
        peers "$linked-$scheme" 1
        ml=$WORK/$linked-$scheme-0/ml
        mkdir -p "$WORK/elsewhere/data"
        echo theirs >"$WORK/elsewhere/data/secret"
        rm -r "${ml:?}/$linked"
        ln -s "$WORK/elsewhere" "$ml/$linked"
        compressed=$([ "$scheme" = archive ] && echo true || echo false)
        stage_plan "$instance" "{\"peers\": $peers, \"output_uri\": \"file://$WORK/$linked-$scheme\", \"output_compressed\": $compressed}"
        run_stage "$instance" out
        check_equal "a link in the place of $linked is an error ($scheme)" $? 1
        check "it says what to do ($scheme, $linked)" stage_says "$instance" out error "$linked.* is a link"
        check "nothing behind it is stored ($scheme, $linked)" test -z "$(find "$WORK/$linked-$scheme" -type f 2>/dev/null)"
    done
done

echo in the way >"$WORK/blocked"
stage_plan "$WORK/two-0" "{\"peers\": [\"$WORK/two-0\"], \"output_uri\": \"file://$WORK/blocked/output\"}"
run_stage "$WORK/two-0" out
check_equal "a place that cannot be written: status" $? 1
check "a place that cannot be written: says so" stage_says "$WORK/two-0" out error "model: .*blocked"
check "and all is here still" test -e "$one/model/weights"
finish
