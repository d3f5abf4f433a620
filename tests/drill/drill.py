"""The drill: a daemon and its workers are killed again and again under a mixed load, at random and at chosen points of
what they do; then jobs, processes and ledger must agree with what clients were promised and what the jobs noted.

drill.sh starts it.  DRILL_KILLS and DRILL_WORKER_KILLS say how often, DRILL_SEED repeats the same choices.
"""

import collections
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import books
import load

BUILD, WORK, STATE = (os.environ[name] for name in ("BUILD", "WORK", "STATE"))
FAULTS = BUILD + "/tests/drill/fault.so"
with open(BUILD + "/config.status", encoding="utf-8") as status:
    HAS_POINTS = "fsanitize" not in status.read()  # sanitizers want to be loaded first themselves
SEED = int(os.environ.get("DRILL_SEED", random.SystemRandom().randrange(1 << 32)))
KILLS = int(os.environ.get("DRILL_KILLS", 20))
WORKER_KILLS = int(os.environ.get("DRILL_WORKER_KILLS", 5))
CLIENTS = 3
LIVE_JOBS = 120  # no more is submitted while so many are live
PATIENCE_S = 1.2  # so long a moment or a point is waited for

# What is met on the way of a request to the disk and of a job to its worker, and up to which pass it is waited for:
# points of fault.c.
POINTS = (("step=COMMIT", 15), ("step=INSERT INTO job (*", 6), ("step=INSERT INTO job_event*", 25), ("step=INSERT INTO interval_*", 8),
          ("write=*-wal", 50), ("sync=*-wal", 15), ("write=*/railhead.db", 20), ("sync=*/railhead.db", 1),
          ("write=*/.upload-*", 2), ("sync=*/.upload-*", 2), ("rename=*/sources/*", 2), ("sync=*/sources", 2),
          ("write=/memfd*", 4), ("spawn=*/railhead-worker", 1))
WORKER_POINTS = (("fork", 3), ("write=*/journal.jsonl", 7), ("sync=*/journal.jsonl", 1), ("sync=*/rank-*", 1))
# Of the daemon's log or its client.
MOMENTS = ("on=placed", "on=ready", "on=launched", "on=completed", "on=failed", "on=stop_asked", "on=stopped", "on=retry",
           "on=interrupted", "job.warm_ended", "a submit was sent", "a submit was answered")


class Daemon:
    """Dies at moments that its own log or its client names, at points of fault.c, or after a while."""

    def __init__(self):
        self.process = None
        self.trigger = None
        self.log = open(WORK + "/railheadd.log", "ab")

    def start(self, fault=None, worker_fault=None):
        faults = {"RAILHEAD_FAULT": fault, "RAILHEAD_FAULT_WORKER": worker_fault}
        env = {**os.environ, **{name: value for name, value in faults.items() if value}}
        if fault or worker_fault:
            env.update(LD_PRELOAD=FAULTS)
        self.process = subprocess.Popen(
            [BUILD + "/railheadd", "--config", os.environ["DAEMON_CONFIG"], "--state", STATE, "--socket", load.SOCKET],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0, env=env)
        self.ready = threading.Event()
        self.gone = threading.Event()
        self.reader = threading.Thread(target=self.read, args=(self.process,))
        self.reader.start()

    def wait_ready(self):
        if not self.ready.wait(60):
            raise TimeoutError("railheadd was not ready within 60 s, see " + WORK + "/railheadd.log")

    def read(self, process):
        for line in process.stderr:
            if self.trigger and self.trigger.encode() in line:
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

    def reached(self, moment, delay):
        """The client says so; its moments never stand in a log."""
        if self.trigger == moment:
            process = self.process
            time.sleep(delay)
            self.strike(process)

    def end(self):
        """Gives how it ended."""
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.trigger = None
        return self.process.returncode

    def kill(self):
        self.process.kill()
        if self.end() != -signal.SIGKILL:
            raise RuntimeError(f"railheadd ended by itself with {self.process.returncode}, see {WORK}/railheadd.log")

    def workers(self):
        """(pid, job's id or None: the nursery)"""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read()
            except OSError:
                continue
            if words.startswith(b"railhead-worker " + STATE.encode()):
                yield int(pid), job_of(words)
            elif b"/railhead-worker\0--nursery" in words and parent_of(pid) == self.process.pid:
                yield int(pid), None


def job_of(words):
    found = books.JOB_ID.search(words)
    return found and found.group().decode()


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


