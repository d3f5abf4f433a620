/* The newest value of each metric of a job. */

#include "daemon/store_private.h"
#include "src/clock.h"

static const char sql_set_metric[] =
    "INSERT INTO job_metric (job_id, name, value, rank, wall_us) VALUES (?1, ?2, ?3, ?4, ?5)"
    " ON CONFLICT (job_id, name) DO UPDATE SET value = ?3, rank = ?4, wall_us = ?5"
    " WHERE wall_us <= ?5";

int store_set_metric(struct store *store, int64_t job_id, const char *name,
                     const char *value, int rank, usec_t wall, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_set_metric, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    store_bind_text(statement, 2, name);
    store_bind_text(statement, 3, value);
    sqlite3_bind_int(statement, 4, rank);
    sqlite3_bind_int64(statement, 5, wall);
    return store_run(store, statement, "set a metric", err);
}

static const char sql_get_metrics[] =
    "SELECT name, value, rank, wall_us FROM job_metric WHERE job_id = ?1 ORDER BY name";

int store_get_metrics(struct store *store, int64_t job_id, struct cJSON **metrics,
                      struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    auto_json struct cJSON *all = json_object_new();
    char at[TIME_TEXT_SIZE];
    int step;

    if (store_prepare(store, sql_get_metrics, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct cJSON *metric = json_object_new();

        json_set_number(metric, "last",
                        (const char *)sqlite3_column_text(statement, 1));
        json_set_int(metric, "rank", sqlite3_column_int(statement, 2));
        json_set_text(metric, "at",
                      time_format(sqlite3_column_int64(statement, 3), at));
        json_set(all, (const char *)sqlite3_column_text(statement, 0), metric);
    }
    if (step != SQLITE_DONE)
        return store_fail(store, "read metrics", err);
    *metrics = steal_ptr(&all);
    return 0;
}
