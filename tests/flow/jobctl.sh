#!/bin/bash
# jobctl from outside: the examples of its manual run as they stand, its exit codes are those of its manual, and who
# follows a job does not lose a line when the daemon is killed.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"

export PATH=$BUILD:$PATH
cd "$SOURCE" || exit 1

# The names of the manual's examples, in its order; the commands of one of them.
example_names() {
    sed -n 's/^# example: //p' "$SOURCE/man/jobctl.1"
}

example() {
    awk -v name="# example: $1" '$0 == name { on = 1; next } /^\.Ed/ { on = 0 } on' "$SOURCE/man/jobctl.1"
}

runs_as_it_stands() {
    example "$1" >"$WORK/example.sh"
    [ -s "$WORK/example.sh" ] && timeout 60 sh -e "$WORK/example.sh"
}

# submit JSON [OPTION...]
submit() {
    printf '%s' "$1" | "$JOBCTL" submit - "${@:2}"
}

# What `jobctl VERB --help` lists is in the manual, and the other way round.
options_of_help() {
    "$JOBCTL" "$1" --help | sed -n 's/^  .. --\([a-z-]*\).*/\1/p' | sort
}

options_of_manual() {
    {
        sed -n "/^\.Ss $1\$/,/^\.S[sh] [^$]*/p" "$SOURCE/man/jobctl.1" | sed '1d'
        sed -n '/^Options that every verb has/,/^\.El/p' "$SOURCE/man/jobctl.1"
    } | sed -n 's/^\.It .*Fl -\([a-z-]*\).*/\1/p' | sort
}

lines() {
    for ((i = 1; i <= 30; i++)); do
        echo "line $i"
    done
}

# shellcheck disable=SC2119
follow_over_a_kill() {
    local follower

    submit '{"name": "lines", "instance_type": "local", "grace": 1, "command": ["sh", "-c",
        "i=1; while [ $i -le 30 ]; do echo line $i; i=$((i + 1)); sleep 0.1; done"]}' || return 1
    "$JOBCTL" logs lines -f >"$WORK/followed" 2>"$WORK/said" &
    follower=$!
    wait_until 10 grep -q 'line 5' "$WORK/followed" || return 1
    daemon_kill
    daemon_start || return 1
    wait "$follower" || return 1
    lines | diff - "$WORK/followed" && grep -q 'is back' "$WORK/said"
}

check_status "without a daemon jobctl says to try again" 7 "$JOBCTL" ls
check_status "doctor finds that there is no daemon" 1 "$JOBCTL" doctor
check "a daemon starts" daemon_start
check "doctor finds no error" "$JOBCTL" doctor

for name in $(example_names); do
    check "the manual's example $name runs as it stands" runs_as_it_stands "$name"
done
for verb in submit ls show logs metrics stop wait instances doctor admin; do
    check_equal "the manual has the options of $verb" "$(options_of_manual $verb)" "$(options_of_help $verb)"
done

check_status "an unknown verb is a mistake of usage" 2 "$JOBCTL" sumbit
check_status "a name of nothing is a mistake of usage" 2 "$JOBCTL" show ''
check_equal "what is wrong is said once" \
    "$("$JOBCTL" bill --emulated maybe 2>&1)" "jobctl: emulated: expected include, exclude or only"
check "what admin does not know it names" grep -q '^jobctl: admin price rm x: expected' <<<"$("$JOBCTL" admin price rm x 2>&1)"
check_status "an unknown option is a mistake of usage" 2 "$JOBCTL" ls --bogus
check_status "a spec that is not there is a mistake of usage" 2 "$JOBCTL" submit nowhere.yaml
check_status "so is a folder" 2 "$JOBCTL" submit .
printf '\xef\xbb\xbf{"command": ["true"], "instance_type": "local"}' >"$WORK/mark.json"
check_status "a byte order mark before a spec is passed over" 0 "$JOBCTL" submit "$WORK/mark.json" --dry-run
mkdir -p "$WORK/code/part"
check_status "an entry point that is a folder is told before anything is sent" 2 \
    submit "{\"entry_point\": \"part\", \"source_dir\": \"$WORK/code\", \"instance_type\": \"local\"}"
check_status "a spec that is wrong is told at once" 2 submit '{"command": 1, "instance_cont": 2}'
check_status "a job that is not there is not found" 3 "$JOBCTL" show nowhere
check_status "a job that has ended cannot be stopped" 4 "$JOBCTL" stop hello
check_status "a name is taken once" 4 submit '{"name": "hello", "command": ["true"], "instance_type": "local"}'
check_status "a job that failed is told by the exit status" 1 \
    submit '{"name": "fails", "command": ["false"], "instance_type": "local"}' --wait
check_status "wait tells that a job failed" 1 "$JOBCTL" wait fails
check "and why" grep -q '^  reason  *AlgorithmError: rank 0 exited with code 1; see its log' <<<"$("$JOBCTL" wait fails)"
submit '{"name": "slow-pattern", "command": ["echo", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"],
    "instance_type": "local", "metric_definitions": [{"name": "slow", "regex": "(a+)+$"}]}' --wait >/dev/null 2>&1
check "show tells what went less well in a job that completed" \
    grep -q '^  message  *the pattern of metric slow was given up on 1 lines' <<<"$("$JOBCTL" show slow-pattern)"
check "a log is followed over a kill of the daemon without a line lost or doubled" follow_over_a_kill

submit '{"name": "sleeps", "command": ["sleep", "60"], "instance_type": "local", "grace": 1}' >/dev/null
check_status "wait gives up at its timeout" 124 "$JOBCTL" wait sleeps --timeout 1
check "stop waits for the end" "$JOBCTL" stop sleeps --wait
finish
