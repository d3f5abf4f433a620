"""A small data-parallel training, as one rank of it runs: DistributedDataParallel over gloo.

training.py seconds S    as many steps as rank 0 makes in that time; the last line says how many
training.py steps N      the same work each time

A line with its loss twice a second; the last line is JSON: what this rank used, and from when to when it was there.
"""

import json
import os
import resource
import sys
import time

PRINT_SECONDS = 0.5


def start_of_this_process():
    """Seconds of CLOCK_BOOTTIME, from /proc/self/stat: before the interpreter was loaded."""
    with open("/proc/self/stat", encoding="ascii") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")


def cpu_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def train(unit, amount):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    layers = [torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(),
              torch.nn.Linear(512, 1)]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    features = torch.randn(4096, 256)
    wanted = features[:, :8].sum(1, keepdim=True)
    began = printed = time.monotonic()
    step = 0
    go_on = torch.ones(1)
    while go_on.item():
        rows = torch.randint(0, len(features), (256,))
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(features[rows]), wanted[rows])
        loss.backward()
        optimizer.step()
        step += 1
        now = time.monotonic()
        if now - printed >= PRINT_SECONDS:
            printed = now
            print("step=%d loss=%.6f" % (step, loss.item()), flush=True)
        if unit == "steps":
            go_on[0] = step < amount
        else:
            go_on[0] = now - began < amount
            dist.broadcast(go_on, 0)
    dist.destroy_process_group()
    return step


def main():
    step = train(sys.argv[1], float(sys.argv[2]))
    print(json.dumps({"steps": step, "cpu_s": cpu_seconds(), "start_s": start_of_this_process(),
                      "end_s": time.clock_gettime(time.CLOCK_BOOTTIME)}), flush=True)


if __name__ == "__main__":
    main()
