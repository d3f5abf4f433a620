"""What supervision costs a training: the same ranks by hand and under railhead, by turns in random order."""

import glob
import json
import math
import os
import random
import socket
import statistics
import subprocess
import time

from daemon import Daemon, Failed

PYTHON = "/usr/bin/python3"
RANKS = 2
# Processor time of supervisors is looked at this often, and that of ranks by hand as well, for the looking costs too.
LOOK_SECONDS = 0.1


def spec_of(command):
    return {"base_name": "bench", "command": command, "instance_type": "local",
            "distribution": {"torch_distributed": {"enabled": True, "processes_per_host": RANKS}},
            "metric_definitions": [{"name": "train:loss", "regex": "loss=([0-9.eE+-]+)"}]}


def training_command(context, steps):
    return [PYTHON, os.path.join(context.source, "tests", "bench", "training.py"), str(steps)]


# --- the interval ---

def ratio_of_pairs(ours, beside):
    """The ratio, and its 95 % interval: the estimate of Hodges and Lehmann over the logarithms of the pairs' ratios, and
    the interval that belongs to Wilcoxon's signed ranks.  Sides take turns in random order, so that a logarithm lies as
    often above the true one as below, which is all that it assumes: a neighbour's burst widens no other pair."""
    logs = [math.log(a / b) for a, b in zip(ours, beside)]
    count = len(logs)
    means = sorted((logs[i] + logs[j]) / 2 for i in range(count) for j in range(i, count))
    spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    cut = max(0, math.floor(count * (count + 1) / 4 - statistics.NormalDist().inv_cdf(0.975) * spread))
    return math.exp(statistics.median(means)), math.exp(means[cut]), math.exp(means[-1 - cut])


# --- processor time of others ---

