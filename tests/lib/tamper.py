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


class Ledger:
    """A copy of the database without what protects it."""

    def __init__(self, database, folder):
        self.path = folder + "/tampered.db"
        shutil.copyfile(database, self.path)
        self.db = sqlite3.connect(self.path, isolation_level=None)
        self.db.execute("PRAGMA ignore_check_constraints = ON")
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

    def mend_chain(self):
        """Gives every row the hash that it should have."""
        rows = sorted((row[0], table, row[:-1]) for table in TABLES for row in self.rows("SELECT * FROM " + table))
        before = bytes(32)
        for seq, table, cells in rows:
            words = before + netstring(table.encode()) + b"".join(map(cell, cells))
            before = hashlib.sha256(words).digest()
            self.db.execute("UPDATE %s SET hash = ? WHERE seq = ?" % table, (before, seq))

    def verify(self, bill, against=None):
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
            wanted = change(ledger)
            ledger.mend_chain()
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
    return {"seq": ledger.head()[0], "table": "interval_close", "column": "hash"}


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
        "interval_close", "hash", "seq = (SELECT MAX(seq) FROM interval_close)", lambda old: b"", "hash"))
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
            ("interval_open", "label", "seq > 100", lambda old: 1 << 40),
            ("interval_open", "price", "price IS NOT NULL", lambda old: 1 << 40),
            ("interval_price", "base", "seq > 0", plus_one),
            ("interval_price", "from_second", "seq > 0", lambda old: 1 << 40),
            ("reservation", "price", "price IS NOT NULL", lambda old: 1 << 40)):
        tampering.run_mended("%s.%s of a row where %s is forged" % (table, column, condition),
                             forge(table, column, condition, value))
    tampering.run_mended("a change to the price of another type is forged", forge_price_of_cut)
    tampering.run_mended("a boot clock is forged", lambda ledger: dict(
        forge("interval_close", "boot_us", many, lambda old: old + 5000000, "seconds")(ledger)))
    tampering.run_mended("a worker's number is forged", forge("interval_open", "worker", "worker = 1", lambda old: 9))
    tampering.run_mended("the owner of a label is forged", lambda ledger: (
        ledger.db.execute("UPDATE charge_label SET owner = 'nobody' WHERE seq = (SELECT MIN(seq) FROM charge_label)"),
        {"table": "interval_open", "column": "label", "is": "nobody"})[1])
    tampering.run_mended("a price is forged", lambda ledger: (
        ledger.db.execute("UPDATE price SET hourly_nanousd = hourly_nanousd + 1000000000"),
        {"table": "job", "column": "cost_nanousd"})[1])
    tampering.run_mended("a price that no sum can hold is forged", lambda ledger: (
        ledger.db.execute("UPDATE price SET hourly_nanousd = 9223372036854775807"),
        {"table": "interval_open", "reason": "the cost of its attempt does not fit"})[1])
    tampering.run_mended("the last end is taken away", lose_close)


def tamper_with_the_end(tampering):
    with tempfile.TemporaryDirectory() as folder:
        head = Ledger(tampering.database, folder).head()
    tampering.run("the end is cut off, against a head that was kept", cut_off_with_bills, head)
    tampering.run("the last row is cut off, against a head that was kept", cut_off(1), head)
    tampering.run("all is written anew, against a head that was kept", rewrite, head)
    tampering.run_mended("the end is cut off and no head was kept", lambda ledger: (
        cut_off(6)(ledger), {})[1])
    with tempfile.TemporaryDirectory() as folder:
        answer = Ledger(tampering.database, folder).verify(tampering.bill, head)
    print("ok" if answer["holds"] else "not ok", "a sound ledger holds against its own head")
    tampering.failures += not answer["holds"]


def main():
    tampering = Tampering(*sys.argv[1:])
    tamper_with_rows(tampering)
    tamper_with_jobs(tampering)
    forge_figures(tampering)
    tamper_with_the_end(tampering)
    sys.exit(1 if tampering.failures else 0)


main()
