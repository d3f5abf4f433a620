"""Attacks a railheadd, and serves as its honest client meanwhile: hostile_clients.py PID SOCKET PORT.

Limits that the daemon must have: connections 96, of a client 64, held 16 MiB, bodies 1 MiB; headers 1 s, bodies 1 s,
idle 1 s.  One line "ok NAME" or "not ok NAME" for each thing that must hold of each attack.
"""

import contextlib
import json
import os
import socket
import sys
import time

PID, PATH, PORT = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
PER_CLIENT = 64
JOBS = b"/v1/training-jobs"
END = b"Connection: close"
# What half of the tests' bodies and answers may take, the connections' own buffers, and what malloc keeps of it.
GROWTH_MIB = 48
# A loaded machine is slow by itself: the bound says that nobody waits for an attacker, whose limits are 1 s and more.
LATENCY_S = 0.8
# A limit of 1 s, the sweep that looks for it, and a machine that does something else.
CUT_S = 1 + 2
# So many answers of some 14 kB are more than the kernel's buffers take.
UNREAD = 500
failures = []


def told(name, ok, why=""):
    print("ok " + name if ok else "not ok %s\n#   %s" % (name, why), flush=True)
    if not ok:
        failures.append(name)


def rss_mib():
    with open("/proc/%d/status" % PID, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def cpu_s():
    with open("/proc/%d/stat" % PID, encoding="ascii") as stat:
        field = stat.read().rsplit(")", 1)[1].split()
    return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK")


def descriptors():
    return len(os.listdir("/proc/%d/fd" % PID))


def by_tcp(read_bytes=None):
    made = socket.socket()
    made.settimeout(10)
    if read_bytes:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, read_bytes)
    made.connect(("127.0.0.1", PORT))
    return made


def by_socket():
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(10)
    made.connect(PATH)
    return made


def head(method=b"GET", path=b"/healthz", *headers):
    return b"\r\n".join((method + b" " + path + b" HTTP/1.1", b"Host: localhost") + headers) + b"\r\n\r\n"


def rest_of(connection):
    """All that comes until the end; a reset is an end, too."""
    got = b""
    with contextlib.suppress(OSError):
        while piece := connection.recv(65536):
            got += piece
    return got


def status_of(answer):
    """The status, and the code of the problem."""
    if not answer.startswith(b"HTTP/1.1 "):
        return None, None
    body = answer.partition(b"\r\n\r\n")[2]
    try:
        return int(answer.split()[1]), json.loads(body).get("code")
    except ValueError:
        return int(answer.split()[1]), None


class Honest:
    """Asks for /healthz at the unix socket, one connection each, and knows the slowest answer."""

    def __init__(self):
        self.slowest, self.failed = 0, None

    def ask(self):
        began = time.monotonic()
        with by_socket() as connection:
            connection.sendall(head(b"GET", b"/healthz", END))
            answer = rest_of(connection)
        self.slowest = max(self.slowest, time.monotonic() - began)
        if status_of(answer)[0] != 200:
            self.failed = answer[:200]


def close(connections):
    for each in connections:
        each.close()
    time.sleep(0.1)  # the daemon sees that they are gone


