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
    cost_nanousd     INTEGER,          -- of what has a price
    unpriced_seconds INTEGER,          -- instance-seconds that have none
    recipe           TEXT NOT NULL     -- digest of what is run, with what, on what: jobs that should cost alike have the same
) STRICT;

CREATE INDEX job_live ON job (job_id) WHERE over = 0;
-- For lists, each in the order of job_id, which ends every index.  What has a status at its end only is written there once.
CREATE INDEX job_by_owner ON job (owner);
CREATE INDEX job_by_status ON job (status) WHERE status <> 'InProgress';
CREATE INDEX job_by_owner_and_status ON job (owner, status) WHERE status <> 'InProgress';
CREATE INDEX job_by_state ON job (state) WHERE state <> status AND status <> 'InProgress';
CREATE INDEX job_by_recipe ON job (recipe, emulated, scheduler, job_id) WHERE state = 'Completed';

-- Jobs that were created at an earlier time than the one before them: the clock was set back.
CREATE TABLE job_clock_step (
    job_id INTEGER PRIMARY KEY
) STRICT;

-- What parts names may have and what types there may be in 256 jobs in a row, as daemon/store_block.h says: lists pass over
-- the others.
CREATE TABLE job_block (
    block INTEGER PRIMARY KEY, -- job_id / 256
    bits  BLOB NOT NULL
) STRICT;

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

