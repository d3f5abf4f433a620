#!/bin/bash
# Pipe channels as programs see them: FIFOs that railhead-stage pipe feeds.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/stage.sh"

data=$WORK/data
mkdir -p "$data/b"
echo one >"$data/a"
head -c 2500000 /dev/urandom >"$data/b/big"
: >"$data/c"
echo last >"$data/d"
cat "$data/a" "$data/b/big" "$data/c" "$data/d" >"$WORK/wanted"

# start_feeding INSTANCE: returns when it is ready.
start_feeding() {
    start_stage "$1" pipe
    wait_until 10 grep -q '"ready"' "$1/pipe.out"
}

stop_feeding() {
    kill "$stage_pid"
    wait "$stage_pid" 2>/dev/null
}

cpu_ticks() {
    local pid sum=0
    for pid in "$stage_pid" $(pgrep -P "$stage_pid"); do
        sum=$((sum + $(awk '{ print $14 + $15 }' "/proc/$pid/stat")))
    done
    echo $sum
}

instance=$(stage_instance epochs)
stage_plan "$instance" "$(channel "file://$data" '"mode": "Pipe"')"
start_feeding "$instance"
fifo=$instance/ml/input/data/train
check_equal "the FIFOs of two epochs are there" "$(cd "$instance/ml/input/data" && echo *)" "train_0 train_1"
before=$(cpu_ticks)
sleep 1
check_equal "to wait for a reader costs nothing" "$(($(cpu_ticks) - before))" 0
cat "${fifo}_0" >"$WORK/got-0"
check "an epoch is the objects' bytes, one after another" cmp "$WORK/wanted" "$WORK/got-0"
cat "${fifo}_1" >"$WORK/got-1"
check "and the next epoch the same" cmp "$WORK/wanted" "$WORK/got-1"
check "one that was read is gone" test ! -e "${fifo}_0"
head -c 10 "${fifo}_2" >/dev/null
cat "${fifo}_3" >"$WORK/got-3"
check "who leaves early harms nobody" cmp "$WORK/wanted" "$WORK/got-3"

# Opened and not read: the name is gone at once.
exec 7<"${fifo}_4"
check "a FIFO that is opened has no name any more" wait_until 5 test ! -e "${fifo}_4"
check "the next one is there" test -p "${fifo}_5"
check "and the one after it" test -p "${fifo}_6"
cat "${fifo}_4" 2>"$WORK/second.err"
check_equal "who comes second is told at once" $? 1
check "that there is none" grep -q "No such file" "$WORK/second.err"
cat <&7 >"$WORK/got-4"
exec 7<&-
check "the first has all" cmp "$WORK/wanted" "$WORK/got-4"

# A child that inherited the FIFO is no second reader.
exec 8<"${fifo}_5"
sleep 1 <&8 &
cat <&8 >"$WORK/got-5"
exec 8<&-
check "a child that has it, too, is no second reader" cmp "$WORK/wanted" "$WORK/got-5"
check "who leaves an epoch finds the next at once" /usr/bin/python3 -c '
import os, sys
for epoch in range(6, 206):
    os.close(os.open(f"{sys.argv[1]}_{epoch}", os.O_RDONLY))' "$fifo"
check "it feeds still" lives "$stage_pid"
pids=$(pgrep -P "$stage_pid")
stop_feeding
gone() { local pid; for pid in $1; do ! lives "$pid" || return 1; done; }
check "its feeders end with it" wait_until 5 gone "$pids"

# --- several processes an instance ---

instance=$(stage_instance ranks)
stage_plan "$instance" "{\"local_processes\": 2, $(channel "file://$data" '"mode": "Pipe"' | tail -c +2)"
start_feeding "$instance"
cat "$instance/ml/input/data/rank-0/train_0" >"$WORK/rank-0" &
cat "$instance/ml/input/data/rank-1/train_0" >"$WORK/rank-1"
wait $!
check "every local rank has a FIFO of its own, and all objects" cmp "$WORK/rank-0" "$WORK/rank-1"
check "each of them whole" cmp "$WORK/rank-0" "$WORK/wanted"
stop_feeding

