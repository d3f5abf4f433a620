# shellcheck shell=bash disable=SC2034,SC2317
# A private railheadd for a test, in a folder of its own, gone with it.  After test.sh:
#
#   daemon_start               again after daemon_kill: the same state folder
#   "$JOBCTL" submit ...       finds it by RAILHEAD_SOCKET
#   daemon_stop                SIGTERM, and waits;  daemon_kill: SIGKILL

JOBCTL=$BUILD/jobctl
STATE=$WORK/state
DAEMON_CONFIG=${DAEMON_CONFIG:-$SOURCE/etc/quickstart.yaml}
export RAILHEAD_SOCKET=$WORK/railhead.sock
export RAILHEAD_INSTANCE_PROFILES=$SOURCE/instance-profiles
unset RAILHEAD_SERVER
daemon_pid=
daemon_prefix=() # a command that the daemon is to be run by, and that execs it

# daemon_start [OPTION...]: returns when it answers, fails when it ended or says nothing for 20 s.
daemon_start() {
    "${daemon_prefix[@]}" "$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$STATE" --socket "$RAILHEAD_SOCKET" "$@" \
        >>"$WORK/railheadd.log" 2>&1 </dev/null &
    daemon_pid=$!
    daemon_answers() {
        ! kill -0 "$daemon_pid" 2>/dev/null || http /readyz
    }
    wait_until 20 daemon_answers && kill -0 "$daemon_pid" 2>/dev/null && return 0
    echo "# railheadd did not start:"
    tail -n 20 "$WORK/railheadd.log" | sed 's/^/#   /'
    return 1
}

daemon_stop() {
    [ -z "$daemon_pid" ] || kill -TERM "$daemon_pid" 2>/dev/null
    daemon_wait
}

daemon_kill() {
    [ -z "$daemon_pid" ] || kill -KILL "$daemon_pid" 2>/dev/null
    daemon_wait
}

# Its exit status.
daemon_wait() {
    local pid=$daemon_pid

    daemon_pid=
    [ -z "$pid" ] || wait "$pid"
}

# http PATH [OPTION OF CURL...]: the body; fails from status 400 on.
http() {
    local path=$1
    shift
    curl -sS --fail-with-body --max-time 20 --unix-socket "$RAILHEAD_SOCKET" "$@" "http://railhead$path"
}

# What the jobs of this test started ends with it: workers outlive the daemon, and have the folder in their command line.
end_workers() {
    local pid

    for pid in $(pgrep -f -- "$STATE/"); do
        [ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null
    done
}

# The cgroups of this state folder (base_beneath of schedulers/local_cgroup.c): who is killed leaves them behind.
cgroups_gone() {
    local name

    name=railhead-$(printf '%s' "$STATE" | sha256sum | cut -c -12)
    find /sys/fs/cgroup -depth -type d -path "*/$name*" -exec rmdir {} + 2>/dev/null
    [ -z "$(find /sys/fs/cgroup -type d -name "$name")" ]
}
end_cgroups() {
    wait_until 2 cgroups_gone
}
at_exit end_cgroups
at_exit end_workers
at_exit daemon_stop
