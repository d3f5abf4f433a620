#ifndef DAEMON_BILLING_COMPARE_RUNS_H
#define DAEMON_BILLING_COMPARE_RUNS_H

#include "daemon/billing/usage.h"
#include "daemon/compare.h"

/* Jobs as runs of a comparison: what the ledger, their events and their metrics say. */

struct run_reader {
    struct usage *usage;       /* its book is open */
    const struct cJSON *types; /* {TYPE: {"processes", "usd_per_hour", "confidence"}} */
    const char *by;            /* as in struct compare_ask */
    bool reprice;              /* at the prices of `types` */
};

/** Reads one job.  The caller frees by compare_run_clear, also after a failure. */
MUST_CHECK int run_read(const struct run_reader *reader, int64_t job_id,
                        struct compare_run *run, struct err *err);

/** What an imported run costs at the prices of `types`. */
MUST_CHECK int run_reprice(const struct run_reader *reader, struct compare_run *run,
                           struct err *err);

#endif