class Drill:
    def __init__(self):
        self.dice = random.Random(SEED)
        self.daemon = Daemon()
        self.load = load.Load(SEED, CLIENTS, self.daemon.reached)
        self.places = collections.Counter()         # of kills of the daemon
        self.worker_places = collections.Counter()
        self.hurt = set()                           # ids of jobs of which a worker was killed
        self.token = None                           # (file, place, lives left)
        self.checked = 0
        self.last_rows = (0, 0)
        self.wrong = []

    # --- kills of workers ---

    def arm_worker(self):
        """A fault for one worker of this life of the daemon or of the next ones."""
        if self.token:
            return self.token[1]
        if not HAS_POINTS or sum(self.worker_places.values()) >= WORKER_KILLS or self.dice.random() < 0.3:
            return None
        point, most = self.dice.choice(WORKER_POINTS)
        action = self.dice.choice(("kill-before", "kill-after"))
        file = f"{WORK}/token-{sum(self.places.values())}-{sum(self.worker_places.values())}"
        with open(file, "w", encoding="ascii"):
            pass
        fault = f"{point}:{self.dice.randrange(1, most + 1)}:{action}:{file}"
        self.token = (file, fault, 4)
        return fault

    def look_for_token(self):
        if not self.token:
            return
        file, fault, lives = self.token
        if os.path.exists(file + ".taken"):
            with open(file + ".taken", "rb") as taken:
                self.hurt.add(job_of(taken.read()))
            point, _, action, _ = fault.split(":")
            self.worker_places[point, action] += 1
            self.token = None
        elif lives == 0:
            self.disarm()
        else:
            self.token = (file, fault, lives - 1)

    def disarm(self):
        """Whoever takes it in this moment is found by its .taken."""
        try:
            os.remove(self.token[0])
            self.token = None
        except FileNotFoundError:
            pass

    def kill_a_worker(self):
        there = list(self.daemon.workers())
        if not there:
            return
        pid, job = self.dice.choice(there)
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        if (pid, job) in self.daemon.workers():
            self.hurt.add(job)
            signal.pidfd_send_signal(fd, signal.SIGKILL)
            self.worker_places["at random" if job else "the nursery, at random", "kill"] += 1
        os.close(fd)

    # --- kills of the daemon ---

    def one_life(self):
        """Starts it, kills it; what it was in the middle of is the place."""
        kind = self.dice.choices(("point", "moment", "random", "start"), (55 if HAS_POINTS else 0, 20, 17, 8))[0]
        point, most = self.dice.choice(POINTS)
        action = self.dice.choice(("kill-before", "kill-after"))
        self.daemon.start(f"{point}:{self.dice.randrange(1, most + 1)}:{action}" if kind == "point" else None, self.arm_worker())
        if kind == "start":
            time.sleep(self.dice.random() * 0.08)
            place = ("while it starts", "kill")
        else:
            self.daemon.wait_ready()
            place = self.live(kind) or (point, action)
        self.daemon.kill()
        self.places[place] += 1
        self.look_for_token()

    def live(self, kind):
        """Gives where it is to be killed; None: it is dead by the point."""
        if kind == "moment":
            self.daemon.trigger = moment = self.dice.choice(MOMENTS)
        if not self.daemon.gone.is_set():
            self.reconcile()
        if sum(self.worker_places.values()) < WORKER_KILLS and self.dice.random() < 0.2:
            self.kill_a_worker()
        if kind == "random":
            time.sleep(self.dice.random() * 0.6)
        elif self.daemon.gone.wait(PATIENCE_S):
            return (moment, "kill") if kind == "moment" else None
        return ("at random", "kill")

    def reconcile(self):
        """What was promised since the last look is there, and nothing that was there is gone."""
        with self.load.lock:
            jobs = self.load.jobs[self.checked:]
        db = books.open_database(STATE)
        for job in jobs:
            if job.answer and not db.execute("SELECT 1 FROM job WHERE name = ? AND id = ?",
                                             (job.answer["name"], job.answer["id"])).fetchone():
                self.wrong.append(f"job {job.number}, promised as {job.answer['name']}, is not there after kill {sum(self.places.values())}")
        # Of three clients, all but the last few have their answer, or will have none.
        self.checked += max(0, len(jobs) - 20)
        rows = db.execute("SELECT (SELECT MAX(rowid) FROM job_event), (SELECT MAX(seq) FROM interval_open)").fetchone()
        rows = tuple(row or 0 for row in rows)
        if rows < self.last_rows or rows[1] < self.last_rows[1]:
            self.wrong.append(f"rows have gone: {self.last_rows} became {rows} after kill {sum(self.places.values())}")
        self.last_rows = rows
        live = db.execute("SELECT COUNT(*) FROM job WHERE over = 0").fetchone()[0]
        db.close()
        (self.load.resting.set if live > LIVE_JOBS else self.load.resting.clear)()

    def run(self):
        self.daemon.start()
        self.daemon.wait_ready()
        load.insist("PUT", "/v1/budgets/drill", '{"limit_usd": "1000000", "action": "notify"}', load.JSON)
        self.load.start()
        self.daemon.kill()
        self.places["at random", "kill"] += 1
        while sum(self.places.values()) < KILLS:
            self.one_life()
        self.daemon.start()
        self.daemon.wait_ready()
        while sum(self.worker_places.values()) < WORKER_KILLS and not self.load.failure:
            self.kill_a_worker()
            time.sleep(0.2)
        self.load.finish()
        self.wait_for_all()
        self.look_for_token()
        return self.budget(), self.verify()

    def wait_for_all(self):
        end = time.monotonic() + 90
        while time.monotonic() < end:
            if json.loads(load.insist("GET", "/healthz")[1])["live_jobs"] == 0:
                return  # warm pools are given up, too
            time.sleep(0.1)
        for status in ("InProgress", "Stopping"):
            for item in json.loads(load.insist("GET", f"/v1/training-jobs?status={status}&limit=1000")[1])["items"]:
                self.wrong.append(f"still live: {item['name']} {item['secondary_status']} {item['scheduler']}")

    @staticmethod
    def budget():
        return round(float(json.loads(load.insist("GET", "/v1/budgets/drill")[1])["spent_usd"]) * 1e9)

    @staticmethod
    def verify():
        done = subprocess.run([os.environ["JOBCTL"], "bill", "verify"], capture_output=True, text=True, timeout=120, check=False)
        return [] if done.returncode == 0 else [f"status {done.returncode}: {line}" for line in (done.stdout + done.stderr).splitlines()]

    def settle(self):
        """The processes of the last job may still be on their way out."""
        self.daemon.process.send_signal(signal.SIGTERM)
        status = self.daemon.end()
        time.sleep(0.5)
        return [f"status {status}"] if status else []


