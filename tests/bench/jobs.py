"""What it costs to run a job: jobs a second to the end, with and without a history, and the first instruction."""

import glob
import json
import os
import socket
import tempfile
import time

from daemon import Daemon, Failed
from submits import FAKE, load

TRUE = "/bin/true"
# The state of a daemon is asked for this often while jobs run: cheap, and a small part of a batch.
POLL_SECONDS = 0.02


def body_of(command, instance_type, **more):
    return json.dumps({"name": "@", "command": command, "instance_type": instance_type, **more},
                      separators=(",", ":"))


def run_batch(context, daemon, prefix, body, count):
    """Jobs a second from the first submit to the last end, all of them queued at once."""
    began = time.monotonic()
    load(context, daemon.port, 32, prefix, body, count, 60000)
    daemon.wait_until_idle(POLL_SECONDS)
    return count / (time.monotonic() - began)


def check_all_completed(daemon, count):
    """A job that failed early would look fast."""
    for job in daemon.ask("GET", "/v1/training-jobs?limit=%d" % min(count, 1000))["items"]:
        if job["status"] != "Completed":
            raise Failed("job %s is %s" % (job["name"], job["status"]))


# --- end to end ---

def spawn_rounds(context, journal_bytes):
    """Both peers, each with the parallelism that suits it best in this round."""
    best = {}
    for kind, parallel in (("alone", 1), ("pair", 1), ("alone", 2), ("pair", 2), ("pair", 4)):
        if kind == "alone":
            answer = context.tool("spawn", "many", parallel, context.spawns, TRUE)
        else:
            # Kept until the end: ext4 looks past inodes that were freed in the last minutes, so who removes
            # thousands of them makes every file of the next round dear.
            pairs = tempfile.mkdtemp(prefix="pairs-", dir=context.folder)
            answer = context.tool("spawn", "many", parallel, context.spawns // 2,
                                  context.program("bare_parent"), journal_bytes, TRUE, pairs, "@")
        context.keep("jobs.%s.%d.per_second" % (kind, parallel), answer["per_second"])
        if answer["per_second"] > best.get(kind, {"per_second": 0})["per_second"]:
            best[kind] = answer
    for kind, answer in best.items():
        context.keep("jobs.%s.best.per_second" % kind, answer["per_second"])
        context.keep("jobs.%s.best.cpu_ms" % kind, answer["cpu_ms_each"])


def daemon_batch(context, daemon, slots, number):
    key = "jobs.railhead.%d" % slots
    commits = daemon.health()["commits"]
    before = daemon.cpu_ms()
    context.keep(key + ".per_second",
                 run_batch(context, daemon, "job-%d-" % number, body_of([TRUE], "local"), context.batch))
    after = daemon.cpu_ms()
    context.keep(key + ".daemon_cpu_ms", (after - before) / context.batch)
    context.keep(key + ".commits", (daemon.health()["commits"] - commits) / context.batch)


def journal_size(daemon):
    daemon.ask("POST", "/v1/training-jobs", {"name": "size", "command": [TRUE], "instance_type": "local"})
    daemon.wait_until_idle(POLL_SECONDS)
    found = glob.glob(os.path.join(daemon.folder, "state", "jobs", "**", "journal.jsonl"), recursive=True)
    if len(found) != 1:
        raise Failed("one job left %d journals" % len(found))
    return os.path.getsize(found[0])


def measure_jobs(context):
    with Daemon(context, [("local", "local", 4)]) as four, Daemon(context, [("local", "local", 8)]) as eight:
        size = journal_size(four)
        context.keep("jobs.journal_bytes", size)
        for number in range(context.batches):
            context.step("jobs to the end, round %d of %d: peers" % (number + 1, context.batches))
            spawn_rounds(context, size)
            for slots, daemon in ((4, four), (8, eight)):
                context.step("jobs to the end, round %d of %d: %d slots" % (number + 1, context.batches, slots))
                daemon_batch(context, daemon, slots, number)
        for daemon in (four, eight):
            check_all_completed(daemon, context.batch * context.batches)


