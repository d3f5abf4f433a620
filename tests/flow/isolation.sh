#!/bin/bash
# Jobs of a daemon on this host: with namespaces and without, by root and by anybody, on little memory.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

# shellcheck disable=SC2016 # for the shell of the job
look='uname -n; echo $SM_MODEL_DIR; getent hosts algo-2 || echo unknown; echo found >$SM_MODEL_DIR/weights'

# try NAME CONFIG: a job of two instances under a daemon with this line in its configuration.
try() {
    DAEMON_CONFIG=$WORK/$1.yaml
    printf 'emulate: true\n%s\n' "$2" >"$DAEMON_CONFIG"
    # shellcheck disable=SC2119
    daemon_start || exit 1
    submit "$1" "$look" '{"instance_count": 2}'
    wait_for "$1"
    check_equal "$1: the job is completed" "$(show "$1" status)" '"Completed"'
    cat "$(worker_of "$1" 0)/rank-0.log" "$(worker_of "$1" 1)/rank-1.log" >"$WORK/$1.log"
    check_equal "$1: each instance has a model of its own" \
        "$(cat "$(worker_of "$1" 0)/ml/model/weights" "$(worker_of "$1" 1)/ml/model/weights")" $'found\nfound'
    daemon_stop
}

sees_a_container() {
    check_equal "$1: instances have names" "$(grep -c '^algo-[12]$' "$WORK/$1.log")" 2
    check_equal "$1: folders are SageMaker's" "$(grep -cx /opt/ml/model "$WORK/$1.log")" 2
    check_equal "$1: names resolve" "$(grep -c 'algo-2$' "$WORK/$1.log")" 3
}

sees_the_host() {
    check_equal "$1: the host name is the host's" "$(grep -cxF "$(uname -n)" "$WORK/$1.log")" 2
    check_equal "$1: folders are told by the SM_ variables" "$(grep -c "^$STATE/jobs/.*/ml/model$" "$WORK/$1.log")" 2
}

before=$(hostname; cat /etc/hosts; ls -la /opt)
daemon_prefix=(env)
if unshare -mu true 2>/dev/null || unshare -Ur true 2>/dev/null; then
    try isolated ""
    sees_a_container isolated
else
    echo "# namespaces are not permitted here"
fi
try open "isolate: false"
sees_the_host open
check "the daemon's log says why" grep -q 'local.place .*isolates=no why=isolate: false' "$WORK/railheadd.log"

anybody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" = 0 ] && "${anybody[@]}" unshare -Ur true 2>/dev/null && "${anybody[@]}" test -x "$BUILD/railheadd"; then
    chmod 711 "$WORK"
    mkdir "$WORK/anybody"
    chown 65534:65534 "$WORK/anybody"
    daemon_prefix=("${anybody[@]}")
    STATE=$WORK/anybody/state
    RAILHEAD_SOCKET=$WORK/anybody/railhead.sock
    try anybody ""
    sees_a_container anybody
    STATE=$WORK/state
    export RAILHEAD_SOCKET=$WORK/railhead.sock
    # shellcheck disable=SC2034 # of daemon.sh
    daemon_prefix=(env)
else
    echo "# nobody may have no namespace here"
fi
check_equal "the host is as it was" "$(hostname; cat /etc/hosts; ls -la /opt)" "$before"

# As systemd's DelegateSubgroup= has it.
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
delegated=$unified/railhead-test-$$
if [ -n "$unified" ] && mkdir "$delegated" "$delegated/daemon" 2>/dev/null; then
    at_exit "rmdir '$delegated/daemon' '$delegated'"
    # shellcheck disable=SC2016 # for the shell that becomes the daemon
    daemon_prefix=(bash -c 'echo $$ >"$0" && exec "$@"' "$delegated/daemon/cgroup.procs")
    try delegated ""
    daemon_prefix=(env)
    check "the cgroups of workers are beside a delegated one called daemon" \
        grep -q "local.place cgroup=$delegated/railhead-" "$WORK/railheadd.log"
else
    echo "# no cgroup v2 to try the cgroup with"
fi

# A type with little memory; what it costs does not matter.
mkdir "$WORK/profiles"
cat >"$WORK/profiles/small.yaml" <<'YAML'
sources:
  test: {what: "made for a test", url: "unknown", date: "2026-01-01"}
instances:
  - name: ml.small.1x
    vcpus: 1
    memory_gib: 0.125
    network_gbps: 1
    prices:
      - {usd_per_hour: "0.1", from: "1970-01-01", as_of: "2026-01-01", basis: published, confidence: high, sources: [test]}
YAML
export RAILHEAD_INSTANCE_PROFILES=$WORK/profiles
DAEMON_CONFIG=$WORK/isolated.yaml
[ -e "$DAEMON_CONFIG" ] || DAEMON_CONFIG=$WORK/open.yaml
# It tells nothing and does not end.
mkdir "$WORK/tools"
printf '#!/bin/bash\necho $$ >%s/monitor\nexec sleep 1000\n' "$WORK" >"$WORK/tools/neuron-monitor"
chmod 755 "$WORK/tools/neuron-monitor"
# shellcheck disable=SC2119
PATH=$WORK/tools:$PATH daemon_start || exit 1
if "$JOBCTL" doctor --output json | grep -q 'the memory of jobs is limited'; then
    submit large '/usr/bin/python3 -c "bytearray(200 << 20)"; exit $?' '{"instance_type": "ml.small.1x"}'
    submit fits 'exec /usr/bin/python3 -c "bytearray(40 << 20)"' '{"instance_type": "ml.small.1x"}'
    submit above 'exec /usr/bin/python3 -c "bytearray(200 << 20)"' '{"instance_type": "ml.small.1x"}'
    wait_for large
    wait_for fits
    wait_for above
    check_equal "a job within the memory of its type is completed" "$(show fits end.cause)" '"completed"'
    check_equal "one above it ends for want of memory" "$(show above end.cause)" '"oom"'
    check_equal "one whose child was killed has failed" "$(show large end.cause) $(show large end.exit_code)" '"failed" 137'
    check "and its message says why" grep -q "out-of-memory killer had ended 1 of" <(show large end.message)

    # A worker that cannot clean up any more, and a process that hides whose it is.
    submit killed "env -i setsid sleep 1000 & echo \$! >$WORK/hidden; sleep 1000" '{"instance_type": "ml.small.1x"}'
    hidden=$(process_of "$WORK/hidden")
    wait_until 20 grep -q sleep "/proc/$hidden/cmdline"
    monitor=$(process_of "$WORK/monitor")
    kill -KILL "$(line "$(worker_of killed)" ready pid)"
    wait_for killed
    check_equal "a worker that was killed is lost" "$(show killed end.cause)" '"lost"'
    check_status "what it left is ended by its cgroup" 1 lives "$hidden"
    check_status "what told it of accelerators is ended, too" 1 lives "$monitor"
    daemon_stop
    hex=$(printf %s "$STATE" | sha256sum | cut -c 1-12)
    check_equal "no cgroup is left" "$(find /sys/fs/cgroup -type d -name "railhead-$hex")" ""
else
    echo "# no memory controller is to be had"
fi
finish
