"""What is in the books of a daemon that has ended, beside what clients were promised and what jobs themselves wrote down."""

import collections
import json
import os
import re
import sqlite3

from load import MARKERS

SECOND = 1_000_000
JOB_ID = re.compile(rb"[0-9A-Z]{26}")


def open_database(state):
    db = sqlite3.connect(f"file:{state}/railhead.db?mode=ro", uri=True, timeout=20)
    db.row_factory = sqlite3.Row
    return db


class Books:
    def __init__(self, state, load, hurt):
        self.state, self.load, self.hurt = state, load, hurt
        self.db = open_database(state)
        self.rows = collections.defaultdict(list)
        for row in self.db.execute("SELECT job.*, e.data FROM job JOIN job_event AS e USING (job_id) WHERE e.seq = 1"):
            self.rows[int(json.loads(row["data"])["spec"]["tags"]["drill"])].append(row)
        self.events = collections.Counter()
        for row in self.db.execute("SELECT job_id, kind, COUNT(*) AS n FROM job_event GROUP BY job_id, kind"):
            self.events[row["job_id"], row["kind"]] = row["n"]
        self.all_intervals = collections.defaultdict(list)
        for row in self.db.execute(
                "SELECT o.job_id, o.kind, o.attempt, o.worker, o.boot_us AS opened, c.boot_us AS closed, c.seconds, p.hourly_nanousd"
                " FROM interval_open AS o LEFT JOIN interval_close AS c ON c.open_seq = o.seq"
                " LEFT JOIN price AS p ON p.seq = o.price ORDER BY o.attempt, o.worker"):
            self.all_intervals[row["job_id"], row["kind"]].append(row)
        # An answer that was not heard leaves it open whether the job is there.
        self.jobs = [(job, self.rows[job.number][0]) for job in load.jobs if self.rows[job.number]]
        self.largest_error = 0  # microseconds that were billed, or not, beside what the job noted

    def all(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def intervals(self, row, kind="run"):
        return self.all_intervals[row["job_id"], kind]

    def count(self, row, kind):
        return self.events[row["job_id"], kind]

    def end_of(self, row):
        data = self.all("SELECT data FROM job_event WHERE job_id = ? AND kind != 'warm_ended'"
                        " ORDER BY seq DESC LIMIT 1", row["job_id"])
        return json.loads(data[0]["data"] or "{}")

    def spent(self):
        """Nano-dollars: what ran, and what was kept."""
        kept = sum(half_even(rows[0]["hourly_nanousd"] * sum(i["seconds"] for i in rows), 3600)
                   for (_, kind), rows in self.all_intervals.items() if rows and kind == "warm")
        return sum(row["cost_nanousd"] for _, row in self.jobs) + kept

    def is_hurt(self, row):
        """One of its workers was killed: what it ends as depends on when."""
        return row["id"] in self.hurt


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

def acknowledged_jobs_are_there(books):
    for job in books.load.jobs:
        rows = books.rows[job.number]
        if job.answer and (not rows or rows[0]["name"] != job.answer["name"] or rows[0]["id"] != job.answer["id"]):
            yield f"job {job.number}, promised as {job.answer['name']}: {[row['name'] for row in rows]}"


def acknowledged_sources_are_there(books):
    for digest in books.load.sources:
        if not os.path.exists(f"{books.state}/sources/{digest}.tar.gz"):
            yield digest


def prices_are_set_once(books):
    found = collections.Counter(row["hourly_nanousd"] for row in books.all("SELECT hourly_nanousd FROM price WHERE basis = 'book'"))
    for nano, acknowledged in books.load.prices.items():
        if found[nano] > 1 or found[nano] < acknowledged:
            yield f"{nano} nano-dollars, acknowledged: {acknowledged}, are there {found[nano]} times"


def no_submit_makes_two_jobs(books):
    for job in books.load.jobs:
        if len(books.rows[job.number]) > 1:
            yield f"job {job.number}, sent {job.times_sent} times: {len(books.rows[job.number])} jobs"


def nothing_ran_twice(books):
    for job, row in books.jobs:
        placed = books.count(row, "placed")
        restless = books.is_hurt(row) or job.fate == "interrupt"
        for attempt in range(1, placed + 1):
            for worker, lines in marks(job, attempt).items():
                starts = [word for word, _ in lines].count("start")
                limit = 1 if job.local else 0
                if starts > limit or (starts < limit and job.fate == "end" and not restless):
                    yield f"job {job.number} ({row['name']}) attempt {attempt} worker {worker}: {starts} starts"
        most = job.max_attempts if restless else job.attempts
        if placed > most or (placed < job.attempts and job.fate in ("end", "lost", "interrupt") and not books.is_hurt(row)):
            yield f"job {job.number} ({row['name']}): placed {placed} times, expected {job.attempts}"


def every_end_is_as_expected(books):
    for job, row in books.jobs:
        end = books.end_of(row)
        state, cause, code = job.expected()
        if books.is_hurt(row) and row["state"] == "Failed" and end.get("cause") in ("lost", "interrupted"):
            continue
        if row["state"] != state or end.get("cause") != cause or code not in (None, end.get("exit_code")):
            yield f"job {job.number} ({row['name']}): {row['state']} {end}, expected {job.expected()}"


def acknowledged_requests_are_kept(books):
    for job, row in books.jobs:
        if job.fate in ("stop", "interrupt") and not job.acknowledged:
            yield f"job {job.number} ({row['name']}) was not to be told: {job.fate}"


def what_was_seen_ended_stays_so(books):
    status = {row["name"]: row["status"] for _, row in books.jobs}
    for name, seen in books.load.ended.items():
        if status.get(name) != seen:
            yield f"{name}: {seen}, and then {status.get(name)}"


def every_end_is_noticed_soon(books):
    """The daemon is away for some seconds at most."""
    told = {row["job_id"]: row["wall"] for row in books.all(
        "SELECT job_id, MAX(json_extract(data, '$.wall_us')) AS wall FROM job_event WHERE kind = 'worker_ended' GROUP BY job_id")}
    for job, row in books.jobs:
        late = row["changed_us"] - (told.get(row["job_id"]) or row["changed_us"])
        if late > 10 * SECOND:
            yield f"job {job.number} ({row['name']}): {late / SECOND:.1f} s after it"


def the_event_log_has_no_gap(books):
    for row in books.all("SELECT job_id, COUNT(*) AS n, MIN(seq) AS low, MAX(seq) AS high FROM job_event"
                         " GROUP BY job_id HAVING low != 1 OR high != n"):
        yield f"job row {row['job_id']}: {row['n']} events, {row['low']}..{row['high']}"


def no_process_is_left(books):
    """By the environment of a rank, its cgroup, or the folder of a worker."""
    ids = {row["id"] for _, row in books.jobs}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for what in ("environ", "cgroup", "cmdline"):
            try:
                with open(f"/proc/{pid}/{what}", "rb") as file:
                    found = {word.decode() for word in JOB_ID.findall(file.read())}
            except OSError:
                continue
            if found & ids:
                yield f"process {pid} by its {what}"
                break


def every_interval_is_there_once_and_closed(books):
    for job, row in books.jobs:
        intervals = books.intervals(row)
        ready = books.count(row, "ready")
        restless = books.is_hurt(row) or job.fate == "interrupt"
        attempts = sorted({i["attempt"] for i in intervals}) if restless else range(1, ready + 1)
        wanted = [(attempt, worker) for attempt in attempts for worker in range(job.count)]
        if len(attempts) != ready or [(i["attempt"], i["worker"]) for i in intervals] != wanted:
            yield f"job {job.number} ({row['name']}), ready {ready} times: {[tuple(i) for i in intervals]}"
        if ready != job.attempts and job.fate in ("end", "lost") and not restless:
            yield f"job {job.number} ({row['name']}): was ready {ready} times, expected {job.attempts}"
        for i in intervals:
            if i["closed"] is None:
                yield f"job {job.number} ({row['name']}): worker {i['worker']} is open"
            elif i["seconds"] != -(-(i["closed"] - i["opened"]) // SECOND):
                yield f"job {job.number}: {i['closed'] - i['opened']} us are {i['seconds']} s"


def every_warm_pool_is_accounted_for_once(books):
    for job, row in books.jobs:
        pools = books.intervals(row, "warm")
        ran = books.intervals(row)
        kept = job.keep_alive and ran and job.fate != "lost" and job.fate != "budget"
        loose = books.is_hurt(row) or job.fate == "budget"
        if (len(pools) != (job.count if kept else 0) and not (loose and len(pools) in (0, job.count))) \
                or books.count(row, "warm_ended") != bool(pools):
            yield f"job {job.number} ({row['name']}): {len(pools)} warm intervals of {job.count}"
        for i in pools:
            length = (i["closed"] or 0) - i["opened"]
            if i["opened"] != max(r["closed"] for r in ran) or not 0 <= length <= job.keep_alive * SECOND:
                yield f"job {job.number} ({row['name']}): warm {i['opened']}..{i['closed']}"
            elif i["seconds"] != -(-length // SECOND):
                yield f"job {job.number}: {length} us warm are {i['seconds']} s"


def intervals_agree_with_the_stopwatch(books):
    """To a second; what a fake job ran is known to the microsecond."""
    for job, row in books.jobs:
        for i in books.intervals(row):
            opened, closed = i["opened"], i["closed"] or 0
            if not job.local:
                length = closed - opened
                if job.fate in ("end", "lost") and length != job.run_ms * 1000:
                    yield f"job {job.number}: {length} us, ran {job.run_ms} ms"
                continue
            lines = marks(job, i["attempt"]).values()
            starts = [at for worker in lines for word, at in worker if word == "start"]
            ends = [at for worker in lines for word, at in worker if word == "end"]
            if books.is_hurt(row) or not starts or len(ends) != len(starts):
                continue
            error = max(abs(opened - max(starts)), abs(closed - max(ends)))
            books.largest_error = max(books.largest_error, error)
            if error > SECOND:
                yield (f"job {job.number} ({row['name']}): billed {opened}..{closed},"
                       f" ran {max(starts)}..{max(ends)}")


def half_even(numerator, denominator):
    whole, rest = divmod(numerator, denominator)
    return whole + (rest * 2 > denominator or (rest * 2 == denominator and whole % 2 == 1))


def cost_is_price_times_seconds(books):
    for job, row in books.jobs:
        attempts = collections.defaultdict(list)
        for i in books.intervals(row):
            attempts[i["attempt"]].append(i)
        cost = billable = 0
        for intervals in attempts.values():
            price = intervals[0]["hourly_nanousd"]
            cost += half_even(price * sum(i["seconds"] or 0 for i in intervals), 3600)
            billable += max(i["seconds"] or 0 for i in intervals)
            if not price:
                yield f"job {job.number}: unpriced"
        if row["cost_nanousd"] != cost:
            yield f"job {job.number}: cost {cost}, not {row['cost_nanousd']}"
        if row["billable_seconds"] != billable:
            yield f"job {job.number}: {row['billable_seconds']} billable seconds, not {billable}"


LOST = (acknowledged_jobs_are_there, acknowledged_sources_are_there, acknowledged_requests_are_kept,
        what_was_seen_ended_stays_so)
DOUBLED = (no_submit_makes_two_jobs, nothing_ran_twice, prices_are_set_once)
ORPHANS = (no_process_is_left,)
OTHERS = (every_end_is_as_expected, every_end_is_noticed_soon, the_event_log_has_no_gap,
          every_interval_is_there_once_and_closed, every_warm_pool_is_accounted_for_once,
          intervals_agree_with_the_stopwatch, cost_is_price_times_seconds)
