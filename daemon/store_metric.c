/* The newest value of each metric of a job. */

#include "daemon/store_private.h"
#include "src/clock.h"

static const char sql_set_metric[] =
    "INSERT INTO job_metric (job_id, name, value, rank, step, wall_us, attempt,"
    " first_value, first_wall_us)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?3, ?6)"
    " ON CONFLICT (job_id, name)"
    " DO UPDATE SET value = ?3, rank = ?4, step = ?5, wall_us = ?6, attempt = ?7,"
    " first_value = CASE attempt WHEN ?7 THEN first_value ELSE ?3 END,"
    " first_wall_us = CASE attempt WHEN ?7 THEN first_wall_us ELSE ?6 END"
    " WHERE wall_us <= ?6";

int store_set_metric(struct store *store, int64_t job_id,
                     const struct metric_value *metric, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int64_t step;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_set_metric, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    store_bind_text(statement, 2, metric->name);
    store_bind_text(statement, 3, metric->value);
    sqlite3_bind_int(statement, 4, metric->rank);
    if (metric->step && json_to_int(metric->step, &step))
        sqlite3_bind_int64(statement, 5, step);
    sqlite3_bind_int64(statement, 6, metric->wall);
    sqlite3_bind_int(statement, 7, metric->attempt);
    return store_run(store, statement, "set a metric", err);
}

static const char sql_get_metrics[] =
    "SELECT name, value, rank, step, wall_us FROM job_metric WHERE job_id = ?1"
    " ORDER BY name";

/* What is no number in JSON is a text there. */
static struct cJSON *metric_of(sqlite3_stmt *statement)
{
    struct cJSON *metric = json_object_new();
    const char *value = (const char *)sqlite3_column_text(statement, 1);
    char at[TIME_TEXT_SIZE];

    if (json_is_number_text(value))
        json_set_number(metric, "last", value);
    else
        json_set_text(metric, "last", value);
    json_set_int(metric, "rank", sqlite3_column_int(statement, 2));
    if (sqlite3_column_type(statement, 3) == SQLITE_NULL)
        json_set_null(metric, "step");
    else
        json_set_int(metric, "step", sqlite3_column_int64(statement, 3));
    json_set_text(metric, "at", time_format(sqlite3_column_int64(statement, 4), at));
    return metric;
}

int store_get_metrics(struct store *store, int64_t job_id, struct cJSON **metrics,
                      struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    auto_json struct cJSON *all = json_object_new();
    int result;

    if (store_prepare(store, sql_get_metrics, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW)
        json_set(all, (const char *)sqlite3_column_text(statement, 0),
                 metric_of(statement));
    if (result != SQLITE_DONE)
        return store_fail(store, "read metrics", err);
    *metrics = steal_ptr(&all);
    return 0;
}

static const char sql_get_readings[] =
    "SELECT attempt, first_value, first_wall_us, value, wall_us FROM job_metric"
    " WHERE job_id = ?1 AND name = ?2";

int store_get_readings(struct store *store, int64_t job_id, const char *name,
                       struct metric_readings *readings, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int result;

    *readings = (struct metric_readings){ 0 };
    if (store_prepare(store, sql_get_readings, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    store_bind_text(statement, 2, name);
    result = sqlite3_step(statement);
    if (result == SQLITE_DONE)
        return 0;
    if (result != SQLITE_ROW)
        return store_fail(store, "read a metric", err);
    readings->attempt = sqlite3_column_int(statement, 0);
    store_column_copy(statement, 1, readings->first, sizeof readings->first);
    readings->first_wall = sqlite3_column_int64(statement, 2);
    store_column_copy(statement, 3, readings->last, sizeof readings->last);
    readings->last_wall = sqlite3_column_int64(statement, 4);
    return 0;
}
