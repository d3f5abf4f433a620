/*
 * The ledger as reports read it: charges, prices, labels.
 *
 * A charge is the seconds of an interval that cost one price: one an interval, and one
 * more for each change of its price.
 */

#include "daemon/store_private.h"
#include "src/clock.h"
#include "src/money.h"

#include <string.h>

static const char sql_any_cut[] = "SELECT EXISTS (SELECT 1 FROM interval_price)";

int store_read_cuts(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_any_cut, &statement, err) < 0)
        return -1;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "read the ledger", err);
    store->has_cuts = sqlite3_column_int(statement, 0) != 0;
    return 0;
}

usec_t store_read_wall(const struct store *store)
{
    return store->read_wall_us;
}

/* Where charges go, and which are wanted. */
struct reader {
    struct store *store;
    int64_t from_s;
    int64_t to_s;
    store_charge_callback_t *callback;
    void *context;
};

static bool is_wanted(const struct reader *reader, const struct charge *charge)
{
    int64_t end = charge->start_s + charge->seconds;

    if (charge->seconds == 0)
        return charge->start_s >= reader->from_s && charge->start_s < reader->to_s;
    return charge->start_s < reader->to_s && end > reader->from_s;
}

static int give(const struct reader *reader, const struct charge *charge,
                struct err *err)
{
    return is_wanted(reader, charge) ? reader->callback(reader->context, charge, err)
                                     : 0;
}

static const char sql_cuts[] =
    "SELECT from_second, base, price FROM interval_price WHERE open_seq = ?1"
    " ORDER BY from_second";

/* Gives an interval charge by charge. */
static int give_cut(const struct reader *reader, struct charge charge, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    const int64_t start = charge.start_s, whole = charge.seconds;
    int64_t from = 0;
    int step;

    if (store_prepare(reader->store, sql_cuts, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, charge.open_seq);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t cut = sqlite3_column_int64(statement, 0);

        charge.start_s = start + from;
        charge.seconds = cut - from;
        if (give(reader, &charge, err) < 0)
            return -1;
        from = cut;
        charge.base = sqlite3_column_int64(statement, 1);
        charge.price = sqlite3_column_int64(statement, 2);
    }
    if (step != SQLITE_DONE)
        return store_fail(reader->store, "read the ledger", err);
    charge.start_s = start + from;
    charge.seconds = whole - from;
    return give(reader, &charge, err);
}

static int give_interval(const struct reader *reader, const struct charge *charge,
                         struct err *err)
{
    return reader->store->has_cuts ? give_cut(reader, *charge, err)
                                   : give(reader, charge, err);
}

int store_cut_interval(struct store *store, const struct charge *whole,
                       store_charge_callback_t *callback, void *context,
                       struct err *err)
{
    const struct reader all = { store, INT64_MIN, INT64_MAX, callback, context };

    return give_cut(&all, *whole, err);
}

#define OPEN_COLUMNS "o.seq, o.job_id, o.kind, o.attempt, o.worker, o.label, o.price"

static struct charge charge_of(sqlite3_stmt *statement)
{
    const char *kind = (const char *)sqlite3_column_text(statement, 2);

    return (struct charge){
        .open_seq = sqlite3_column_int64(statement, 0),
        .job_id = sqlite3_column_int64(statement, 1),
        .kind = kind && strcmp(kind, "warm") == 0 ? INTERVAL_WARM : INTERVAL_RUN,
        .attempt = sqlite3_column_int(statement, 3),
        .worker = sqlite3_column_int(statement, 4),
        .label = sqlite3_column_int64(statement, 5),
        .price = sqlite3_column_int64(statement, 6),
        .busy_permille = -1,
    };
}

#define CLOSED_COLUMNS OPEN_COLUMNS ", c.start_s, c.seconds, c.base, c.busy_permille"

static int each_closed(const struct reader *reader, sqlite3_stmt *statement,
                       struct err *err)
{
    int step;

    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct charge charge = charge_of(statement);

