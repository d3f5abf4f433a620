#!/bin/bash
# Every scheduler keeps the contract of schedulers/scheduler.h.
. "$(dirname "$0")/../lib/test.sh"

# What a failed case started is told by its folder.
end_workers() {
    pkill -KILL -f -- "$WORK/"
}
at_exit end_workers

RAILHEAD_BUILD=$BUILD "$BUILD/tests/contract/contract" || failures=$((failures + 1))
finish
