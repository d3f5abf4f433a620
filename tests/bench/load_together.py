"""Many followers of a log and many submits a second, together: memory, and how much later submits are answered."""

import json
import os
import re
import resource
import select
import socket
import time

from daemon import Daemon, Failed
from submits import FAKE

TALKER = "ml.c5.2xlarge"
# They end, too: memory is that of a daemon in use, not of a queue that grows.
BODY = json.dumps({"name": "@", "command": ["/bin/true"], "instance_type": FAKE, "fake": {"run_ms": 1000}},
                  separators=(",", ":"))
LINES_PER_SECOND = 20
SUBMIT_CONNECTIONS = 64


def raise_file_limit(wanted):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise Failed("%d open files are needed, the limit is %d" % (wanted, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connected(port):
    made = socket.create_connection(("127.0.0.1", port), timeout=20)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class Child:
    """A function in a process of its own, which returns a value; each of the two loads has a processor for itself."""

    def __init__(self, function, *arguments):
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                answer = {"value": function(*arguments)}
            except Exception as why:  # pylint: disable=broad-except
                answer = {"why": repr(why)}
            with os.fdopen(writer, "w") as out:
                json.dump(answer, out)
            os._exit(0)
        os.close(writer)

    def value(self):
        with os.fdopen(self.reader) as answer:
            told = json.loads(answer.read() or '{"why": "died"}')
        os.waitpid(self.pid, 0)
        if "why" in told:
            raise Failed(told["why"])
        return told["value"]


# --- submits, at their times: who is late is not asked less ---

class Submitter:
    """One connection, which has one request on its way at most."""

    def __init__(self, port):
        self.connection, self.due, self.got = connected(port), None, b""

    def ask(self, due, name):
        body = BODY.replace("@", name).encode()
        self.due, self.got = due, b""
        self.connection.sendall(b"POST /v1/training-jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    def hear(self):
        """Microseconds from when it was due to the answer, or None: it is not whole."""
        piece = self.connection.recv(65536)
        self.got += piece
        head, found, body = self.got.partition(b"\r\n\r\n")
        if not piece or (found and not self.got.startswith(b"HTTP/1.1 201")):
            raise Failed("submit: %r" % self.got[:300])
        if not found or len(body) < int(re.search(rb"(?i)content-length: (\d+)", head).group(1)):
            return None
        return round((time.monotonic() - self.due) * 1e6)


def submit_at_rate(port, prefix, rate, seconds):
    """Microseconds of each submit, from the instant at which it was due."""
    free = [Submitter(port) for _ in range(SUBMIT_CONNECTIONS)]
    busy, times, sent = {}, [], 0
    began = time.monotonic()
    while len(times) < rate * seconds:
        due = began + sent / rate
        while free and sent < rate * seconds and due <= time.monotonic():
            one = free.pop()
            one.ask(due, "%s%d" % (prefix, sent))
            busy[one.connection] = one
            sent += 1
            due = began + sent / rate
        wait = max(0, due - time.monotonic()) if free and sent < rate * seconds else 20
        ready = select.select(list(busy), [], [], wait)[0]
        if not ready and wait == 20:
            raise Failed("no answer to a submit for 20 s")
        for each in ready:
            took = busy[each].hear()
            if took is not None:
                times.append(took)
                free.append(busy.pop(each))
    return times


# --- followers ---

def follow(port, job, count, ready):
    """How many followers got how many bytes, as a list of [bytes, lines, followers]."""
    poll = select.epoll()
    text = {}
    by_number = {}
    for _ in range(count):
        one = connected(port)
        # Without chunks, which 1.0 does not know: the body is all that comes.
        one.sendall(b"GET /v1/training-jobs/%s/logs?follow=true HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n" % job.encode())
        by_number[one.fileno()] = one
        text[one.fileno()] = bytearray()
        poll.register(one, select.EPOLLIN)
    os.write(ready, b"x")
    left = count
    while left:
        found = poll.poll(60)
        if not found:
            raise Failed("%d followers hear nothing for 60 s" % left)
        for number, _ in found:
            piece = by_number[number].recv(65536)
            text[number] += piece
            if not piece:
                poll.unregister(number)
                left -= 1
    kinds = {}
    for each in text.values():
        body = bytes(each).partition(b"\r\n\r\n")[2]
        kinds[body] = kinds.get(body, 0) + 1
    return [[len(body), body.count(b"\n"), times] for body, times in kinds.items()]


def start_talker(daemon, seconds):
    """A job that prints its lines evenly until then; its name, and how many lines."""
    lines = LINES_PER_SECOND * seconds
    program = ("import time\nbegan = time.monotonic()\nfor i in range(%d):\n"
               "    time.sleep(max(0, began + i / %d - time.monotonic()))\n    print('line', i, flush=True)\n"
               % (lines, LINES_PER_SECOND))
    job = daemon.ask("POST", "/v1/training-jobs", {"name": "talker", "command": ["/usr/bin/python3", "-c", program],
                                                   "instance_type": TALKER})
    return job["name"], lines


def measure_load(context):
    raise_file_limit(context.followers + 1000)
    pools = [(FAKE, "fake", 4 * context.submit_rate), (TALKER, "local", 1)]
    limits = "{connections: %d, connections_per_client: %d}" % ((context.followers + 100,) * 2)
    with Daemon(context, pools, limits=limits) as daemon:
        context.step("%d submits/s, without followers" % context.submit_rate)
        quiet = Child(submit_at_rate, daemon.port, "quiet-", context.submit_rate, context.load_s).value()
        context.keep("load.rss_before_mib", daemon.memory_kib()[0] / 1024)
        # The followers come in the first seconds, and what is submitted ends before the log does.
        job, lines = start_talker(daemon, context.load_s + 10)
        reader, writer = os.pipe()
        followers = Child(follow, daemon.port, job, context.followers, writer)
        os.close(writer)
        if not os.read(reader, 1):
            raise Failed("the followers did not come: " + repr(followers.value()))
        os.close(reader)
        context.step("%d submits/s, with %d followers" % (context.submit_rate, context.followers))
        cpu = daemon.cpu_ms()
        busy = Child(submit_at_rate, daemon.port, "busy-", context.submit_rate, context.load_s).value()
        context.keep("load.cpu_percent", (daemon.cpu_ms() - cpu) / context.load_s / 10)
        context.keep("load.rss_mib", daemon.memory_kib()[0] / 1024)
        got = followers.value()
    if [each[1:] for each in got] != [[lines, context.followers]]:
        raise Failed("not all of %d followers got %d lines: %s" % (context.followers, lines, got))
    context.keep("load.followers_with_all_lines", context.followers)
    for name, times in (("quiet", quiet), ("busy", busy)):
        ordered = sorted(times)
        context.keep("load.%s.p50_ms" % name, ordered[len(ordered) // 2] / 1000)
        context.keep("load.%s.p99_ms" % name, ordered[len(ordered) * 99 // 100] / 1000)
