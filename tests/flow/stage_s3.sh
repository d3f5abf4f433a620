#!/bin/bash
# Channels, checkpoints and outputs at S3, from a server that checks signatures and misbehaves.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/stage.sh"
. "$(dirname "$0")/../lib/s3.sh"

s3_start --page 3
# shellcheck disable=SC2034 # stage.sh reads them
stage_endpoint=$s3_url stage_key=$S3_ACCESS_KEY stage_secret=$S3_SECRET_KEY

# object BUCKET KEY: what it has is its standard input.  The server keeps a key percent-encoded.
object() {
    local name
    name=$(/usr/bin/python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1], safe="-._~"))' "$2")
    mkdir -p "$s3_folder/$1"
    cat >"$s3_folder/$1/$name"
}

names_in() { (cd "$1" && printf '%s\n' * | paste -sd' '); }
objects_at() { (cd "$s3_folder/$1" && printf '%s\n' * | grep -v '\.etag$' | paste -sd' '); }

data=$WORK/data
mkdir -p "$data/a/deep"
head -c 20000000 /dev/urandom >"$data/a/deep/big"
head -c 3000000 /dev/urandom >"$data/a.txt"
echo blank >"$data/with blank+plus"
echo utf >"$data/ü.csv"
: >"$data/nothing"
(cd "$data" && find . -type f -printf '%P\n') | while read -r name; do
    object train "set/$name" <"$data/$name"
done
object train set/a/ </dev/null
object train set2/other <<<other

