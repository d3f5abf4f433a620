#!/bin/bash
# Real gloo over 2 workers x 2 ranks, by our own launch and by torchrun; and what a rank's death leads to.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"
. "$(dirname "$0")/../lib/torch.sh"

cat >"$WORK/reduce.py" <<'PYTHON'
import os, sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(value)
print(f"sum={value.item():.0f} world={dist.get_world_size()}", flush=True)
dist.barrier()
if "--die" in sys.argv and dist.get_rank() == 3:
    os._exit(17)
if "--die" in sys.argv:
    dist.barrier()
PYTHON

for launcher in railhead torchrun; do
    torch_job $launcher reduce.py $launcher '{}'
    for worker in 0 1; do
        folder=$WORK/$launcher-1-$worker
        check_equal "$launcher: worker $worker is completed" "$(ended "$folder" cause)" '"completed"'
        check_equal "$launcher: worker $worker's two ranks have the sum over all four" \
            "$(cat "$folder"/rank-*.log | grep -o 'sum=10 world=4' | grep -c .)" 2 # torchrun's ranks share a pipe: lines can mix
    done
done
check_equal "our launch keeps a log a rank" "$(cd "$WORK" && echo railhead-1-*/rank-*.log)" \
    "railhead-1-0/rank-0.log railhead-1-0/rank-1.log railhead-1-1/rank-2.log railhead-1-1/rank-3.log"
check_equal "torchrun has a log a worker" "$(cd "$WORK" && echo torchrun-1-*/rank-*.log)" \
    "torchrun-1-0/rank-0.log torchrun-1-1/rank-1.log"

torch_job death reduce.py railhead '{"die": 1}'
folder=$WORK/death-1-1
check_equal "a rank that dies fails its worker" "$(ended "$folder" cause)" '"failed"'
check_equal "the rank that died is named" "$(ended "$folder" first_failing_rank)" 3
check_equal "its exit code is kept" "$(ended "$folder" exit_code)" 17
finish
