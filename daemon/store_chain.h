#ifndef DAEMON_STORE_CHAIN_H
#define DAEMON_STORE_CHAIN_H

#include "daemon/ledger_row.h"
#include "src/err.h"

/* How rows get into the ledger, and are read as one chain.  The first half is for
 * store*.c only. */

struct store;

/* The last row: what the next one is chained to. */
struct chain_end {
    int64_t seq; /* 0: there is none */
    unsigned char hash[DIGEST_SIZE];
};

struct store_table {
    const char *name;
    const char *insert; /* ?1 is seq, the last parameter the hash */
};

/** Reads the end of the chain, when the database is opened. */
MUST_CHECK int store_read_chain(struct store *store, struct err *err);

/** Appends a row: cells are the columns between seq and hash.  *seq (or NULL) is the
 * number that it got. */
MUST_CHECK int store_append(struct store *store, const struct store_table *table,
                            const struct ledger_cell *cells, size_t count, int64_t *seq,
                            struct err *err);

/* --- reading it --- */

/* Valid during the call only. */
struct ledger_row {
    const char *table;
    const struct ledger_cell *cells; /* all columns but the hash; seq is the first */
    size_t count;
    const unsigned char *hash; /* NULL: it has none */
    bool is_odd; /* a cell holds what is not its own: a fraction, bytes, or a NUL */
};

typedef int store_ledger_callback_t(void *context, const struct ledger_row *row,
                                    struct err *err);

/** Every row of the ledger by seq. */
MUST_CHECK int store_each_ledger_row(struct store *store,
                                     store_ledger_callback_t *callback, void *context,
                                     struct err *err);

#endif
