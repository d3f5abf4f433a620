#!/bin/bash
# A worker's own view of the host: /opt/ml, host names, the host's name; as root and as anybody.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

unshare -mu true 2>/dev/null || unshare -Urm true 2>/dev/null || skip "namespaces are not permitted here"
anybody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
isolated='"isolate": true, "ml_folder": "/opt/ml", "work_folder": "/opt/ml/output/data", "checkpoint_path": "/opt/ml/checkpoints", "host_name": "algo-2", "hosts": "127.1.0.1 algo-1\n127.1.0.2 algo-2\n"'

# worker_by COMMAND...: railhead-worker is run by this command from now on.
worker_by() {
    WORKER=$WORK/worker.sh
    printf '#!/bin/bash\nexec %s "%s/railhead-worker" "$@"\n' "${*@Q}" "$BUILD" >"$WORKER"
    chmod 755 "$WORKER"
}

# isolate NAME SCRIPT [MEMBERS]: runs the script as an isolated rank; $folder is its worker's.
isolate() {
    local argv

    argv=$(/usr/bin/python3 -c 'import json, sys; print(json.dumps(["sh", "-c", sys.argv[1]]))' "$2")
    folder=$(worker_folder "$1")
    write_plan "$folder" "{$isolated${3:+, $3}}" "$argv"
    [ "$(id -u)" != 0 ] || chown -R --reference="$WORK" "$folder"
    run_worker "$folder"
}

output() {
    cat "$folder/rank-0.log"
}

# What the host shows, to be the same after.
host_state() {
    hostname
    cat /etc/hosts
    grep -E " /(opt|etc|mnt)|$WORK" /proc/self/mountinfo
    ls -la /opt
}

# No privilege, and no user namespace to be had.
refused() {
    worker_by unshare -Ur bash -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"' -
    isolate root-refused 'true'
    check_equal "a host that permits no namespace is no fault of the user's" "$(ended "$folder" cause)" '"infrastructure"'
    check "its message says which limit it is" grep -q 'user.max_user_namespaces permits no more' "$folder/journal.jsonl"

    doctor() {
        PATH=$WORK/tools:$PATH unshare -Ur bash -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"' - \
            "$BUILD/jobctl" --socket "$WORK/none" doctor
    }
    mkdir "$WORK/tools"
    printf '#!/bin/sh\n' >"$WORK/tools/nvidia-smi"
    chmod 755 "$WORK/tools/nvidia-smi"
    doctor >"$WORK/doctor"
    check "doctor says why there is no isolation" grep -q '^warning *isolation .*user.max_user_namespaces permits no more' "$WORK/doctor"
    check "and what helps" grep -q -- '-> run railheadd as root, or permit user namespaces' "$WORK/doctor"
    check "doctor names what tells of GPUs" grep -q "^ok *gpus .*$WORK/tools/nvidia-smi" "$WORK/doctor"
}

# as WHO: all that holds for every user.
everywhere() {
    isolate "$1-view" 'pwd; uname -n; getent hosts algo-1 algo-2; echo of-the-model >/opt/ml/model/weights'
    check_equal "$1: a rank works in /opt/ml, on a host of its name, and finds its peers" "$(output | tr -s ' \n' ' ')" \
        "/opt/ml/output/data algo-2 127.1.0.1 algo-1 127.1.0.2 algo-2 "
    check_equal "$1: what it writes to /opt/ml is in the worker's folder" "$(cat "$folder/ml/model/weights")" "of-the-model"
    check_equal "$1: the names of the host are known still" "$(tail -n +3 "$folder/hosts")" "$(cat /etc/hosts)"

    isolate "$1-opt" 'ls /opt; findmnt -no OPTIONS /opt | grep -ow ro'
    check_equal "$1: /opt has what the host's has, and ml" "$(output | grep -vx ro)" "$({ ls /opt; echo ml; } | sort -u)"
    [ -d /opt/ml ] || check "$1: nothing can be added to it" grep -qx ro "$folder/rank-0.log"

    mkdir -p "$WORK/elsewhere"
    isolate "$1-checkpoints" "echo step-7 >$WORK/elsewhere/last" "\"checkpoint_path\": \"$WORK/elsewhere\""
    check_equal "$1: checkpoints may be elsewhere" "$(cat "$folder/ml/checkpoints/last")" "step-7"
    check_equal "$1: the host's folder of that name stays empty" "$(ls "$WORK/elsewhere")" ""

    mkdir -p "$WORK/$1-data/deep"
    echo of-the-user | tee "$WORK/$1-data/one" >"$WORK/$1-data/deep/two"
    chmod -R a+rwX "$WORK/$1-data"
    isolate "$1-fast" 'cat /opt/ml/input/data/train/one; rm -rf /opt/ml/input/data/train/*; echo mine >/opt/ml/input/data/train/one
        touch /opt/ml/input/data/train/new; chmod 0 /opt/ml/input/data/train/one; ls /opt/ml/input/data/train' \
        "\"channels\": {\"train\": {\"uri\": \"file://$WORK/$1-data\", \"mode\": \"FastFile\"}}"
    check_equal "$1: FastFile shows the user's folder, which nothing can be removed from or written to" \
        "$(grep -v : "$folder/rank-0.log" | paste -sd' ') $(cat "$WORK/$1-data/one" "$WORK/$1-data/deep/two" | paste -sd' ')" \
        "of-the-user deep one of-the-user of-the-user"
    check_equal "$1: on the host there is an empty folder in its place" "$(ls -A "$folder/ml/input/data/train")" ""

    isolate "$1-nowhere" 'true' "\"checkpoint_path\": \"$WORK/nowhere\""
    check_equal "$1: a checkpoint folder that the host has not is a failed launch" "$(ended "$folder" cause)" '"launch"'
    check "$1: its message says what helps" grep -q "checkpoint.local_path: $WORK/nowhere: No such file or directory; make this folder on the host, or use one beneath /opt/ml" \
        "$folder/journal.jsonl"
    isolate "$1-above" 'true' "\"checkpoint_path\": \"/opt\""
    check "$1: a checkpoint folder may not hide /opt/ml" grep -q "checkpoint.local_path: /opt cannot be used" "$folder/journal.jsonl"
}