        charge.start_s = sqlite3_column_int64(statement, 7);
        charge.seconds = sqlite3_column_int64(statement, 8);
        charge.base = sqlite3_column_int64(statement, 9);
        if (sqlite3_column_type(statement, 10) != SQLITE_NULL)
            charge.busy_permille = sqlite3_column_int(statement, 10);
        if (give_interval(reader, &charge, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(reader->store, "read the ledger", err);
}

/* What began before by more than two days, the bound of the index, and reaches into the
 * span; then what began later. */
static const char sql_closed[] =
    "SELECT " CLOSED_COLUMNS " FROM interval_close AS c INDEXED BY interval_close_long"
    " CROSS JOIN interval_open AS o ON o.seq = c.open_seq"
    " WHERE c.seconds > 172800 AND c.start_s < ?1 - 172800 AND c.start_s + c.seconds > ?1"
    " UNION ALL SELECT " CLOSED_COLUMNS
    " FROM interval_close AS c INDEXED BY interval_close_by_start"
    " CROSS JOIN interval_open AS o ON o.seq = c.open_seq"
    " WHERE c.start_s >= ?1 - 172800 AND c.start_s < ?2";

/* Of jobs that are not over. */
static const char sql_open[] =
    "SELECT " OPEN_COLUMNS ", o.boot_id, o.boot_us, o.wall_us"
    " FROM job AS j INDEXED BY job_live"
    " CROSS JOIN interval_open AS o ON o.job_id = j.job_id"
    " LEFT JOIN interval_close AS c ON c.open_seq = o.seq"
    " WHERE j.over = 0 AND c.seq IS NULL AND (?1 IS NULL OR j.job_id = ?1)"
    " ORDER BY o.job_id, o.kind, o.attempt, o.worker";

static bool is_of_one_attempt(const struct charge *left, const struct charge *right)
{
    return left->job_id == right->job_id && left->kind == right->kind
           && left->attempt == right->attempt;
}

/* Changes of price that cut what runs and opened under `reprice: at-change`. */
static const char sql_changes[] =
    "SELECT p.from_us, p.price FROM interval_open AS o"
    " JOIN charge_label AS l ON l.seq = o.label"
    " JOIN price_change AS p ON p.instance_type = l.instance_type"
    " WHERE o.seq = ?1 AND o.reprice = 'at-change' AND l.pricing <> 'free'"
    " AND p.from_us > ?2 ORDER BY p.from_us";

/* Gives what runs still, charge by charge.  The `before` workers before it opened with
 * it, so they have as much of every price. */
static int give_open(const struct reader *reader, struct charge charge, usec_t wall,
                     int64_t before, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    const int64_t start = charge.start_s, whole = charge.seconds;
    int64_t from = 0;
    int step;

    if (store_prepare(reader->store, sql_changes, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, charge.open_seq);
    sqlite3_bind_int64(statement, 2, wall);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        usec_t change = sqlite3_column_int64(statement, 0);
        int64_t cut = (change + USEC_PER_SEC - 1) / USEC_PER_SEC - start;

        if (cut >= whole)
            break;
        charge.start_s = start + from;
        charge.seconds = cut - from;
        charge.base = before * charge.seconds;
        if (cut > from && give(reader, &charge, err) < 0)
            return -1;
        from = cut;
        charge.price = sqlite3_column_int64(statement, 1);
    }
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        return store_fail(reader->store, "read the ledger", err);
    charge.start_s = start + from;
    charge.seconds = whole - from;
    charge.base = before * charge.seconds;
    return give(reader, &charge, err);
}

/* job_id 0: of all jobs. */
static int each_open(const struct reader *reader, int64_t job_id, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct charge last = { 0 };
    int64_t before = 0;
    int step;

    if (store_prepare(reader->store, sql_open, &statement, err) < 0)
        return -1;
    if (job_id)
        sqlite3_bind_int64(statement, 1, job_id);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct charge charge = charge_of(statement);
        const char *boot_id = (const char *)sqlite3_column_text(statement, 7);
        usec_t wall = sqlite3_column_int64(statement, 9);

        charge.open = true;
        charge.start_s = wall / USEC_PER_SEC;
        if (boot_id && strcmp(boot_id, clock_boot_id()) == 0)
            charge.seconds = money_passed_seconds(reader->store->read_boot_us
                                                  - sqlite3_column_int64(statement, 8));
        before = is_of_one_attempt(&last, &charge) ? before + 1 : 0;
        last = charge;
        if (give_open(reader, charge, wall, before, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(reader->store, "read the ledger", err);
}

int store_each_charge(struct store *store, int64_t from_s, int64_t to_s,
                      store_charge_callback_t *callback, void *context, struct err *err)
{
    const struct reader reader = { store, from_s, to_s, callback, context };
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_closed, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, from_s);
    sqlite3_bind_int64(statement, 2, to_s);
    if (each_closed(&reader, statement, err) < 0)
        return -1;
    return each_open(&reader, 0, err);
}

static const char sql_closed_of[] =
    "SELECT " CLOSED_COLUMNS " FROM interval_open AS o"
    " JOIN interval_close AS c ON c.open_seq = o.seq"
    " WHERE o.job_id = ?1 ORDER BY o.kind, o.attempt, o.worker";

int store_each_charge_of(struct store *store, int64_t job_id,
                         store_charge_callback_t *callback, void *context,
                         struct err *err)
{
    const struct reader reader = { store, INT64_MIN, INT64_MAX, callback, context };
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_closed_of, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    if (each_closed(&reader, statement, err) < 0)
        return -1;
    return each_open(&reader, job_id, err);
}

/* --- what charges name --- */

static const char *column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

static const char sql_each_price[] =
    "SELECT seq, instance_type, hourly_nanousd, from_us, as_of, basis, confidence, source"
    " FROM price ORDER BY seq";

int store_each_price(struct store *store, store_price_callback_t *callback,
                     void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_price, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct price_row price = {
            .seq = sqlite3_column_int64(statement, 0),
            .instance_type = column_text(statement, 1),
            .hourly = sqlite3_column_int64(statement, 2),
            .from_us = sqlite3_column_int64(statement, 3),
            .as_of = column_text(statement, 4),
            .basis = column_text(statement, 5),
            .confidence = column_text(statement, 6),
            .source = column_text(statement, 7),
        };

        if (callback(context, &price, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read prices", err);
}

#define LABEL_COLUMNS \
    "seq, owner, instance_type, pool, pricing, scheduler, emulated, tags"

static int give_label(sqlite3_stmt *statement, store_label_callback_t *callback,
                      void *context, struct err *err)
{
    const struct charge_label label = {
        .owner = column_text(statement, 1),
        .instance_type = column_text(statement, 2),
        .pool = column_text(statement, 3),
        .pricing = column_text(statement, 4),
        .scheduler = column_text(statement, 5),
        .emulated = sqlite3_column_int(statement, 6) != 0,
        .tags = column_text(statement, 7),
    };

    return callback(context, sqlite3_column_int64(statement, 0), &label, err);
}

static const char sql_get_label[] =
    "SELECT " LABEL_COLUMNS " FROM charge_label WHERE seq = ?1";

int store_get_label(struct store *store, int64_t seq, store_label_callback_t *callback,
                    void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_get_label, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, seq);
    step = sqlite3_step(statement);
    if (step == SQLITE_DONE)
        return err_set(err, ERR_NOT_FOUND, "row %lld of the ledger is no label",
                       (long long)seq);
    if (step != SQLITE_ROW)
        return store_fail(store, "read labels", err);
    return give_label(statement, callback, context, err);
}

static const char sql_each_label[] =
    "SELECT " LABEL_COLUMNS " FROM charge_label ORDER BY seq";

int store_each_label(struct store *store, store_label_callback_t *callback,
                     void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_label, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        if (give_label(statement, callback, context, err) < 0)
            return -1;
    return step == SQLITE_DONE ? 0 : store_fail(store, "read labels", err);
}

int64_t store_chain_end(const struct store *store, char hex[DIGEST_HEX_SIZE])
{
    *hex = '\0';
    if (store->chain.seq)
        digest_to_hex(store->chain.hash, DIGEST_SIZE, hex);
    return store->chain.seq;
}
