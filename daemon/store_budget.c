/* Rows of budgets, and the ledger as they count it: row by row, in the order in which
 * intervals were closed. */

#include "daemon/store_budget.h"

#include "daemon/store_private.h"
#include "src/clock.h"

#include <string.h>

#define BUDGET_COLUMNS                                                 \
    "name, limit_nanousd, owner, tag_key, tag_value, period, action,"  \
    " notify_percent, created_us, from_s, counted_seq, spent_nanousd," \
    " emulated_nanousd, estimated, unpriced, told_percent"

static const char sql_each_budget[] =
    "SELECT " BUDGET_COLUMNS " FROM budget ORDER BY name";

/* Valid until the next step; NULL for null. */
static const char *text_at(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

/* The span is that of the month that begins at from_s; of all time, else. */
static struct budget_span span_of(enum budget_period period, int64_t from_s)
{
    return budget_span_at(period, from_s * (period == BUDGET_MONTH ? USEC_PER_SEC : 0));
}

static void read_budget(sqlite3_stmt *statement, struct budget *budget)
{
    struct budget_rule *rule = &budget->rule;

    store_column_copy(statement, 0, rule->name, sizeof rule->name);
    rule->limit = sqlite3_column_int64(statement, 1);
    rule->owner = xstrdup(text_at(statement, 2));
    rule->tag_key = xstrdup(text_at(statement, 3));
    rule->tag_value = xstrdup(text_at(statement, 4));
    budget_period_from_name(text_at(statement, 5), &rule->period);
    budget_action_from_name(text_at(statement, 6), &rule->action);
    rule->notify_percent = sqlite3_column_int(statement, 7);
    budget->created_us = sqlite3_column_int64(statement, 8);
    budget->span = span_of(rule->period, sqlite3_column_int64(statement, 9));
    budget->counted_seq = sqlite3_column_int64(statement, 10);
    budget->saved_seq = budget->counted_seq;
    budget->sum = (struct budget_sum){
        .spent = sqlite3_column_int64(statement, 11),
        .emulated = sqlite3_column_int64(statement, 12),
        .estimated = sqlite3_column_int(statement, 13) != 0,
        .unpriced = sqlite3_column_int(statement, 14) != 0,
    };
    budget->told_percent = sqlite3_column_int(statement, 15);
}

int store_each_budget(struct store *store, store_budget_callback_t *callback,
                      void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_budget, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct budget budget = { 0 };
        int result;

        read_budget(statement, &budget);
        result = callback(context, &budget, err);
        budget_rule_clear(&budget.rule);
        if (result < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read budgets", err);
}

static const char sql_put_budget[] =
    "INSERT OR REPLACE INTO budget (" BUDGET_COLUMNS ")"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

int store_put_budget(struct store *store, const struct budget *budget, struct err *err)
{
    const struct budget_rule *rule = &budget->rule;
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_put_budget, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, rule->name);
    sqlite3_bind_int64(statement, 2, rule->limit);
    store_bind_text(statement, 3, rule->owner);
    store_bind_text(statement, 4, rule->tag_key);
    store_bind_text(statement, 5, rule->tag_value);
    store_bind_text(statement, 6, budget_period_name(rule->period));
    store_bind_text(statement, 7, budget_action_name(rule->action));
    sqlite3_bind_int(statement, 8, rule->notify_percent);
    sqlite3_bind_int64(statement, 9, budget->created_us);
    sqlite3_bind_int64(statement, 10, budget->span.from_s);
    sqlite3_bind_int64(statement, 11, budget->counted_seq);
    sqlite3_bind_int64(statement, 12, budget->sum.spent);
    sqlite3_bind_int64(statement, 13, budget->sum.emulated);
    sqlite3_bind_int(statement, 14, budget->sum.estimated);
    sqlite3_bind_int(statement, 15, budget->sum.unpriced);
    sqlite3_bind_int(statement, 16, budget->told_percent);
    return store_run(store, statement, "keep a budget", err);
}

static const char sql_delete_budget[] = "DELETE FROM budget WHERE name = ?1";

int store_delete_budget(struct store *store, const char *name, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_delete_budget, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, name);
    return store_run(store, statement, "delete a budget", err);
}

