#ifndef API_HISTORY_H
#define API_HISTORY_H

#include "daemon/jobs_history.h"
#include "src/base.h"
#include "src/json.h"

/*
 * Pages of what a job's workers wrote down: the values of its metrics
 * (metrics.jsonl) and the samples of what it used (utilization.jsonl), of every
 * attempt.  A page costs a bounded number of bytes that are read and of files that are
 * opened, however long the history is.
 */

enum history_kind {
    HISTORY_METRICS,
    HISTORY_UTILIZATION
};

enum {
    HISTORY_LIMIT_MAX = 1000 /* items of a page; also what there is unless asked */
};

struct history_query {
    enum history_kind kind;
    const char *name;   /* of metrics alone; NULL: all */
    int64_t rank;       /* of metrics alone; -1: all */
    int64_t worker;     /* -1: all */
    usec_t since;       /* of this time or later; INT64_MIN: all */
    int64_t limit;      /* 1..HISTORY_LIMIT_MAX */
    const char *cursor; /* as an earlier page gave it; NULL: from the start */
};

/**
 * {"items", "next_cursor", "resume_cursor"}.  Items come by attempt, then by worker,
 * then as they were written; lines that are not whole or not of the kind are left out.
 * A page may have no item and yet a next_cursor: as much was read as one page may.
 *
 * next_cursor    null when all was given that is there now
 * resume_cursor  asks for what comes later; null when nothing will
 *
 * ERR_INVALID when the cursor is none of this job.
 */
MUST_CHECK int history_page(const struct job_history *job,
                            const struct history_query *query, struct cJSON **page,
                            struct err *err);

#endif
