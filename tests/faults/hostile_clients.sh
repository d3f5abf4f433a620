#!/bin/bash
# Clients that mean no good: of each attack the memory of the daemon stays within a bound, an honest client is served
# as if nothing was, and what attacks is cut within its limit.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

cat >"$WORK/limits.yaml" <<'END'
emulate: true
pools: [{instance_type: ml.c5.xlarge, scheduler: fake, count: 4000}]
limits:
  {body_bytes: 1048576, connections: 96, connections_per_client: 64, held_bytes: 16777216,
   header_seconds: 1, body_seconds: 1, idle_seconds: 1}
END
DAEMON_CONFIG=$WORK/limits.yaml
# A daemon under the sanitizers keeps what it frees, 256 MiB of it, and would seem to grow.
export ASAN_OPTIONS=quarantine_size_mb=8${ASAN_OPTIONS:+:$ASAN_OPTIONS}
daemon_start --listen 127.0.0.1:0 || exit 1
port=$(sed -n 's/.*api.listening address=127.0.0.1:\([0-9]*\) .*/\1/p' "$WORK/railheadd.log")
/usr/bin/python3 -B "$SOURCE/tests/faults/hostile_clients.py" "$daemon_pid" "$RAILHEAD_SOCKET" "$port" || failures=1
check "the daemon has lived through it" http /readyz
finish
