#!/bin/bash
# The process that bears the workers is killed, or outlived: no job notices.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

nursery() {
    pgrep -P "$daemon_pid" -f -- --nursery
}

# shows_its_folder NAME: ps tells whose worker that is.
shows_its_folder() {
    pgrep -f "^railhead-worker $(worker_of "$1")"
}

ulimit -S -n 777
daemon_start
submit files 'ulimit -S -n'
check "a job that looks at its limits ends" wait_for files
check_equal "it may open as many files as who started the daemon" "$(http /v1/training-jobs/files/logs)" 777
submit before "sleep 3; exit 7"
check "a worker is shown by its folder" wait_until 10 shows_its_folder before
first=$(nursery)
check "the nursery is a child of the daemon" [ -n "$first" ]
kill -KILL "$first"
submit after "exit 8"
check "a job that is submitted behind it ends" wait_for after
check_equal "with its own end" "$(show after end.cause) $(show after end.exit_code)" '"failed" 8'
check "by another nursery" [ "$(nursery)" != "$first" ]
check "the job that ran meanwhile ends" wait_for before
check_equal "with its own end, too" "$(show before end.cause) $(show before end.exit_code)" '"failed" 7'

# One that dies while nobody asks for anything.
kill -KILL "$(nursery)"
wait_until 5 grep -q local.nursery_gone "$WORK/railheadd.log"
has_no_children() {
    [ -z "$(pgrep -P "$daemon_pid")" ]
}
check "a nursery that died is no zombie of the daemon" wait_until 2 has_no_children
submit again "exit 9"
check "it is replaced when it is needed" wait_for again

second=$(nursery)
kill -STOP "$second"
submit asked "exit 9"
is_starting() {
    [ "$(show asked secondary_status)" = '"Starting"' ]
}
check "a job waits for a nursery that does not answer" wait_until 5 is_starting
kill -KILL "$second"
check "when that is killed, the job ends" wait_for asked
check_equal "with its own end" "$(show asked end.cause) $(show asked end.exit_code)" '"failed" 9'

second=$(nursery)
daemon_kill
nursery_is_gone() {
    ! lives "$second"
}
check "a nursery ends with its daemon" wait_until 5 nursery_is_gone
finish
