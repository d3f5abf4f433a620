#ifndef DAEMON_BILLING_VERIFY_H
#define DAEMON_BILLING_VERIFY_H

#include "daemon/ledger_row.h"
#include "daemon/store.h"

/* What was found wrong with the ledger: of all findings the first row's is kept. */

/* Texts are valid during the call only. */
struct finding {
    int64_t seq; /* of the row; 0: a row of job, which comes after all of the ledger */
    const char *table;  /* NULL: the row is not there */
    const char *job;    /* name; NULL: it is of none */
    const char *column; /* NULL: the row as a whole */
    const char *reason;
    struct ledger_cell is;
    struct ledger_cell should_be;
};

struct verdict {
    bool chain_is_broken;
    bool figures_are_broken;
    bool is_of_figures;   /* the finding, not the chain's */
    int64_t seq;          /* of the finding; INT64_MAX: a row of job */
    struct cJSON *broken; /* as it is shown; or NULL */
};

/** Keeps it when it is of an earlier row than what is there.  Once the chain is broken
 * what it found stays, but for what figures say of the same row. */
void verdict_add(struct verdict *verdict, const struct finding *finding);

/** A finding that is not of the chain. */
void verdict_find(struct verdict *verdict, const struct finding *finding);

/** The same when what a row says, which becomes `is`, is not what it should be.  @where
 * the rest of the finding */
void verdict_expect(struct verdict *verdict, const struct finding *where,
                    struct ledger_cell is, struct ledger_cell should_be);

/** Recomputes every figure from what it rests on: verify_figures.c. */
MUST_CHECK int verify_figures(struct store *store, struct verdict *verdict,
                              struct err *err);

#endif