-- The newest value of each metric of a job, and the first one of the attempt that it is of, from which follows how fast it
-- grows; a convenience for those who look, the last values are in the events.
CREATE TABLE job_metric (
    job_id  INTEGER NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL, -- a number in JSON's words, else NaN, Infinity or -Infinity
    rank    INTEGER NOT NULL,
    step    INTEGER,
    wall_us INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    first_value   TEXT NOT NULL,
    first_wall_us INTEGER NOT NULL,
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

-- Tags of jobs, to find those that belong together.
CREATE TABLE job_tag (
    key    TEXT NOT NULL,
    value  TEXT NOT NULL, -- as text, whatever JSON type it has
    job_id INTEGER NOT NULL,
    PRIMARY KEY (key, value, job_id)
) STRICT, WITHOUT ROWID;

-- What may be spent.  The second half of the row is a cache: what the ledger up to its row counted_seq has in the span of
-- time from from_s on.
CREATE TABLE budget (
    name             TEXT PRIMARY KEY,
    limit_nanousd    INTEGER NOT NULL CHECK (limit_nanousd > 0),
    owner            TEXT, -- null: of whatever owner
    tag_key          TEXT, -- null: with whatever tags
    tag_value        TEXT,
    period           TEXT NOT NULL CHECK (period IN ('month', 'total')),
    action           TEXT NOT NULL CHECK (action IN ('notify', 'refuse', 'stop')),
    notify_percent   INTEGER NOT NULL CHECK (notify_percent BETWEEN 1 AND 100),
    created_us       INTEGER NOT NULL,
    from_s           INTEGER NOT NULL,
    counted_seq      INTEGER NOT NULL,
    spent_nanousd    INTEGER NOT NULL,
    emulated_nanousd INTEGER NOT NULL,
    estimated        INTEGER NOT NULL,
    unpriced         INTEGER NOT NULL,
    told_percent     INTEGER NOT NULL, -- of this span: what was told last
    CHECK ((tag_key IS NULL) = (tag_value IS NULL))
) STRICT, WITHOUT ROWID;

-- Attempts that were under way in a backup that this database was restored from.  They may have run on since: they are
-- looked for, and not started.
CREATE TABLE restored (
    job_id  INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (job_id, attempt)
) STRICT, WITHOUT ROWID;

-- What was done to budgets, and what they did.
CREATE TABLE budget_event (
    seq   INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    kind  TEXT NOT NULL CHECK (kind IN ('set', 'removed', 'reached', 'stopped')),
    data  TEXT NOT NULL -- a JSON object
) STRICT;

CREATE INDEX budget_event_by_name ON budget_event (name, seq);

CREATE TRIGGER budget_event_is_never_edited BEFORE UPDATE ON budget_event
BEGIN SELECT RAISE(ABORT, 'budget_event is append-only'); END;
CREATE TRIGGER budget_event_is_never_deleted BEFORE DELETE ON budget_event
BEGIN SELECT RAISE(ABORT, 'budget_event is append-only'); END;

-- --- The ledger ---
--
-- Six tables, one chain: seq counts the rows of all of them together, from 1, without a gap, and hash is the SHA-256 of
-- the hash of the row before and of this row, as railhead-billing(7) spells it.  Columns are hashed in the order in which they
-- stand here.  Rows are added, never changed.

-- Prices that were in force when something was charged.  basis 'book': set by an administrator for from_us and later.
CREATE TABLE price (
    seq              INTEGER PRIMARY KEY,
    instance_type    TEXT NOT NULL,
    hourly_nanousd   INTEGER NOT NULL CHECK (hourly_nanousd >= 0),
    from_us          INTEGER NOT NULL,
    as_of            TEXT NOT NULL,
    basis            TEXT NOT NULL,
    confidence       TEXT NOT NULL,
    source           TEXT NOT NULL,
    hash             BLOB NOT NULL
) STRICT;

-- The same price is not told twice, but for the book, where a later row with the same words counts again.
CREATE UNIQUE INDEX price_is_known ON price
    (instance_type, hourly_nanousd, from_us, as_of, basis, confidence, source) WHERE basis <> 'book';
CREATE INDEX price_by_type ON price (instance_type, from_us);

-- Whom and what intervals are charged to, as it was when they opened.
CREATE TABLE charge_label (
    seq           INTEGER PRIMARY KEY,
    owner         TEXT NOT NULL,
    instance_type TEXT NOT NULL,
    pool          TEXT NOT NULL,
    pricing       TEXT NOT NULL CHECK (pricing IN ('standard', 'spot', 'reserved', 'free')),
    scheduler     TEXT NOT NULL,
    emulated      INTEGER NOT NULL,
    tags          TEXT NOT NULL, -- a JSON object, its members in the order of their names
    hash          BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX charge_label_is_known ON charge_label
    (owner, tags, instance_type, pool, pricing, scheduler, emulated);

-- Billing interval of one worker of one attempt: opened once, closed once.  What an attempt ran is `run`, what its
-- instance was then held for the next job is `warm`.
CREATE TABLE interval_open (
    seq      INTEGER PRIMARY KEY,
    job_id   INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('run', 'warm')),
    attempt  INTEGER NOT NULL,
    worker   INTEGER NOT NULL,
    label    INTEGER NOT NULL REFERENCES charge_label (seq),
    price    INTEGER REFERENCES price (seq), -- null: unpriced
    reprice  TEXT NOT NULL CHECK (reprice IN ('at-open', 'at-change')), -- as it was configured then: whether changes of price cut it
    boot_id  TEXT NOT NULL,
    boot_us  INTEGER NOT NULL,
    wall_us  INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    hash     BLOB NOT NULL,
    UNIQUE (job_id, kind, attempt, worker)
) STRICT;

CREATE TABLE interval_close (
    seq           INTEGER PRIMARY KEY,
    open_seq      INTEGER NOT NULL UNIQUE REFERENCES interval_open (seq),
    start_s       INTEGER NOT NULL,                      -- UTC: the whole second that its start falls in
    boot_us       INTEGER NOT NULL,
    seconds       INTEGER NOT NULL CHECK (seconds >= 0),
    base          INTEGER NOT NULL CHECK (base >= 0),    -- instance-seconds of the workers before it that cost its first price: by these the cost of the attempt is shared out
    busy_permille INTEGER,                               -- how much of them the busiest kind of processor worked; null: unknown
    evidence      TEXT NOT NULL,
    hash          BLOB NOT NULL
) STRICT;

-- Reports look for what overlaps a span of time: what began in it or up to two days before, and the few that are longer.
CREATE INDEX interval_close_by_start ON interval_close (start_s);
CREATE INDEX interval_close_long ON interval_close (start_s) WHERE seconds > 172800;

-- From a whole second of an interval on it costs another price: of one that opened under `reprice: at-change`.
CREATE TABLE interval_price (
    seq         INTEGER PRIMARY KEY,
    open_seq    INTEGER NOT NULL REFERENCES interval_open (seq),
    from_second INTEGER NOT NULL CHECK (from_second > 0), -- of the interval
    base        INTEGER NOT NULL CHECK (base >= 0),        -- as of interval_close, of what costs this price
    price       INTEGER NOT NULL REFERENCES price (seq),
    hash        BLOB NOT NULL,
    UNIQUE (open_seq, from_second)
) STRICT;

-- Pools whose instances are paid for whether they are used or not: so many at this price, from then on until the pool's
-- next row with that type.  Of rows from the same time the last one holds.
CREATE TABLE reservation (
    seq           INTEGER PRIMARY KEY,
    pool          TEXT NOT NULL,
    instance_type TEXT NOT NULL,
    instances     INTEGER NOT NULL CHECK (instances >= 0), -- 0: no longer reserved
    price         INTEGER REFERENCES price (seq),          -- null: unpriced
    from_us       INTEGER NOT NULL,
    hash          BLOB NOT NULL
) STRICT;

CREATE TRIGGER price_is_never_edited BEFORE UPDATE ON price
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER price_is_never_deleted BEFORE DELETE ON price
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER charge_label_is_never_edited BEFORE UPDATE ON charge_label
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER charge_label_is_never_deleted BEFORE DELETE ON charge_label
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_open_is_never_edited BEFORE UPDATE ON interval_open
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_open_is_never_deleted BEFORE DELETE ON interval_open
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_close_is_never_edited BEFORE UPDATE ON interval_close
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_close_is_never_deleted BEFORE DELETE ON interval_close
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_price_is_never_edited BEFORE UPDATE ON interval_price
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_price_is_never_deleted BEFORE DELETE ON interval_price
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER reservation_is_never_edited BEFORE UPDATE ON reservation
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER reservation_is_never_deleted BEFORE DELETE ON reservation
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- REPLACE deletes without asking the triggers above, and a row that is put in between would part the chain.
CREATE TRIGGER price_is_appended BEFORE INSERT ON price
WHEN NEW.seq <= (SELECT MAX(seq) FROM price)
    OR NEW.basis <> 'book' AND EXISTS (SELECT 1 FROM price WHERE instance_type = NEW.instance_type
        AND hourly_nanousd = NEW.hourly_nanousd AND from_us = NEW.from_us AND as_of = NEW.as_of
        AND basis = NEW.basis AND confidence = NEW.confidence AND source = NEW.source)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER charge_label_is_appended BEFORE INSERT ON charge_label
WHEN NEW.seq <= (SELECT MAX(seq) FROM charge_label)
    OR EXISTS (SELECT 1 FROM charge_label WHERE owner = NEW.owner AND tags = NEW.tags
        AND instance_type = NEW.instance_type AND pool = NEW.pool AND pricing = NEW.pricing
        AND scheduler = NEW.scheduler AND emulated = NEW.emulated)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_open_is_appended BEFORE INSERT ON interval_open
WHEN NEW.seq <= (SELECT MAX(seq) FROM interval_open)
    OR EXISTS (SELECT 1 FROM interval_open WHERE job_id = NEW.job_id AND kind = NEW.kind
        AND attempt = NEW.attempt AND worker = NEW.worker)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_close_is_appended BEFORE INSERT ON interval_close
WHEN NEW.seq <= (SELECT MAX(seq) FROM interval_close)
    OR EXISTS (SELECT 1 FROM interval_close WHERE open_seq = NEW.open_seq)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER interval_price_is_appended BEFORE INSERT ON interval_price
WHEN NEW.seq <= (SELECT MAX(seq) FROM interval_price)
    OR EXISTS (SELECT 1 FROM interval_price WHERE open_seq = NEW.open_seq AND from_second = NEW.from_second)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER reservation_is_appended BEFORE INSERT ON reservation
WHEN NEW.seq <= (SELECT MAX(seq) FROM reservation)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- --- Beside the ledger ---

-- What closed intervals of a type reach to: a price is not set from before that, for it would have been theirs.
CREATE TABLE charged (
    instance_type TEXT PRIMARY KEY,
    until_us      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When prices change, as the daemon that runs has them.  Reports show by it what still runs and opened under `reprice:
-- at-change`; when that closes, the ledger has it.
CREATE TABLE price_change (
    instance_type TEXT NOT NULL,
    from_us       INTEGER NOT NULL,
    price         INTEGER NOT NULL,
    PRIMARY KEY (instance_type, from_us)
) STRICT, WITHOUT ROWID;