mkdir "$WORK/shards"
for i in 0 1 2 3 4 5 6 7 8 9; do echo "$i" >"$WORK/shards/$i"; done
# shards EPOCH MEMBERS: what each of 2 instances with 2 ranks reads, one word each.
shards() {
    local worker rank instance got=()
    for worker in 0 1; do
        instance=$(stage_instance "shards-$worker")
        rm -rf "$instance/ml"
        mkdir -p "$instance/ml/input/data"
        stage_plan "$instance" "{\"worker\": $worker, \"worker_count\": 2, \"local_processes\": 2, $(channel \
            "file://$WORK/shards" '"mode": "Pipe", "distribution": "ShardedByS3Key"'"$1" | tail -c +2)"
        start_feeding "$instance"
        for rank in 0 1; do
            got+=("$(tr -d '\n' <"$instance/ml/input/data/rank-$rank/train_0")")
        done
        [ -z "${2:-}" ] || for rank in 0 1; do
            got+=("$(tr -d '\n' <"$instance/ml/input/data/rank-$rank/train_1")")
        done
        stop_feeding
    done
    echo "${got[*]}"
}
check_equal "shards are dealt out to instances, then to ranks" "$(shards '')" "048 26 159 37"
shuffled=$(shards ', "shuffle": {"seed": 7}')
check_equal "shuffled, every object is somewhere once" "$(tr -d ' ' <<<"$shuffled" | grep -o . | sort | tr -d '\n')" 0123456789
check "in another order" test "$shuffled" != "048 26 159 37"
check_equal "the same for the same seed" "$(shards ', "shuffle": {"seed": 7}')" "$shuffled"
check "another for another" test "$(shards ', "shuffle": {"seed": 8}')" != "$shuffled"
read -r a b c d e f g h <<<"$(shards ', "shuffle": {"seed": 7}' both)"
check "and another in the next epoch" test "$a $b $e $f" != "$c $d $g $h"
check_equal "in which every object is somewhere once" "$(grep -o . <<<"$c$d$g$h" | sort | tr -d '\n')" 0123456789

# --- gzip, RecordIO, manifests ---

mkdir "$WORK/gz"
for name in a b/big d; do mkdir -p "$WORK/gz/b"; gzip -c "$data/$name" >"$WORK/gz/$name.gz"; done
gzip -c "$data/a" >>"$WORK/gz/d.gz"
: >"$WORK/gz/empty.gz"
cat "$data/a" "$data/b/big" "$data/d" "$data/a" >"$WORK/inflated"
instance=$(stage_instance gzip)
stage_plan "$instance" "$(channel "file://$WORK/gz" '"mode": "Pipe", "compression": "Gzip"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >"$WORK/got-gz"
check "gzip is inflated, several members, too" cmp "$WORK/inflated" "$WORK/got-gz"
stop_feeding

# records FILE: the records in it, each by its length and start.
records() {
    /usr/bin/python3 - "$1" <<'PYTHON'
import struct, sys
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    magic, size = struct.unpack_from("<II", data, at)
    assert magic == 0xced7230a, hex(magic)
    record, padding = data[at + 8:at + 8 + size], data[at + 8 + size:at + 8 + (size + 3) // 4 * 4]
    assert len(record) == size and not padding.strip(b"\0")
    print(size, record[:4] if size < 100 else "")
    at += 8 + (size + 3) // 4 * 4
PYTHON
}
instance=$(stage_instance records)
stage_plan "$instance" "$(channel "file://$data" '"mode": "Pipe", "record_wrapper": "RecordIO"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >"$WORK/got-records"
check_equal "every object is a record" "$(records "$WORK/got-records" | tr '\n' ';')" "4 b'one\\n';2500000 ;0 b'';5 b'last';"
stop_feeding
instance=$(stage_instance gzip-records)
stage_plan "$instance" "$(channel "file://$WORK/gz" '"mode": "Pipe", "compression": "Gzip", "record_wrapper": "RecordIO"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >"$WORK/got-records"
check_equal "and so is every inflated one" "$(records "$WORK/got-records" | tr '\n' ';')" "4 b'one\\n';2500000 ;9 b'last';0 b'';"
stop_feeding

cat >"$WORK/lines.jsonl" <<JSON
{"source-ref": "file://$data/a", "label": {"x": 1.50}, "n": 3}
{"source-ref": "file://$data/d", "label": "text", "n": null}
JSON
instance=$(stage_instance lines)
stage_plan "$instance" "$(channel "file://$WORK/lines.jsonl" \
    '"mode": "Pipe", "data_type": "AugmentedManifestFile", "attribute_names": ["n", "source-ref", "label"]')"
