#ifndef SRC_WORKER_METRICS_H
#define SRC_WORKER_METRICS_H

#include "src/launch_plan.h"
#include "src/worker/journal_writer.h"

/* The values that a program prints, found by the spec's metric_definitions. */

struct metrics;

/** NULL in `*out` when the plan has none.  ERR_INVALID names the metric whose pattern
 * is wrong.  Plan, folder (the worker's) and journal are borrowed for life. */
MUST_CHECK int metrics_new(const struct worker_plan *plan, const char *folder,
                           const struct journal_writer *journal, struct metrics **out,
                           struct err *err);
void metrics_free(struct metrics *metrics);

/** Looks for every metric in one line of a rank, which was complete at `boot`. What is
 * neither a number nor NaN or an infinity is passed over. */
void metrics_scan(struct metrics *metrics, int rank, const char *line, size_t len,
                  usec_t boot);

/** When the next value is to be written, on the boot clock; INT64_MAX: none is. */
usec_t metrics_due(const struct metrics *metrics);

/** Writes the values that are due: into the journal at most one a metric in 500 ms,
 * into the history within a second.  With `all` whatever is not written yet. */
MUST_CHECK int metrics_write(struct metrics *metrics, struct journal_writer *journal,
                             usec_t now, bool all, struct err *err);

/** {"name": {"value": V, "rank": R, "step": S, "wall_us": W}}: the last value of each.
 */
struct cJSON *metrics_last(const struct metrics *metrics,
                           const struct journal_writer *journal);

/** What of the metrics was lost, for the end of a job; NULL: nothing. The caller frees.
 */
char *metrics_remark(const struct metrics *metrics);

#endif