/* --- what was done --- */

static const char sql_add_event[] =
    "INSERT INTO budget_event (name, at_us, kind, data) VALUES (?1, ?2, ?3, ?4)";

int store_add_budget_event(struct store *store, const char *name, const char *kind,
                           const struct cJSON *data, struct err *err)
{
    auto_free char *words = json_print(data);
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_add_event, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, name);
    sqlite3_bind_int64(statement, 2, clock_wall());
    store_bind_text(statement, 3, kind);
    store_bind_text(statement, 4, words);
    return store_run(store, statement, "keep what a budget did", err);
}

static const char sql_get_events[] =
    "SELECT at_us, kind, data FROM budget_event WHERE name = ?1"
    " ORDER BY seq DESC LIMIT ?2";

static int read_event(sqlite3_stmt *statement, struct cJSON *events, struct err *err)
{
    const char *words = text_at(statement, 2);
    auto_json struct cJSON *data = NULL;
    struct cJSON *event = json_object_new();
    char at[TIME_TEXT_SIZE];

    json_append(events, event);
    json_set_text(event, "at", time_format(sqlite3_column_int64(statement, 0), at));
    json_set_text(event, "kind", text_at(statement, 1));
    if (json_parse(words, strlen(words), &data, err) < 0)
        return -1;
    json_each (member, data)
        json_set(event, json_name(member), json_copy(member));
    return 0;
}

int store_get_budget_events(struct store *store, const char *name, int limit,
                            struct cJSON **events, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    auto_json struct cJSON *found = json_array_new();
    int step;

    if (store_prepare(store, sql_get_events, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, name);
    sqlite3_bind_int(statement, 2, limit);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        if (read_event(statement, found, err) < 0)
            return -1;
    if (step != SQLITE_DONE)
        return store_fail(store, "read what a budget did", err);
    *events = steal_ptr(&found);
    return 0;
}

/* --- what the ledger has --- */

#define PART_COLUMNS                                                      \
    "c.seq, l.owner, l.tags, l.emulated, p.hourly_nanousd, p.confidence," \
    " c.start_s, c.seconds, c.base, c.open_seq, o.price"

static const char sql_parts[] = "SELECT " PART_COLUMNS " FROM interval_close AS c"
                                " CROSS JOIN interval_open AS o ON o.seq = c.open_seq"
                                " CROSS JOIN charge_label AS l ON l.seq = o.label"
                                " LEFT JOIN price AS p ON p.seq = o.price"
                                " WHERE c.seq > ?1 ORDER BY c.seq LIMIT ?2";

static void read_price(sqlite3_stmt *statement, int column, struct budget_part *part)
{
    const char *confidence = text_at(statement, column + 1);

    part->priced = sqlite3_column_type(statement, column) != SQLITE_NULL;
    part->hourly = sqlite3_column_int64(statement, column);
    part->estimated = confidence && strcmp(confidence, "low") == 0;
}

struct part_reader {
    struct store *store;
    store_part_callback_t *callback;
    void *context;
};

static const char sql_get_price[] =
    "SELECT hourly_nanousd, confidence FROM price WHERE seq = ?1";

static int get_price(struct store *store, int64_t price, struct budget_part *part,
                     struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_get_price, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, price);
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "read a price", err);
    read_price(statement, 0, part);
    return 0;
}

/* An interval on its way to the callback. */
struct part_row {
    const struct part_reader *reader;
    int64_t seq;
    int64_t price; /* that `part` has */
    struct budget_part part;
};

