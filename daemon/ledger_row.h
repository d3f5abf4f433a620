#ifndef DAEMON_LEDGER_ROW_H
#define DAEMON_LEDGER_ROW_H

#include "src/base.h"
#include "src/digest.h"

/*
 * A row of the ledger as the chain sees it (railhead-billing(7), "The chain").
 *
 * Its hash is the SHA-256 of the 32 bytes of the hash before (zeros before the first),
 * the name of its table and its columns in the order of the schema, each as a netstring
 * "LENGTH:BYTES,"; a whole number as its decimal digits, null as "-,".
 */

struct ledger_cell {
    enum {
        CELL_NULL,
        CELL_NUMBER,
        CELL_TEXT
    } kind;
    int64_t number;
    const char *text; /* ends in NUL, and has no other one */
};

static inline struct ledger_cell cell_null(void)
{
    return (struct ledger_cell){ .kind = CELL_NULL };
}

static inline struct ledger_cell cell_number(int64_t number)
{
    return (struct ledger_cell){ .kind = CELL_NUMBER, .number = number };
}

static inline struct ledger_cell cell_text(const char *text)
{
    return (struct ledger_cell){ .kind = CELL_TEXT, .text = text };
}

/** The hash of a row.  @hash is that of the row before, and becomes this row's.  Pure.
 */
void ledger_row_hash(const char *table, const struct ledger_cell *cells, size_t count,
                     unsigned char hash[DIGEST_SIZE]);

#endif
