#ifndef DAEMON_STORE_LIST_H
#define DAEMON_STORE_LIST_H

#include "daemon/job_filter.h"
#include "daemon/store.h"

/* A list that is read, newest first; what its filter points to outlives it. */
struct store_list {
    struct job_filter filter;
    int64_t before; /* row id above the next job that is looked at; INT64_MAX: from the
                       newest on; 0: all were looked at */
    int limit;      /* jobs that the next piece gives at most, 1 or more */
    store_row_callback_t *callback;
    void *context;
};

/* Jobs that a piece looks at, at most: some 0.5 ms. */
enum {
    STORE_LIST_PIECE = 500
};

/** Reads the next piece and moves list->before.  A piece may give nothing and yet not
 * be the last. */
MUST_CHECK int store_list_piece(struct store *store, struct store_list *list,
                                struct err *err);

#endif
