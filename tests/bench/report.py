"""make bench: runs the sections, keeps every sample, prints the table of ratios."""

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from daemon import Failed
from jobs import measure_first, measure_history, measure_jobs
from ledger import measure_ledger
from load_together import measure_load
from staging import measure_staging
from submits import measure_memory, measure_submits
from supervision import measure_supervision, ratio_of_pairs

SECTIONS = {"submits": measure_submits, "jobs": measure_jobs, "history": measure_history,
            "first": measure_first, "memory": measure_memory, "ledger": measure_ledger, "staging": measure_staging,
            "supervision": measure_supervision, "load": measure_load}
# Two minutes to a quarter of an hour each, so only by name.
BY_NAME = ("ledger", "staging", "supervision", "load")

FULL = {"rounds": 4, "slices": 12, "msec": 300, "batches": 4, "batch": 500, "spawns": 400,
        "history": 100000, "firsts": 200, "live_jobs": 2000, "pipe_mib": 4096, "s3_mib": 1024, "s3_objects": 2000,
        "train_s": 8, "pairs_least": 10, "pairs_most": 120, "width": 0.01, "idle_s": 60,
        "intervals": 1000000, "ledger_ms": 8000, "followers": 2000, "submit_rate": 500, "load_s": 60}
QUICK = {"rounds": 4, "slices": 4, "msec": 200, "batches": 2, "batch": 100, "spawns": 100,
         "history": 10000, "firsts": 60, "live_jobs": 2000, "pipe_mib": 1024, "s3_mib": 64, "s3_objects": 200,
         "train_s": 3, "pairs_least": 4, "pairs_most": 4, "width": 0.01, "idle_s": 10,
         "intervals": 100000, "ledger_ms": 2000, "followers": 2000, "submit_rate": 500, "load_s": 10}
# A ratio whose interval is wider than +-2 % says nothing of a goal of 1 or 2 %.
INTERVAL_MOST = 0.02
# A step is shown so often where there is no terminal to show it all the time.
STEP_SECONDS = 30


