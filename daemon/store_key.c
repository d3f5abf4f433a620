/* Idempotency keys of submits. */

#include "daemon/store_private.h"

static const char sql_find_key[] =
    "SELECT digest, job_id FROM submit_key WHERE owner = ?1 AND key = ?2";

int store_find_key(struct store *store, const char *owner, const char *key,
                   char digest[65], int64_t *job_id, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_find_key, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, owner);
    store_bind_text(statement, 2, key);
    step = sqlite3_step(statement);
    if (step == SQLITE_DONE)
        return err_set(err, ERR_NOT_FOUND, "no such idempotency key");
    if (step != SQLITE_ROW)
        return store_fail(store, "find an idempotency key", err);
    store_column_copy(statement, 0, digest, 65);
    *job_id = sqlite3_column_int64(statement, 1);
    return 0;
}

static const char sql_add_key[] =
    "INSERT INTO submit_key (owner, key, digest, job_id) VALUES (?1, ?2, ?3, ?4)";

int store_add_key(struct store *store, const char *owner, const char *key,
                  const char *digest, int64_t job_id, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_add_key, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, owner);
    store_bind_text(statement, 2, key);
    store_bind_text(statement, 3, digest);
    sqlite3_bind_int64(statement, 4, job_id);
    return store_run(store, statement, "keep an idempotency key", err);
}
