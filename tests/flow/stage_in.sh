#!/bin/bash
# What railhead-stage in brings from folders of this machine: channels and checkpoints.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/stage.sh"

data=$WORK/data
mkdir -p "$data/a/deep" "$data/empty" "$data/with blank+plus"
head -c 3000000 /dev/urandom >"$data/a/deep/big"
echo one >"$data/a.txt"
echo two >"$data/a/two"
echo utf >"$data/with blank+plus/ü.csv"
: >"$data/nothing"
echo linked >"$WORK/elsewhere"
ln -s "$WORK/elsewhere" "$data/a/link"

instance=$(stage_instance file)
stage_plan "$instance" "$(channel "file://$data")"
check "a folder is fetched" run_stage "$instance" in
train=$instance/ml/input/data/train
check "every file is there, byte for byte, behind links too" same_tree "$data" "$train"
check_equal "copies are files of their own" "$(find "$train" -type f -links +1)" ""
check_equal "they have the time of what they come from" "$(stat -c %y "$train/a/deep/big")" "$(stat -c %y "$data/a/deep/big")"
check "nothing half is left" nothing_half "$instance"
check_equal "the last line has all bytes and objects" \
    "$(tail -n 1 "$instance/in.out" | tr -d ' ')" \
    '{"progress":{"phase":"downloading","what":"train","bytes":'"$(cat "$data/a/deep/big" "$data/a.txt" "$data/a/two" \
        "$data/a/link" "$data/with blank+plus/ü.csv" | wc -c)"',"bytes_total":'"$(cat "$data/a/deep/big" "$data/a.txt" \
        "$data/a/two" "$data/a/link" "$data/with blank+plus/ü.csv" | wc -c)"',"objects":6,"objects_total":6}}'

echo scratched >"$train/a/two"
rm "$train/a.txt"
kept=$(stat -c %i "$train/a/deep/big")
run_stage "$instance" in
check "begun again, it repairs what is not as it was" same_tree "$data" "$train"
check_equal "and keeps what is" "$(stat -c %i "$train/a/deep/big")" "$kept"

instance=$(stage_instance single)
stage_plan "$instance" "$(channel "file://$data/a.txt")"
run_stage "$instance" in
check_equal "a single file is a channel" "$(cat "$instance/ml/input/data/train/a.txt")" one

instance=$(stage_instance encoded)
stage_plan "$instance" "$(channel "file://$data/with%20blank+plus")"
run_stage "$instance" in
check_equal "a URI is percent-encoded" "$(cat "$instance/ml/input/data/train/ü.csv")" utf

# --- shards ---

mkdir "$WORK/shards"
for i in 1 2 3 4 5 6 7; do echo "$i" >"$WORK/shards/part-$i"; done
for worker in 0 1 2; do
    instance=$(stage_instance "shard-$worker")
    stage_plan "$instance" "{\"worker\": $worker, \"worker_count\": 3, $(channel "file://$WORK/shards" \
        '"distribution": "ShardedByS3Key"' | tail -c +2)"
    run_stage "$instance" in
done
shard() { (cd "$WORK/shard-$1/ml/input/data/train" && echo *); }
check_equal "object k goes to instance k mod n" "$(shard 0) / $(shard 1) / $(shard 2)" \
    "part-1 part-4 part-7 / part-2 part-5 / part-3 part-6"
instance=$(stage_instance shard-8)
stage_plan "$instance" "{\"worker\": 8, \"worker_count\": 9, $(channel "file://$WORK/shards" \
    '"distribution": "ShardedByS3Key"' | tail -c +2)"
check "fewer objects than instances is no error" run_stage "$instance" in
check "but a warning" stage_says "$instance" in warning "fewer objects than the 9 instances"

# --- FastFile ---

