#!/bin/bash
# Logs of any size, from a rank to jobctl: every byte passes, the disk is not filled, and who reads slowly holds nobody
# up, costs little, and is told what it missed.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

submit() {
    http /v1/training-jobs -H "Content-Type: application/json" -d "$1" >/dev/null
}

# rank_job NAME COMMAND: of one rank, by sh.
rank_job() {
    submit "$(jq -nc --arg name "$1" --arg command "$2" \
        '{name: $name, instance_type: "local", grace: 1, command: ["sh", "-c", $command]}')"
}

# memory FIELD: of the daemon, in KiB.
memory() {
    awk -v field="$1:" '$1 == field { print $2 }' "/proc/$daemon_pid/status"
}

bytes_read() {
    awk '$1 == "rchar:" { print $2 }' "/proc/$daemon_pid/io"
}

/usr/bin/python3 - "$WORK/all-bytes" <<'PYTHON'
import random, sys
random.seed(1)
with open(sys.argv[1], "wb") as file:
    file.write(bytes(range(256)) + b"10%\r20%\r100%\n\n\xff\xfe\x00broken utf-8\n[1] 1 0/1 0 5\n" + random.randbytes(3000000))
PYTHON
everything="cat $WORK/all-bytes; head -c 314572800 /dev/zero | tr '\\000' x; printf '\\nno line feed'"

# A daemon under the sanitizers keeps what it frees, 256 MiB of it, and would seem to grow.
export ASAN_OPTIONS=quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
check "a daemon starts" daemon_start
expected=$(sh -c "$everything" | sha256sum)
before=$(memory VmHWM)
rank_job bytes "$everything"
"$JOBCTL" wait bytes >"$WORK/out" 2>&1
check_equal "every byte and a line of 300 MiB come to jobctl" "$("$JOBCTL" logs bytes | sha256sum)" "$expected"
check_equal "and to any client" "$(http /v1/training-jobs/bytes/logs | sha256sum)" "$expected"
grown=$(($(memory VmHWM) - before))
check "which costs the daemon little memory ($grown KiB)" test "$grown" -lt 8192
before=$(bytes_read)
check_equal "the last line is found" "$(http '/v1/training-jobs/bytes/logs?tail=1')" "no line feed"
cost=$(($(bytes_read) - before))
check "by reading little of 303 MB ($cost bytes)" test "$cost" -lt 65536
submit '{"name": "two", "instance_type": "ml.c5.xlarge", "instance_count": 2, "command":
    ["sh", "-c", "head -c 200000 /dev/zero | tr \"\\\\000\" y; echo; echo end"]}'
"$JOBCTL" wait two >"$WORK/out" 2>&1
check_equal "jobctl breaks no line of several ranks" \
    "$("$JOBCTL" logs two | awk '{ print $1, length($2) }' | sort | paste -sd,)" "[0] 200000,[0] 3,[1] 200000,[1] 3"
daemon_stop
rm -rf "$STATE/jobs"

