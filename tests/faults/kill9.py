"""The drill of kill9.sh: jobs, a client that retries, a killer, and the reckoning afterwards.

Every local job writes "start NS" and "end NS" (boot clock) into a file of its own, one a worker of an attempt.
"""

import collections
import http.client
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

BUILD, WORK, STATE = (os.environ[name] for name in ("BUILD", "WORK", "STATE"))
SOCKET = os.environ["RAILHEAD_SOCKET"]
MARKERS = WORK + "/markers"
SEED = int(os.environ.get("KILL9_SEED", random.SystemRandom().randrange(1 << 32)))
KILLS = int(os.environ.get("KILL9_KILLS", 50))
JOBS = int(os.environ.get("KILL9_JOBS", 200))
SECOND = 1_000_000

# /proc/uptime is the boot clock, to 10 ms; a shell reads it without a process.
SCRIPT = r"""
note() {
    read -r up rest </proc/uptime
    echo "$1 ${up%.*}${up#*.}0000000" >>"$MARKER-$RAILHEAD_ATTEMPT-$RAILHEAD_WORKER"
}
pause() { sleep "$1" & wait $!; }
trap 'note end; exit 0' TERM
note start
[ -z "$LITTER" ] || (setsid sh -c 'trap "" TERM HUP; sleep 1000' &)
pause "$RUN_S"
note end
[ "$RAILHEAD_ATTEMPT" -eq "$ATTEMPTS" ] || exit 17
exit "$CODE"
"""


class Job:
    """What is asked for, what was promised, and what should come of it."""

    def __init__(self, number, dice):
        self.number = number
        self.local = dice.random() < 0.4
        self.count = dice.choice((1, 1, 1, 1, 2, 3))
        self.run_ms = dice.randrange(100, 4000)
        self.stop = dice.random() < 0.15
        self.exit_code = 0 if self.stop or dice.random() < 0.8 else 17
        self.lost = not self.local and not self.stop and not self.exit_code and dice.random() < 0.1
        self.litter = self.local and dice.random() < 0.3
        # All attempts but the last one fail.
        self.attempts = 2 if (self.local or self.lost) and not self.stop and dice.random() < 0.4 else 1
        self.keep_alive = 2 if dice.random() < 0.2 else 0
        self.answer = None
        self.stop_acknowledged = False
        self.times_sent = 0
        if self.stop:
            self.run_ms = 600_000

    def spec(self):
        spec = {"base_name": "drill", "framework": "plain", "instance_count": self.count, "grace": 20,
                "tags": {"drill": str(self.number)}, "keep_alive": self.keep_alive,
                "retry": {"max_attempts": self.attempts, "on": ["failed", "infrastructure"]}}
        if self.local:
            spec.update(instance_type="ml.c5.2xlarge", command=["/bin/sh", "-c", SCRIPT], environment={
                "MARKER": f"{MARKERS}/{self.number}", "RUN_S": str(self.run_ms / 1000),
                "CODE": str(self.exit_code), "ATTEMPTS": str(self.attempts), "LITTER": "yes" if self.litter else ""})
        else:
            spec.update(instance_type="ml.c5.xlarge", command=["true"], fake={
                "run_ms": self.run_ms, "exit_code": self.exit_code, "lost": self.lost})
        return json.dumps(spec)

    def expected(self):
        """(state, cause, exit code or None: any)"""
        if self.stop:
            return ("Stopped", "user_stop", None)
        if self.lost:
            return ("Failed", "lost", None)
        if self.exit_code:
            return ("Failed", "failed", self.exit_code)
        return ("Completed", "completed", 0)


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(SOCKET)


