#ifndef DAEMON_STORE_BACKUP_H
#define DAEMON_STORE_BACKUP_H

#include "daemon/store.h"

/* The database as a whole: copied while it is in use, and a copy put in place. */

/* What a database holds. */
struct store_facts {
    int64_t jobs;
    int64_t events;
    usec_t last_event_us; /* 0: there is none */
    int64_t ledger_rows;
    int64_t head_seq;                /* the last row of the ledger; 0: there is none */
    char head_hash[DIGEST_HEX_SIZE]; /* of that row; "": it has none */
    int64_t broken_seq; /* the first row that is not chained to the one before, as its
                           hash or its number says; 0: the chain holds */
};

/**
 * Writes what a store that was opened to be read shows, all of one moment, and reads
 * the copy back.  By then the store shows that moment no longer, and is to be closed.
 *
 * @database  path of the store's file
 * @fd        an empty file that has no name yet (O_TMPFILE), in the same folder
 *
 * ERR_UNAVAILABLE while another one is written; ERR_DISK_FULL; ERR_INTERNAL when the
 * database is damaged.
 */
MUST_CHECK int store_backup(struct store *store, const char *database, int fd,
                            struct store_facts *facts, struct err *err);

/** Reads all of it: ERR_INTERNAL when it is damaged.  A chain that does not hold is a
 * fact, and no failure. */
MUST_CHECK int store_inspect(struct store *store, struct store_facts *facts,
                             struct err *err);

typedef int store_restore_callback_t(void *context, struct store *store,
                                     const struct store_facts *facts, struct err *err);

/**
 * Puts a copy of `file` in the place of `database`, brought up to the schema of this
 * program, when nothing is wrong with it.  What is there after any failure is what was
 * there before.
 *
 * @look  is shown the copy before it is in place, and may refuse it
 *
 * ERR_CONFLICT when `database` is there or in use; ERR_INVALID when `file` is no
 * database of ours, or its ledger does not hold; ERR_INTERNAL when it is damaged or of
 * a newer program.
 */
MUST_CHECK int store_restore(const char *file, const char *database,
                             store_restore_callback_t *look, void *context,
                             struct err *err);

/** Ids of jobs of which at least one attempt ran. */
MUST_CHECK int store_each_ran(struct store *store,
                              void (*callback)(void *context, const char *id),
                              void *context, struct err *err);

#endif
