#!/bin/bash
# railheadd(8) tells every move of the job machine and every option, and no other.
. "$(dirname "$0")/../lib/lint.sh"

# Rows { JOB_MAX_RUNTIME_EXCEEDED, EV_TIMED_OUT, ... } as "MaxRuntimeExceeded timed_out ...".
moves_in_code() {
    tr '\n' ' ' <"$1/daemon/job_machine.c" | grep -oE '\{ *JOB_[A-Z_]+, *EV_[A-Z_]+, *JOB_[A-Z_]+ *\}' |
        tr -d '{},' | awk '
            function camel(name,    words, count, i, out) {
                count = split(substr(name, length("JOB_") + 1), words, "_")
                for (i = 1; i <= count; i++)
                    out = out substr(words[i], 1, 1) tolower(substr(words[i], 2))
                return out
            }
            { print camel($1), tolower(substr($2, length("EV_") + 1)), camel($3) }
        ' | sort
}

moves_in_page() {
    sed -nE 's/^\.It ([A-Za-z]+) Ta ([a-z_]+) Ta ([A-Za-z]+)$/\1 \2 \3/p' "$1/man/railheadd.8" | sort
}

options_in_code() {
    sed -nE 's/^ *\{ "([a-z-]+)", (no|required)_argument, .*/\1/p' "$1/daemon/main.c" | sort
}

options_in_page() {
    sed -nE 's/^\.It Fl -([a-z-]+)( .*)?$/\1/p' "$1/man/railheadd.8" | sort
}

# compare WHAT CODE PAGE
compare() {
    diff <(echo "$2") <(echo "$3") |
        sed -n "s/^< \(.*\)/railheadd(8) does not tell the $1: \1/p; s/^> \(.*\)/railheadd(8) alone has the $1: \1/p"
    [ -n "$2" ] || echo "no $1 can be read from daemon"
}

breaches() {
    compare move "$(moves_in_code "$1")" "$(moves_in_page "$1")"
    compare option "$(options_in_code "$1")" "$(options_in_page "$1")"
}

# small_tree FOLDER EVENT-IN-PAGE OPTION-IN-PAGE
small_tree() {
    mkdir -p "$1/daemon" "$1/man"
    printf '    { JOB_NEW, EV_SUBMITTED,\n      JOB_PENDING },\n    { JOB_STARTING, EV_TIMED_OUT, JOB_MAX_RUNTIME_EXCEEDED }, /* why */\n' \
        >"$1/daemon/job_machine.c"
    printf '    { "state", required_argument, NULL, OPTION_STATE },\n    { "help", no_argument, NULL, 0 },\n' \
        >"$1/daemon/main.c"
    printf '.It New Ta submitted Ta Pending\n.It Starting Ta %s Ta MaxRuntimeExceeded\n.It Fl -%s Ar x\n.It Fl -help\n' \
        "$2" "$3" >"$1/man/railheadd.8"
}

plant_other_move() {
    small_tree "$1" failed state
}

plant_other_option() {
    small_tree "$1" timed_out socket
}

small_tree "$WORK" timed_out state
[ -z "$(breaches "$WORK")" ] || not_ok "man-daemon" "sees a breach where there is none: $(breaches "$WORK")"

lint "railheadd(8) tells every move, every option and no other"