class Context:
    """Where things are, how much is done, what was measured."""

    def __init__(self, options, amounts):
        self.source = os.path.abspath(options.source)
        self.build = os.path.abspath(options.build)
        self.folder = tempfile.mkdtemp(prefix="bench-", dir=options.folder or self.build)
        self.samples = {}
        self.loads = []
        self.began = time.monotonic()
        self.shown = self.began
        for name, amount in amounts.items():
            setattr(self, name, amount)

    def program(self, name):
        return os.path.join(self.build, "tests", "bench", name)

    def tool(self, name, *arguments):
        done = subprocess.run([self.program(name)] + [str(each) for each in arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
        if done.returncode != 0:
            raise Failed("%s: %s" % (name, done.stderr.decode(errors="replace")[-1000:]))
        return json.loads(done.stdout)

    def keep(self, key, value):
        self.samples.setdefault(key, []).append(value)

    def remove(self, path):
        for each in (path, path + "-wal", path + "-shm"):
            if os.path.exists(each):
                os.unlink(each)

    def step(self, label):
        """Shows what is going on, and how busy the machine is meanwhile."""
        self.loads.append(round(os.getloadavg()[0], 2))
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K[%3d s] %s" % (time.monotonic() - self.began, label))
            sys.stderr.flush()
        elif time.monotonic() - self.shown >= STEP_SECONDS:
            self.shown = time.monotonic()
            print("[%3d s] %s" % (self.shown - self.began, label), file=sys.stderr, flush=True)


# --- the table ---

class Row:
    """One line: what, the key of ours, the key beside it (or None), and the goal, which is of the ratio if there
    is something beside it, else of our figure."""

    def __init__(self, what, ours, beside=None, unit="/s", goal=None, paired=False):
        self.what, self.ours, self.beside, self.unit, self.goal = what, ours, beside, unit, goal
        self.paired = paired  # the ratio is the mean of many pairs, with its interval


def submit_rows():
    rows = []
    for count in (128, 32, 1):
        key = "submit.%d." % count
        at = "%d conn.: " % count
        rows += [
            Row(at + "submits", key + "railhead.per_second", unit="/s", goal=(">=", 10000) if count == 128 else None),
            Row(at + "beside the same with one row each", key + "railhead.per_second", key + "prototype.per_second",
                goal=(">=", 0.37) if count == 128 else None),
            Row(at + "beside a handler that only answers", key + "railhead.per_second", key + "bare.per_second"),
            Row(at + "beside SQLite, groups as large", key + "railhead.per_second", "disk.%d.group.per_second" % count),
            Row(at + "beside SQLite, row by row", key + "railhead.per_second", "disk.%d.row.per_second" % count),
            Row(at + "jobs a commit", key + "jobs_per_commit", unit=""),
            Row(at + "CPU of the daemon a submit", key + "cpu_us", unit="us"),
        ]
    return rows + [
        Row("1 conn.: p50 beside p50 of one fdatasync", "submit.1.railhead.p50_us", "disk.1.append.p50_us", "us",
            ("<=", 1.3)),
        Row("1 conn.: p50 beside p50 of one SQLite commit", "submit.1.railhead.p50_us", "disk.1.row.p50_us", "us"),
        Row("128 conn.: p99", "submit.128.railhead.p99_us", unit="us"),
    ]


def job_rows():
    rows = []
    for slots in (4, 8):
        key = "jobs.railhead.%d." % slots
        at = "%d slots: " % slots
        rows += [
            Row(at + "beside /bin/true alone", key + "per_second", "jobs.alone.best.per_second", goal=(">=", 0.35)),
            Row(at + "beside the bare pair", key + "per_second", "jobs.pair.best.per_second", goal=(">=", 0.7)),
            Row(at + "CPU a job, daemon", key + "daemon_cpu_ms", unit="ms"),
            Row(at + "commits a job", key + "commits", unit=""),
        ]
    return rows + [Row("the bare pair beside /bin/true alone", "jobs.pair.best.per_second",
                       "jobs.alone.best.per_second")]


def supervision_rows():
    key = "supervision."
    return [
        Row("CPU of the ranks, beside by hand", key + "cpu", key + "cpu.by_hand", "s", ("<=", 1.01), paired=True),
        Row("with the worker's and the daemon's", key + "all_cpu", key + "cpu.by_hand", "s", paired=True),
        Row("first start to last end, beside by hand", key + "wall", key + "wall.by_hand", "s", ("<=", 1.02),
            paired=True),
        Row("the worker's own CPU, of a core", key + "worker_percent", unit="%"),
        Row("the daemon's", key + "daemon_percent", unit="%"),
        Row("the worker's while nothing is printed", key + "idle_percent", unit="%", goal=("<=", 0.2)),
    ]


def table_rows(context):
    return {
        "Durable submits over HTTP": submit_rows(),
        "Jobs from submit to end: command [/bin/true]": job_rows(),
        "After %d finished jobs" % context.history: [
            Row("jobs beside those of a fresh daemon", "history.aged.per_second", "history.fresh.per_second",
                goal=(">=", 0.9)),
            Row("fake jobs to the end, while they were made", "history.fake.per_second"),
            Row("a page of 100 jobs", "history.page_ms", unit="ms", goal=("<=", 10)),
            Row("a page of live jobs, when there are none", "history.page_live_ms", unit="ms"),
            Row("memory of the daemon", "history.rss_mib", unit="MiB"),
        ],
        "From submit to the first user instruction": [
            Row("p50, beside posix_spawn alone", "first.railhead.us", "first.alone.us", "us"),
            Row("p50", "first.railhead.p50_ms", unit="ms", goal=("<=", 25)),
            Row("p99", "first.railhead.p99_ms", unit="ms"),
            Row("p99 of posix_spawn alone", "first.alone.p99_ms", unit="ms"),
        ],
        "Memory of the daemon": [
            Row("VmRSS with %d live jobs" % context.live_jobs, "memory.live.rss_mib", unit="MiB", goal=("<=", 64)),
            Row("PSS with %d live jobs" % context.live_jobs, "memory.live.pss_mib", unit="MiB"),
            Row("VmRSS with none", "memory.empty.rss_mib", unit="MiB"),
        ],
        "A ledger of %d intervals over three years" % context.intervals: [
            Row("a month by project", "ledger.month_ms", unit="ms", goal=("<=", 300)),
            Row("a year by month and project", "ledger.year_ms", unit="ms", goal=("<=", 2000)),
            Row("the same, beside a scan of these rows by SQLite", "ledger.year_ms", "ledger.scan_ms", "ms"),
            Row("verification", "ledger.verify_ms", unit="ms"),
            Row("the same, beside a scan of all rows by SQLite", "ledger.verify_ms", "ledger.scan_all_ms", "ms"),
            Row("rows verified", "ledger.verify_per_second", unit="/s"),
            Row("p99 of a submit while it is read, beside p99 without", "ledger.submit.reading.p99_ms",
                "ledger.submit.quiet.p99_ms", "ms"),
            Row("how much later", "ledger.submit.more_ms", unit="ms", goal=("<=", 20)),
            Row("intervals made for this", "ledger.make_per_second", unit="/s"),
        ],
        "Channels": [
            Row("Pipe, beside cat FILE >FIFO", "staging.pipe.mib_per_second", "staging.cat.mib_per_second", "MiB/s",
                (">=", 0.6)),
            Row("Pipe, memory of railhead-stage", "staging.pipe.mib", unit="MiB", goal=("<=", 32)),
            Row("Pipe, memory of railhead-worker", "staging.worker.mib", unit="MiB", goal=("<=", 32)),
            Row("File of s3://, one object, beside curl", "staging.s3.large.per_second", "staging.curl.large.per_second",
                "MiB/s", (">=", 0.7)),
            Row("File of s3://, %d objects, beside curl -Z" % context.s3_objects, "staging.s3.small.per_second",
                "staging.curl.small.per_second", "/s", (">=", 0.7)),
        ],
        "%d submits/s and %d followers of a log" % (context.submit_rate, context.followers): [
            Row("p99 of a submit, beside p99 without followers", "load.busy.p99_ms", "load.quiet.p99_ms", "ms"),
            Row("p50", "load.busy.p50_ms", "load.quiet.p50_ms", "ms"),
            Row("memory of the daemon, beside before", "load.rss_mib", "load.rss_before_mib", "MiB"),
            Row("CPU of the daemon, of a core", "load.cpu_percent", unit="%"),
            Row("followers that got every line", "load.followers_with_all_lines", unit="", goal=(">=", context.followers)),
        ],
        "Supervision (ratios with their 95 % interval)": supervision_rows(),
    }


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def add_percentiles(samples):
    for name in ("railhead", "alone"):
        times = samples.get("first.%s.us" % name)
        if times:
            samples["first.%s.p50_ms" % name] = [percentile(times, 50) / 1000]
            samples["first.%s.p99_ms" % name] = [percentile(times, 99) / 1000]


def number(value):
    if abs(value) >= 1000:
        return "{:,.0f}".format(value)
    return "%.0f" % value if abs(value) >= 100 else "%.3g" % value


def span(values, unit=""):
    """Median, and least and most when there are several."""
    text = number(statistics.median(values)) + (unit if unit == "/s" else " " + unit if unit else "")
    if len(values) > 1:
        text += " [%s-%s]" % (number(min(values)), number(max(values)))
    return text


def ratios_of(ours, beside):
    """Of the same round each where there are rounds; many single times give the ratio of their medians."""
    if len(ours) == len(beside) and len(ours) < 20:
        return [a / b for a, b in zip(ours, beside)]
    return [statistics.median(ours) / statistics.median(beside)]


def line_of(row, samples):
    """As a record; None when it was not measured."""
    ours = samples.get(row.ours)
    beside = samples.get(row.beside) if row.beside else None
    if not ours or (row.beside and not beside):
        return None
    figure, ratio = statistics.median(ours), ""
    if row.paired:
        figure, least, most = ratio_of_pairs(ours, beside)
        ratio = "%.4f [%.4f-%.4f]" % (figure, least, most)
    elif beside:
        ratios = ratios_of(ours, beside)
        figure, ratio = statistics.median(ratios), span(ratios)
    line = {"what": row.what, "ours": span(ours, row.unit), "beside": span(beside, row.unit) if beside else "",
            "ratio": ratio, "goal": "", "met": None}
    if row.goal:
        sign, goal = row.goal
        line["goal"] = "%s %s%s" % (sign, number(goal), "" if beside else row.unit)
        line["met"] = figure >= goal if sign == ">=" else figure <= goal
        if row.paired and (most - least) / 2 > INTERVAL_MOST * figure:
            line["met"] = "unclear"
    return line


def print_table(title, lines):
    columns = ("what", "ours", "beside", "ratio", "goal")
    heads = {"what": title, "ours": "railhead", "beside": "beside", "ratio": "ratio", "goal": "goal"}
    widths = {each: max(len(line[each]) for line in [heads] + lines) for each in columns}
    for line in [heads] + lines:
        met = {True: "met", False: "missed", "unclear": "unclear", None: ""}[line.get("met")]
        print(("  ".join(line[each].ljust(widths[each]) for each in columns) + "  " + met).rstrip())
    print()


def report(context, machine):
    lines = []
    print("%s, %d processors, Linux %s, %s; load %.2f before, %.2f while measuring"
          % (machine["processor"], machine["processors"], machine["kernel"], machine["filesystem"],
             machine["load_before"][0], statistics.median(context.loads)))
    print("median [least-most] of the rounds; ratio = railhead / beside, in the same round\n")
    add_percentiles(context.samples)
    for title, rows in table_rows(context).items():
        found = [line for line in (line_of(row, context.samples) for row in rows) if line]
        if found:
            print_table(title, found)
            lines += [dict(line, section=title) for line in found]
    return lines


# --- the machine ---

def first_line_with(path, start):
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line.startswith(start):
                return line.split(":", 1)[1].strip()
    return "unknown"


def describe_machine(folder):
    filesystem = subprocess.run(["df", "--output=fstype", folder], stdout=subprocess.PIPE, check=True)
    return {
        "processor": first_line_with("/proc/cpuinfo", "model name"),
        "processors": os.cpu_count(),
        "memory": first_line_with("/proc/meminfo", "MemTotal"),
        "kernel": platform.release(),
        "filesystem": filesystem.stdout.decode().split()[-1],
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load_before": os.getloadavg(),
    }


def write_results(path, context, machine, amounts, lines):
    result = {"machine": dict(machine, load_after=os.getloadavg(), load_while=context.loads),
              "amounts": amounts, "seconds": round(time.monotonic() - context.began, 1),
              "table": lines, "samples": context.samples}
    with open(path + ".new", "w", encoding="utf-8") as out:
        json.dump(result, out, indent=1)
        out.write("\n")
    os.rename(path + ".new", path)


def read_options():
    parser = argparse.ArgumentParser(prog="tests/bench/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about a minute, with fewer and shorter rounds")
    parser.add_argument("--only", help="sections, by comma: %s [all but %s]" % (", ".join(SECTIONS), " and ".join(BY_NAME)))
    parser.add_argument("--folder", help="where databases and jobs are kept while measuring [the build folder]")
    parser.add_argument("--source", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.sections = (options.only.split(",") if options.only
                        else [name for name in SECTIONS if name not in BY_NAME])
    for name in options.sections:
        if name not in SECTIONS:
            parser.error("no section %s; there are %s" % (name, ", ".join(SECTIONS)))
    return options


def main():
    options = read_options()
    amounts = QUICK if options.quick else FULL
    context = Context(options, amounts)
    machine = describe_machine(context.folder)
    path = os.path.join(context.build, "bench-results.json")
    try:
        try:
            for name in options.sections:
                SECTIONS[name](context)
        except KeyboardInterrupt:
            if not context.samples:
                sys.exit(130)
            print("bench: interrupted; this is what was measured until then", file=sys.stderr)
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
        lines = report(context, machine)
        write_results(path, context, machine, amounts, lines)
        print("every sample: " + path)
    except Failed as why:
        sys.exit("bench: %s" % why)
    finally:
        shutil.rmtree(context.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