# Of each rank 32 MiB are kept.  Its lines are 16 bytes long, and each says where it stands.
cat >"$WORK/small.yaml" <<'YAML'
emulate: true
limits: {rank_log_bytes: 33554432}
YAML
DAEMON_CONFIG=$WORK/small.yaml
numbers() {
    echo "seq $((100000000000000 + $1)) $((100000000000000 + $1 + $2 - 1))"
}
# Reads frames of such lines: each has the bytes that stand where it says; where it ends, and whether something was cut.
cat >"$WORK/account.py" <<'PYTHON'
import sys
at = 0
cuts = "without"
while head := sys.stdin.buffer.readline():
    attempt, rank, offset, length = head.decode().split(" ")
    offset, length = int(offset), int(length)
    if length and offset != at:
        assert offset > at, "%d bytes come twice" % (at - offset)
        cuts = "with"
    first = offset // 16
    whole = b"".join(b"%d\n" % (100000000000000 + i) for i in range(first, (offset + length + 15) // 16))
    assert sys.stdin.buffer.read(length) == whole[offset - first * 16:][:length], "other bytes at %d" % offset
    at = max(at, offset + length)
print(at, cuts, "cuts")
PYTHON
# Follows a job, and does not read before a file is there.
cat >"$WORK/slow.py" <<'PYTHON'
import os, socket, sys, time
streams = []
for _ in range(int(sys.argv[3])):
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(os.environ["RAILHEAD_SOCKET"])
    stream.sendall(b"GET /v1/training-jobs/%s/logs?follow=true&frames=true HTTP/1.0\r\n\r\n" % sys.argv[1].encode())
    streams.append(stream)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.05)
with streams[0].makefile("rb") as answer:
    while answer.readline().strip():
        pass
    while block := answer.read(65536):
        sys.stdout.buffer.write(block)
PYTHON

check "a daemon that keeps 32 MiB a rank starts" daemon_start
lines=6001001
# flood NAME: 1,000 lines, the most of them when it is told to, and the last one when it is told to.
flood() {
    rank_job "$1" "$(numbers 0 1000); while [ ! -e $WORK/$1.go ]; do sleep 0.05; done; $(numbers 1000 $((lines - 1001)))
        : >$WORK/$1.written; while [ ! -e $WORK/$1.end ]; do sleep 0.05; done; $(numbers $((lines - 1)) 1)"
}
account() {
    /usr/bin/python3 "$WORK/account.py" <"$1"
}

flood slow
http '/v1/training-jobs/slow/logs?follow=true&frames=true' -N --max-time 120 >"$WORK/quick" &
quick=$!
check "a follower reads" wait_until 20 test -s "$WORK/quick"
before=$(memory VmHWM)
/usr/bin/python3 "$WORK/slow.py" slow "$WORK/slow.read" 100 >"$WORK/slow" &
slow=$!
: >"$WORK/slow.go"
check "100 followers that do not read hold up no rank" wait_until 60 test -e "$WORK/slow.written"
folder=$(dirname "$(find "$STATE/jobs" -name journal.jsonl)")
size=$(find "$folder" -name 'rank-0.*' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
check "the disk has twice 32 MiB at most, of 96 MB and its times ($size bytes)" test "$size" -le 67108880
: >"$WORK/slow.end"
"$JOBCTL" wait slow >"$WORK/out" 2>&1
wait "$quick"
check "nor who reads" test "$(tail -n 1 "$WORK/quick")" = $((100000000000000 + lines - 1))
check_equal "who reads has every byte, or is told" "$(account "$WORK/quick" | cut -d" " -f1)" $((16 * lines))
grown=$(($(memory VmHWM) - before))
check "they cost the daemon little memory ($grown KiB)" test "$grown" -lt 32768
: >"$WORK/slow.read"
wait "$slow"
check_equal "who has not read is told what was cut, to the byte" "$(account "$WORK/slow")" "$((16 * lines)) with cuts"
check_equal "the end says how much is gone" "$("$JOBCTL" show slow --output json | jq -r .end.message)" \
    "the first 67108864 bytes of rank 0's output were cut"
check_equal "a log that is asked for later begins with what was cut" "$(http /v1/training-jobs/slow/logs | sed -n 1p)" \
    "[railhead: 67108864 bytes of rank 0 were cut here]"
check_equal "its last lines are the last" "$(http '/v1/training-jobs/slow/logs?tail=2')" \
    "$(seq $((100000000000000 + lines - 2)) $((100000000000000 + lines - 1)))"

flood away
"$JOBCTL" logs away -f >"$WORK/followed" 2>"$WORK/said" &
follower=$!
check "jobctl follows" wait_until 20 test -s "$WORK/followed"
daemon_kill
: >"$WORK/away.go"
check "while the daemon is away the rank writes on" wait_until 60 test -e "$WORK/away.written"
check "a daemon starts again" daemon_start
: >"$WORK/away.end"
check "the follower goes on to the end" wait "$follower"
cut=$(sed -n 's/^jobctl: away: \([0-9]*\) bytes of rank 0 were cut before they could be read$/\1/p' "$WORK/said")
check_equal "what it has and what it says was cut is all, to the byte" $(($(stat -c %s "$WORK/followed") + cut)) $((16 * lines))
check_equal "no line is doubled" "$(sort "$WORK/followed" | uniq -d | head -n 1)" ""
check_equal "its last line is the last" "$(tail -n 1 "$WORK/followed")" $((100000000000000 + lines - 1))
finish