instance=$(stage_instance fast)
stage_plan "$instance" "$(channel "file://$data" '"mode": "FastFile"')"
mkdir -p "$instance/ml/input/data/train"
run_stage "$instance" in
check "FastFile of a folder is the folder's files" same_tree "$data" "$instance/ml/input/data/train"
check_equal "each of them a link" "$(find "$instance/ml/input/data/train" -type f)" ""
check "which may be there already" run_stage "$instance" in
rm -rf "$instance/ml/input/data/train"/*
check "who clears the channel removes links, not the data" test -s "$data/a/deep/big"
instance=$(stage_instance fast-shard)
stage_plan "$instance" "{\"worker\": 1, \"worker_count\": 3, $(channel "file://$WORK/shards" \
    '"mode": "FastFile", "distribution": "ShardedByS3Key"' | tail -c +2)"
run_stage "$instance" in
check_equal "FastFile of a shard is a link an object" "$(cd "$instance/ml/input/data/train" && readlink -- * | paste -sd' ')" \
    "$WORK/shards/part-2 $WORK/shards/part-5"

# --- manifests ---

cat >"$WORK/list.json" <<JSON
[{"prefix": "file://$WORK/data/"}, "a/two", "with blank+plus/ü.csv", "a/two"]
JSON
instance=$(stage_instance manifest)
stage_plan "$instance" "$(channel "file://$WORK/list.json" '"data_type": "ManifestFile"')"
check "a manifest is followed" run_stage "$instance" in
check_equal "its objects keep their relative names" "$(cd "$instance/ml/input/data/train" && find . -type f | sort | paste -sd' ')" \
    "./a/two ./with blank+plus/ü.csv"
check "the manifest is beside the channel" cmp "$WORK/list.json" "$instance/ml/input/data/train-manifest"

cat >"$WORK/data.jsonl" <<JSON
{"source-ref": "file://$WORK/data/a/two", "label": 1, "mask-ref": "file://$WORK/elsewhere"}

{"source-ref": "file://$WORK/data/a.txt", "label": 0}
JSON
instance=$(stage_instance augmented)
stage_plan "$instance" "$(channel "file://$WORK/data.jsonl" '"data_type": "AugmentedManifestFile"')"
run_stage "$instance" in
check_equal "an augmented manifest's references are objects" \
    "$(cd "$instance/ml/input/data/train" && find . -type f | sort | paste -sd' ')" "./data/a.txt ./data/a/two ./elsewhere"
stage_plan "$instance" "$(channel "file://$WORK/data.jsonl" \
    '"data_type": "AugmentedManifestFile", "attribute_names": ["mask-ref", "label"]')"
rm -rf "$instance/ml/input/data/train"
run_stage "$instance" in
check_equal "of those that are named" "$(ls "$instance/ml/input/data/train")" elsewhere

# --- what is refused ---

refused() { # NAME CHANNEL-MEMBERS PATTERN
    local instance
    instance=$(stage_instance refused)
    rm -rf "$instance/ml"
    mkdir -p "$instance/ml/input/data"
    stage_plan "$instance" "$2"
    run_stage "$instance" in
    check_equal "$1: status" $? 1
    check "$1: says so" stage_says "$instance" in error "$3"
    check_equal "$1: as the last line" "$(tail -n 1 "$instance/in.out" | cut -c 1-9)" '{"error":'
    check "$1: nothing half is left" nothing_half "$instance"
}
mkdir "$WORK/circles"
ln -s . "$WORK/circles/one"
ln -s . "$WORK/circles/two"
refused "links in circles" "$(channel "file://$WORK/circles")" "channel train: .*/circles/\(one\|two\) leads back to a folder above it"
refused "an empty channel" "$(channel "file://$data/empty")" "channel train: there are no objects at file://$data/empty"
refused "a folder that is not there" "$(channel "file://$WORK/nowhere")" "channel train: .*nowhere.*No such file"
echo "[{\"prefix\": \"file://$data/\"}, \"../elsewhere\"]" >"$WORK/out.json"
refused "a key that leaves the channel" "$(channel "file://$WORK/out.json" '"data_type": "ManifestFile"')" '"../elsewhere" can be no name'
echo "[{\"prefix\": \"file://$data/\"}, \"/a.txt\"]" >"$WORK/abs.json"
refused "an absolute key" "$(channel "file://$WORK/abs.json" '"data_type": "ManifestFile"')" 'can be no name in a folder'
echo "[{\"prefix\": \"file://$data/\"}, \"a\", \"a.txt\", \"a/two\"]" >"$WORK/both.json"
refused "a key that is file and folder" "$(channel "file://$WORK/both.json" '"data_type": "ManifestFile"')" "a is both an object and the folder of a/two"
echo "[{\"prefix\": \"file://$data/\"}, \"missing\"]" >"$WORK/missing.json"
refused "an object that is not there" "$(channel "file://$WORK/missing.json" '"data_type": "ManifestFile"')" "missing: No such file"
echo "{\"prefix\": \"file://$data/\"}" >"$WORK/no-list.json"
refused "a manifest that is no list" "$(channel "file://$WORK/no-list.json" '"data_type": "ManifestFile"')" "a list was expected"
ln -s "$data/loop/x" "$data/loop"
refused "a link that leads nowhere" "$(channel "file://$data")" "loop"
rm "$data/loop"

# --- the disk ---

mkdir "$WORK/huge"
truncate -s 500T "$WORK/huge/sparse" 2>/dev/null || truncate -s 15T "$WORK/huge/sparse"
refused "a channel larger than the disk" "$(channel "file://$WORK/huge")" "not enough room for the channels: .* needs [0-9]* bytes, [0-9]* are free"
check_equal "of it no byte was written" "$(find "$WORK/refused/ml" -type f)" ""
refused "checkpoints larger than the disk" "{\"checkpoint_uri\": \"file://$WORK/huge\"}" "not enough room for the checkpoints: .* needs [0-9]* bytes, [0-9]* are free"
rm "$WORK/huge/sparse"

# --- checkpoints ---

mkdir -p "$WORK/kept/step-5"
head -c 100000 /dev/urandom >"$WORK/kept/step-5/weights"
echo half >"$WORK/kept/.railhead-partial-0123456789abcdef"
instance=$(stage_instance restore)
stage_plan "$instance" "{\"checkpoint_uri\": \"file://$WORK/kept\"}"
check "checkpoints are restored" run_stage "$instance" in
check "byte for byte" same_tree "$WORK/kept" "$instance/ml/checkpoints"
check "less what was never whole" nothing_half "$instance"
check_equal "which is told first" "$(head -n 1 "$instance/in.out" | cut -c 1-56)" '{"progress":{"phase":"restoring","what":"checkpoints","b'
instance=$(stage_instance fresh)
stage_plan "$instance" "{\"checkpoint_uri\": \"file://$WORK/none-yet\"}"
check "none yet is well" run_stage "$instance" in
finish