instance=$(stage_instance file)
stage_plan "$instance" "$(channel s3://train/set/)"
check "a prefix is fetched" run_stage "$instance" in
train=$instance/ml/input/data/train
check "every object is there, byte for byte" same_tree "$data" "$train"
check "nothing half is left" nothing_half "$instance"
sum=$(find "$data" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
check "the last line has all bytes" grep -q "\"bytes\":$sum,\"bytes_total\":$sum,\"objects\":5,\"objects_total\":5" \
    <(tail -n 1 "$instance/in.out")
before=$(s3_requests | grep -c '^GET .*set%2Fa\|^GET .*/set/a')
run_stage "$instance" in
check_equal "begun again, it fetches nothing that is there" "$(s3_requests | grep -c '^GET .*set%2Fa\|^GET .*/set/a')" "$before"

instance=$(stage_instance slashless)
stage_plan "$instance" "$(channel s3://train/set)"
run_stage "$instance" in
check_equal "a prefix without its slash is all that begins so" "$(names_in "$instance/ml/input/data/train")" \
    "a a.txt nothing set2 with blank+plus ü.csv"

s3_fault 'do=reset&method=GET&key=big&times=2&after=1000000' >"$WORK/fault.out"
s3_fault 'do=503&method=GET&key=a.txt&times=2' >"$WORK/fault.out"
instance=$(stage_instance rough)
stage_plan "$instance" "$(channel s3://train/set/)"
check "lost connections and a busy server are met" run_stage "$instance" in
check "and all is right" same_tree "$data" "$instance/ml/input/data/train"

for worker in 0 1; do
    instance=$(stage_instance "shard-$worker")
    stage_plan "$instance" "{\"worker\": $worker, \"worker_count\": 2, $(channel s3://train/set/ \
        '"distribution": "ShardedByS3Key"' | tail -c +2)"
    run_stage "$instance" in
done
check_equal "shards are by the bytes of the keys" \
    "$(for i in 0 1; do (cd "$WORK/shard-$i/ml/input/data/train" && find . -type f | sort | paste -sd' '); done | paste -sd/)" \
    "./a.txt ./nothing ./ü.csv/./a/deep/big ./with blank+plus"

instance=$(stage_instance fast)
stage_plan "$instance" "$(channel s3://train/set/ '"mode": "FastFile"')"
run_stage "$instance" in
check "FastFile of S3 is fetched" same_tree "$data" "$instance/ml/input/data/train"
check "which is told" stage_says "$instance" in warning "FastFile of s3:// is fetched before the start"

echo alone | object once set/one
instance=$(stage_instance once)
stage_plan "$instance" "$(channel s3://once/set/)"
run_stage "$instance" in
check_equal "a prefix is listed once" "$(s3_requests | grep -c '^GET .*/once?')" 1

# Both channels are listed; while the first is fetched an object of the second goes.
mkdir "$WORK/going"
echo gone >"$WORK/going/part-0"
instance=$(stage_instance vanished)
stage_plan "$instance" "{\"channels\": {\"a\": {\"uri\": \"s3://once/set/\"}, \"b\": {\"uri\": \"file://$WORK/going\"}}}"
s3_fault 'do=hold&method=GET&key=one' >"$WORK/fault.out"
start_stage "$instance" in
check "the listings come before the first channel" wait_until 10 test -d "$instance/ml/input/data/a"
rm "$WORK/going/part-0"
s3_fault 'do=none' >"$WORK/fault.out"
stage_status
check_equal "an object that goes after it was listed is an error" $? 1
check "which names channel and file" stage_says "$instance" in error "channel b: .*$WORK/going/part-0.*No such file"

echo '[{"prefix": "s3://train/set/"}, "a.txt", "with blank+plus"]' | object lists list.json
instance=$(stage_instance manifest)
stage_plan "$instance" "$(channel s3://lists/list.json '"data_type": "ManifestFile"')"
check "a manifest is followed" run_stage "$instance" in
check_equal "to its objects" "$(names_in "$instance/ml/input/data/train")" "a.txt with blank+plus"

# --- what is refused ---

refused() { # NAME MEMBERS PATTERN
    local instance
    instance=$(stage_instance refused)
    rm -rf "$instance/ml"
    mkdir -p "$instance/ml/input/data"
    stage_plan "$instance" "$2"
    run_stage "$instance" in
    check_equal "$1: status" $? 1
    check "$1: says so" stage_says "$instance" in error "$3"
}
refused "a prefix without objects" "$(channel s3://train/none/)" "channel train: there are no objects at s3://train/none/"
refused "a bucket that is not there" "$(channel s3://nowhere/x/)" "channel train: .*nowhere"
s3_fault 'do=403&times=0' >"$WORK/fault.out"
refused "no permission" "$(channel s3://train/set/)" "channel train: .*403"
s3_fault 'do=none' >"$WORK/fault.out"
echo both | object bad set/a
object bad set/a/b <<<both
refused "a key that is file and folder" "$(channel s3://bad/set/)" "a is both an object and the folder of a/b"
object worse set/../up <<<up
refused "a key that leaves the channel" "$(channel s3://worse/set/)" '"../up" can be no name in a folder'

# --- Pipe ---

start_feeding() {
    start_stage "$1" pipe
    wait_until 10 grep -q '"ready"' "$1/pipe.out"
}
cat "$data/a.txt" "$data/a/deep/big" "$data/nothing" "$data/with blank+plus" "$data/ü.csv" >"$WORK/wanted"
instance=$(stage_instance pipe)
stage_plan "$instance" "$(channel s3://train/set/ '"mode": "Pipe"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >"$WORK/got"
check "objects are streamed" cmp "$WORK/wanted" "$WORK/got"
s3_fault 'do=reset&method=GET&key=big&times=2&after=3000000' >"$WORK/fault.out"
head -c 1000 "$instance/ml/input/data/train_1" >"$WORK/left"
cat "$instance/ml/input/data/train_2" >"$WORK/got"
check "over lost connections and readers that leave" cmp "$WORK/wanted" "$WORK/got"
s3_fault 'do=404&method=GET&key=big&times=0' >"$WORK/fault.out"
cat "$instance/ml/input/data/train_3" >"$WORK/got"
stage_status
check_equal "an object that is gone ends the feeding" $? 1
check "with its name" stage_says "$instance" pipe error "channel train: epoch 3: s3://train/set/a/deep/big"
s3_fault 'do=none' >"$WORK/fault.out"

gzip -c "$data/a/deep/big" | object packed big.gz
gzip -c "$data/a.txt" | object packed small.gz
instance=$(stage_instance gzip)
stage_plan "$instance" "$(channel s3://packed/ '"mode": "Pipe", "compression": "Gzip"')"
start_feeding "$instance"
head -c 100 "$instance/ml/input/data/train_0" >"$WORK/left"
cat "$instance/ml/input/data/train_1" >"$WORK/got"
check "gzip is inflated on its way" cmp <(cat "$data/a/deep/big" "$data/a.txt") "$WORK/got"
s3_fault 'do=403&method=GET&key=small&times=0' >"$WORK/fault.out"
cat "$instance/ml/input/data/train_2" >"$WORK/got"
stage_status
check_equal "what fails meanwhile ends it" $? 1
check "with the server's words" stage_says "$instance" pipe error "small.gz.*403"
s3_fault 'do=none' >"$WORK/fault.out"

# --- checkpoints and outputs ---

object kept job/step-1 <<<restored
object kept job/step-2 <<<restored
object kept job/theirs <<<others
instance=$(stage_instance checkpoints)
stage_plan "$instance" '{"checkpoint_uri": "s3://kept/job"}'
check "checkpoints are restored" run_stage "$instance" in
check_equal "all of them" "$(names_in "$instance/ml/checkpoints")" "step-1 step-2 theirs"
echo rewritten >"$WORK/rewritten"
object kept job/step-4 <"$WORK/rewritten"
run_stage "$instance" in
sleep 0.05
echo Rewritten >"$instance/ml/checkpoints/step-4"
s3_fault 'do=hold&method=GET' >"$WORK/fault.out"
start_stage "$instance" checkpoints
check "it minds a SIGTERM before it has listed anything" wait_until 10 grep -q '"ready":true' "$instance/checkpoints.out"
rm "$instance/ml/checkpoints/step-1"
s3_fault 'do=none' >"$WORK/fault.out"
head -c 20000000 /dev/urandom >"$instance/ml/checkpoints/step-3"
check "new ones are stored" wait_until 60 cmp -s "$instance/ml/checkpoints/step-3" "$s3_folder/kept/job%2Fstep-3"
check "so is one of the same size that was changed before it began" \
    wait_until 60 cmp -s "$instance/ml/checkpoints/step-4" "$s3_folder/kept/job%2Fstep-4"
check "what a program removed before the first look is removed" wait_until 60 test ! -e "$s3_folder/kept/job%2Fstep-1"
s3_fault 'do=lose&method=PUT&key=step-5&times=0' >"$WORK/fault.out"
echo lost >"$instance/ml/checkpoints/step-5"
check "one is stored, and no answer comes" wait_until 60 test -e "$s3_folder/kept/job%2Fstep-5"
rm "$instance/ml/checkpoints/step-5"
check "it is tried, and given up for now" \
    wait_until 60 eval 'tail -n 1 "$instance/checkpoints.out" | grep -q "\"objects\":0,\"objects_total\":1"'
s3_fault 'do=none' >"$WORK/fault.out"
# Not 60 s later: that storing took long is no reason to look less often.
check "when it was removed meanwhile it is removed, and soon" wait_until 30 test ! -e "$s3_folder/kept/job%2Fstep-5"
kill "$stage_pid"
check "SIGTERM ends it well" stage_status
check_equal "others stay" "$(objects_at kept)" "job%2Fstep-2 job%2Fstep-3 job%2Fstep-4 job%2Ftheirs"
check_equal "what was restored and not changed is not stored again" "$(s3_requests | grep -c '^PUT .*step-2')" 0

instance=$(stage_instance out)
mkdir -p "$instance/ml/model" "$instance/ml/output/data"
head -c 12000000 /dev/urandom >"$instance/ml/model/weights"
mkdir "$s3_folder/models"
stage_plan "$instance" '{"output_uri": "s3://models/job/output"}'
s3_fault 'do=503&method=PUT&times=2' >"$WORK/fault.out"
check "a model is stored" run_stage "$instance" out
tar -xzf "$s3_folder/models/job%2Foutput%2Fmodel.tar.gz" -C "$WORK"
check "as an archive" cmp "$instance/ml/model/weights" "$WORK/weights"
check_equal "where is told" "$(stage_line "$instance" out artifacts)" '{"model": "s3://models/job/output/model.tar.gz", "output": null}'
check "nothing half is left" nothing_half "$instance"
stage_plan "$instance" '{"output_uri": "s3://models/tree", "output_compressed": false}'
run_stage "$instance" out
check "or as a tree" cmp "$instance/ml/model/weights" "$s3_folder/models/tree%2Fmodel%2Fweights"
s3_fault 'do=403&method=PUT&times=0' >"$WORK/fault.out"
run_stage "$instance" out
check_equal "what cannot be stored is an error" $? 1
check "with the server's words" stage_says "$instance" out error "model: .*403"
check "and is here still" test -e "$instance/ml/model/weights"
finish
