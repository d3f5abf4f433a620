#ifndef DAEMON_BACKUP_H
#define DAEMON_BACKUP_H

#include "src/err.h"

/*
 * A backup is the database, as of one moment, in one file.  railhead-bill makes it
 * beside the daemon (daemon/billing/backup.c); railheadd puts one in place before it
 * serves.
 */

/* railhead-bill's answer is the backup and, behind it, so many bytes that say what it
 * holds: a JSON object on one line, filled up with line feeds. */
enum {
    BACKUP_FACTS_BYTES = 1024
};

/**
 * Puts a backup in the place of the database of a state folder that has none, and tells
 * on stdout what it holds, what becomes of jobs that had not ended, and which folders
 * of jobs are missing.
 *
 * ERR_CONFLICT when there is a database.  ERR_INVALID when `file` is no backup, or its
 * ledger does not hold.  Then nothing was changed, as after every failure.
 */
MUST_CHECK int backup_restore(const char *file, const char *state, struct err *err);

#endif