def tell(name, wrong):
    print("not ok" if wrong else "ok", name)
    for what in wrong[:10]:
        print("#  ", what)
    return len(wrong)


def table(drill, found, counts, seconds):
    print(f"\n  {'kills of the daemon':<46}")
    for (place, action), count in sorted(drill.places.items()):
        print(f"  {count:>6}  {place}{'' if action == 'kill' else ', ' + action.removeprefix('kill-')}")
    print("\n  kills of workers")
    for (place, action), count in sorted(drill.worker_places.items()):
        print(f"  {count:>6}  {place}{'' if action == 'kill' else ', ' + action.removeprefix('kill-')}")
    jobs = drill.load.jobs
    print(f"""
  {sum(drill.places.values())} kills of the daemon and {sum(drill.worker_places.values())} of workers in {seconds:.0f} s
  {len(jobs)} jobs were sent, {sum(job.answer is not None for job in jobs)} acknowledged, {len(found.jobs)} are there, \
{sum(job.local for job, _ in found.jobs)} of real processes, {sum(job.times_sent > 1 for job in jobs)} sent again
  lost {counts['lost']}, doubled {counts['doubled']}, orphans {counts['orphans']}, largest billing error {found.largest_error / 1e6:.2f} s
""")


def main():
    print(f"# DRILL_SEED={SEED}", flush=True)
    os.mkdir(load.MARKERS)
    began = time.monotonic()
    drill = Drill()
    try:
        spent, verification = drill.run()
    except Exception:
        print("not ok the drill comes to its end", flush=True)
        drill.daemon.process.kill()  # its reader ends with it
        raise
    last = drill.settle()
    found = books.Books(STATE, drill.load, drill.hurt)
    counts = collections.Counter()
    counts["lost"] += tell("after each kill what was promised is there", drill.wrong)
    for kind, checks in (("lost", books.LOST), ("doubled", books.DOUBLED), ("orphans", books.ORPHANS), ("others", books.OTHERS)):
        for check in checks:
            counts[kind] += tell(check.__name__.replace("_", " "), list(check(found)))
    counts["others"] += tell("jobctl bill verify finds nothing wrong", verification)
    counts["others"] += tell("a budget has counted what all cost", [] if spent == found.spent() else [f"{spent}, not {found.spent()}"])
    counts["others"] += tell("the daemon ends well at last", last)
    table(drill, found, counts, time.monotonic() - began)
    return 1 if sum(counts.values()) else 0


sys.exit(main())