def has_ended(connection):
    """Whether the other side has closed; what came is read and dropped."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def attack(name, connections, step, within):
    """Has `step` called on each connection until the daemon has cut them all."""
    honest, before, began = Honest(), rss_mib(), time.monotonic()
    left, most = list(connections), before
    while left and time.monotonic() - began < within:
        for connection in left:
            with contextlib.suppress(OSError):
                step(connection)
        honest.ask()
        most = max(most, rss_mib())
        left = [each for each in left if not has_ended(each)]
        time.sleep(0.05)
    close(connections)
    told("%s: all are cut within %d s" % (name, within), not left,
         "%d of %d were not" % (len(left), len(connections)))
    steady(name, honest, most - before)


def steady(name, honest, grown):
    print("# %s: VmRSS %+.1f MiB, the slowest answer %.0f ms" % (name, grown, honest.slowest * 1000))
    told(name + ": memory stays", grown < GROWTH_MIB, "VmRSS grew by %.1f MiB" % grown)
    told(name + ": an honest client is served meanwhile", honest.failed is None and honest.slowest < LATENCY_S,
         "slowest %.3f s, failed %s" % (honest.slowest, honest.failed))


def nothing(_):
    pass


def trickle(connection):
    connection.setblocking(False)
    connection.send(b"a")


def many(first, count=PER_CLIENT - 4, **how):
    made = []
    for _ in range(count):
        connection = by_tcp(**how)
        connection.sendall(first)
        made.append(connection)
    return made


def ask(request, connect=by_tcp):
    """The answer to one request whose connection the daemon is expected to close."""
    with connect() as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request)
        return rest_of(connection)


def answers(name, wanted, request, within=CUT_S):
    began = time.monotonic()
    got = status_of(ask(request))
    took = time.monotonic() - began
    told("%s is answered %s" % (name, " ".join(str(each) for each in wanted if each)),
         got[0] == wanted[0] and wanted[1] in (None, got[1]) and took < within, "got %s after %.1f s" % (got, took))


# --- slowness ---

def slow_clients():
    attack("connections that never send", many(b""), nothing, CUT_S)
    attack("headers byte by byte", many(b"GET /healthz HTTP/1.1\r\nX: "), trickle, CUT_S)
    attack("bodies byte by byte", many(head(b"POST", JOBS, b"Content-Length: 100000")), trickle, CUT_S)
    attack("chunked bodies byte by byte",
           many(head(b"POST", JOBS, b"Transfer-Encoding: chunked") + b"186A0\r\n"), trickle, CUT_S)
    attack("a second request byte by byte", many(head() + b"GET /healthz HTTP/1.1\r\nX: "), trickle, 1 + CUT_S)
    attack("connections that ask nothing more", many(head()), nothing, CUT_S)
    answers("a request whose headers do not end", (408, "request_timeout"), b"GET /healthz HTTP/1.1\r\n")
    answers("a body that does not come", (408, "request_timeout"), head(b"POST", JOBS, b"Content-Length: 10"))


def half_open():
    """The client has said that nothing more comes, and reads on."""
    connections = many(b"GET /healthz HTTP/1.1\r\n")
    for each in connections:
        each.shutdown(socket.SHUT_WR)
    attack("half-open connections", connections, nothing, CUT_S)


# --- size ---

def large_heads():
    answers("a URL of 10 KiB", (414, "uri_too_long"), head(b"GET", b"/" + b"a" * 10000, END))
    answers("a query of 10 KiB", (414, "uri_too_long"), head(b"GET", JOBS + b"?name=" + b"a" * 10000, END))
    answers("headers of 18 KiB", (431, "headers_too_large"), head(b"GET", b"/healthz", b"X: " + b"a" * 18000, END))
    answers("a URL of 1 MiB", (414, None), head(b"GET", b"/" + b"a" * (1 << 20)))
    answers("headers of 1 MiB", (431, None), head(b"GET", b"/healthz", b"X: " + b"a" * (1 << 20)))
    answers("20,000 headers", (431, None), head(b"GET", b"/healthz", *[b"a: b"] * 20000))
    attack("headers without end", many(b"GET /healthz HTTP/1.1\r\n"),
           lambda connection: connection.send(b"X: " + b"a" * 1000 + b"\r\n"), CUT_S)


def lying_bodies():
    post = lambda *headers: head(b"POST", JOBS, *headers)
    answers("a length below nothing", (400, None), post(b"Content-Length: -5") + b"12345")
    answers("a length that no number holds", (413, None), post(b"Content-Length: " + b"9" * 30))
    answers("two lengths", (400, "invalid_header"), post(b"Content-Length: 2", b"Content-Length: 40") + b"{}")
    answers("a length and chunks", (400, "invalid_header"),
            post(b"Content-Length: 2", b"Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n\r\n")
    answers("an encoding that is not known", (400, "invalid_header"), post(b"Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n")
    chunked = post(b"Transfer-Encoding: chunked")
    answers("a chunk of another size than it says", (400, None), chunked + b"2\r\n{}}}}}\r\n0\r\n\r\n")
    answers("a chunk with a size that is none", (400, None), chunked + b"-2\r\n{}\r\n")
    answers("a chunk of 2^64 bytes", (413, None), chunked + b"10000000000000000\r\n")
    answers("more than the limit in chunks", (413, "payload_too_large"),
            post(b"Transfer-Encoding: chunked", END) + b"200000\r\n" + b" " * 0x200000 + b"\r\n0\r\n\r\n")
    attack("chunks without end", many(chunked), lambda connection: connection.send(b"100\r\n" + b" " * 256 + b"\r\n"),
           CUT_S)


def lines_between_chunks():
    """The library waits for their end, for which it has no room, and has itself called all the time."""
    began, before = time.monotonic(), cpu_s()
    chunked = head(b"POST", JOBS, b"Transfer-Encoding: chunked")
    answers("a chunk's size line without end", (400, "invalid"), chunked + b"1;" + b"a" * 100000)
    answers("a trailer without end", (431, None), chunked + b"0\r\nX: " + b"a" * 100000)
    attack("size lines without end", many(chunked + b"1;" + b"a" * 40000), nothing, CUT_S)
    told("lines without end: the daemon does not burn for it", cpu_s() - before < (time.monotonic() - began) / 2 + 1,
         "%.1f s of CPU in %.1f s" % (cpu_s() - before, time.monotonic() - began))


# --- memory ---

def held_bodies():
    """Each one byte short: at most half of 16 MiB are kept of one client."""
    honest, before, most = Honest(), rss_mib(), 0
    connections = many(b"", 48)
    part = head(b"POST", JOBS, b"Content-Length: 1000000") + b" " * 999999
    for each in connections:
        each.settimeout(5)
        with contextlib.suppress(OSError):
            each.sendall(part)
        honest.ask()
        most = max(most, rss_mib())
    got = []
    for each in connections:
        with contextlib.suppress(OSError):
            each.sendall(b" ")
            got.append(status_of(each.recv(65536))[0])
    close(connections)
    told("bodies of 1 MB: some are refused for what the others hold", 429 in got, "got %s" % got)
    steady("bodies of 1 MB", honest, most - before)


def unread_answers():
    """Asks for large answers by pipelining, and reads none."""
    honest = Honest()
    before = most = rss_mib()
    files = descriptors()
    connections = many(head(b"GET", b"/v1/instance-types") * UNREAD, 10, read_bytes=4096)
    began = time.monotonic()
    # The kernel moves some of it for a while though nobody reads.
    while descriptors() > files and time.monotonic() - began < 3 + CUT_S:
        honest.ask()
        most = max(most, rss_mib())
        time.sleep(0.05)
    left = descriptors() - files
    close(connections)
    told("answers that nobody reads: all are cut", left <= 0, "%d were not" % left)
    steady("answers that nobody reads", honest, most - before)


def pipelining():
    """A request is answered after the other, in their order, however many come at once."""
    with by_tcp() as connection:
        connection.sendall(head() * 500 + head(b"GET", b"/v1/nothing", END))
        answer = rest_of(connection)
    told("500 requests at once are answered in their order",
         answer.count(b"HTTP/1.1 200") == 500 and answer.count(b"HTTP/1.1 404") == 1
         and answer.rindex(b"HTTP/1.1 200") < answer.index(b"HTTP/1.1 404"), "%d bytes" % len(answer))


# --- numbers ---

def flood(connect, count):
    """Opens so many, a hundred at a time, and asks on none; whether each hundred was told why it was let go."""
    opened, untold, refused = 0, 0, 0
    kept = [connect() for _ in range(PER_CLIENT)]
    while opened < count:
        lot = []
        for _ in range(100):
            with contextlib.suppress(OSError):
                lot.append(connect())
        opened += 100
        time.sleep(0.02)
        got = [status_of(rest_of(each)) for each in lot]
        # On a slow machine the time of those that are kept runs out meanwhile, and others are let in for theirs.
        untold += not {each[0] for each in got} & {408, 429, 503}
        refused += sum(each[0] in (429, 503) for each in got)
        for each in lot:
            each.close()
    for each in kept:
        each.close()
    return untold == 0 and refused > 0


def as_user(uid, function, *arguments):
    """A process, of another user where that can be, whose exit status says whether the function was true; its pid."""
    pid = os.fork()
    if pid == 0:
        done = False
        try:
            if uid is not None:
                os.setuid(uid)
            done = function(*arguments)
        finally:
            os._exit(0 if done else 1)
    return pid


def too_many(name, connect, count, uid=None):
    """Thousands of connections, opened again as fast as they are cut."""
    honest = Honest()
    before = most = rss_mib()
    pid = as_user(uid, flood, connect, count)
    ended = (0, 0)
    while ended[0] == 0:
        honest.ask()
        most = max(most, rss_mib())
        ended = os.waitpid(pid, os.WNOHANG)
    told(name + ": those beyond the limit are told", ended[1] == 0, "status %d" % ended[1])
    steady(name, honest, most - before)


def refusals():
    lot = [by_tcp() for _ in range(PER_CLIENT)]
    time.sleep(0.2)
    got = status_of(ask(head()))
    told("a connection beyond its client's limit is answered 429", got == (429, "limit"), "got %s" % (got,))
    close(lot)
    told("and is served when there is room again",
         status_of(ask(head(b"GET", b"/healthz", END)))[0] == 200)


def keep_asking(count, ready):
    """Has `count` connections that ask now and then, as limits allow, until it is killed."""
    kept = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            kept.append(by_socket())
    os.write(ready, b"x")
    while True:
        for each in kept:
            with contextlib.suppress(OSError):
                each.sendall(head())
                each.recv(65536)
        time.sleep(0.2)


def is_refused():
    return status_of(ask(head(), by_socket)) == (503, "unavailable")


def operator():
    """Two users take all connections of the unix socket; the operator gets in, a third user does not."""
    reader, writer = os.pipe()
    users = [as_user(uid, keep_asking, PER_CLIENT, writer) for uid in (61001, 61002)]
    for _ in users:
        os.read(reader, 1)
    honest = Honest()
    honest.ask()
    told("the operator gets in when all connections are taken", honest.failed is None, str(honest.failed))
    told("a third user is told 503", os.waitpid(as_user(61003, is_refused), 0)[1] == 0)
    for pid in users:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def main():
    slow_clients()
    half_open()
    large_heads()
    lying_bodies()
    lines_between_chunks()
    held_bodies()
    unread_answers()
    pipelining()
    refusals()
    too_many("2,000 connections by TCP", by_tcp, 2000)
    if os.geteuid() == 0:
        # Others than the operator need the way to the socket.
        os.chmod(PATH, 0o666)
        os.chmod(os.path.dirname(PATH), 0o755)
        too_many("2,000 connections by the socket", by_socket, 2000, 61001)
        operator()
    sys.exit(1 if failures else 0)


main()