def cpu_seconds(pid):
    """Of a process with one thread, to the nanosecond; None once it is gone."""
    try:
        with open("/proc/%d/schedstat" % pid, encoding="ascii") as text:
            return int(text.read().split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return None


def daemon_cpu_seconds(daemon):
    """With its nursery, which forks the workers."""
    pid = daemon.process.pid
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as children:
        return sum(cpu_seconds(each) or 0 for each in [pid] + [int(child) for child in children.read().split()])


# --- one run ---

class Run:
    """What one training used, in seconds; what its supervisors used beside it."""

    def __init__(self, logs, worker=0.0, daemon=0.0):
        ranks = [self.last_line(log) for log in logs]
        self.steps_s = ranks[0]["steps_s"]
        self.cpu = sum(rank["cpu_s"] for rank in ranks)
        self.wall = max(rank["end_s"] for rank in ranks) - min(rank["start_s"] for rank in ranks)
        self.worker, self.daemon = worker, daemon

    @staticmethod
    def last_line(path):
        with open(path, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        try:
            return json.loads(lines[-1])
        except (IndexError, ValueError) as why:
            raise Failed("%s: no figures in its last line:\n%s" % (path, "\n".join(lines[-5:]))) from why


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def environment_by_hand(planned, folder, port):
    """That of the plan, but what only a worker's own view of the host has: /opt/ml and the name algo-1."""
    environment = dict(line.split("=", 1) for line in planned)
    environment = {name: value.replace("/opt/ml", folder) for name, value in environment.items()}
    environment.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    return environment


def run_by_hand(context, daemon, command):
    plan = daemon.ask("POST", "/v1/training-jobs?dry_run=true", spec_of(command))["plan"]
    folder = os.path.join(context.folder, "by-hand")
    cwd = os.path.join(folder, "output", "data")
    os.makedirs(cwd, exist_ok=True)
    port = free_port()
    logs = [os.path.join(folder, "rank-%d.log" % number) for number in range(RANKS)]
    ranks = []
    for rank, path in zip(plan["ranks"], logs):
        with open(path, "wb") as log:
            ranks.append(subprocess.Popen(rank["command"], cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env=environment_by_hand(rank["environment"], folder, port)))
    while any(rank.poll() is None for rank in ranks):
        for rank in ranks:
            cpu_seconds(rank.pid)
        time.sleep(LOOK_SECONDS)
    return Run(logs)


class Job:
    """A job that was submitted, seen by what its worker writes: a question to the daemon would cost it time."""

    def __init__(self, daemon, spec):
        job = daemon.ask("POST", "/v1/training-jobs", spec)
        self.name = job["name"]
        self.folder = os.path.join(daemon.folder, "state", "jobs", job["id"] + "-1-0")
        self.daemon = daemon

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """A job outlives its daemon: it is stopped here, if it has not ended."""
        if not self.line("ended"):
            self.daemon.ask("POST", "/v1/training-jobs/%s/stop" % self.name)
            self.await_line("ended")

    def read(self, name):
        """A file of the worker's; nothing when it is not there yet."""
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as text:
                return text.read()
        except FileNotFoundError:
            return ""

    def line(self, kind):
        """Of its journal; None when it is not there yet."""
        for text in self.read("journal.jsonl").splitlines(True):
            if text.endswith("\n") and json.loads(text)["kind"] == kind:
                return json.loads(text)
        return None

    def await_that(self, look, what, seconds=60):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = look()
            if found:
                return found
            time.sleep(0.02)
        raise Failed("%s: no %s within %d s" % (self.folder, what, seconds))

    def await_line(self, kind):
        return self.await_that(lambda: self.line(kind), "line " + kind)

    def await_output(self, words):
        self.await_that(lambda: words in self.read("rank-0.log"), "output " + words)


def run_under_railhead(daemon, command):
    before = daemon_cpu_seconds(daemon)
    worker = 0.0
    with Job(daemon, spec_of(command)) as job:
        pid = job.await_line("ready")["pid"]
        while not job.line("ended"):
            worker = max(worker, cpu_seconds(pid) or 0)
            time.sleep(LOOK_SECONDS)
        end = job.line("ended")
    if end["cause"] != "completed":
        raise Failed("%s: %s" % (job.name, end))
    return Run(sorted(glob.glob(os.path.join(job.folder, "rank-*.log"))), worker,
               daemon_cpu_seconds(daemon) - before)


# --- many runs ---

def keep_pair(context, ours, beside):
    keep = context.keep
    keep("supervision.cpu", ours.cpu)
    keep("supervision.cpu.by_hand", beside.cpu)
    keep("supervision.all_cpu", ours.cpu + ours.worker + ours.daemon)
    keep("supervision.wall", ours.wall)
    keep("supervision.wall.by_hand", beside.wall)
    keep("supervision.worker_percent", 100 * ours.worker / ours.wall)
    keep("supervision.daemon_percent", 100 * ours.daemon / ours.wall)


def half_width(context):
    """The wider of both intervals, as a part of 1."""
    widths = []
    for what in ("cpu", "wall"):
        key = "supervision." + what
        mean, least, most = ratio_of_pairs(context.samples[key], context.samples[key + ".by_hand"])
        widths.append((most - least) / 2 / mean)
    return max(widths)


def measure_pairs(context, daemon):
    """Until the intervals are narrow, within the least and the most number of pairs."""
    context.step("supervision: how many steps are %d s" % context.train_s)
    trial = 200
    trial_s = run_by_hand(context, daemon, training_command(context, trial)).steps_s
    command = training_command(context, max(1, round(trial * context.train_s / trial_s)))
    sides = {"ours": lambda: run_under_railhead(daemon, command),
             "beside": lambda: run_by_hand(context, daemon, command)}
    began = time.monotonic()
    width = None
    for number in range(context.pairs_most):
        label = "supervision: pair %d of %d to %d" % (number + 1, context.pairs_least, context.pairs_most)
        if number:
            each = (time.monotonic() - began) / number
            label += ", %.0f s each" % each
        context.step(label + (", +-%.2f %%" % (100 * width) if width else ""))
        keep_pair(context, **{side: sides[side]() for side in random.sample(sorted(sides), 2)})
        width = half_width(context) if number >= 2 else None
        if number + 1 >= context.pairs_least and width and width <= context.width:
            break


def measure_idle(context, daemon):
    """Both ranks sleep: what is left is the worker's own."""
    with Job(daemon, spec_of(["/bin/sleep", str(context.idle_s + 60)])) as job:
        pid = job.await_line("ready")["pid"]
        job.await_line("launched")
        context.step("supervision: an idle worker, %d s" % context.idle_s)
        time.sleep(1)
        began, before = time.monotonic(), cpu_seconds(pid)
        time.sleep(context.idle_s)
        context.keep("supervision.idle_percent", 100 * (cpu_seconds(pid) - before) / (time.monotonic() - began))


def measure_supervision(context):
    with Daemon(context, [("local", "local", 1)]) as daemon:
        measure_idle(context, daemon)
        measure_pairs(context, daemon)