def call(method, path, body=None, headers=None, sent=lambda: None):
    connection = Connection("railhead")
    try:
        connection.request(method, path, body, headers or {})
        sent()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def insist(method, path, body=None, headers=None, sent=lambda: None):
    """Until somebody answers: the daemon may be dead just now."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            status, text = call(method, path, body, headers, sent)
            if status < 500:
                return status, text
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.01)
    raise TimeoutError(f"{method} {path}: no answer for 120 s")


class Daemon:
    """Kills at moments that its own log or its client names, or after a while."""

    def __init__(self):
        self.process = None
        self.trigger = None
        self.kills = 0
        self.log = open(WORK + "/railheadd.log", "ab")

    def start(self, wait=True):
        self.process = subprocess.Popen(
            [BUILD + "/railheadd", "--config", os.environ["DAEMON_CONFIG"], "--state", STATE,
             "--socket", SOCKET], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0)
        self.ready = threading.Event()
        self.gone = threading.Event()
        self.reader = threading.Thread(target=self.read, args=(self.process,))
        self.reader.start()
        if wait and not self.ready.wait(30):
            raise TimeoutError("railheadd was not ready within 30 s, see " + WORK + "/railheadd.log")

    def read(self, process):
        for line in process.stderr:
            if self.trigger and self.trigger in line:
                self.strike(process)
            if b"daemon.ready" in line:
                self.ready.set()
            self.log.write(line)
        self.log.flush()
        self.ready.set()
        self.gone.set()

    def strike(self, process):
        self.trigger = None
        process.kill()

    def reached(self, moment, delay=0):
        """The client says so; its moments never stand in a log."""
        if self.trigger == moment:
            process = self.process
            time.sleep(delay)
            self.strike(process)

    def kill(self):
        self.process.kill()
        self.end()
        self.kills += 1

    def end(self):
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.trigger = None

    def die_at(self, moment, patience):
        self.trigger = moment
        self.gone.wait(patience)
        self.kill()


class Client(threading.Thread):
    """Submits with a key and insists; asks some for a stop a while after."""

    def __init__(self, daemon, jobs, dice):
        super().__init__(daemon=True)
        self.daemon_process, self.jobs, self.dice, self.failure = daemon, jobs, dice, None
        self.to_stop = collections.deque()

    def run(self):
        try:
            for job in self.jobs:
                self.submit(job)
                self.stop_due()
                time.sleep(self.dice.random() * 0.4 if job.number > JOBS // 3 else 0)
            while self.to_stop:
                time.sleep(0.02)
                self.stop_due()
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"

    def submit(self, job):
        def sent():
            job.times_sent += 1
            self.daemon_process.reached(b"a submit was sent", self.dice.random() * 0.004)

        status, text = insist("POST", "/v1/training-jobs", job.spec(),
                              {"Content-Type": "application/json",
                               "Idempotency-Key": f"drill-{job.number}"}, sent)
        if status not in (200, 201):
            raise RuntimeError(f"submit of {job.number}: {status} {text}")
        job.answer = json.loads(text)
        self.daemon_process.reached(b"a submit was answered")
        if job.stop:
            self.to_stop.append((time.monotonic() + self.dice.random() * 6, job))

    def stop_due(self):
        for _ in range(len(self.to_stop)):
            due, job = self.to_stop.popleft()
            if due > time.monotonic():
                self.to_stop.append((due, job))
                continue
            status, text = insist("POST", f"/v1/training-jobs/{job.answer['name']}/stop")
            # 409: an earlier try was heard, its answer was not.
            job.stop_acknowledged = status in (200, 202, 409)
            if not job.stop_acknowledged:
                print(f"# stop of {job.number}: {status} {text}")


def drill(daemon, jobs, dice):
    client = Client(daemon, jobs, dice)
    daemon.start()
    client.start()
    while daemon.kills < KILLS:
        way = dice.choice(("while", "start", "on=placed", "on=ready", "on=launched", "on=completed",
                           "on=failed", "on=stop_asked", "on=stopped", "on=retry", "job.warm_ended",
                           "a submit was sent",
                           "a submit was sent", "a submit was answered", "a submit was answered"))
        if way == "start":
            daemon.kill()
            daemon.start(wait=False)
            time.sleep(dice.random() * 0.06)
            daemon.kill()
        elif way == "while":
            time.sleep(dice.random() * 1.2)
            daemon.kill()
        else:
            time.sleep(dice.random() * 0.4)
            daemon.die_at(way.encode(), 1.5)
        if dice.random() < 0.1:
            time.sleep(dice.random() * 2)  # jobs end while nobody looks
        daemon.start()
    client.join(120)
    if client.is_alive() or client.failure:
        raise RuntimeError(f"the client did not come through: {client.failure}")
    wait_for_all()


def wait_for_all():
    end = time.monotonic() + 90
    while time.monotonic() < end:
        live = [item for status in ("InProgress", "Stopping")
                for item in json.loads(call("GET", f"/v1/training-jobs?status={status}&limit=1000")[1])["items"]]
        if json.loads(call("GET", "/healthz")[1])["live_jobs"] == 0:
            return  # warm pools are given up, too
        time.sleep(0.1)
    print("# still live:", *(f"{item['name']} {item['secondary_status']} {item['scheduler']}" for item in live))


class Books:
    """The database of a daemon that has ended."""

    def __init__(self, jobs):
        self.db = sqlite3.connect(f"file:{STATE}/railhead.db?mode=ro", uri=True)
        self.db.row_factory = sqlite3.Row
        self.rows = collections.defaultdict(list)
        for row in self.db.execute("SELECT job.*, e.data FROM job JOIN job_event AS e USING (job_id) WHERE e.seq = 1"):
            number = int(json.loads(row["data"])["spec"]["tags"]["drill"])
            self.rows[number].append(row)
        self.jobs = [(job, self.rows[job.number][0]) for job in jobs if self.rows[job.number]]

    def all(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def end_of(self, row):
        data = self.all("SELECT data FROM job_event WHERE job_id = ? AND kind != 'warm_ended'"
                        " ORDER BY seq DESC LIMIT 1", row["job_id"])
        return json.loads(data[0]["data"] or "{}")

    def intervals(self, row, kind="run"):
        return self.all(
            "SELECT o.attempt, o.worker, o.boot_us AS opened, c.boot_us AS closed, c.seconds, p.hourly_nanousd"
            " FROM interval_open AS o LEFT JOIN interval_close AS c ON c.open_seq = o.seq"
            " LEFT JOIN price AS p ON p.seq = o.price WHERE o.job_id = ? AND kind = ? ORDER BY o.attempt, o.worker",
            row["job_id"], kind)

    def attempts(self, row):
        """Intervals by attempt."""
        found = collections.defaultdict(list)
        for interval in self.intervals(row):
            found[interval["attempt"]].append(interval)
        return found

    def count(self, row, kind):
        return self.all("SELECT COUNT(*) AS n FROM job_event WHERE job_id = ? AND kind = ?", row["job_id"], kind)[0]["n"]


def marks(job, attempt):
    """Per worker: a list of ("start"|"end", microseconds)."""
    found = {}
    for worker in range(job.count):
        try:
            with open(f"{MARKERS}/{job.number}-{attempt}-{worker}", encoding="ascii") as file:
                found[worker] = [(word, int(ns) // 1000) for word, ns in map(str.split, file)]
        except FileNotFoundError:
            found[worker] = []
    return found


# Each check gives a list of what is wrong.

def acknowledged_jobs_are_there(books, jobs):
    for job in jobs:
        rows = books.rows[job.number]
        if not rows or rows[0]["name"] != job.answer["name"] or rows[0]["id"] != job.answer["id"]:
            yield f"job {job.number}, promised as {job.answer['name']}: {[row['name'] for row in rows]}"


def retried_submits_make_one_job(books, jobs):
    for job in jobs:
        if len(books.rows[job.number]) != 1:
            yield f"job {job.number}, sent {job.times_sent} times: {len(books.rows[job.number])} jobs"


def nothing_ran_twice(books, jobs):
    for job, row in books.jobs:
        for attempt in range(1, job.attempts + 1):
            for worker, lines in marks(job, attempt).items():
                starts = [word for word, _ in lines].count("start")
                limit = 1 if job.local else 0
                if starts > limit or (starts < limit and not job.stop):
                    yield f"job {job.number} ({row['name']}) attempt {attempt} worker {worker}: {starts} starts"
        placed = books.count(row, "placed")
        if placed > job.attempts or (placed < job.attempts and not job.stop):
            yield f"job {job.number}: placed {placed} times, expected {job.attempts}"


def every_end_is_as_expected(books, jobs):
    for job, row in books.jobs:
        end = books.end_of(row)
        state, cause, code = job.expected()
        if row["state"] != state or end.get("cause") != cause or code not in (None, end.get("exit_code")):
            yield f"job {job.number} ({row['name']}): {row['state']} {end}, expected {job.expected()}"


def acknowledged_stops_stop(books, jobs):
    for job, row in books.jobs:
        if job.stop and (not job.stop_acknowledged or row["state"] != "Stopped"):
            yield f"job {job.number} ({row['name']}): {row['state']}"


def every_end_is_noticed_soon(books, jobs):
    """The daemon is away for some seconds at most."""
    for job, row in books.jobs:
        told = books.all("SELECT MAX(json_extract(data, '$.wall_us')) AS wall FROM job_event"
                         " WHERE job_id = ? AND kind = 'worker_ended'", row["job_id"])[0]["wall"]
        if told and row["changed_us"] - told > 10 * SECOND:
            yield f"job {job.number} ({row['name']}): {(row['changed_us'] - told) / SECOND:.1f} s after it"


def the_event_log_has_no_gap(books, jobs):
    for row in books.all("SELECT job_id, COUNT(*) AS n, MIN(seq) AS low, MAX(seq) AS high FROM job_event GROUP BY job_id"):
        if row["low"] != 1 or row["high"] != row["n"]:
            yield f"job row {row['job_id']}: {row['n']} events, {row['low']}..{row['high']}"


def no_process_is_left(books, jobs):
    ids = [row["id"] for _, row in books.jobs]
    wanted = re.compile("|".join(ids).encode())
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for what in ("environ", "cgroup", "cmdline"):
            try:
                with open(f"/proc/{pid}/{what}", "rb") as file:
                    if wanted.search(file.read()):
                        yield f"process {pid} by its {what}"
            except OSError:
                pass


def every_interval_is_there_once_and_closed(books, jobs):
    for job, row in books.jobs:
        intervals = books.intervals(row)
        ready = books.count(row, "ready")
        wanted = [(attempt, worker) for attempt in range(1, ready + 1) for worker in range(job.count)]
        if [(i["attempt"], i["worker"]) for i in intervals] != wanted:
            yield f"job {job.number}: {[tuple(i) for i in intervals]}"
        if ready != job.attempts and not job.stop:
            yield f"job {job.number}: was ready {ready} times, expected {job.attempts}"
        for i in intervals:
            if i["closed"] is None:
                yield f"job {job.number} ({row['name']}): worker {i['worker']} is open"
            elif i["seconds"] != -(-(i["closed"] - i["opened"]) // SECOND):
                yield f"job {job.number}: {i['closed'] - i['opened']} us are {i['seconds']} s"


def every_warm_pool_is_accounted_for_once(books, jobs):
    for job, row in books.jobs:
        pools = books.intervals(row, "warm")
        ran = books.intervals(row)
        kept = job.keep_alive and ran and not job.lost
        if len(pools) != (job.count if kept else 0) or books.count(row, "warm_ended") != bool(kept):
            yield f"job {job.number} ({row['name']}): {len(pools)} warm intervals of {job.count}"
        for i in pools:
            length = (i["closed"] or 0) - i["opened"]
            if i["opened"] != max(r["closed"] for r in ran) or not 0 <= length <= job.keep_alive * SECOND:
                yield f"job {job.number} ({row['name']}): warm {i['opened']}..{i['closed']}"
            elif i["seconds"] != -(-length // SECOND):
                yield f"job {job.number}: {length} us warm are {i['seconds']} s"


def intervals_agree_with_the_stopwatch(books, jobs):
    for job, row in books.jobs:
        for i in books.intervals(row):
            opened, closed = i["opened"], i["closed"] or 0
            if not job.local:
                length = closed - opened
                if not job.stop and length != job.run_ms * 1000:
                    yield f"job {job.number}: {length} us, ran {job.run_ms} ms"
                continue
            lines = marks(job, i["attempt"]).values()
            starts = [at for worker in lines for word, at in worker if word == "start"]
            ends = [at for worker in lines for word, at in worker if word == "end"]
            if starts and len(ends) == len(starts) and (
                    abs(opened - max(starts)) > SECOND or abs(closed - max(ends)) > SECOND):
                yield (f"job {job.number} ({row['name']}): billed {opened}..{closed},"
                       f" ran {max(starts)}..{max(ends)}")


def half_even(numerator, denominator):
    whole, rest = divmod(numerator, denominator)
    return whole + (rest * 2 > denominator or (rest * 2 == denominator and whole % 2 == 1))


def cost_is_price_times_seconds(books, jobs):
    for job, row in books.jobs:
        cost = billable = 0
        for intervals in books.attempts(row).values():
            price = intervals[0]["hourly_nanousd"]
            cost += half_even(price * sum(i["seconds"] or 0 for i in intervals), 3600)
            billable += max(i["seconds"] or 0 for i in intervals)
            if not price:
                yield f"job {job.number}: unpriced"
        if row["cost_nanousd"] != cost:
            yield f"job {job.number}: cost {cost}, not {row['cost_nanousd']}"
        if row["billable_seconds"] != billable:
            yield f"job {job.number}: {row['billable_seconds']} billable seconds, not {billable}"


CHECKS = (acknowledged_jobs_are_there, retried_submits_make_one_job, nothing_ran_twice, every_end_is_as_expected,
          acknowledged_stops_stop, every_end_is_noticed_soon, the_event_log_has_no_gap, no_process_is_left,
          every_interval_is_there_once_and_closed, every_warm_pool_is_accounted_for_once, intervals_agree_with_the_stopwatch, cost_is_price_times_seconds)


def settle(daemon):
    """The processes of the last job may still be on their way out."""
    daemon.process.send_signal(signal.SIGTERM)
    daemon.end()
    time.sleep(0.5)


def report(books, jobs):
    failed = False
    for check in CHECKS:
        wrong = list(check(books, jobs))
        print("not ok" if wrong else "ok", check.__name__.replace("_", " "))
        for what in wrong[:10]:
            print("#  ", what)
        failed = failed or bool(wrong)
    return failed


def main():
    dice = random.Random(SEED)
    jobs = [Job(number, dice) for number in range(JOBS)]
    print(f"# KILL9_SEED={SEED}", flush=True)
    os.mkdir(MARKERS)
    began = time.monotonic()
    daemon = Daemon()
    try:
        drill(daemon, jobs, dice)
    except Exception:
        print("not ok the drill comes to its end", flush=True)
        daemon.process.kill()  # its reader ends with it
        raise
    settle(daemon)
    books = Books(jobs)
    print(f"# {daemon.kills} kills, {len(jobs)} jobs ({sum(job.local for job in jobs)} local),"
          f" {sum(job.times_sent > 1 for job in jobs)} submits retried, {time.monotonic() - began:.0f} s")
    if daemon.process.returncode != 0:
        print(f"not ok the daemon ends well at last\n#   status {daemon.process.returncode}")
    return report(books, jobs) or daemon.process.returncode != 0


sys.exit(main())
