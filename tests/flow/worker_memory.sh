#!/bin/bash
# Memory of a worker's ranks: limited together, and an end for want of it told apart from its like.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

MIB=1048576

# The folder of our own cgroup: beneath it those of the test are made.
own_cgroup() {
    local mount own
    mount=$(awk -v kind="$1" -v option="$2" '{ for (i = 1; i <= NF; i++) if ($i == "-") break }
        $(i + 1) == kind && (option == "" || "," $(i + 3) "," ~ "," option ",") { print $5; exit }' /proc/self/mountinfo)
    own=$(awk -F: -v option="$2" 'option == "" ? $1 == 0 : "," $2 "," ~ "," option "," { print $3; exit }' /proc/self/cgroup)
    [ -n "$mount" ] && echo "$mount${own%/}"
}

second=$(own_cgroup cgroup2 "")
first=$(own_cgroup cgroup memory)
if [ -n "$second" ] && mkdir "$second/railhead-test-$$" 2>/dev/null; then
    second=$second/railhead-test-$$
    at_exit "rmdir '$second' 2>/dev/null"
    echo +memory >"${second%/*}/cgroup.subtree_control" 2>/dev/null
    echo +memory >"$second/cgroup.subtree_control" 2>/dev/null
else
    second=
fi
if [ -n "$first" ] && mkdir "$first/railhead-test-$$" 2>/dev/null; then
    first=$first/railhead-test-$$
    at_exit "rmdir '$first' 2>/dev/null"
else
    first=
fi
if [ -z "$first" ] && ! grep -qw memory "${second:-/nowhere}/cgroup.subtree_control" 2>/dev/null; then
    skip "no memory controller is to be had"
fi

# run NAME MEMBERS ARGV...: in cgroups of its own, 48 MiB unless MEMBERS say another limit.
run() {
    local name=$1 members=$2 v1=null v2=null
    shift 2
    [ -z "$second" ] || v2="\"$second/$name\""
    [ -z "$first" ] || v1="\"$first/$name\""
    folder=$(worker_folder "$name")
    write_plan "$folder" "{\"cgroup\": $v2, \"memory_cgroup\": $v1, \"memory_bytes\": $((48 * MIB))${members:+, $members}}" "$@"
    run_worker "$folder"
}

take() {
    printf '/usr/bin/python3 -c "bytearray(%d << 20)"' "$1"
}

run within "" "[\"sh\", \"-c\", $(/usr/bin/python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$(take 16)")]"
check_equal "ranks within the limit are let be" "$(ended "$folder" cause)" '"completed"'

run above "" '["/usr/bin/python3", "-c", "bytearray(80 << 20)"]' '["sleep", "100"]'
check_equal "a rank above it ends for want of memory" "$(ended "$folder" cause)" '"oom"'
check_equal "it is the first failing rank" "$(ended "$folder" first_failing_rank)" 0
check_equal "its own line says so" "$(lines "$folder" rank_exited oom | head -n 1)" "true"
check "the most that was had is the limit" test "$(/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["memory_bytes"]["max"])' \
    <<<"$(ended "$folder" utilization)")" -le $((48 * MIB))

run together "" '["/usr/bin/python3", "-c", "import time; a = bytearray(28 << 20); time.sleep(2)"]' \
    '["/usr/bin/python3", "-c", "import time; a = bytearray(28 << 20); time.sleep(2)"]'
check_equal "the limit is for all ranks together" "$(ended "$folder" cause)" '"oom"'

run unlimited '"memory_bytes": 0' '["/usr/bin/python3", "-c", "bytearray(80 << 20)"]'
check_equal "no limit, no end for want of memory" "$(ended "$folder" cause)" '"completed"'

# The shell tells of its child's death by 128 + 9, and that is its own exit code.
run child "" "[\"sh\", \"-c\", \"/usr/bin/python3 -c 'bytearray(80 << 20)'; exit \$?\"]"
check_equal "a rank whose child was killed has failed" "$(ended "$folder" cause) $(ended "$folder" exit_code)" '"failed" 137'
check "its message has the evidence" grep -q "exited with code 137; the kernel's out-of-memory killer had ended 1 of" "$folder/journal.jsonl"

run code "" '["sh", "-c", "exit 137"]'
check_equal "exit code 137 alone is no want of memory" "$(ended "$folder" cause) $(ended "$folder" message)" \
    '"failed" "rank 0 exited with code 137"'

run outside "" '["sh", "-c", "kill -9 $$"]'
check_equal "SIGKILL from elsewhere is no want of memory" "$(ended "$folder" cause) $(ended "$folder" signal)" '"signal" 9'

# Two heartbeats between the kernel's kill and the other one.
run earlier "" "[\"sh\", \"-c\", \"/usr/bin/python3 -c 'bytearray(80 << 20)'; sleep 11; kill -9 \$\$\"]"
check_equal "what was killed long before explains no end" "$(ended "$folder" cause)" '"signal"'

launcher='"ranks": [{"kind": "launcher", "rank": 0, "local_rank": 0, "env": ["PATH=/usr/bin:/bin"], "argv":
    ["sh", "-c", "/usr/bin/python3 -c \"bytearray(80 << 20)\"; sleep 11; exit 1"]}]'
run launcher "$launcher" '["true"]'
check "what a launcher takes its time to end for is told, too" \
    grep -q "exited with code 1; the kernel's out-of-memory killer had ended 1 of" "$folder/journal.jsonl"

check_equal "no cgroup is left" "$(find ${first:+"$first"} ${second:+"$second"} -mindepth 1 -type d)" ""
finish
