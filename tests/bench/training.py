"""A small data-parallel training, as one rank of it runs: DistributedDataParallel over gloo.

training.py STEPS

A line with its loss twice a second; the last line is JSON: what this rank used, from when to when it was there, and how long
its steps took.  Its matrices fit into the cache of a core: larger ones cost more or less by where the kernel puts their pages.
"""

import json
import os
import resource
import socket
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


def await_rank_0():
    """Who comes before rank 0 listens is made to wait a whole second by the library, now and then."""
    place = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    while os.environ["RANK"] != "0":
        try:
            socket.create_connection(place).close()
            return
        except OSError:
            time.sleep(0.005)


def train(steps):
    import torch
    import torch.distributed as dist

    await_rank_0()
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    layers = [torch.nn.Linear(256, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    features = torch.randn(4096, 256)
    wanted = features[:, :8].sum(1, keepdim=True)
    began = printed = time.monotonic()
    for step in range(steps):
        rows = torch.randint(0, len(features), (256,))
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(features[rows]), wanted[rows])
        loss.backward()
        optimizer.step()
        now = time.monotonic()
        if now - printed >= PRINT_SECONDS:
            printed = now
            print("step=%d loss=%.6f" % (step, loss.item()), flush=True)
    dist.destroy_process_group()
    return time.monotonic() - began


def main():
    steps_s = train(int(sys.argv[1]))
    print(json.dumps({"steps_s": steps_s, "cpu_s": cpu_seconds(), "start_s": start_of_this_process(),
                      "end_s": time.clock_gettime(time.CLOCK_BOOTTIME)}), flush=True)


if __name__ == "__main__":
    main()
