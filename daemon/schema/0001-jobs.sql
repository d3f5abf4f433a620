-- Jobs, their event log, and the ledger.  Never edited after release: a change is a new file.
--
-- Times end in _us (microseconds), money in _nanousd.  What may not change has triggers that refuse it.

-- A cache of job_event, written in the same transaction.
CREATE TABLE job (
    job_id           INTEGER PRIMARY KEY,
    id               TEXT NOT NULL,
    name             TEXT NOT NULL UNIQUE,
    owner            TEXT NOT NULL,
    state            TEXT NOT NULL,
    status           TEXT NOT NULL,    -- the primary one
    over             INTEGER NOT NULL, -- it has ended and holds nothing: no more events come
    instance_type    TEXT NOT NULL,
    instance_count   INTEGER NOT NULL,
    scheduler        TEXT NOT NULL,
    emulated         INTEGER NOT NULL,
    created_us       INTEGER NOT NULL,
    changed_us       INTEGER NOT NULL,
    billable_seconds INTEGER,
    cost_nanousd     INTEGER
) STRICT;

CREATE INDEX job_live ON job (job_id) WHERE over = 0;

-- The truth.  kind and data are described in daemon/job_event.h.  The rowid is the order in which everything happened, over all jobs.
-- (Not WITHOUT ROWID: there a row above a quarter of a page, as a spec is, would take an overflow page of its own.)
CREATE TABLE job_event (
    job_id INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    at_us  INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    worker INTEGER,
    data   TEXT,
    PRIMARY KEY (job_id, seq)
) STRICT;

CREATE TRIGGER job_event_is_append_only BEFORE UPDATE ON job_event
BEGIN SELECT RAISE(ABORT, 'job_event is append-only'); END;

-- The newest value of each metric of a job; a convenience for those who look, the last values are in the events.
CREATE TABLE job_metric (
    job_id  INTEGER NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL, -- a number in JSON's words, else NaN, Infinity or -Infinity
    rank    INTEGER NOT NULL,
    step    INTEGER,
    wall_us INTEGER NOT NULL,
    PRIMARY KEY (job_id, name)
) STRICT, WITHOUT ROWID;

-- Idempotency-Key of a submit: the same key and body give the same job.
CREATE TABLE submit_key (
    owner  TEXT NOT NULL,
    key    TEXT NOT NULL,
    digest TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE price (
    price_id         INTEGER PRIMARY KEY,
    instance_type    TEXT NOT NULL,
    hourly_nanousd   INTEGER NOT NULL CHECK (hourly_nanousd >= 0),
    from_us          INTEGER NOT NULL,
    as_of            TEXT NOT NULL,
    basis            TEXT NOT NULL,
    confidence       TEXT NOT NULL,
    source           TEXT NOT NULL,
    UNIQUE (instance_type, hourly_nanousd, from_us, as_of, basis, confidence, source)
) STRICT;

CREATE TRIGGER price_is_never_edited BEFORE UPDATE ON price
BEGIN SELECT RAISE(ABORT, 'a price is never edited'); END;
CREATE TRIGGER price_is_never_deleted BEFORE DELETE ON price
BEGIN SELECT RAISE(ABORT, 'a price is never deleted'); END;

-- Billing interval of one worker of one attempt: opened once, closed once.  What an attempt ran is `run`, what its
-- instance was then held for the next job is `warm`.
CREATE TABLE interval_open (
    job_id   INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('run', 'warm')),
    attempt  INTEGER NOT NULL,
    worker   INTEGER NOT NULL,
    price_id INTEGER REFERENCES price (price_id),
    boot_id  TEXT NOT NULL,
    boot_us  INTEGER NOT NULL,
    wall_us  INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    PRIMARY KEY (job_id, kind, attempt, worker)
) STRICT, WITHOUT ROWID;

CREATE TABLE interval_close (
    job_id   INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    attempt  INTEGER NOT NULL,
    worker   INTEGER NOT NULL,
    boot_us  INTEGER NOT NULL,
    seconds  INTEGER NOT NULL CHECK (seconds >= 0),
    evidence TEXT NOT NULL,
    PRIMARY KEY (job_id, kind, attempt, worker),
    FOREIGN KEY (job_id, kind, attempt, worker) REFERENCES interval_open (job_id, kind, attempt, worker)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER interval_open_is_never_edited BEFORE UPDATE ON interval_open
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_open_is_never_deleted BEFORE DELETE ON interval_open
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_close_is_never_edited BEFORE UPDATE ON interval_close
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_close_is_never_deleted BEFORE DELETE ON interval_close
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- REPLACE deletes without asking the triggers above.
CREATE TRIGGER price_is_never_replaced BEFORE INSERT ON price
WHEN EXISTS (SELECT 1 FROM price WHERE price_id = NEW.price_id)
BEGIN SELECT RAISE(ABORT, 'a price is never edited'); END;
CREATE TRIGGER interval_open_is_never_replaced BEFORE INSERT ON interval_open
WHEN EXISTS (SELECT 1 FROM interval_open
             WHERE job_id = NEW.job_id AND kind = NEW.kind AND attempt = NEW.attempt AND worker = NEW.worker)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_close_is_never_replaced BEFORE INSERT ON interval_close
WHEN EXISTS (SELECT 1 FROM interval_close
             WHERE job_id = NEW.job_id AND kind = NEW.kind AND attempt = NEW.attempt AND worker = NEW.worker)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
