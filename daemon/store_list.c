/*
 * Lists of jobs, piece by piece.  Decides by which index a piece is read, and how far
 * it reaches; how many pieces make a page is decided in jobs_list.c.
 *
 * Owners, statuses and tags have indexes in which the jobs that pass stand by age.  Of
 * those that are asked for, the one is taken whose next STORE_LIST_PIECE jobs reach
 * back farthest: there it passes the fewest.  Its jobs are looked at one by one for the
 * other filters.  With the next piece it may be another.
 *
 * Parts of names, and types, have signatures by which blocks of jobs are passed over
 * (store_block.c).  Times need no index: row ids are given in the order of time but
 * where the clock was set back, which job_clock_step has, so that between two such
 * steps a time is found by halving.
 */

#include "daemon/store_list.h"

#include "daemon/store_private.h"

#include <string.h>

/* Steps of the clock that one piece passes over; 40 look-ups of 1 us each. */
enum {
    CLOCK_STEPS_MAX = 16
};

/* How jobs are found; a row of `drivers`. */
enum driver {
    BY_AGE,
    BY_LIVE,
    BY_OWNER,
    BY_STATUS,
    BY_STATE,
    BY_OWNER_AND_STATUS,
    BY_TAG,
};

/* LEFT is what the partial indexes say of themselves: the job goes on no more. */
#define LEFT      " status <> 'InProgress'"
#define ALL       " FROM job WHERE TRUE"
#define LIVE      " FROM job INDEXED BY job_live WHERE over = 0"
#define OWNED     " FROM job INDEXED BY job_by_owner WHERE owner = ?4"
#define IN_STATUS " FROM job INDEXED BY job_by_status WHERE status = ?5 AND" LEFT
#define IN_STATE \
    " FROM job INDEXED BY job_by_state WHERE state = ?5 AND state <> status AND" LEFT
#define OWNED_IN_STATUS                            \
    " FROM job INDEXED BY job_by_owner_and_status" \
    " WHERE owner = ?4 AND status = ?5 AND" LEFT
#define TAGGED " FROM job_tag WHERE key = ?8 AND value = ?9"
#define TAGGED_JOBS \
    " FROM job_tag CROSS JOIN job USING (job_id) WHERE key = ?8 AND value = ?9"

/* The end of a piece that begins below ?1 and goes no lower than ?2. */
#define END_OF(from)                                         \
    "SELECT job_id" from " AND job_id < ?1 AND job_id >= ?2" \
    " ORDER BY job_id DESC LIMIT 1 OFFSET ?3"

/* Its rows.  One text for every filter, nothing glued. */
#define ROWS_OF(from)                                                      \
    "SELECT " STORE_JOB_COLUMNS from " AND job_id < ?1 AND job_id >= ?2"   \
    " AND (?4 IS NULL OR owner = ?4)"                                      \
    " AND (?5 IS NULL OR status = ?5 OR state = ?5)"                       \
    " AND (?6 IS NULL OR instance_type = ?6)"                              \
    " AND (?7 IS NULL OR instr(name, ?7) > 0)"                             \
    " AND (?8 IS NULL OR EXISTS (SELECT 1 FROM job_tag AS tag"             \
    " WHERE tag.key = ?8 AND tag.value = ?9 AND tag.job_id = job.job_id))" \
    " ORDER BY job_id DESC LIMIT ?3"

/* clang-format off */
static const struct {
    const char *end;
    const char *rows;
} drivers[] = {
    [BY_AGE]              = { END_OF(ALL),             ROWS_OF(ALL)             },
    [BY_LIVE]             = { END_OF(LIVE),            ROWS_OF(LIVE)            },
    [BY_OWNER]            = { END_OF(OWNED),           ROWS_OF(OWNED)           },
    [BY_STATUS]           = { END_OF(IN_STATUS),       ROWS_OF(IN_STATUS)       },
    [BY_STATE]            = { END_OF(IN_STATE),        ROWS_OF(IN_STATE)        },
    [BY_OWNER_AND_STATUS] = { END_OF(OWNED_IN_STATUS), ROWS_OF(OWNED_IN_STATUS) },
    [BY_TAG]              = { END_OF(TAGGED),          ROWS_OF(TAGGED_JOBS)     },
};
/* clang-format on */

/* By which index a status is found. */
static enum driver status_driver(const char *status)
{
    enum job_state state;

    if (!job_state_from_name(status, &state))
        return BY_LIVE; /* InProgress, the only primary one that is no secondary one */
    if (strcmp(status, job_state_primary(state, false)) == 0)
        return BY_STATUS;
    return job_state_is_final(state) ? BY_STATE : BY_LIVE;
}

/* Those that find all that pass; where one is always the better one, not the others. */
static size_t list_drivers(const struct job_filter *filter, enum driver out[3])
{
    enum driver status = filter->status ? status_driver(filter->status) : BY_AGE;
    size_t count = 0;

    if (status == BY_STATUS && filter->owner) {
        out[count++] = BY_OWNER_AND_STATUS;
    } else {
        if (filter->status)
            out[count++] = status;
        if (filter->owner)
            out[count++] = BY_OWNER;
    }
    if (filter->tag)
        out[count++] = BY_TAG;
    if (count == 0)
        out[count++] = BY_AGE;
    return count;
}

/* Row ids of a piece: low <= id < high. */
struct range {
    int64_t low;
    int64_t high;
};

