#!/bin/bash
# The drill, short: a daemon and its workers are killed some times under load; make drill does it a thousand times.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
emulate: true
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake, count: 48, usd_per_hour: "1.08"}
  - {instance_type: ml.c5.2xlarge, scheduler: local, count: 12, usd_per_hour: "0.204000001"}
CONFIG
export JOBCTL STATE DAEMON_CONFIG

/usr/bin/python3 -B "$SOURCE/tests/drill/drill.py" || failures=$((failures + 1))
finish
