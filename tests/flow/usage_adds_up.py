#!/usr/bin/python3
"""usage_adds_up.py BILL DATABASE SEED FROM TO: reports of random spans and groups in every time zone of this host, each
compared with a recomputation from the intervals.

Nothing of railhead is used for that but the exported intervals, and reservations from the ledger: amounts are decimals,
days are zoneinfo's.
"""

import csv
import datetime
import decimal
import io
import json
import random
import sqlite3
import subprocess
import sys
import zoneinfo

decimal.getcontext().prec = 60
NANO = decimal.Decimal("1e-9")
UTC = datetime.timezone.utc
QUARTER = 900
SHARES = ("emulated", "spot", "reserved", "free", "warm", "estimated")
LABELS = ("owner", "project", "tag:experiment", "tag:none", "instance_type", "pool", "pricing")

bill, database, seed, ledger_from, ledger_to = sys.argv[1:]
ledger_from, ledger_to = int(ledger_from), int(ledger_to)
chance = random.Random(int(seed))
checked = {"reports": 0, "rows": 0}


def ask(**parameters):
    request = {"do": "usage", "database": database, "state": "/", **parameters}
    done = subprocess.run([bill], input=json.dumps(request), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{request}: {done.stdout}{done.stderr}")
    return done.stdout


def instant(words):
    return int(datetime.datetime.strptime(words, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC).timestamp())


def utc(at):
    return datetime.datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Zone:
    """Days of a zone: each begins at the first instant with that local date or a later one."""

    def __init__(self, name):
        self.name = name
        self.info = zoneinfo.ZoneInfo(name)
        self.starts = {}

    def date(self, at):
        return datetime.datetime.fromtimestamp(at, self.info).date()

    def start(self, day):
        if day not in self.starts:
            self.starts[day] = self.search(day)
        return self.starts[day]

    def search(self, day):
        """By looking at every quarter of an hour, then at every second of one: no change of the clock is left out."""
        midnight = int(datetime.datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
        for at in range(midnight - 64 * QUARTER, midnight + 64 * QUARTER, QUARTER):
            if self.date(at) >= day:
                return next(second for second in range(at - QUARTER + 1, at + 1) if self.date(second) >= day)
        sys.exit(f"{self.name}: {day} does not begin")

    def day(self, at):
        """The last that has begun: a midnight that the clock is put back over comes once."""
        day = self.date(at) + datetime.timedelta(2)
        while self.start(day) > at:
            day -= datetime.timedelta(1)
        return day

    def days_with_change(self, start, end):
        """Those whose length is not 24 hours, and their neighbours."""
        found = []
        offset = None
        for at in range(start, end, 86400):
            now = datetime.datetime.fromtimestamp(at, self.info).utcoffset()
            if offset is not None and now != offset:
                found.append(self.date(at))
            offset = now
        return found


def read_intervals():
    intervals = [json.loads(line) for line in ask(format="intervals", **{"from": utc(0), "to": utc(ledger_to + 10**9)}).splitlines()]
    for interval in intervals:
        interval["start"] = instant(interval["start"])
        interval["hourly"] = decimal.Decimal(interval["price"]["usd_per_hour"]) if interval["price"] else None
    return intervals


def cost_of(hourly, seconds):
    return (hourly * seconds / 3600).quantize(NANO, decimal.ROUND_HALF_EVEN)


def tag(interval, key):
    value = interval["tags"].get(key)
    return {True: "true", False: "false"}.get(value, str(value)) if value is not None else None


def value_of(interval, key):
    if key == "project":
        return tag(interval, "project")
    if key.startswith("tag:"):
        return tag(interval, key[4:])
    return str(interval[key])


class Sum:
    def __init__(self):
        self.jobs = set()
        self.figures = dict.fromkeys(("seconds", "unpriced", "busy", "known", *(f"{share} s" for share in SHARES)), 0)
        self.costs = dict.fromkeys(("whole", *SHARES), decimal.Decimal(0))

    def add(self, interval, start, end):
        seconds = end - start
        before = interval["base"] + start - interval["start"]
        hourly = interval["hourly"]
        cost = cost_of(hourly, before + seconds) - cost_of(hourly, before) if hourly is not None else 0
        holds = {
            "emulated": interval["emulated"],
            "warm": interval["kind"] == "warm",
            "estimated": interval["price"] and interval["price"]["confidence"] == "low",
            interval["pricing"]: True,
        }
        self.jobs.add(interval["job"])
        self.figures["seconds"] += seconds
        self.figures["unpriced"] += seconds if hourly is None else 0
        self.costs["whole"] += cost
        for share in SHARES:
            if holds.get(share):
                self.figures[f"{share} s"] += seconds
                self.costs[share] += cost
        if interval["busy_permille"] is not None or interval["kind"] == "warm":
            self.figures["known"] += seconds
            self.figures["busy"] += seconds * (interval["busy_permille"] or 0)

    def words(self):
        return {"jobs": len(self.jobs), **self.figures, **{name: str(+cost.normalize()) for name, cost in self.costs.items()}}


def figures_of(total):
    """Of a row, or of the total, as Sum.words."""
    figures = {
        "jobs": total["jobs"],
        "seconds": total["instance_seconds"],
        "unpriced": total["unpriced_instance_seconds"],
        "busy": int(decimal.Decimal(total["busy"]["instance_seconds"]) * 1000),
        "known": total["busy"]["of_instance_seconds"],
        "whole": decimal.Decimal(total["cost_usd"] or 0),
    }
    if (total["cost_usd"] is None) != (0 < figures["seconds"] == figures["unpriced"]):
        sys.exit(f"a cost is null exactly where nothing has a price: {total}")
    for share in SHARES:
        figures[f"{share} s"] = total[share]["instance_seconds"]
        figures[share] = decimal.Decimal(total[share]["cost_usd"])
    return {name: str(figure.normalize()) if isinstance(figure, decimal.Decimal) else figure for name, figure in figures.items()}


def read_reservations(intervals):
    """Instances and price from a time on to another, with the intervals of the pool."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as ledger:
        rows = ledger.execute(
            "SELECT pool, r.instance_type, instances, hourly_nanousd, r.from_us / 1000000 FROM reservation AS r"
            " JOIN price AS p ON p.seq = r.price ORDER BY pool, r.instance_type, r.from_us, r.seq").fetchall()
    for (pool, kind, count, hourly, start), after in zip(rows, rows[1:] + [(None,) * 5]):
        end = after[4] if after[:2] == (pool, kind) else ledger_to + 10**9
        uses = [(interval["start"], interval["start"] + interval["seconds"]) for interval in intervals
                if (interval["pool"], interval["instance_type"]) == (pool, kind)]
        yield count, hourly * NANO, start, end, uses


def unused(count, uses, start, end):
    """Instance-seconds: of every stretch in which as many are used."""
    uses = [(max(first, start), min(last, end)) for first, last in uses if first < end and last > start]
    cuts = sorted({start, end, *(at for use in uses for at in use)})
    return sum((until - at) * max(0, count - sum(first <= at < last for first, last in uses)) for at, until in zip(cuts, cuts[1:]))


def recompute_idle(reservations, start, end):
    """A day of UTC costs what is unused of it, rounded once; a part of a day, what it adds."""
    seconds, cost = 0, decimal.Decimal(0)
    for count, hourly, first, last, uses in reservations:
        for day in range(start - start % 86400, min(end, last), 86400):
            begins, ends = max(day, first), min(day + 86400, end, last)
            if count == 0 or ends <= max(begins, start):
                continue
            before = unused(count, uses, begins, start) if start > begins else 0
            until = unused(count, uses, begins, ends)
            seconds += until - before
            cost += cost_of(hourly, until) - cost_of(hourly, before)
    return seconds, cost


def idle_of(total):
    return total["idle_reserved"]["instance_seconds"], decimal.Decimal(total["idle_reserved"]["cost_usd"])


def is_idle(row):
    return idle_of(row)[0] != 0


def pieces(zone, start, end, units):
    """[start, end) cut where a unit begins, each with the names of what it is in."""
    cuts = [(start, zone.day(start))]
    day = cuts[0][1] + datetime.timedelta(1)
    while units and zone.start(day) < end:
        begins = "day" in units or ("week" in units and day.weekday() == 0) or ("month" in units and day.day == 1)
        if begins and zone.start(day) > cuts[-1][0]:
            cuts.append((zone.start(day), day))
        elif begins:
            cuts[-1] = (cuts[-1][0], day)
        day += datetime.timedelta(1)
    ends = [at for at, _ in cuts[1:]] + [end]
    for (at, day), until in zip(cuts, ends):
        year, week, _ = day.isocalendar()
        yield at, until, {"day": str(day), "week": f"{year}-W{week:02}", "month": str(day)[:7]}


def recompute(intervals, zone, start, end, by):
    rows = {}
    total = Sum()
    for from_s, to_s, names in pieces(zone, start, end, [key for key in by if key in ("day", "week", "month")]):
        for interval in intervals:
            first = max(from_s, interval["start"])
            last = min(to_s, interval["start"] + interval["seconds"])
            if first < last or (interval["seconds"] == 0 and from_s <= interval["start"] < to_s):
                group = tuple(names.get(key) or value_of(interval, key) for key in by)
                rows.setdefault(group, Sum()).add(interval, first, last)
                total.add(interval, first, last)
    return {group: row.words() for group, row in rows.items()}, total.words()


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}:\n  got    {got}\n  wanted {wanted}")


def check_csv(report, parameters, by):
    lines = list(csv.DictReader(io.StringIO(ask(format="csv", **parameters))))
    expect(f"{parameters}: lines of CSV", len(lines), len(report["rows"]))
    for line, row in zip(lines, report["rows"]):
        expect(f"{parameters}: CSV", line["cost_usd"], row["cost_usd"] or "")
        expect(f"{parameters}: CSV", line["instance_seconds"], str(row["instance_seconds"]))
        for key in by:
            expect(f"{parameters}: CSV", line[key].lstrip("'"), (row["group"][key] or "").lstrip("'"))
        for share in SHARES:
            expect(f"{parameters}: CSV", line[f"{share}_cost_usd"], row[share]["cost_usd"])


def check_focus(report, parameters):
    """FOCUS has no lines for what has no price, and has some for idle time."""
    lines = list(csv.DictReader(io.StringIO(ask(format="focus", **parameters))))
    figures = figures_of(report["total"])
    sums = {status: [0, decimal.Decimal(0)] for status in (False, True)}
    for line in lines:
        of = sums[line["CapacityReservationStatus"] == "Unused"]
        of[0] += int(line["ConsumedQuantity"])
        of[1] += decimal.Decimal(line["x_LedgerCost"])
    expect(f"{parameters}: the seconds in FOCUS", sums[False][0], figures["seconds"] - figures["unpriced"])
    expect(f"{parameters}: the cost in FOCUS", str(+sums[False][1].normalize()), figures["whole"])
    expect(f"{parameters}: idle time in FOCUS", tuple(sums[True]), idle_of(report["total"]))


def check_report(intervals, zone, start, end, words, by):
    parameters = {"tz": zone.name, "by": ",".join(by), **words}
    report = json.loads(ask(**parameters))
    rows, total = recompute(intervals, zone, start, end, by)
    what = f"{parameters}"
    used = [row for row in report["rows"] if row["jobs"] or not is_idle(row)]
    expect(f"{what}: its span", (instant(report["from"]), instant(report["to"])), (start, end))
    expect(f"{what}: groups", sorted(map(str, rows)), sorted(str(tuple(row["group"].values())) for row in used))
    for row in report["rows"]:
        wanted = rows.get(tuple(row["group"].values())) or Sum().words()
        expect(f"{what}: {row['group']}", figures_of(row), wanted)
    idle = [idle_of(row) for row in report["rows"]]
    expect(f"{what}: idle time", tuple(map(sum, zip((0, 0), *idle))), idle_of(report["total"]))
    expect(f"{what}: the total", figures_of(report["total"]), total)
    checked["reports"] += 1
    checked["rows"] += len(rows)
    return report, parameters


def random_span(zone):
    """Dates, often near a change of the clock; else instants."""
    changes = zone.days_with_change(ledger_from, ledger_to)
    if chance.random() < 0.2:
        start = chance.randrange(ledger_from - 86400, ledger_to)
        end = start + chance.choice((1, 3600, 86400, chance.randrange(1, 30 * 86400)))
        return start, end, {"from": utc(start), "to": utc(end)}
    if changes and chance.random() < 0.6:
        first = chance.choice(changes) - datetime.timedelta(chance.randrange(4))
    else:
        first = zone.date(chance.randrange(ledger_from, ledger_to))
    last = first + datetime.timedelta(chance.choice((1, 2, 7, chance.randrange(1, 45))))
    if zone.start(first) == zone.start(last):  # a day that the zone left out
        last += datetime.timedelta(1)
    return zone.start(first), zone.start(last), {"from": str(first), "to": str(last)}


def check_zone(intervals, reservations, zone, number):
    start, end, words = random_span(zone)
    unit = chance.choice(("day", "week", "month"))
    by = [unit, *chance.sample(LABELS, chance.randrange(3))]
    if chance.random() < 0.2:
        by += chance.choice((["job"], ["job", "attempt"]))
    totals = [check_report(intervals, zone, start, end, words, by)[0]["total"]]
    # The same span by other units has the same total, to the last unit.
    for others in (["day"], ["month", "week"], ["job"]) if number % 4 == 0 else (["job"],):
        report, parameters = check_report(intervals, zone, start, end, words, others)
        totals.append(report["total"])
        check_csv(report, parameters, others)
    for total in totals:
        expect(f"{zone.name} {words}: totals", total, totals[0])
    expect(f"{zone.name} {words}: idle time", idle_of(totals[0]), recompute_idle(reservations, start, end))
    if number % 8 == 0:
        check_focus(report, parameters)


def main():
    intervals = read_intervals()
    reservations = list(read_reservations(intervals))
    zones = sorted(zoneinfo.available_timezones() - {"Factory", "localtime"})  # which are no zones
    if len(intervals) < 100 or len(zones) < 400:
        sys.exit(f"{len(intervals)} intervals and {len(zones)} zones are too few to show anything")
    for number, name in enumerate(zones):
        check_zone(intervals, reservations, Zone(name), number)
    print(f"{len(intervals)} intervals, {len(zones)} zones, {checked['reports']} reports, {checked['rows']} rows")


main()
