#!/bin/bash
# scripts/quickstart with the programs of this build: it ends with the figure, or early, and leaves nothing running.
. "$(dirname "$0")/../lib/test.sh"

[ -x /usr/bin/torchrun ] || skip "python3-torch is not installed"
[ -e /usr/share/dict/ngerman ] || skip "the word lists are not installed"

export TMPDIR=$WORK

quickstart=("$SOURCE/scripts/quickstart" --build "$BUILD")

says() {
    grep -Eq -- "$1" "$WORK/said" || {
        cat "$WORK/said"
        return 1
    }
}

# Processes that were given a path beneath $WORK, or work beneath it.
left_running() {
    local process

    for process in /proc/[0-9]*; do
        [ "${process##*/}" -ne $$ ] || continue
        if tr '\0' '\n' 2>/dev/null <"$process/cmdline" | grep -Fq "$WORK/railhead-quickstart" ||
            [[ $(readlink "$process/cwd") == "$WORK"/railhead-quickstart* ]]; then
            echo "${process##*/} $(tr '\0' ' ' 2>/dev/null <"$process/cmdline")"
        fi
    done
}

nothing_is_left_running() {
    [ -z "$(left_running)" ]
}

model_is_where_it_says() {
    test -s "$(sed -n 's/^  model  *//p' "$WORK/said")"
}

runs_to_the_end() {
    "${quickstart[@]}" >"$WORK/said" 2>&1 || {
        cat "$WORK/said"
        return 1
    }
}

stopped_while_it_trains() {
    "${quickstart[@]}" >"$WORK/said" 2>&1 &
    local script=$!

    wait_until 60 grep -q 'samples_seen=' "$WORK/said" || {
        kill "$script"
        wait "$script"
        cat "$WORK/said"
        return 1
    }
    kill -TERM "$script"
    wait "$script"
}

check "it ends well" runs_to_the_end
check "it names instances" says '2 x ml\.c5\.xlarge'
check "it tells the billable seconds" says 'billable +[0-9]+ s on each instance'
check "it tells the price" says 'price +[$]0[.][0-9]+ per instance-hour'
check "it tells the cost" says 'cost +[$]0[.][0-9]+'
check "it tells the work" says 'work +1000000 samples'
check "it tells samples per second" says '[0-9.]+ samples per second'
check "it tells samples per dollar" says '[0-9.]+ samples per dollar'
check "it tells held-out accuracy" says 'objective +accuracy = 0[.][89][0-9]*, target 0[.]75 reached'
check "it says that the hardware is emulated" says '^ *emulated '
check "the model is where it says" model_is_where_it_says
check "nothing is left running" wait_until 5 nothing_is_left_running
check_status "stopped while it trains, it says so by its status" 143 stopped_while_it_trains
check "nothing is left running after that either" wait_until 5 nothing_is_left_running
check_status "a folder without programs is refused" 2 "$SOURCE/scripts/quickstart" --build "$WORK"
finish
