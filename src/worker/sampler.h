#ifndef SRC_WORKER_SAMPLER_H
#define SRC_WORKER_SAMPLER_H

#include "src/base.h"
#include "src/worker/cgroup.h"

/* What a worker's ranks use of the machine, by samples: utilization.jsonl in the
 * worker's folder, one JSON object a line.  railhead-worker(8) has its members. Nothing
 * here fails: what cannot be learnt is null or absent. */

struct sampler;
struct worker_plan;

/** Counts from now on.  To be called before a rank runs; the cgroup may be opened
 * later. All three are borrowed, and outlive it. Cheap: reads a few files, starts
 * nothing. */
struct sampler *sampler_new(const char *folder, const struct cgroup *cgroup,
                            const struct worker_plan *plan);

/** Takes a sample; with every heartbeat.  Never waits: programs that tell of
 * accelerators are started at one sample and heard at the next. */
void sampler_run(struct sampler *sampler, usec_t now);

/**
 * A last sample, then what all of them say together, for the "ended" line; later ones
 * are not taken.  To be called when no rank runs any more, before the cgroup is closed.
 * The caller owns the result; a NULL sampler gives NULL.
 */
struct cJSON *sampler_summary(struct sampler *sampler, usec_t now);

/** Kills what it started.  NULL is well. */
void sampler_free(struct sampler *sampler);

#endif
