"""What it costs to read a ledger of three years, and what submits notice of it."""

import json
import os
import sqlite3
import subprocess
import threading
import time

from daemon import Daemon, Failed
from submits import load

FROM, TO = 1701388800, 1796083200  # 2023-12-01 to 2026-12-01
MONTH = "/v1/usage?from=2026-03-01&to=2026-04-01&by=project"
YEAR = "/v1/usage?from=2025-01-01&to=2026-01-01&by=month,project"
VERIFY = "/v1/ledger/verification"
# The least that a report of the year could do: sum up what it joins.
SCAN = """SELECT COUNT(*), SUM(c.seconds), SUM(o.label), SUM(o.price)
    FROM interval_close AS c INDEXED BY interval_close_by_start CROSS JOIN interval_open AS o ON o.seq = c.open_seq
    WHERE c.start_s >= unixepoch('2025-01-01') AND c.start_s < unixepoch('2026-01-01')"""
# And a verification: every row, once.
SCAN_ALL = ("SELECT SUM(length(hash)) FROM interval_open", "SELECT SUM(length(hash)) FROM interval_close",
            "SELECT SUM(length(hash)) FROM charge_label")


def make_ledger(context):
    path = os.path.join(context.folder, "made.db")
    program = os.path.join(context.build, "tests", "flow", "make_ledger")
    began = time.monotonic()
    done = subprocess.run([program, path, "7", str(context.intervals), str(FROM), str(TO)],
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failed(done.stderr.decode())
    context.keep("ledger.make_per_second", context.intervals / (time.monotonic() - began))
    return path


def milliseconds(call):
    began = time.monotonic()
    result = call()
    return (time.monotonic() - began) * 1000, result


def scan(path, statements):
    def run():
        database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        for statement in statements:
            database.execute(statement).fetchall()
        database.close()
    return milliseconds(run)[0]


class Reading:
    """The whole ledger is read again and again by the daemon, beside what is measured."""

    def __init__(self, context, port):
        self.context, self.port, self.stop, self.asked = context, port, False, 0
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stop:
            for path in (YEAR, VERIFY):
                subprocess.run(["curl", "-sS", "-o", "/dev/null", "http://127.0.0.1:%d%s" % (self.port, path)],
                               check=True)
                self.asked += 1

    def __enter__(self):
        self.thread.start()
        time.sleep(0.2)
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()


def measure_submits_beside(context, daemon, number):
    """p99 by turns; the difference is what reading costs a submit."""
    name = "quiet-%d-" % number
    quiet = load(context, daemon.port, 1, name, msec=context.ledger_ms)
    with Reading(context, daemon.port):
        busy = load(context, daemon.port, 1, "busy-%d-" % number, msec=context.ledger_ms)
    context.keep("ledger.submit.quiet.p99_ms", quiet["p99_us"] / 1000)
    context.keep("ledger.submit.reading.p99_ms", busy["p99_us"] / 1000)
    context.keep("ledger.submit.more_ms", (busy["p99_us"] - quiet["p99_us"]) / 1000)


def measure_ledger(context):
    context.step("a ledger of %d intervals" % context.intervals)
    path = make_ledger(context)
    with Daemon(context, [("ml.c5.xlarge", "fake", 4)], database=path) as daemon:
        kept = daemon.database
        for number in range(context.rounds):
            context.step("reading it, %d of %d" % (number + 1, context.rounds))
            context.keep("ledger.month_ms", milliseconds(lambda: daemon.ask("GET", MONTH))[0])
            context.keep("ledger.scan_ms", scan(kept, [SCAN]))
            context.keep("ledger.year_ms", milliseconds(lambda: daemon.ask("GET", YEAR))[0])
            context.keep("ledger.scan_all_ms", scan(kept, SCAN_ALL))
            took, answer = milliseconds(lambda: daemon.ask("GET", VERIFY))
            if not answer["holds"]:
                raise Failed("the ledger does not hold: " + json.dumps(answer["broken"]))
            context.keep("ledger.verify_ms", took)
            context.keep("ledger.verify_per_second", answer["rows"] * 1000 / took)
            measure_submits_beside(context, daemon, number)
