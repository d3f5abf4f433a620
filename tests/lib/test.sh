# shellcheck shell=bash
# What every shell test stands on: where things are, a folder of its own, results by name.
#
#   #!/bin/bash
#   . "$(dirname "$0")/../lib/test.sh"
#   check "a sentence that is true" command arguments...
#   finish
#
# Run by make check, or by hand from anywhere: RAILHEAD_BUILD=build tests/flow/some.sh
# One line "ok NAME" or "not ok NAME" a test; scripts/check counts them.
set -u -o pipefail
export LC_ALL=C.UTF-8

SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -n "${RAILHEAD_BUILD:-}" ]; then
    BUILD=$(cd "$RAILHEAD_BUILD" && pwd)
elif [ -e config.status ]; then
    BUILD=$PWD
else
    BUILD=$SOURCE/build
fi
WORK=$(mktemp -d "${TMPDIR:-/tmp}/railhead-test.XXXXXX")
export SOURCE BUILD WORK

failures=0
exit_commands=()

# Runs COMMAND when the test ends, however it ends; the last one first.
at_exit() {
    exit_commands=("$*" "${exit_commands[@]}")
}

run_exit_commands() {
    local command

    for command in "${exit_commands[@]}"; do
        eval "$command"
    done
    if [ -n "${KEEP_WORK:-}" ]; then
        echo "# kept: $WORK"
    else
        rm -rf "$WORK"
    fi
}
trap run_exit_commands EXIT
trap 'exit 130' INT TERM

ok() {
    echo "ok $1"
}

# not_ok NAME [WHY...]
not_ok() {
    failures=$((failures + 1))
    echo "not ok $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$*" | sed 's/^/#   /'
}

# check NAME COMMAND...: the command succeeds; what it says is shown only when it does not.
check() {
    local name=$1 status=0
    shift
    "$@" >"$WORK/check.out" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        ok "$name"
    else
        not_ok "$name" "status $status of: $*" "$(tail -n 40 "$WORK/check.out")"
    fi
}

# check_status NAME STATUS COMMAND...: the command ends with that exit status.
check_status() {
    local name=$1 wanted=$2 status=0
    shift 2
    "$@" >"$WORK/check.out" 2>&1 || status=$?
    if [ $status -eq "$wanted" ]; then
        ok "$name"
    else
        not_ok "$name" "status $status, not $wanted, of: $*" "$(tail -n 40 "$WORK/check.out")"
    fi
}

# check_equal NAME GOT WANTED
check_equal() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "got:    $2" "wanted: $3"
    fi
}

# skip WHY: none of this test can be run here.
skip() {
    echo "# skipped: $*"
    exit 77
}

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

# lives PID: there and not a zombie.
lives() {
    local stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    [[ ${stat##*) } != Z* ]]
}

finish() {
    [ $failures -eq 0 ] || exit 1
    exit 0
}
