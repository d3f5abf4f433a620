#ifndef DAEMON_FIGURE_H
#define DAEMON_FIGURE_H

#include "daemon/bill.h"
#include "src/job_spec.h"

/**
 * The price-performance figure of a job: what its money bought.
 *
 * {"work", "unit", "per_usd", "usd_per_million", "per_second", "objective": {...} or
 * null, "unavailable": reason or null}. `metrics` is as store_get_metrics gives them,
 * `completed` says whether a fixed amount of work was done. Throughput is work per
 * billable second.  Pure.  The caller owns the result.
 */
struct cJSON *figure_of(const struct job_spec *spec, const struct bill *bill,
                        const struct cJSON *metrics, bool completed);

#endif
