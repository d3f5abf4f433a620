#!/bin/bash
# What railhead-worker keeps of a rank's output, and what it reads out of it.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

# Every byte value, no line feed at the end, carriage returns, a line above 64 KiB.
/usr/bin/python3 - "$WORK/all-bytes" <<'PYTHON'
import random, sys
random.seed(1)
with open(sys.argv[1], "wb") as file:
    file.write(bytes(range(256)) + b"10%\r20%\r100%\n\n\xff\xfe\x00broken utf-8\n")
    file.write(b"x" * 300000 + b"\n" + random.randbytes(3000000) + b"no line feed")
PYTHON
folder=$(worker_folder bytes)
write_plan "$folder" '{}' "[\"cat\", \"$WORK/all-bytes\"]"
run_worker "$folder"
check "output is kept byte for byte" cmp "$WORK/all-bytes" "$folder/rank-0.log"

times_are_right() {
    /usr/bin/python3 - "$1" <<'PYTHON'
import struct, sys, time
log = open(sys.argv[1] + "/rank-0.log", "rb").read()
times = open(sys.argv[1] + "/rank-0.times", "rb").read()
records = [struct.unpack_from("<Qq", times, at) for at in range(0, len(times), 16)]
starts = [0] + [i + 1 for i, byte in enumerate(log) if byte == 10 and i + 1 < len(log)]
assert len(times) % 16 == 0
assert [offset for offset, _ in records] == starts, "offsets are not the starts of lines"
assert all(a[1] <= b[1] for a, b in zip(records, records[1:])), "times go back"
assert abs(records[-1][1] / 1e6 - time.time()) < 60
PYTHON
}
check "every line begun has its offset and time" times_are_right "$folder"

folder=$(worker_folder both)
write_plan "$folder" '{}' '["sh", "-c", "echo out; echo err >&2; echo out again"]' '["sh", "-c", "echo other"]'
run_worker "$folder"
check_equal "stdout and stderr come in order in one log" "$(paste -sd, "$folder/rank-0.log")" "out,err,out again"
check_equal "each rank has a log of its own" "$(cat "$folder/rank-1.log")" "other"

# 300 MiB in one line; the worker's memory is looked at while it lasts.
folder=$(worker_folder flood)
write_plan "$folder" '{"metrics": [{"name": "n", "regex": "n=([0-9]+)"}]}' \
    '["sh", "-c", "printf n=1; head -c 314572800 /dev/zero | tr \"\\\\000\" x; cat /proc/$PPID/status >$WORK/status"]'
run_worker "$folder"
# Its bytes, in the order of its segments.
log_of() {
    find "$1" -name 'rank-0.log' -o -name 'rank-0.log.[0-9]*' | sort -V | xargs cat
}
check_equal "a line of 300 MiB passes" "$(log_of "$folder" | tr -d x | cat -A) $(log_of "$folder" | wc -c)" "n=1 314572803"
check_equal "in segments of 16 MiB" "$(stat -c %s "$folder/rank-0.log.18" "$folder/rank-0.log.17" | paste -sd' ')" "12582915 16777216"
check_equal "its start is looked at for metrics" "$(ended "$folder" metrics | grep -o '"value": [0-9]*')" '"value": 1'
peak=$(awk '/VmHWM/ { print $2 }' "$WORK/status")
check "it costs the worker little memory ($peak KiB)" test "$peak" -lt 16384
rm -f "$folder"/rank-0.log*

folder=$(worker_folder capped)
write_plan "$folder" '{"rank_log_bytes": 33554432}' '["sh", "-c", "yes | head -c 60000000"]'
run_worker "$folder"
u64() { od -An -t u8 "$folder/$1" | tr -d ' '; }
check_equal "above its limit the oldest segments go" "$(find "$folder" -name 'rank-0.log.[0-9]*' -printf '%f\n' | sort | paste -sd' ')" \
    "rank-0.log.2 rank-0.log.3"
check_equal "what is left says where it begins" "$(u64 rank-0.log.kept) $(log_of "$folder" | wc -c)" "33554432 26445568"
# Lines of 2 bytes, whose times are 8 times as much as they.
check "the times of lines keep to the limit, too" test "$(find "$folder" -name 'rank-0.times.[0-9]*' | wc -l)" = 2
check_equal "and what is left of them is the last" \
    "$(($(u64 rank-0.times.kept) + $(cat "$folder"/rank-0.times.[0-9]* | wc -c)))" 480000000
check_equal "the end says what was cut" "$(ended "$folder" message)" '"the first 33554432 bytes of rank 0'"'"'s output were cut"'
rm -f "$folder"/rank-0.*

metrics='{"metrics": [{"name": "loss", "regex": "loss=([^ ]+)"}, {"name": "step", "regex": "step (\\d+)"}]}'
folder=$(worker_folder metrics)
write_plan "$folder" "$metrics" \
    '["sh", "-c", "echo step 1 loss=0.50; echo loss=0x10; echo loss=1e999; printf \"step 12\""]'
run_worker "$folder"
member() { ended "$1" metrics | /usr/bin/python3 -c "import json, sys; print(json.load(sys.stdin)['$2']['$3'])"; }
value() { member "$1" "$2" value; }
check_equal "a number keeps its words" "$(grep -o '"value":0.50' "$folder/journal.jsonl" | sort -u)" '"value":0.50'
check_equal "what is no decimal number is passed over" "$(value "$folder" loss)" 0.5
check_equal "an unfinished last line counts" "$(value "$folder" step)" 12