before=$(host_state)
user=$(id -u)
if [ "$(id -u)" = 0 ]; then
    everywhere root
    isolate root-mount 'mount -t tmpfs x /mnt && umount -l /opt/ml && hostname other && echo done'
    check_equal "root: a rank may do to its view what it likes" "$(output)" "done"

    # A host whose /opt has one of each kind, made in a namespace.
    worker_by unshare -m bash -c "mount -t tmpfs x /opt; mkdir -p /opt/tool/bin; echo in-tool >/opt/tool/bin/f; echo words >/opt/file
        ln -s tool/bin /opt/link; ln -s /no/such /opt/broken; mkfifo /opt/fifo; exec \"\$@\"" -
    isolate root-kinds 'cat /opt/link/f /opt/file; readlink /opt/broken; test -p /opt/fifo && echo fifo; ls /opt | tr "\n" " "'
    check_equal "root: entries of /opt of every kind are shown" "$(output)" $'in-tool\nwords\n/no/such\nfifo\nbroken fifo file link ml tool '
    worker_by unshare -m bash -c "mount -t tmpfs x /opt; mkdir /opt/ml; echo of-the-host >/opt/ml/old; exec \"\$@\"" -
    isolate root-own-ml 'ls /opt/ml; touch /opt/free && echo free'
    check "root: the host's own /opt/ml is covered" test "$(output | grep -c old)" = 0
    check "root: /opt stays as it is then" grep -q free "$folder/rank-0.log"

    mkdir -p "$WORK/nested/below"
    worker_by unshare -m bash -c "mount -t tmpfs x $WORK/nested/below; echo deep >$WORK/nested/below/file; exec \"\$@\"" -
    fast="\"channels\": {\"train\": {\"uri\": \"file://$WORK/nested\", \"mode\": \"FastFile\"}}"
    isolate root-nested 'rm -rf /opt/ml/input/data/train/below/*; cat /opt/ml/input/data/train/below/file' "$fast"
    check "root: what is mounted beneath a FastFile folder cannot be written to either" grep -qx deep "$folder/rank-0.log"

    worker_by setpriv --groups=4242 --
    isolate root-groups 'id -G'
    check "root: further groups are kept" grep -qw 4242 "$folder/rank-0.log"

    if unshare -Ur true 2>/dev/null; then
        refused
    fi

    chown 65534:65534 "$WORK"
    chmod 711 "$WORK"
    worker_by "${anybody[@]}"
    user=65534
fi
if "${anybody[@]}" true 2>/dev/null && ! "${anybody[@]}" test -x "$BUILD/railhead-worker"; then
    echo "# nobody may not run $BUILD/railhead-worker"
elif unshare -Ur true 2>/dev/null; then
    everywhere anybody
    isolate anybody-rights 'id -u; grep CapEff /proc/self/status; mount -t tmpfs x /mnt 2>/dev/null || echo refused'
    check_equal "anybody: a rank is its user, without a right that it had not" "$(output | tr -s '\t\n' ' ')" \
        "$user CapEff: 0000000000000000 refused "
else
    echo "# user namespaces are not permitted here"
fi
check_equal "the host is as it was" "$(host_state)" "$before"
finish
