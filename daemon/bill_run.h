#ifndef DAEMON_BILL_RUN_H
#define DAEMON_BILL_RUN_H

#include "src/err.h"
#include "src/json.h"
#include "src/loop.h"

/*
 * Questions to the ledger, each answered by a railhead-bill of its own: the loop goes
 * on meanwhile.  Few run at a time, the others wait in line.
 */

enum {
    BILL_RUNS_MAX = 2,     /* at a time */
    BILL_LINE_MAX = 64,    /* waiting */
    BILL_RUN_SECONDS = 600 /* then it is ended */
};

struct bill_runs;
struct bill_run;

/** @state  the state folder, with railhead.db in it */
struct bill_runs *bill_runs_new(struct loop *loop, const char *state);
/** Every run is freed before. */
void bill_runs_free(struct bill_runs *runs);

/**
 * Asks.  `request` is as daemon/billing/billing.h has it, without database and state,
 * which are added.  `done` is called from the loop, once, never from in here.
 *
 * ERR_UNAVAILABLE when too many wait already.  The caller frees *out.
 */
MUST_CHECK int bill_run_start(struct bill_runs *runs, const struct cJSON *request,
                              void (*done)(void *context), void *context,
                              struct bill_run **out, struct err *err);

/** After `done`: a file with the answer, from its start, which the caller closes, and
 * its size; or the error, with *errors an array of {path, message, hint} that the
 * caller frees, or NULL. */
MUST_CHECK int bill_run_take(struct bill_run *run, int *fd, int64_t *size,
                             struct cJSON **errors, struct err *err);

/** Ends it if it has not; NULL is well. */
void bill_run_free(struct bill_run *run);

#endif
