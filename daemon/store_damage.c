/* A database that cannot be used: how that is found at the start, and what a person can
 * do.  Nothing is repaired or removed here. */

#include "daemon/store_private.h"

#include <string.h>
#include <sys/stat.h>

/* The primary codes of https://sqlite.org/rescode.html that a person can do something
 * about. */
/* clang-format off */
static const struct {
    int code;
    const char *words;
} remedies[] = {
    { SQLITE_CORRUPT,  ": the file is damaged and was left as it is: move it away with its -wal and -shm, and restore a backup (railheadd --restore FILE)" },
    { SQLITE_NOTADB,   ": the file is damaged and was left as it is: move it away with its -wal and -shm, and restore a backup (railheadd --restore FILE)" },
    { SQLITE_READONLY, ": mount its file system read-write, or let railheadd's user write to it and its folder" },
    { SQLITE_CANTOPEN, ": let railheadd's user read and write it and its folder" },
    { SQLITE_PERM,     ": let railheadd's user read and write it and its folder" },
    { SQLITE_IOERR,    ": the disk failed: read the kernel's log, mend it, and start railheadd anew" },
    { SQLITE_FULL,     ": make room on its disk, and start railheadd anew" },
};
/* clang-format on */

const char *store_remedy(int code)
{
    for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
        if (remedies[i].code == (code & 0xff))
            return remedies[i].words;
    return "";
}

/* A larger database would hold up the start: some 300 MiB a second are read. */
#define CHECKED_BYTES (INT64_C(64) << 20)

static const char sql_check[] = "PRAGMA quick_check(1)";

int store_check_pages(struct store *store, const char *path, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    const char *found;
    struct stat status;

    if (stat(path, &status) < 0 || status.st_size > CHECKED_BYTES)
        return 0;
    if (store_prepare(store, sql_check, &statement, err) < 0
        || sqlite3_step(statement) != SQLITE_ROW) {
        store_fail(store, "check", err);
        return err_wrap(err, "%s", path);
    }
    found = (const char *)sqlite3_column_text(statement, 0);
    if (found && strcmp(found, "ok") == 0)
        return 0;
    return err_set(err, ERR_INTERNAL, "%s: %s%s", path, found ? found : "no answer",
                   store_remedy(SQLITE_CORRUPT));
}
