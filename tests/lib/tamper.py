"""Tampers with a ledger in every way and looks at what railhead-bill says of it.

    tamper.py RAILHEAD_BILL DATABASE

DATABASE is a sound ledger that no daemon has open.  Prints "ok NAME" or "not ok NAME" for every kind of tampering.
The chain is computed here a second time, so that a forger can be played who mends it.
"""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TABLES = ("price", "charge_label", "interval_open", "interval_close", "interval_price", "reservation")

# Columns that are numbers of rows.
NUMBERS = {"price": ("seq",), "charge_label": ("seq",), "interval_open": ("seq", "label", "price"),
           "interval_close": ("seq", "open_seq"), "interval_price": ("seq", "open_seq", "price"),
           "reservation": ("seq", "price")}


class Ledger:
    """A copy of the database without what protects it."""

    def __init__(self, database, folder):
        self.path = folder + "/tampered.db"
        shutil.copyfile(database, self.path)
        self.db = sqlite3.connect(self.path, isolation_level=None)
        self.db.execute("PRAGMA ignore_check_constraints = ON")
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute("BEGIN")
        for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            self.db.execute("DROP TRIGGER " + name)

    def rows(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def row(self, sql, *values):
        return self.rows(sql, *values)[0]

    def columns(self, table):
        return [row[1] for row in self.rows("PRAGMA table_info(%s)" % table)]

    def head(self):
        return max((self.rows("SELECT seq, hash FROM %s ORDER BY seq DESC LIMIT 1" % table) or [(0, b"")])[0]
                   for table in TABLES)

    def renumber(self, number):
        """Gives every row another number, and tells those that name it."""
        for table in TABLES:
            columns = self.columns(table)
            rows = [[number(value) if column in NUMBERS.get(table, ()) else value for column, value in zip(columns, row)]
                    for row in self.rows("SELECT * FROM " + table)]
            self.db.execute("DELETE FROM " + table)
            self.db.executemany("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(columns))), rows)

    def spread(self):
        """Leaves room for nine rows behind every row."""
        self.renumber(lambda seq: seq and seq * 10)

    def mend_chain(self):
        """Gives every row the number and the hash that it should have.  Returns the new numbers by the old ones."""
        old = sorted(seq for table in TABLES for (seq,) in self.rows("SELECT seq FROM " + table))
        numbers = {seq: index + 1 for index, seq in enumerate(old)}
        self.renumber(lambda seq: numbers.get(seq, seq))
        rows = sorted((row[0], table, row[:-1]) for table in TABLES for row in self.rows("SELECT * FROM " + table))
        before = bytes(32)
        for seq, table, cells in rows:
            words = before + netstring(table.encode()) + b"".join(map(cell, cells))
            before = hashlib.sha256(words).digest()
            self.db.execute("UPDATE %s SET hash = ? WHERE seq = ?" % table, (before, seq))
        return numbers

    def verify(self, bill, against=None):
        self.db.execute("COMMIT")
        self.db.close()
        request = {"do": "verify", "database": self.path, "state": "/nonexistent"}
        if against:
            request["against"] = "%d:%s" % (against[0], against[1].hex())
        done = subprocess.run([bill], input=json.dumps(request).encode(), stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)


def netstring(value):
    return b"%d:%s," % (len(value), value)


def cell(value):
    if value is None:
        return b"-,"
    return netstring(value.encode() if isinstance(value, str) else b"%d" % value)


class Tampering:
    """Runs one kind of tampering after the other and keeps count."""

    def __init__(self, bill, database):
        self.bill, self.database, self.failures = bill, database, 0

    def run(self, name, change, against=None):
        """`change` does it to a Ledger and says what is to be named: a dictionary of members of `broken`."""
        with tempfile.TemporaryDirectory() as folder:
            ledger = Ledger(self.database, folder)
            wanted = change(ledger)
            answer = ledger.verify(self.bill, against)
        broken = answer["broken"] or {}
        named = {member: broken.get(member) for member in wanted}
        if not answer["holds"] and named == wanted:
            print("ok", name)
            return
        self.failures += 1
        print("not ok", name)
        print("#   wanted", wanted, "got", answer)

    def run_mended(self, name, change):
        """The same by a forger who mends the chain: only the figures can tell."""
        def forge(ledger):
            ledger.spread()
            wanted = change(ledger)
            numbers = ledger.mend_chain()
            if wanted.get("seq"):
                wanted["seq"] = numbers[wanted["seq"]]
            return wanted
        self.run(name + ", though the chain was mended", forge)


def other(value):
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    if isinstance(value, str):
        return value + "x"
    return 1 if value is None else value + 1000000007


def middle_row(ledger, table):
    count = ledger.row("SELECT COUNT(*) FROM " + table)[0]
    return ledger.row("SELECT * FROM %s ORDER BY seq LIMIT 1 OFFSET ?" % table, count // 2)


def edit_cell(table, column, value=None):
    def change(ledger):
        row = dict(zip(ledger.columns(table), middle_row(ledger, table)))
        new = other(row[column]) if value is None else value(row[column])
        ledger.db.execute("UPDATE %s SET %s = ? WHERE seq = ?" % (table, column), (new, row["seq"]))
        if column == "seq":
            return {"seq": row["seq"], "table": None, "column": "seq", "is": row["seq"] + 1}
        return {"seq": row["seq"], "table": table}
    return change


def delete_row(table):
    def change(ledger):
        seq = middle_row(ledger, table)[0]
        ledger.db.execute("DELETE FROM %s WHERE seq = ?" % table, (seq,))
        return {"seq": seq, "table": None, "should_be": seq}
    return change


def insert_behind(table):
    """A copy of a row behind the last."""
    def change(ledger):
        row = list(middle_row(ledger, table))
        row[0] = ledger.head()[0] + 1
        make_unlike_all(ledger, table, row)
        ledger.db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)
        return {"seq": row[0], "table": table}
    return change


def insert_between(table):
    """A copy of a row with the number of a row of another table."""
    def change(ledger):
        row = list(middle_row(ledger, table))
        elsewhere = "interval_open" if table == "interval_close" else "interval_close"
        row[0] = middle_row(ledger, elsewhere)[0]
        make_unlike_all(ledger, table, row)
        ledger.db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)
        return {"seq": row[0], "table": table}
    return change


def make_unlike_all(ledger, table, row):
    """So that no unique index is in the way."""
    for column in ("owner", "source", "worker", "open_seq", "from_second"):
        if column in ledger.columns(table):
            index = ledger.columns(table).index(column)
            row[index] = other(row[index])


def swap(table):
    """What two rows say, each with its hash, changes places."""
    def change(ledger):
        first = middle_row(ledger, table)
        second = ledger.row("SELECT * FROM %s WHERE seq > ? ORDER BY seq LIMIT 1" % table, first[0])
        ledger.db.execute("DELETE FROM %s WHERE seq IN (?, ?)" % table, (first[0], second[0]))
        values = ",".join("?" * len(first))
        ledger.db.execute("INSERT INTO %s VALUES (%s)" % (table, values), first[:1] + second[1:])
        ledger.db.execute("INSERT INTO %s VALUES (%s)" % (table, values), second[:1] + first[1:])
        return {"seq": first[0], "table": table}
    return change


def edit_job(column, value):
    def change(ledger):
        job_id, name, old = ledger.row(
            "SELECT job_id, name, %s FROM job WHERE cost_nanousd > 0 ORDER BY job_id LIMIT 1" % column)
        ledger.db.execute("UPDATE job SET %s = ? WHERE job_id = ?" % column, (value(old), job_id))
        return {"seq": None, "table": "job", "job": name, "column": column, "is": value(old), "should_be": old}
    return change


def is_of_job(column, value, named, wrong):
    """What a job says of itself, against the label of its first interval."""
    def change(ledger):
        seq, job_id, name = ledger.row("SELECT o.seq, j.job_id, j.name FROM interval_open AS o JOIN job AS j"
                                       " USING (job_id) ORDER BY o.seq LIMIT 1")
        ledger.db.execute("UPDATE job SET %s = ? WHERE job_id = ?" % column, (value, job_id))
        return {"seq": seq, "table": "interval_open", "job": name, "column": named, wrong: value}
    return change


def forge(table, column, condition, value, named=None):
    """The first row of the condition says something else."""
    def change(ledger):
        seq, old = ledger.row("SELECT seq, %s FROM %s WHERE %s ORDER BY seq LIMIT 1" % (column, table, condition))
        ledger.db.execute("UPDATE %s SET %s = ? WHERE seq = ?" % (table, column), (value(old), seq))
        wanted = {"seq": seq, "table": table, "column": named or column}
        if not named:
            wanted["is"] = value(old)
        return wanted
    return change


def forge_price_of_cut(ledger):
    seq, = ledger.row("SELECT MIN(seq) FROM interval_price")
    strange, = ledger.row(
        "SELECT p.seq FROM price AS p WHERE p.seq < ?1 AND p.instance_type <> (SELECT q.instance_type FROM"
        " interval_price AS i JOIN price AS q ON q.seq = i.price WHERE i.seq = ?1) LIMIT 1", seq)
    ledger.db.execute("UPDATE interval_price SET price = ? WHERE seq = ?", (strange, seq))
    return {"seq": seq, "table": "interval_price", "column": "price"}


def cut_off(count):
    def change(ledger):
        end = ledger.head()[0]
        for table in TABLES:
            ledger.db.execute("DELETE FROM %s WHERE seq > ?" % table, (end - count,))
        return {"seq": end - count + 1, "table": None, "is": None}
    return change


def cut_off_with_bills(ledger):
    """Whoever cuts off the end and mends the bills of the jobs is betrayed by a head that was kept."""
    named = cut_off(6)(ledger)
    ledger.db.execute("DELETE FROM job WHERE job_id NOT IN (SELECT job_id FROM interval_open)")
    return named


def rewrite(ledger):
    """Prices halved from the start, the chain mended, and the bills too."""
    ledger.db.execute("UPDATE price SET hourly_nanousd = hourly_nanousd / 2")
    ledger.mend_chain()
    return {"seq": ledger.head()[0], "table": "reservation", "column": "hash"}


def lose_close(ledger):
    """The last interval was never closed, and the chain knows of no close."""
    seq, open_seq, name = ledger.row(
        "SELECT c.seq, c.open_seq, j.name FROM interval_close AS c JOIN interval_open AS o ON o.seq = c.open_seq"
        " JOIN job AS j USING (job_id) ORDER BY c.seq DESC LIMIT 1")
    ledger.db.execute("DELETE FROM interval_close WHERE seq = ?", (seq,))
    return {"seq": open_seq, "table": "interval_open", "job": name, "column": None}


def tamper_with_rows(tampering):
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(tampering.database, folder)
        columns = {table: ledger.columns(table) for table in TABLES}
    for table in TABLES:
        for column in columns[table]:
            tampering.run("%s.%s is edited" % (table, column), edit_cell(table, column))
        tampering.run("a row of %s is deleted" % table, delete_row(table))
        tampering.run("a row of %s is added" % table, insert_behind(table))
        tampering.run("a row of %s is put in between" % table, insert_between(table))
        tampering.run("two rows of %s change places" % table, swap(table))
    tampering.run("a text goes on behind a NUL", edit_cell("interval_close", "evidence", lambda old: old + "\0x"))
    tampering.run("a hash is too short", edit_cell("interval_open", "hash", lambda old: old[:-1]))
    tampering.run("the last hash is empty", forge(
        "reservation", "hash", "seq = (SELECT MAX(seq) FROM reservation)", lambda old: b"", "hash"))
    tampering.run("a table has a column more", lambda ledger: (
        ledger.db.execute("ALTER TABLE interval_open ADD COLUMN more TEXT"),
        {"seq": ledger.row("SELECT MIN(seq) FROM interval_open")[0], "table": "interval_open"})[1])
    tampering.run("a null is a number", forge("interval_open", "price", "price IS NULL", lambda old: 1, "price"))


def tamper_with_jobs(tampering):
    tampering.run("the cost of a job is edited", edit_job("cost_nanousd", lambda old: old - 1))
    tampering.run("the cost of a job is taken away", edit_job("cost_nanousd", lambda old: None))
    tampering.run("a job has time without a price", edit_job("unpriced_seconds", lambda old: old + 1))
    tampering.run("the seconds of a job are edited", edit_job("billable_seconds", lambda old: old + 1))
    tampering.run("a job has another owner", is_of_job("owner", "nobody", "label", "should_be"))
    tampering.run("a job is of another instance type", is_of_job("instance_type", "ml.x", "label", "should_be"))
    tampering.run("a job ran on another scheduler", is_of_job("scheduler", "paper", "label", "should_be"))
    tampering.run("a job had more instances", is_of_job("instance_count", 99, "worker", "should_be"))
    tampering.run("a job is gone", lambda ledger: (
        ledger.db.execute("DELETE FROM job WHERE job_id = 1"),
        {"seq": ledger.row("SELECT MIN(seq) FROM interval_open WHERE job_id = 1")[0], "table": "interval_open",
         "column": "job_id", "is": 1})[1])


def forge_figures(tampering):
    plus_one = lambda old: old + 1
    many = "seconds > 60 AND evidence NOT LIKE 'launch%'"
    for table, column, condition, value in (
            ("interval_close", "seconds", many, plus_one),
            ("interval_close", "seconds", "evidence LIKE 'launch%'", plus_one),
            ("interval_close", "start_s", many, plus_one),
            ("interval_close", "base", many, plus_one),
            ("interval_close", "base", "base > 0", lambda old: 0),
            ("interval_close", "busy_permille", many, lambda old: 1001),
            ("interval_open", "label", "seq > 1000", lambda old: 1 << 40),
            ("interval_open", "price", "price IS NOT NULL", lambda old: 1 << 40),
            ("interval_price", "base", "seq > 0", plus_one),
            ("interval_price", "from_second", "seq > 0", lambda old: 1 << 40),
            ("interval_price", "from_second", "seq > 0", lambda old: -(1 << 63)),
            ("reservation", "price", "price IS NOT NULL", lambda old: 1 << 40)):
        tampering.run_mended("%s.%s of a row where %s is forged" % (table, column, condition),
                             forge(table, column, condition, value))
    tampering.run_mended("a change to the price of another type is forged", forge_price_of_cut)
    tampering.run_mended("a boot clock is forged", lambda ledger: dict(
        forge("interval_close", "boot_us", many, lambda old: old + 5000000, "seconds")(ledger)))
    tampering.run_mended("a worker's number is forged by more than 32 bits can hold", forge(
        "interval_open", "worker", "worker = 1", lambda old: old + (1 << 32)))
    tampering.run_mended("a worker's number is forged", forge("interval_open", "worker", "worker = 1", lambda old: 9))
    tampering.run_mended("the owner of a label is forged", lambda ledger: (
        ledger.db.execute("UPDATE charge_label SET owner = 'nobody' WHERE seq = (SELECT MIN(seq) FROM charge_label)"),
        {"table": "interval_open", "column": "label", "is": "nobody"})[1])
    tampering.run_mended("a price is forged", lambda ledger: (
        ledger.db.execute("UPDATE price SET hourly_nanousd = hourly_nanousd + 1000000000 WHERE hourly_nanousd > 0"),
        {"table": "job", "column": "cost_nanousd"})[1])
    tampering.run_mended("a price that no sum can hold is forged", lambda ledger: (
        ledger.db.execute("UPDATE price SET hourly_nanousd = 9223372036854775807 WHERE hourly_nanousd > 0"),
        {"table": "interval_open", "reason": "the cost of its attempt does not fit"})[1])
    tampering.run_mended("the last end is taken away", lose_close)


# An interval of a job of one instance, so that what follows from it is in its own rows, and all that it names.
ONE = ("FROM interval_open AS o JOIN interval_close AS c ON c.open_seq = o.seq JOIN job AS j USING (job_id)"
       " JOIN charge_label AS l ON l.seq = o.label JOIN price AS p ON p.seq = o.price WHERE j.instance_count = 1")
# One of its changes of price, when it has no other.
CUT = ("FROM interval_price AS x JOIN price AS y ON y.seq = x.price JOIN interval_close AS c ON c.open_seq = x.open_seq"
       " JOIN interval_open AS o ON o.seq = x.open_seq JOIN job AS j USING (job_id) WHERE j.instance_count = 1"
       " AND 1 = (SELECT COUNT(*) FROM interval_price WHERE open_seq = o.seq)")
# The second of two workers that ran for a while.
SECOND = ("FROM interval_open AS o JOIN interval_close AS c ON c.open_seq = o.seq JOIN interval_open AS first"
          " ON first.job_id = o.job_id AND first.kind = o.kind AND first.attempt = o.attempt AND first.worker = 0"
          " WHERE o.worker = 1 AND o.kind = 'run' AND c.seconds > 60")
OLDER = ("(SELECT q.seq FROM price AS q WHERE q.instance_type = p.instance_type AND q.seq < p.seq"
         " AND q.from_us < p.from_us LIMIT 1)")

# What a forger does who mends the chain: its name; a query for the row of which that is said, as `seq`, and for what else
# it takes; the statements; what is named.
SEMANTICS = (
    ("a label says free of what costs",
     "SELECT MIN(o.seq) AS seq, l.seq AS label " + ONE + " AND l.pricing = 'standard' GROUP BY l.seq ORDER BY 1 LIMIT 1",
     ("UPDATE charge_label SET pricing = 'free' WHERE seq = :label",),
     "interval_open", "price", "its pool is free, and its price is not 0"),
    ("a label says spot of what is free",
     "SELECT MIN(o.seq) AS seq, l.seq AS label " + ONE + " AND l.pricing = 'free' GROUP BY l.seq ORDER BY 1 LIMIT 1",
     ("UPDATE charge_label SET pricing = 'spot' WHERE seq = :label",),
     "interval_open", "price", "its price is not above 0, and its pool is not free"),
    ("a label says reserved of what nobody reserved",
     "SELECT MIN(o.seq) AS seq, l.seq AS label " + ONE + " AND l.pricing = 'spot' GROUP BY l.seq ORDER BY 1 LIMIT 1",
     ("UPDATE charge_label SET pricing = 'reserved' WHERE seq = :label",),
     "interval_open", "label", "its label is that of a reserved pool, which it was not"),
    ("a label says spot of what is reserved",
     "SELECT MIN(o.seq) AS seq, l.seq AS label " + ONE + " AND l.pricing = 'reserved' GROUP BY l.seq ORDER BY 1 LIMIT 1",
     ("UPDATE charge_label SET pricing = 'spot' WHERE seq = :label",),
     "interval_open", "label", "its pool was reserved, and its label is not"),
    ("a price is 0 and its pool is not free",
     "SELECT MIN(o.seq) AS seq, p.seq AS price " + ONE + " AND p.hourly_nanousd > 0 GROUP BY p.seq ORDER BY 1 LIMIT 1",
     ("UPDATE price SET hourly_nanousd = 0 WHERE seq = :price",),
     "interval_open", "price", "its price is not above 0, and its pool is not free"),
    ("a price is dated after what it was the price of",
     "SELECT MIN(o.seq) AS seq, p.seq AS price, MIN(o.wall_us) AS wall " + ONE + " AND p.basis = 'published'"
     " AND NOT EXISTS (SELECT 1 FROM interval_price WHERE price = p.seq) GROUP BY p.seq ORDER BY 1 LIMIT 1",
     ("UPDATE price SET from_us = :wall + 1 WHERE seq = :price",),
     "interval_open", "price", "its price holds from a later time on than it began"),
    ("an attempt has a price of the book that had been replaced",
     "SELECT o.seq, " + OLDER + " AS older " + ONE + " AND p.basis = 'book' AND o.kind = 'run' AND older LIMIT 1",
     ("UPDATE interval_open SET price = :older WHERE seq = :seq",),
     "interval_open", "price", "another price of the book was in force when it began"),
    ("an attempt has no price though the book has one",
     "SELECT o.seq " + ONE + " AND p.basis = 'book' AND o.kind = 'run' LIMIT 1",
     ("UPDATE interval_open SET price = NULL WHERE seq = :seq",),
     "interval_open", "price", "another price of the book was in force when it began"),
    ("a warm interval has a price that had been replaced",
     "SELECT o.seq, " + OLDER + " AS older " + ONE + " AND p.basis = 'book' AND o.kind = 'warm'"
     " AND o.reprice = 'at-change' AND older LIMIT 1",
     ("UPDATE interval_open SET price = :older WHERE seq = :seq",),
     "interval_open", "price", "another price of the book was in force when it began"),
    ("a warm interval at at-open has another price than its attempt",
     "SELECT o.seq, " + OLDER + " AS older " + ONE + " AND o.kind = 'warm' AND o.reprice = 'at-open' AND older LIMIT 1",
     ("UPDATE interval_open SET price = :older WHERE seq = :seq",),
     "interval_open", "price", "it opened under at-open, and its attempt at another price"),
    ("a warm interval is of an attempt that was not the last",
     "SELECT o.seq " + ONE + " AND o.kind = 'warm' AND o.attempt > 1 LIMIT 1",
     ("UPDATE interval_open SET attempt = attempt - 1 WHERE seq = :seq",),
     "interval_open", "attempt", "it is no warm interval of its job's last attempt"),
    ("a warm interval is charged to another",
     "SELECT o.seq, (SELECT MAX(seq) FROM charge_label) + 1 AS other, l.seq AS label " + ONE + " AND o.kind = 'warm' LIMIT 1",
     ("INSERT INTO charge_label SELECT :other, owner, instance_type, pool, pricing, scheduler, emulated, '{\"a\":1}', hash"
      " FROM charge_label WHERE seq = :label", "UPDATE interval_open SET label = :other WHERE seq = :seq"),
     "interval_open", "label", "there is no such row before it"),
    ("what was repriced opened under at-open",
     "SELECT x.seq, o.seq AS open " + CUT + " LIMIT 1",
     ("UPDATE interval_open SET reprice = 'at-open' WHERE seq = :open",),
     "interval_price", "open_seq", "its interval opened on terms that no change of price cuts"),
    ("a change of price is taken away",
     "SELECT c.seq, x.seq AS cut " + CUT + " AND y.basis = 'book' LIMIT 1",
     ("DELETE FROM interval_price WHERE seq = :cut",),
     "interval_close", None, "a price of the book came into force in this second of it, and no row says so"),
    ("a change of price comes later",
     "SELECT x.seq " + CUT + " AND y.basis = 'book' AND x.from_second + 1 < c.seconds LIMIT 1",
     ("UPDATE interval_price SET from_second = from_second + 1 WHERE seq = :seq",),
     "interval_price", "from_second", "a price of the book came into force before, and no row says so"),
    ("a change of price comes earlier",
     "SELECT x.seq " + CUT + " AND y.basis <> 'book' AND x.from_second > 1 LIMIT 1",
     ("UPDATE interval_price SET from_second = from_second - 1 WHERE seq = :seq",),
     "interval_price", "from_second", "its price came into force in another second"),
    ("a change is to a price that had been replaced",
     "SELECT x.seq, o.price AS older " + CUT + " AND y.basis = 'book' LIMIT 1",
     ("UPDATE interval_price SET price = :older WHERE seq = :seq",),
     "interval_price", "price", "another price of the book was in force then"),
    ("a change of price is made up",
     "SELECT c.seq + 1 AS seq, o.seq AS open, o.price AS price " + ONE + " AND p.basis = 'book' AND c.seconds > 60"
     " AND o.reprice = 'at-change' AND NOT EXISTS (SELECT 1 FROM interval_price WHERE open_seq = o.seq) LIMIT 1",
     ("INSERT INTO interval_price VALUES (:seq, :open, 30, 0, :price, x'')",),
     "interval_price", "from_second", "its price came into force in another second"),
    ("a change of price is of what no row closed before",
     "SELECT x.seq, c.seq AS close " + CUT + " LIMIT 1",
     ("UPDATE interval_close SET seq = :seq + 1 WHERE seq = :close",),
     "interval_price", "open_seq", "no interval of that row was closed before it"),
    ("an attempt begins before the one before it ended",
     "SELECT o.seq, c.seq AS close, before.close_us - o.boot_us - 1000000 AS by FROM interval_open AS o"
     " JOIN interval_close AS c ON c.open_seq = o.seq JOIN job AS j USING (job_id) JOIN (SELECT o.job_id, o.attempt,"
     " o.boot_id, c.boot_us AS close_us FROM interval_open AS o JOIN interval_close AS c ON c.open_seq = o.seq"
     " WHERE o.kind = 'run' AND c.seconds > 60) AS before ON before.job_id = o.job_id AND before.attempt = o.attempt - 1"
     " AND before.boot_id = o.boot_id WHERE j.instance_count = 1 AND o.kind = 'run' AND c.evidence NOT LIKE 'launch%' LIMIT 1",
     ("UPDATE interval_open SET boot_us = boot_us + :by, wall_us = wall_us + :by WHERE seq = :seq",
      "UPDATE interval_close SET start_s = (SELECT wall_us FROM interval_open WHERE seq = :seq) / 1000000, seconds ="
      " (boot_us - (SELECT boot_us FROM interval_open WHERE seq = :seq) + 999999) / 1000000 WHERE seq = :close"),
     "interval_open", "boot_us", "it begins before the one before it of its worker ends"),
    ("an attempt was opened before the one before it was closed",
     "SELECT o.seq, o.seq + 1 AS later, c.seq AS close FROM interval_open AS o JOIN interval_open AS b"
     " ON b.job_id = o.job_id AND b.attempt = o.attempt - 1 JOIN interval_close AS c ON c.open_seq = b.seq"
     " JOIN job AS j USING (job_id) WHERE j.instance_count = 1 AND o.kind = 'run' AND b.kind = 'run' AND NOT EXISTS"
     " (SELECT 1 FROM interval_price WHERE open_seq = b.seq) LIMIT 1",
     ("UPDATE interval_close SET seq = :later WHERE seq = :close",),
     "interval_open", None, "it was opened before the one before it of its worker was closed"),
    ("two workers change their shares",
     "SELECT MIN(c.seq, d.seq) AS seq, c.seq AS close, d.seq AS first, d.seconds AS base FROM interval_close AS c"
     " JOIN interval_open AS o ON o.seq = c.open_seq JOIN interval_open AS b ON b.job_id = o.job_id AND b.kind = o.kind"
     " AND b.attempt = o.attempt AND b.worker = 0 JOIN interval_close AS d ON d.open_seq = b.seq WHERE o.worker = 1"
     " AND d.seconds > 60 LIMIT 1",
     ("UPDATE interval_close SET base = 0 WHERE seq = :close", "UPDATE interval_close SET base = :base WHERE seq = :first"),
     "interval_close", "base", "it is not what those before it have at this price"),
    ("a worker opened later than the others",
     "SELECT o.seq " + SECOND + " LIMIT 1",
     ("UPDATE interval_open SET wall_us = wall_us + 1 WHERE seq = :seq",),
     "interval_open", "wall_us", "the first worker of its attempt says otherwise"),
    ("a worker counts from another boot",
     "SELECT o.seq " + SECOND + " LIMIT 1",
     ("UPDATE interval_open SET boot_id = 'x' WHERE seq = :seq",),
     "interval_open", "boot_id", "the first worker of its attempt says otherwise"),
    ("a worker opened under another configuration",
     "SELECT o.seq " + SECOND + " AND o.reprice = 'at-open' LIMIT 1",
     ("UPDATE interval_open SET reprice = 'at-change' WHERE seq = :seq",),
     "interval_open", "reprice", "the first worker of its attempt says otherwise"),
    ("a worker has no price and the others have",
     "SELECT o.seq " + SECOND + " AND o.price IN (SELECT seq FROM price WHERE basis = 'published') LIMIT 1",
     ("UPDATE interval_open SET price = NULL WHERE seq = :seq",),
     "interval_open", "price", "the first worker of its attempt says otherwise"),
    ("nobody knows what it opened under",
     "SELECT o.seq " + ONE + " LIMIT 1",
     ("UPDATE interval_open SET reprice = 'sometimes' WHERE seq = :seq",),
     "interval_open", "reprice", "it is neither at-open nor at-change"),
    ("a reservation has a price of a later time",
     "SELECT MIN(seq) AS seq, from_us + 1 AS later, price FROM reservation",
     ("UPDATE price SET from_us = :later WHERE seq = :price", "UPDATE interval_open SET wall_us = wall_us + 1000000,"
      " price = NULL WHERE price = :price"),
     "reservation", "price", "there is no such price before it, of its type, in force by then"),
)


def forge_semantics(tampering):
    for name, query, statements, table, column, reason in SEMANTICS:
        def change(ledger):
            ledger.db.row_factory = sqlite3.Row
            row = dict(ledger.row(query))
            ledger.db.row_factory = None
            for statement in statements:
                ledger.db.execute(statement, row)
            return {"seq": row["seq"], "table": table, "column": column, "reason": reason}
        tampering.run_mended(name, change)


def tamper_with_the_end(tampering):
    with tempfile.TemporaryDirectory() as folder:
        head = Ledger(tampering.database, folder).head()
    tampering.run("the end is cut off, against a head that was kept", cut_off_with_bills, head)
    tampering.run("the last row is cut off, against a head that was kept", cut_off(1), head)
    tampering.run("all is written anew, against a head that was kept", rewrite, head)
    tampering.run_mended("the end is cut off and no head was kept", lambda ledger: (
        cut_off(30)(ledger), {})[1])
    with tempfile.TemporaryDirectory() as folder:
        answer = Ledger(tampering.database, folder).verify(tampering.bill, head)
    print("ok" if answer["holds"] else "not ok", "a sound ledger holds against its own head")
    tampering.failures += not answer["holds"]


def main():
    tampering = Tampering(*sys.argv[1:])
    tamper_with_rows(tampering)
    tamper_with_jobs(tampering)
    forge_figures(tampering)
    forge_semantics(tampering)
    tamper_with_the_end(tampering)
    sys.exit(1 if tampering.failures else 0)


main()