static void bind(sqlite3_stmt *statement, const struct job_filter *filter,
                 const struct range *range, int count)
{
    sqlite3_bind_int64(statement, 1, range->high);
    sqlite3_bind_int64(statement, 2, range->low);
    sqlite3_bind_int(statement, 3, count);
    store_bind_text(statement, 4, filter->owner);
    store_bind_text(statement, 5, filter->status);
    store_bind_text(statement, 6, filter->instance_type);
    store_bind_text(statement, 7, filter->name_part);
    if (filter->tag) {
        const char *equals = strchr(filter->tag, '=');

        sqlite3_bind_text(statement, 8, filter->tag, (int)(equals - filter->tag),
                          SQLITE_STATIC);
        store_bind_text(statement, 9, equals + 1);
    }
}

/* The lowest id of the range that a piece by this driver looks at. */
static int find_end(struct store *store, enum driver driver,
                    const struct job_filter *filter, const struct range *range,
                    int64_t *end, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, drivers[driver].end, &statement, err) < 0)
        return -1;
    bind(statement, filter, range, STORE_LIST_PIECE - 1);
    step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, "find a part of a list", err);
    *end = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : range->low;
    return 0;
}

/* The driver that passes the fewest; range->low becomes the end of its piece. */
static int choose(struct store *store, const struct job_filter *filter,
                  struct range *range, enum driver *best, struct err *err)
{
    enum driver candidates[3];
    size_t count = list_drivers(filter, candidates);
    int64_t lowest = INT64_MAX;

    for (size_t i = 0; i < count; i++) {
        int64_t end = 0;

        if (find_end(store, candidates[i], filter, range, &end, err) < 0)
            return -1;
        if (end < lowest) {
            lowest = end;
            *best = candidates[i];
        }
    }
    range->low = lowest;
    return 0;
}

/* --- times --- */

static const char sql_job_at[] =
    "SELECT job_id, created_us FROM job WHERE job_id >= ?1 ORDER BY job_id LIMIT 1";

/* The first id of the range whose job is of `time` or later, range->high if none is;
 * there is no step of the clock in it. */
static int first_since(struct store *store, struct range range, usec_t time,
                       int64_t *first, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_job_at, &statement, err) < 0)
        return -1;
    while (range.low < range.high) {
        int64_t middle = range.low + (range.high - range.low) / 2;
        int step;

        sqlite3_reset(statement);
        sqlite3_bind_int64(statement, 1, middle);
        step = sqlite3_step(statement);
        if (step != SQLITE_ROW && step != SQLITE_DONE)
            return store_fail(store, "find a job by its time", err);
        if (step == SQLITE_DONE || sqlite3_column_int64(statement, 0) >= range.high
            || sqlite3_column_int64(statement, 1) >= time)
            range.high = middle;
        else
            range.low = sqlite3_column_int64(statement, 0) + 1;
    }
    *first = range.low;
    return 0;
}

static const char sql_step_before[] =
    "SELECT COALESCE(MAX(job_id), 1) FROM job_clock_step WHERE job_id < ?1";

/* The last job below `before` whose clock was behind that of the one before it; 1: the
 * first job of all. */
static int step_before(struct store *store, int64_t before, int64_t *id,
                       struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_step_before, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, before);
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "find a step of the clock", err);
    *id = sqlite3_column_int64(statement, 0);
    return 0;
}

/* The next range below range->high of which every job was created when the filter says,
 * or an empty one from which to look on. */
static int find_range(struct store *store, const struct job_filter *filter,
                      struct range *range, struct err *err)
{
    range->low = 1;
    if (!filter->created_from && !filter->created_until)
        return 0;
    for (int i = 0; i < CLOCK_STEPS_MAX && range->high > 1; i++) {
        struct range even = *range;

        if (step_before(store, range->high, &even.low, err) < 0
            || (filter->created_until
                && first_since(store, even, filter->created_until, &range->high, err)
                       < 0))
            return -1;
        even.high = range->high;
        if (first_since(store, even, filter->created_from, &range->low, err) < 0)
            return -1;
        if (range->low < range->high)
            return 0;
        range->high = even.low;
    }
    range->low = range->high;
    return 0;
}

/* --- rows --- */

static int read_rows(struct store *store, struct store_list *list, enum driver driver,
                     const struct range *range, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct job_row row;
    int count = 0;
    int step;

    if (store_prepare(store, drivers[driver].rows, &statement, err) < 0)
        return -1;
    bind(statement, &list->filter, range, list->limit);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        store_copy_job(statement, &row);
        if (list->callback(list->context, &row, err) < 0)
            return -1;
        count++;
    }
    if (step != SQLITE_DONE)
        return store_fail(store, "list jobs", err);
    list->before = count == list->limit ? row.job_id : range->low;
    return 0;
}

int store_list_piece(struct store *store, struct store_list *list, struct err *err)
{
    struct range range = { .high = list->before };
    enum driver driver = BY_AGE;

    if (range.high > store->next_job_id)
        range.high = store->next_job_id;
    if (find_range(store, &list->filter, &range, err) < 0
        || store_pass_blocks(store, &list->filter, &range.high, err) < 0)
        return -1;
    list->before = range.low;
    if (range.low < range.high
        && (choose(store, &list->filter, &range, &driver, err) < 0
            || read_rows(store, list, driver, &range, err) < 0))
        return -1;
    if (list->before <= 1) /* the first job has row id 1 */
        list->before = 0;
    return 0;
}
