/* The ids of all jobs, for those who find one somewhere else. */

#include "daemon/store_private.h"

static const char sql_each_id[] = "SELECT id, over FROM job";

int store_each_id(struct store *store, store_id_callback_t *callback, void *context,
                  struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_id, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        callback(context, (const char *)sqlite3_column_text(statement, 0),
                 sqlite3_column_int(statement, 1) != 0);
    return step == SQLITE_DONE ? 0 : store_fail(store, "read the ids of jobs", err);
}
