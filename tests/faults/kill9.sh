#!/bin/bash
# The daemon is killed fifty times under two hundred jobs; afterwards jobs, processes and ledger must agree with
# what the jobs themselves wrote down.  KILL9_SEED repeats a drill, KILL9_KILLS and KILL9_JOBS make it longer.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 24, usd_per_hour: "0.204000001"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 12}
CONFIG
export JOBCTL STATE DAEMON_CONFIG

/usr/bin/python3 "$SOURCE/tests/faults/kill9.py" || failures=$((failures + 1))
check "the ledger holds" grep -q '"holds": *true' <<<"$(
    "$BUILD/railhead-bill" <<<"{\"do\": \"verify\", \"database\": \"$STATE/railhead.db\", \"state\": \"$STATE\"}")"
finish
