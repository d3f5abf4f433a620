"""What it costs to take a job on: durable submits over HTTP, and the memory of live jobs."""

import json
import os
import subprocess

from daemon import Daemon, Failed

CONNECTIONS = (1, 32, 128)
FAKE = "ml.c5.xlarge"
# Queued or running for long: taking on is measured, not running.
BODY = json.dumps({"name": "@", "command": ["/bin/true"], "instance_type": FAKE,
                   "fake": {"run_ms": 3600000}}, separators=(",", ":"))


class BareHttp:
    """libmicrohttpd with nothing behind it, or with one row a request in a database."""

    def __init__(self, context, database=None):
        self.process = subprocess.Popen([context.program("bare_http")] + ([database] if database else []),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def load(context, port, connections, prefix, body=BODY, count=0, msec=None):
    return context.tool("load", port, connections, msec or context.msec, count, prefix, body)


def keep(context, key, answer):
    for unit in ("per_second", "p50_us", "p99_us"):
        context.keep("%s.%s" % (key, unit), answer[unit])


def daemon_slice(context, daemon, connections, number):
    """Returns how many jobs a commit carried on average."""
    key = "submit.%d." % connections
    commits = daemon.health()["commits"]
    cpu = daemon.cpu_ms()
    answer = load(context, daemon.port, connections, "job-%d-" % number)
    cpu = daemon.cpu_ms() - cpu
    commits = max(1, daemon.health()["commits"] - commits)
    keep(context, key + "railhead", answer)
    context.keep(key + "jobs_per_commit", answer["count"] / commits)
    context.keep(key + "cpu_us", cpu * 1000 / answer["count"])
    return max(1, round(answer["count"] / commits))


def disk(context, key, verb, *arguments):
    path = os.path.join(context.folder, "disk")
    keep(context, key, context.tool("disk", verb, path, context.msec // 2, *arguments))
    context.remove(path)


def slices(context, connections, bare, prototype, daemon):
    """All servers are there all the time, and one works at a time: A B C A B C."""
    key = "submit.%d." % connections
    for port in (bare.port, prototype.port, daemon.port):
        load(context, port, connections, "warm-", msec=50)
    for number in range(context.slices):
        context.step("durable submits, %d connection%s, slice %d of %d"
                     % (connections, "s" if connections > 1 else "", number + 1, context.slices))
        disk(context, "disk.%d.append" % connections, "append")
        group = daemon_slice(context, daemon, connections, number)
        disk(context, "disk.%d.row" % connections, "rows", 1)
        disk(context, "disk.%d.group" % connections, "rows", group)
        keep(context, key + "prototype", load(context, prototype.port, connections, "job-%d-" % number))
        keep(context, key + "bare", load(context, bare.port, connections, "job-%d-" % number))


def measure_submits(context):
    for connections in CONNECTIONS:
        database = os.path.join(context.folder, "bare.db")
        with BareHttp(context) as bare, BareHttp(context, database) as prototype, \
                Daemon(context, [(FAKE, "fake", 4)]) as daemon:
            slices(context, connections, bare, prototype, daemon)
        context.remove(database)


def measure_memory(context):
    context.step("memory with %d live jobs" % context.live_jobs)
    with Daemon(context, [(FAKE, "fake", context.live_jobs)]) as daemon:
        rss, pss = daemon.memory_kib()
        context.keep("memory.empty.rss_mib", rss / 1024)
        context.keep("memory.empty.pss_mib", pss / 1024)
        load(context, daemon.port, 32, "live-", count=context.live_jobs, msec=60000)
        if daemon.health()["live_jobs"] != context.live_jobs:
            raise Failed("not all of %d jobs live" % context.live_jobs)
        rss, pss = daemon.memory_kib()
        context.keep("memory.live.rss_mib", rss / 1024)
        context.keep("memory.live.pss_mib", pss / 1024)
