/* Jobs by their tags. */

#include "daemon/store_tag.h"

#include "daemon/store_private.h"

#include <stdlib.h>

static const char sql_find_tagged[] =
    "SELECT job_id FROM job_tag WHERE key = ?1 AND value = ?2 ORDER BY job_id";

int store_find_tagged(struct store *store, const char *key, const char *value,
                      int64_t **ids, size_t *count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    auto_free int64_t *found = NULL;
    size_t room = 0, used = 0;
    int step;

    if (store_prepare(store, sql_find_tagged, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, key);
    store_bind_text(statement, 2, value);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (used == room) {
            room = room ? room * 2 : 64;
            found = xrealloc(found, room * sizeof *found);
        }
        found[used++] = sqlite3_column_int64(statement, 0);
    }
    if (step != SQLITE_DONE)
        return store_fail(store, "find jobs by a tag", err);
    *ids = steal_ptr(&found);
    *count = used;
    return 0;
}
