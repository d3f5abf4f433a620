"""The load of the drill: jobs of many kinds, clients that submit, stop, interrupt, upload and set prices, and what each
of them was promised.

Every local job writes "start NS" and "end NS" (boot clock) into a file of its own, one a worker of an attempt.
"""

import collections
import hashlib
import http.client
import json
import os
import random
import socket
import threading
import time

WORK = os.environ["WORK"]
SOCKET = os.environ["RAILHEAD_SOCKET"]
MARKERS = WORK + "/markers"
PATIENCE_S = 120

# /proc/uptime is the boot clock, to 10 ms; a shell reads it without a process.
SCRIPT = r"""
note() {
    read -r up rest </proc/uptime
    echo "$1 ${up%.*}${up#*.}0000000" >>"$MARKER-$RAILHEAD_ATTEMPT-$RAILHEAD_WORKER"
}
pause() { sleep "$1" & wait $!; }
trap 'note end; exit $ON_TERM' TERM
note start
[ -z "$LITTER" ] || (setsid sh -c 'trap "" TERM HUP; sleep 1000' &)
if [ -n "$ON_NOTICE" ] && [ "$RAILHEAD_ATTEMPT" -eq 1 ]; then
    pause 600
else
    pause "$RUN_S"
fi
note end
[ "$RAILHEAD_ATTEMPT" -ge "$ATTEMPTS" ] || exit 17
exit "$CODE"
"""


class Job:
    """What is asked for, what was promised, and what should come of it."""

    def __init__(self, number, dice):
        self.number = number
        self.local = dice.random() < 0.4
        self.count = dice.choice((1, 1, 1, 1, 2, 3))
        self.run_ms = dice.randrange(100, 3000)
        # What becomes of it: it runs to its end, or is stopped, interrupted, out of money, or its worker vanishes.
        self.fate = dice.choices(("end", "stop", "interrupt", "budget", "lost"), (70, 15, 5, 5, 5))[0]
        if self.fate in ("budget", "lost"):
            self.local = False
        if self.fate == "interrupt":
            self.local = True
        self.exit_code = 17 if self.fate == "end" and dice.random() < 0.2 else 0
        self.litter = self.local and dice.random() < 0.3
        # All attempts but the last one fail.
        may_retry = self.fate == "lost" or (self.fate == "end" and (self.local or self.exit_code))
        self.attempts = 2 if self.fate == "interrupt" or (may_retry and dice.random() < 0.4) else 1
        self.max_attempts = 5 if self.fate == "interrupt" else self.attempts
        self.keep_alive = 2 if dice.random() < 0.2 else 0
        # Who is to be asked for something later must have a name.
        self.key = f"drill-{number}" if self.fate in ("stop", "interrupt") or dice.random() < 0.7 else None
        self.answer = None
        self.acknowledged = False  # the stop, or the interruption
        self.times_sent = 0
        if self.fate in ("stop", "budget"):
            self.run_ms = 600_000

    def spec(self):
        spec = {"base_name": "drill", "framework": "plain", "instance_count": self.count, "grace": 20,
                "tags": {"drill": str(self.number)}, "keep_alive": self.keep_alive,
                "retry": {"max_attempts": self.max_attempts, "on": ["failed", "infrastructure", "interrupted"]}}
        if self.local:
            spec.update(instance_type="ml.c5.2xlarge", command=["/bin/sh", "-c", SCRIPT], environment={
                "MARKER": f"{MARKERS}/{self.number}", "RUN_S": str(self.run_ms / 1000), "CODE": str(self.exit_code),
                "ATTEMPTS": str(self.attempts), "LITTER": "yes" if self.litter else "",
                "ON_NOTICE": "yes" if self.fate == "interrupt" else "", "ON_TERM": "1" if self.fate == "interrupt" else "0"})
        else:
            spec.update(instance_type="ml.c5.xlarge", command=["true"], fake={
                "run_ms": self.run_ms, "exit_code": self.exit_code, "lost": self.fate == "lost"})
        if self.fate == "budget":  # at 0.0003 a second: for some two seconds beside what its end may take
            spec.update(grace=1, budget_usd=f"{self.count * 5.5 * 0.0003:.5f}")
        return json.dumps(spec)

    def expected(self):
        """(state, cause, exit code or None: any)"""
        if self.fate == "stop":
            return ("Stopped", "user_stop", None)
        if self.fate == "budget":
            return ("Stopped", "budget", None)
        if self.fate == "lost":
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
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            status, text = call(method, path, body, headers, sent)
            if status < 500:
                return status, text
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.01)
    raise TimeoutError(f"{method} {path}: no answer for {PATIENCE_S} s")


JSON = {"Content-Type": "application/json"}