# history FOLDER MEMBER...: of every line, as JSON, joined by a slash.
history() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import json, sys
def refuse(word):
    raise ValueError(word + " is not JSON")
for line in open(sys.argv[1] + "/metrics.jsonl", encoding="utf-8"):
    value = json.loads(line, parse_constant=refuse)
    assert list(value) == ["name", "value", "rank", "step", "wall_us"], line
    print("/".join(json.dumps(value[member]) for member in sys.argv[2:]))
PYTHON
}
folder=$(worker_folder not-finite)
write_plan "$folder" '{"metrics": [{"name": "lo\"ss", "regex": "step (?<step>\\S+) loss=(\\S+)"}]}' \
    '["printf", "%s\\n", "step 1 loss=nan", "step 2 loss=inf", "step x loss=-Infinity", "step 4 loss=+.5", "step 5 loss=inform"]'
run_worker "$folder"
check_equal "every value is in the history with its step, NaN and infinities as text" \
    "$(history "$folder" value step | paste -sd' ')" '"NaN"/1 "Infinity"/2 "-Infinity"/null 0.5/4'
check_equal "a name is quoted there" "$(history "$folder" name | sort -u)" '"lo\"ss"'
check_equal "the step of the last value is in the end" "$(member "$folder" 'lo\"ss' step)" 4
check_equal "and in the journal" "$(lines "$folder" metric step | tail -n 1)" 4

folder=$(worker_folder nan-last)
write_plan "$folder" "$metrics" '["echo", "loss=NAN"]'
run_worker "$folder"
check_equal "NaN is text in the journal" "$(lines "$folder" metric value)" '"NaN"'
check_equal "a pattern without a step gives null" "$(lines "$folder" metric step)" null

folder=$(worker_folder tagged)
write_plan "$folder" '{"metrics": [{"name": "loss", "regex": "^loss=(.*)"}]}' \
    '["printf", "%s\\n", "[1,3]<stdout>:loss=1", "[1,12]<stderr>:loss=2", "[1,3]<other>:loss=3", "loss=4"]'
run_worker "$folder"
check_equal "behind a tag of mpirun the rank is the tag's" "$(history "$folder" rank value | paste -sd' ')" "3/1 12/2 0/4"

folder=$(worker_folder follow)
write_plan "$folder" "$metrics" '["sh", "-c", "echo loss=1; sleep 2.5; echo loss=2"]'
start_worker "$folder"
check "a value is in the history while the job runs" wait_until 2 test -s "$folder/metrics.jsonl"
check "which is before its end" test -z "$(ended "$folder" cause)"
wait

folder=$(worker_folder dear)
write_plan "$folder" '{"metrics": [{"name": "slow", "regex": "(a+)+$"}]}' \
    '["sh", "-c", "for i in 1 2 3; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!; done; echo end"]'
run_worker "$folder"
check_equal "a pattern that takes too long is given up, counted" "$(ended "$folder" message)" \
    '"the pattern of metric slow was given up on 3 lines"'
check_equal "and that is said once" "$(grep -c 'metric slow' "$folder/worker.log")" 1

folder=$(worker_folder no-history)
write_plan "$folder" "$metrics" '["printf", "loss=1\\nloss=2\\n"]'
ln -s /dev/full "$folder/metrics.jsonl"
run_worker "$folder"
check "values that the history has lost are counted" grep -q '^"the history of metrics lacks 2 of its values: ' \
    <<<"$(ended "$folder" message)"
check_equal "the last one is known nevertheless" "$(value "$folder" loss)" 2

folder=$(worker_folder many)
write_plan "$folder" "$metrics" '["sh", "-c", "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo step $i; done"]'
run_worker "$folder"
written=$(lines "$folder" metric value | wc -l)
check "5,000 values are few lines ($written)" test "$written" -lt 20
check_equal "the last value is the last line's" "$(lines "$folder" metric value | tail -n 1)" 5000
check_equal "the last value is in the end" "$(value "$folder" step)" 5000
check_equal "the end comes last" "$(tail -n 1 "$folder/journal.jsonl" | grep -c '"kind":"ended"')" 1

folder=$(worker_folder second)
write_plan "$folder" "$metrics" '["true"]' '["echo", "loss=0.25"]'
run_worker "$folder"
check_equal "a last value has the rank that printed it" "$(member "$folder" loss rank)" 1

# What a job puts in the place of its log must not hold the worker.
folder=$(worker_folder fifo)
write_plan "$folder" '{"max_run_s": 5}' '["sh", "-c", "mkfifo $HOME/rank-0.log; echo lost"]'
run_worker "$folder" &
worker=$!
wait_until 15 has_line "$folder" ended
check "a FIFO in the place of a log does not hold the worker" has_line "$folder" ended
kill -KILL "$(lines "$folder" ready pid)" 2>/dev/null
wait $worker
check_equal "the job completes" "$(ended "$folder" cause)" '"completed"'
check "and the end says what was lost" grep -q '5 bytes' <<<"$(ended "$folder" message)"
finish
