#!/bin/bash
# railhead-worker with sources that are broken, disks that are full, and in a cgroup.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

ARCHIVE=$BUILD/railhead-archive

mkdir "$WORK/source"
echo 'print("from the source")' >"$WORK/source/train.py"
if [ -x "$ARCHIVE" ]; then
    "$ARCHIVE" pack "$WORK/source" "$WORK/source.tar.gz" >/dev/null
    folder=$(worker_folder with-source)
    write_plan "$folder" "{\"source_archive\": \"$WORK/source.tar.gz\"}" '["/usr/bin/python3", "train.py"]'
    run_worker "$folder"
    check_equal "the source is unpacked and is the working folder" "$(cat "$folder/rank-0.log")" "from the source"

    head -c 100 "$WORK/source.tar.gz" >"$WORK/torn.tar.gz"
    folder=$(worker_folder torn)
    write_plan "$folder" "{\"source_archive\": \"$WORK/torn.tar.gz\"}" '["/bin/true"]'
    run_worker "$folder"
    check_equal "a torn archive is a failed launch" "$(ended "$folder" cause)" '"launch"'
    check "its message names the archive" grep -q 'unpack the source: .*torn.tar.gz' "$folder/journal.jsonl"
    check_equal "nothing was launched from it" "$(kinds "$folder")" "ready ended"

    folder=$(worker_folder gone)
    write_plan "$folder" "{\"source_archive\": \"$WORK/gone.tar.gz\"}" '["/bin/true"]'
    run_worker "$folder"
    check_equal "an archive that is gone is a failed launch" "$(ended "$folder" cause)" '"launch"'
else
    not_ok "railhead-archive is built"
fi

# No file may have more than 8 KiB, so its log takes no more, as on a full disk.
folder=$(worker_folder full)
write_plan "$folder" '{}' '["sh", "-c", "printf %20000s x; echo done >$WORK/full-done"]'
(ulimit -f 8 && run_worker "$folder")
check_equal "training goes on when its log cannot be written" "$(ended "$folder" cause)" '"completed"'
check "it did go on" test -e "$WORK/full-done"
check_equal "what was lost is said" "$(ended "$folder" message)" \
    "\"11808 bytes of rank 0's output are not in its log: File too large\""

mkdir "$WORK/mute"
ln -s /dev/full "$WORK/mute/journal.jsonl"
write_plan "$WORK/mute" '{}' '["sh", "-c", "echo done >$WORK/mute-done"]'
check_status "a journal that cannot be written is exit status 1" 1 run_worker "$WORK/mute"
check "nothing runs that cannot be accounted for" test ! -e "$WORK/mute-done"

# A limit on file sizes: the journal reaches it first, in the middle of the run.
folder=$(worker_folder limit)
write_plan "$folder" '{"metrics": [{"name": "step", "regex": "step (\\d+)"}]}' \
    '["sh", "-c", "while :; do echo step 1; sleep 0.6; done"]'
(ulimit -f 1; start_worker "$folder"; wait) 2>/dev/null
check_equal "a journal that is full in mid-run has whole lines" "$(tail -c 1 "$folder/journal.jsonl" | od -An -c | tr -d ' ')" '\n'
rank=$(lines "$folder" launched ranks | grep -o '"pid": [0-9]*' | grep -o '[0-9]*')
check_status "its ranks are ended" 1 lives "$rank"

folder=$(worker_folder no-cgroup)
write_plan "$folder" "{\"cgroup\": \"$WORK/not/there\"}" '["/bin/true"]'
run_worker "$folder"
check_equal "a cgroup that cannot be made is no failure" "$(ended "$folder" cause)" '"completed"'
complaints() { cat "$1/worker.err" "$1/worker.log" 2>/dev/null; }
check "it is said in the worker's own log" grep -q "$WORK/not/there: No such file" <(complaints "$folder")

# An ordinary folder, into which the kernel starts nobody.
folder=$(worker_folder bad-cgroup)
mkdir "$WORK/ordinary"
write_plan "$folder" "{\"cgroup\": \"$WORK/ordinary\"}" '["echo", "ran"]'
run_worker "$folder"
check_equal "a cgroup that takes nobody is no failure" "$(ended "$folder" cause)" '"completed"'
check_equal "the rank ran without it" "$(cat "$folder/rank-0.log")" "ran"
check "that is said, too" grep -q "the cgroup $WORK/ordinary cannot be used" <(complaints "$folder")

# The kernel's own cgroup v2, where we may make folders in it.
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=$root/railhead-test-$$
if [ -n "$root" ] && mkdir "$cgroup" 2>/dev/null && rmdir "$cgroup"; then
    folder=$(worker_folder cgroup)
    write_plan "$folder" "{\"cgroup\": \"$cgroup\"}" \
        '["sh", "-c", "cat /proc/self/cgroup; (setsid sh -c \"trap \\\"\\\" TERM; echo \\$\\$ >$WORK/in-cgroup; sleep 1000\" &); until [ -s $WORK/in-cgroup ]; do sleep 0.05; done"]'
    run_worker "$folder"
    check "a rank is born in its cgroup" grep -q "0::.*/railhead-test-$$" "$folder/rank-0.log"
    check_status "what it left is gone" 1 lives "$(cat "$WORK/in-cgroup")"
    check "the cgroup is removed" test ! -e "$cgroup"
    check_equal "the worker has nothing to complain about" "$(complaints "$folder")" ""
else
    echo "# no cgroup v2 to try the cgroup with"
fi

# The heartbeat, 5 s after the start.
folder=$(worker_folder heart)
write_plan "$folder" '{}' '["sleep", "6"]'
run_worker "$folder"
check_equal "a heartbeat comes every 5 s" "$(kinds "$folder")" "ready launched heartbeat rank_exited ended"
finish