# --- after a history ---

def make_history(context, daemon):
    """By the fake scheduler, ten equal parts: their rates show a slope if there is one."""
    part = context.history // 10
    for number in range(10):
        context.step("history, %d of %d jobs" % (part * number, context.history))
        body = body_of([TRUE], FAKE, fake={"run_ms": 0})
        context.keep("history.fake.per_second", run_batch(context, daemon, "old-%d-" % number, body, part))


def wrap_log(context, daemon):
    """The database's log is written over in place once it has wrapped, which syncs faster than a file that grows.
    The aged daemon's has; so must the fresh one's. A thousand commits of five pages and more do it."""
    context.step("history of the fresh daemon")
    load(context, daemon.port, 1, "wrap-", body_of([TRUE], FAKE, fake={"run_ms": 0}), 1000, 60000)
    daemon.wait_until_idle(POLL_SECONDS)


def list_times(context, daemon, key, path):
    for _ in range(20):
        before = time.monotonic()
        daemon.ask("GET", path)
        context.keep(key, (time.monotonic() - before) * 1000)


def measure_history(context):
    pools = [(FAKE, "fake", 1000), ("local", "local", 4)]
    with Daemon(context, pools) as fresh, Daemon(context, pools) as aged:
        wrap_log(context, fresh)
        make_history(context, aged)
        for number in range(context.rounds):
            context.step("jobs after a history, round %d of %d" % (number + 1, context.rounds))
            turns = [("fresh", fresh), ("aged", aged)]
            for key, daemon in turns if number % 2 else reversed(turns):
                context.keep("history.%s.per_second" % key,
                             run_batch(context, daemon, "new-%d-" % number, body_of([TRUE], "local"),
                                       context.batch))
        for daemon in (fresh, aged):
            check_all_completed(daemon, context.batch * context.rounds)
        list_times(context, aged, "history.page_ms", "/v1/training-jobs?limit=100")
        list_times(context, aged, "history.page_live_ms", "/v1/training-jobs?limit=100&status=InProgress")
        context.keep("history.rss_mib", aged.memory_kib()[0] / 1024)


# --- the first instruction ---

def submit_and_time(connection, request, path):
    """Microseconds from before the request is sent to the program's own first act."""
    before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    connection.sendall(request)
    if not connection.recv(65536).startswith(b"HTTP/1.1 201"):
        raise Failed("submit was refused")
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if os.path.exists(path):
            with open(path, encoding="ascii") as text:
                line = text.read()
            if line.endswith("\n"):
                return (int(line) - before) // 1000
        time.sleep(0.005)
    raise Failed("%s: not written within 20 s" % path)


def first_of_daemon(context, daemon, connection, number):
    path = os.path.join(context.folder, "first-%d" % number)
    body = body_of([context.program("first"), path], "local").replace("@", "first-%d" % number)
    request = ("POST /v1/training-jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
               "Content-Length: %d\r\n\r\n%s" % (len(body), body)).encode()
    context.keep("first.railhead.us", submit_and_time(connection, request, path))
    daemon.wait_until_idle(0.005)
    os.unlink(path)


def measure_first(context):
    path = os.path.join(context.folder, "first-alone")
    with Daemon(context, [("local", "local", 1)]) as daemon:
        connection = socket.create_connection(("127.0.0.1", daemon.port), timeout=20)
        with connection:
            for number in range(context.firsts):
                if number % 20 == 0:
                    context.step("first instruction, %d of %d" % (number, context.firsts))
                    for each in context.tool("spawn", "first", 20, context.program("first"), path)["us"]:
                        context.keep("first.alone.us", each)
                first_of_daemon(context, daemon, connection, number)
        check_all_completed(daemon, context.firsts)