static int give_part(void *context, const struct charge *charge, struct err *err)
{
    struct part_row *row = context;

    if (charge->price != row->price
        && get_price(row->reader->store, charge->price, &row->part, err) < 0)
        return -1;
    row->price = charge->price;
    row->part.start_s = charge->start_s;
    row->part.seconds = charge->seconds;
    row->part.base = charge->base;
    return row->reader->callback(row->reader->context, row->seq, &row->part, err);
}

static int give_row(const struct part_reader *reader, sqlite3_stmt *statement,
                    struct err *err)
{
    const struct charge whole = {
        .start_s = sqlite3_column_int64(statement, 6),
        .seconds = sqlite3_column_int64(statement, 7),
        .base = sqlite3_column_int64(statement, 8),
        .open_seq = sqlite3_column_int64(statement, 9),
        .price = sqlite3_column_int64(statement, 10),
    };
    struct part_row row = {
        .reader = reader,
        .seq = sqlite3_column_int64(statement, 0),
        .price = whole.price,
        .part = { .owner = text_at(statement, 1),
                  .tags = text_at(statement, 2),
                  .emulated = sqlite3_column_int(statement, 3) != 0 },
    };

    read_price(statement, 4, &row.part);
    return store_cut_interval(reader->store, &whole, give_part, &row, err);
}

/* *rows counts them. */
static int give_rows(const struct part_reader *reader, sqlite3_stmt *statement,
                     int *rows, struct err *err)
{
    int step;

    for (*rows = 0; (step = sqlite3_step(statement)) == SQLITE_ROW; ++*rows)
        if (give_row(reader, statement, err) < 0)
            return -1;
    return step == SQLITE_DONE ? 0 : store_fail(reader->store, "read the ledger", err);
}

int store_each_part_after(struct store *store, struct part_slice *slice,
                          store_part_callback_t *callback, void *context,
                          struct err *err)
{
    const struct part_reader reader = { store, callback, context };
    auto_statement sqlite3_stmt *statement = NULL;
    int rows;

    if (store_prepare(store, sql_parts, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, slice->after);
    sqlite3_bind_int(statement, 2, slice->limit);
    if (give_rows(&reader, statement, &rows, err) < 0)
        return -1;
    slice->more = rows == slice->limit;
    return 0;
}

static const char sql_parts_of[] =
    "SELECT " PART_COLUMNS " FROM interval_open AS o"
    " CROSS JOIN interval_close AS c ON c.open_seq = o.seq"
    " CROSS JOIN charge_label AS l ON l.seq = o.label"
    " LEFT JOIN price AS p ON p.seq = o.price"
    " WHERE o.job_id = ?1";

int store_each_part_of(struct store *store, int64_t job_id,
                       store_part_callback_t *callback, void *context, struct err *err)
{
    const struct part_reader reader = { store, callback, context };
    auto_statement sqlite3_stmt *statement = NULL;
    int rows;

    if (store_prepare(store, sql_parts_of, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    return give_rows(&reader, statement, &rows, err);
}

static const char sql_open_price[] =
    "SELECT p.hourly_nanousd, p.confidence,"
    " o.reprice = 'at-change' AND l.pricing <> 'free' FROM interval_open AS o"
    " JOIN charge_label AS l ON l.seq = o.label"
    " LEFT JOIN price AS p ON p.seq = o.price"
    " WHERE o.job_id = ?1 ORDER BY o.seq DESC LIMIT 1";

int store_get_open_price(struct store *store, int64_t job_id, struct open_price *price,
                         struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct budget_part part = { 0 };
    int step;

    if (store_prepare(store, sql_open_price, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        read_price(statement, 0, &part);
    else if (step != SQLITE_DONE)
        return store_fail(store, "read the ledger", err);
    *price = (struct open_price){ part.priced, part.estimated, part.hourly,
                                  step == SQLITE_ROW
                                      && sqlite3_column_int(statement, 2) != 0 };
    return 0;
}
