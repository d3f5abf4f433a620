/* The event log: appended to, read in order. */

#include "daemon/store_private.h"

#include <string.h>

static const char sql_append_event[] =
    "INSERT INTO job_event (job_id, seq, at_us, kind, worker, data)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

int store_append_event(struct store *store, int64_t job_id,
                       const struct job_event *event, struct err *err)
{
    auto_free char *data = event->data ? json_print(event->data) : NULL;
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_append_event, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    sqlite3_bind_int64(statement, 2, event->seq);
    sqlite3_bind_int64(statement, 3, event->at_us);
    store_bind_text(statement, 4, job_event_name(event->kind));
    if (event->worker >= 0)
        sqlite3_bind_int(statement, 5, event->worker);
    store_bind_text(statement, 6, data);
    return store_run(store, statement, "append an event", err);
}

static int read_data(sqlite3_stmt *statement, int column, struct cJSON **data,
                     struct err *err)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    int len = sqlite3_column_bytes(statement, column);

    if (!text) {
        *data = NULL;
        return 0;
    }
    if (json_parse(text, (size_t)len, data, err) < 0) {
        if (err)
            err->code = ERR_INTERNAL;
        return err_wrap(err, "data of an event");
    }
    return 0;
}

static const char sql_each_event[] =
    "SELECT seq, at_us, kind, worker, data FROM job_event WHERE job_id = ?1 ORDER BY seq";

int store_each_event(struct store *store, int64_t job_id,
                     store_event_callback_t *callback, void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_event, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        auto_json struct cJSON *data = NULL;
        const char *kind = (const char *)sqlite3_column_text(statement, 2);
        bool about_worker = sqlite3_column_type(statement, 3) != SQLITE_NULL;
        struct job_event event = {
            .seq = sqlite3_column_int64(statement, 0),
            .at_us = sqlite3_column_int64(statement, 1),
            .worker = about_worker ? sqlite3_column_int(statement, 3) : -1,
        };

        if (!kind || !job_event_from_name(kind, &event.kind))
            return err_set(err, ERR_INTERNAL, "unknown event '%s' in the log",
                           kind ? kind : "");
        if (read_data(statement, 4, &data, err) < 0)
            return -1;
        event.data = data;
        if (callback(context, &event, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read events", err);
}

static const char sql_get_spec[] =
    "SELECT data FROM job_event WHERE job_id = ?1 AND seq = 1";

int store_get_spec(struct store *store, int64_t job_id, struct cJSON **spec,
                   struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    auto_json struct cJSON *data = NULL;

    if (store_prepare(store, sql_get_spec, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "read the spec of a job", err);
    if (read_data(statement, 0, &data, err) < 0)
        return -1;
    *spec = json_copy(json_get(data, "spec"));
    return *spec ? 0
                 : err_set(err, ERR_INTERNAL, "first event of a job without a spec");
}
