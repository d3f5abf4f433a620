#!/bin/bash
# Twenty jobs of two ranks meet at once by PyTorch's own rendezvous, while its usual ports are taken.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"
. "$(dirname "$0")/../lib/ports.sh"

[ -x /usr/bin/torchrun ] || skip "python3-torch is not installed"
JOBS=20
take_ports 29500 29400
DAEMON_CONFIG=$WORK/railhead.yaml
echo "pools: [{instance_type: ml.c5.xlarge, scheduler: local, count: $JOBS, emulated: true}]" >"$DAEMON_CONFIG"

# Who has met its peer stays until all jobs have: they hold their ports at the same time.
mkdir "$WORK/source" "$WORK/here"
cat >"$WORK/source/meet.py" <<'MEET'
import os, pathlib, sys, time
import torch, torch.distributed
name, here, jobs = os.environ["NAME"], pathlib.Path(os.environ["HERE"]), int(os.environ["JOBS"])
torch.distributed.init_process_group("gloo")
rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
# Of another job's rank the sum would be another.
number = int(name.rpartition("-")[2]) + 1
total = torch.tensor([number * (rank + 1)])
torch.distributed.all_reduce(total)
assert world == 2 and int(total) == 3 * number, (world, int(total), number)
(here / f"{name}.{rank}").write_text(os.environ["MASTER_PORT"] + "\n")
end = time.monotonic() + 240
while len(list(here.iterdir())) < 2 * jobs:
    if time.monotonic() > end:
        sys.exit("the others are not there")
    time.sleep(0.2)
torch.distributed.destroy_process_group()
MEET
# shellcheck disable=SC2119 # no options
daemon_start
for ((i = 0; i < JOBS; i++)); do
    # Every tenth job is under the real torchrun.
    launcher=railhead
    [ $((i % 10)) != 9 ] || launcher=torchrun
    cat >"$WORK/meet.json" <<JSON
{"name": "meet-$i", "entry_point": "meet.py", "source_dir": "$WORK/source", "framework": "pytorch",
 "instance_type": "ml.c5.xlarge", "max_run": 280,
 "distribution": {"torch_distributed": {"enabled": true, "processes_per_host": 2, "launcher": "$launcher"}},
 "environment": {"HERE": "$WORK/here", "NAME": "meet-$i", "JOBS": "$JOBS"}}
JSON
    "$JOBCTL" submit "$WORK/meet.json" >"$WORK/submit.out" 2>&1 || sed 's/^/# /' "$WORK/submit.out"
done
for ((i = 0; i < JOBS; i++)); do
    wait_for meet-$i 300
    check_equal "meet-$i completes" "$(show meet-$i end.cause) $(show meet-$i failure_reason)" '"completed" null'
done
check_equal "$JOBS jobs have $JOBS ports" "$(cat "$WORK/here"/*.0 | sort -u | grep -c .)" $JOBS
check_equal "nobody has those that are taken" "$(cat "$WORK/here"/* | grep -Ec '29500|29400')" 0
finish
