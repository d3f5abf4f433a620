/* Rows of job: the cache of what the events say. */

#include "daemon/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t store_next_job_id(const struct store *store)
{
    return store->next_job_id;
}

static const char sql_insert_job[] =
    "INSERT INTO job (job_id, id, name, owner, state, status, over, instance_type,"
    " instance_count, scheduler, emulated, created_us, changed_us, recipe)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

static const char sql_add_tag[] =
    "INSERT INTO job_tag (key, value, job_id) VALUES (?1, ?2, ?3)";

static int add_tags(struct store *store, const struct job *job, struct err *err)
{
    auto_json struct cJSON *tags = NULL;

    if (json_parse(job->tags, strlen(job->tags), &tags, err) < 0)
        return -1;
    json_each (tag, tags) {
        auto_free char *printed = json_text(tag) ? NULL : json_print(tag);
        auto_statement sqlite3_stmt *statement = NULL;

        if (store_prepare(store, sql_add_tag, &statement, err) < 0)
            return -1;
        store_bind_text(statement, 1, json_name(tag));
        store_bind_text(statement, 2, printed ? printed : json_text(tag));
        sqlite3_bind_int64(statement, 3, job->job_id);
        if (store_run(store, statement, "add a tag", err) < 0)
            return -1;
    }
    return 0;
}

static const char sql_add_clock_step[] =
    "INSERT INTO job_clock_step (job_id) VALUES (?1)";

