#ifndef SCHEDULERS_LOCAL_SWEEP_H
#define SCHEDULERS_LOCAL_SWEEP_H

#include "schedulers/scheduler.h"

/** Kills every process of this user that carries the environment of this worker
 * (RAILHEAD_JOB_ID, RAILHEAD_ATTEMPT, RAILHEAD_WORKER): what a worker that was itself
 * killed has left behind.  Returns how many it found. */
int local_sweep(const struct worker_ref *worker);

#endif