start_feeding "$instance"
check_equal "an augmented manifest gives attributes and objects in turn" "$(cat "$instance/ml/input/data/train_0")" \
    "$(printf '3one\n{"x":1.50}nulllast\ntext')"
stop_feeding
instance=$(stage_instance plain-lines)
stage_plan "$instance" "$(channel "file://$WORK/lines.jsonl" '"mode": "Pipe", "data_type": "AugmentedManifestFile"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >"$WORK/got-lines"
check "without attributes it gives its lines" cmp "$WORK/lines.jsonl" "$WORK/got-lines"
stop_feeding

# --- what ends it ---

failed_with() { # NAME PATTERN: the verb ends by itself.
    local status
    stage_status
    status=$?
    check_equal "$1: status" $status 1
    check "$1: says so" stage_says "$instance" pipe error "$2"
}

instance=$(stage_instance twice)
stage_plan "$instance" "$(channel "file://$data" '"mode": "Pipe"')"
# Both wait in open() before anybody feeds.
mkfifo "$instance/ml/input/data/train_0"
cat "$instance/ml/input/data/train_0" >"$WORK/one" &
cat "$instance/ml/input/data/train_0" >"$WORK/other" &
sleep 0.3
start_stage "$instance" pipe
failed_with "two that open one FIFO" "channel train: epoch 0: it is read twice at once: by process [0-9]* (cat) and process [0-9]* (cat)"
check_equal "two that open one FIFO: neither gets a byte" "$(cat "$WORK/one" "$WORK/other")" ""

instance=$(stage_instance vanished)
mkdir "$WORK/vanish"
cp "$data/a" "$data/d" "$WORK/vanish"
stage_plan "$instance" "$(channel "file://$WORK/vanish" '"mode": "Pipe"')"
start_feeding "$instance"
rm "$WORK/vanish/d"
cat "$instance/ml/input/data/train_0" >/dev/null
failed_with "an object that vanished" "channel train: epoch 0: .*/vanish/d: read: No such file"

instance=$(stage_instance no-gzip)
stage_plan "$instance" "$(channel "file://$data" '"mode": "Pipe", "compression": "Gzip"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >/dev/null
failed_with "what is not gzip" "/data/a: it is not gzip"

instance=$(stage_instance cut-short)
mkdir "$WORK/cut"
head -c 1000000 "$WORK/gz/b/big.gz" >"$WORK/cut/big.gz"
stage_plan "$instance" "$(channel "file://$WORK/cut" '"mode": "Pipe", "compression": "Gzip"')"
start_feeding "$instance"
cat "$instance/ml/input/data/train_0" >/dev/null
failed_with "gzip that is cut short" "big.gz: damaged gzip"

instance=$(stage_instance nothing)
mkdir "$WORK/empty"
stage_plan "$instance" "$(channel "file://$WORK/empty" '"mode": "Pipe"')"
run_stage "$instance" pipe
check_equal "a Pipe channel without objects: status" $? 1
check "a Pipe channel without objects: says so" stage_says "$instance" pipe error "channel train: there are no objects"

instance=$(stage_instance no-channel)
stage_plan "$instance"
check "no Pipe channel is well" run_stage "$instance" pipe
check_equal "and ready" "$(cat "$instance/pipe.out")" '{"ready":true}'
finish