/* Lists find a time by halving, between jobs whose clock was set back. */
static int note_clock(struct store *store, const struct job *job, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    bool is_step = job->created_us < store->last_created_us;

    store->last_created_us = job->created_us;
    if (!is_step)
        return 0;
    if (store_prepare(store, sql_add_clock_step, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    return store_run(store, statement, "note that the clock was set back", err);
}

int store_insert_job(struct store *store, const struct job *job, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_insert_job, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    store_bind_text(statement, 2, job->id);
    store_bind_text(statement, 3, job->name);
    store_bind_text(statement, 4, job->owner);
    store_bind_text(statement, 5, job_state_name(job->state));
    store_bind_text(statement, 6, job_state_primary(job->state, job->stop_asked));
    sqlite3_bind_int(statement, 7, job_is_over(job));
    store_bind_text(statement, 8, job->instance_type);
    sqlite3_bind_int(statement, 9, job->instance_count);
    store_bind_text(statement, 10, job->scheduler);
    sqlite3_bind_int(statement, 11, job->emulated);
    sqlite3_bind_int64(statement, 12, job->created_us);
    sqlite3_bind_int64(statement, 13, job->changed_us);
    store_bind_text(statement, 14, job->recipe);
    if (sqlite3_step(statement) != SQLITE_DONE) {
        if (sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_UNIQUE)
            return err_set(err, ERR_CONFLICT, "a job named '%s' is there already",
                           job->name);
        return store_fail(store, "insert job", err);
    }
    store->next_job_id = job->job_id + 1;
    if (note_clock(store, job, err) < 0 || store_note_job(store, job, err) < 0)
        return -1;
    return add_tags(store, job, err);
}

static const char sql_update_state[] =
    "UPDATE job SET state = ?2, status = ?3, over = ?4, changed_us = ?5 WHERE job_id = ?1";

int store_update_state(struct store *store, const struct job *job, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_update_state, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    store_bind_text(statement, 2, job_state_name(job->state));
    store_bind_text(statement, 3, job_state_primary(job->state, job->stop_asked));
    sqlite3_bind_int(statement, 4, job_is_over(job));
    sqlite3_bind_int64(statement, 5, job->changed_us);
    return store_run(store, statement, "update the state of a job", err);
}

static const char sql_set_bill[] =
    "UPDATE job SET billable_seconds = ?2, cost_nanousd = ?3, unpriced_seconds = ?4"
    " WHERE job_id = ?1";

int store_set_bill(struct store *store, int64_t job_id, int64_t seconds, nanousd_t cost,
                   int64_t unpriced_seconds, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_set_bill, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    sqlite3_bind_int64(statement, 2, seconds);
    if (cost >= 0)
        sqlite3_bind_int64(statement, 3, cost);
    sqlite3_bind_int64(statement, 4, unpriced_seconds);
    return store_run(store, statement, "set the bill of a job", err);
}

void store_copy_job(sqlite3_stmt *statement, struct job_row *row)
{
    char state[32];

    *row = (struct job_row){ .job_id = sqlite3_column_int64(statement, 0) };
    store_column_copy(statement, 1, row->id, sizeof row->id);
    store_column_copy(statement, 2, row->name, sizeof row->name);
    store_column_copy(statement, 3, row->owner, sizeof row->owner);
    store_column_copy(statement, 4, state, sizeof state);
    if (!job_state_from_name(state, &row->state))
        row->state = JOB_NEW;
    store_column_copy(statement, 5, row->status, sizeof row->status);
    store_column_copy(statement, 6, row->instance_type, sizeof row->instance_type);
    row->instance_count = sqlite3_column_int(statement, 7);
    store_column_copy(statement, 8, row->scheduler, sizeof row->scheduler);
    row->emulated = sqlite3_column_int(statement, 9) != 0;
    row->created_us = sqlite3_column_int64(statement, 10);
    row->changed_us = sqlite3_column_int64(statement, 11);
    row->has_bill = sqlite3_column_type(statement, 12) != SQLITE_NULL;
    row->billable_seconds = sqlite3_column_int64(statement, 12);
    row->priced = sqlite3_column_type(statement, 13) != SQLITE_NULL;
    row->cost = sqlite3_column_int64(statement, 13);
    row->unpriced_seconds = sqlite3_column_int64(statement, 14);
}

static int one_row(struct store *store, sqlite3_stmt *statement, const char *name,
                   struct job_row *row, struct err *err)
{
    int step = sqlite3_step(statement);

    if (step == SQLITE_DONE)
        return err_set(err, ERR_NOT_FOUND, "no job named '%s'", name);
    if (step != SQLITE_ROW)
        return store_fail(store, "read a job", err);
    store_copy_job(statement, row);
    return 0;
}

static const char sql_find_job[] =
    "SELECT " STORE_JOB_COLUMNS " FROM job WHERE name = ?1";

int store_find_job(struct store *store, const char *name, struct job_row *row,
                   struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_find_job, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, name);
    return one_row(store, statement, name, row, err);
}

static const char sql_get_job[] =
    "SELECT " STORE_JOB_COLUMNS " FROM job WHERE job_id = ?1";

int store_get_job(struct store *store, int64_t job_id, struct job_row *row,
                  struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_get_job, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    return one_row(store, statement, "(by row id)", row, err);
}

/* By the index job_by_recipe alone. */
static const char sql_get_runs[] =
    "SELECT billable_seconds FROM job WHERE recipe = ?1 AND emulated = ?2"
    " AND scheduler = ?3 AND state = 'Completed' AND billable_seconds > 0"
    " ORDER BY job_id DESC LIMIT ?4";

int store_get_runs(struct store *store, const struct job *like, size_t limit,
                   int64_t *seconds, size_t *count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    size_t used = 0;
    int step;

    if (store_prepare(store, sql_get_runs, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, like->recipe);
    sqlite3_bind_int(statement, 2, like->emulated);
    store_bind_text(statement, 3, like->scheduler);
    sqlite3_bind_int64(statement, 4, (int64_t)limit);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        seconds[used++] = sqlite3_column_int64(statement, 0);
    if (step != SQLITE_DONE)
        return store_fail(store, "read runs of a recipe", err);
    *count = used;
    return 0;
}

static const char sql_live_jobs[] =
    "SELECT job_id FROM job WHERE over = 0 ORDER BY job_id";

int store_live_jobs(struct store *store, int64_t **ids, size_t *count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int64_t *found = NULL;
    size_t room = 0, used = 0;
    int step;

    if (store_prepare(store, sql_live_jobs, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (used == room) {
            room = room ? room * 2 : 256;
            found = xrealloc(found, room * sizeof *found);
        }
        found[used++] = sqlite3_column_int64(statement, 0);
    }
    if (step != SQLITE_DONE) {
        free(found);
        return store_fail(store, "list live jobs", err);
    }
    *ids = found;
    *count = used;
    return 0;
}
