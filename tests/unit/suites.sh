#!/bin/bash
# The unit suites; those named, or all.  A script, because make begins a test that is itself a program after all
# others: it looks at what the program is made of first, and fills its jobs with the rest meanwhile.
. "$(dirname "$0")/../lib/test.sh"
RAILHEAD_SOURCE=$SOURCE RAILHEAD_BUILD=$BUILD "$BUILD/tests/unit/unit" "$@"