class Load:
    """Clients side by side, and all that they were promised."""

    def __init__(self, seed, clients, moment):
        self.moment = moment  # told what a client has just done
        self.lock = threading.Lock()
        self.jobs = []
        self.sources = set()   # digests that were taken
        self.prices = {}       # nano-dollars that were sent: whether they were acknowledged
        self.ended = {}        # names that a client saw ended: their status
        self.resting = threading.Event()
        self.over = threading.Event()
        self.failure = None
        self.clients = [threading.Thread(target=self.run, args=(random.Random(seed + number),), daemon=True)
                        for number in range(1, clients + 1)]

    def start(self):
        for client in self.clients:
            client.start()

    def finish(self):
        self.over.set()
        for client in self.clients:
            client.join(PATIENCE_S)
        if self.failure or any(client.is_alive() for client in self.clients):
            raise RuntimeError(f"a client did not come through: {self.failure}")

    def run(self, dice):
        asks = collections.deque()  # stops and interruptions that are due later
        try:
            while not self.over.is_set() or asks:
                if not self.over.is_set():
                    self.do_something(dice, asks)
                    time.sleep(dice.random() * 0.25)
                self.ask_due(asks)
                if self.over.is_set() or self.resting.is_set():
                    time.sleep(0.05)
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"

    def do_something(self, dice, asks):
        what = dice.random()
        if what < 0.05:
            self.upload(dice)
        elif what < 0.08:
            self.set_price()
        elif what < 0.2:
            self.look(dice)
        elif not self.resting.is_set():
            self.submit(dice, asks)

    def new_job(self, dice):
        with self.lock:
            job = Job(len(self.jobs), dice)
            self.jobs.append(job)
            return job

    def submit(self, dice, asks):
        job = self.new_job(dice)

        def sent():
            job.times_sent += 1
            self.moment("a submit was sent", dice.random() * 0.004)

        if job.key:
            status, text = insist("POST", "/v1/training-jobs", job.spec(), {**JSON, "Idempotency-Key": job.key}, sent)
        else:
            try:
                status, text = call("POST", "/v1/training-jobs", job.spec(), JSON, sent)
            except (OSError, http.client.HTTPException):
                return  # it may be there or not, and may not be sent again
            if status >= 500:
                return
        if status not in (200, 201):
            raise RuntimeError(f"submit of {job.number}: {status} {text}")
        job.answer = json.loads(text)
        self.moment("a submit was answered", 0)
        if job.fate in ("stop", "interrupt"):
            asks.append((time.monotonic() + dice.random() * 4, job))

    def ask_due(self, asks):
        for _ in range(len(asks)):
            due, job = asks.popleft()
            if due > time.monotonic():
                asks.append((due, job))
            elif not (self.stop(job) if job.fate == "stop" else self.interrupt(job)):
                asks.append((time.monotonic() + 0.3, job))

    def stop(self, job):
        status, _ = insist("POST", f"/v1/training-jobs/{job.answer['name']}/stop")
        # 409: an earlier try was heard, its answer was not.
        job.acknowledged = status in (202, 409)
        return True

    def interrupt(self, job):
        """In its first attempt; true when no more is to be done."""
        path = f"/v1/training-jobs/{job.answer['name']}"
        shown = json.loads(insist("GET", path)[1])
        if len(shown["attempts"]) > 1 or shown["status"] != "InProgress":
            job.acknowledged = True
            return True
        if shown["secondary_status"] == "Training":
            insist("POST", path + "/interrupt", '{"notice_s": 20}', JSON)
        return False

    def upload(self, dice):
        body = b"not an archive: nobody unpacks it " + str(dice.random()).encode()
        digest = hashlib.sha256(body).hexdigest()
        status, text = insist("PUT", f"/v1/sources/{digest}", body, {"Content-Type": "application/gzip"})
        if status not in (200, 201):
            raise RuntimeError(f"upload: {status} {text}")
        with self.lock:
            self.sources.add(digest)

    def set_price(self):
        with self.lock:
            nano = 1_080_000_000 + len(self.prices)
            self.prices[nano] = False
        try:
            status, text = call("POST", "/v1/prices", json.dumps(
                {"instance_type": "ml.c5.xlarge", "usd_per_hour": f"{nano / 1e9:.9f}"}), JSON)
        except (OSError, http.client.HTTPException):
            return
        if 400 <= status < 500 and status != 409:  # what is closed may reach into the second that has just begun
            raise RuntimeError(f"price: {status} {text}")
        self.prices[nano] = status == 201

    def look(self, dice):
        """What was seen as ended has to stay so."""
        with self.lock:
            known = [job for job in self.jobs[-200:] if job.answer]
        if not known:
            return
        name = dice.choice(known).answer["name"]
        shown = json.loads(insist("GET", f"/v1/training-jobs/{name}")[1])
        if shown["status"] in ("Completed", "Failed", "Stopped"):
            self.ended.setdefault(name, shown["status"])
