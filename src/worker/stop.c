/* Decides when a worker is to stop before its ranks end by themselves, and why. */

#include "src/worker/worker.h"

#include <inttypes.h>

static const char *reason(enum end_cause cause)
{
    switch (cause) {
    case END_USER_STOP:
        return "stopped on request";
    case END_PEER:
        return "stopped because another worker had failed";
    case END_BUDGET:
        return "stopped because the budget was used up";
    case END_MAX_WAIT:
        return "stopped because max_wait was over";
    case END_MAX_RUN:
        return "stopped because max_run was over";
    case END_INTERRUPTED:
        return "interrupted: the machine was wanted back";
    case END_COMPLETED:
    case END_FAILED:
    case END_SIGNAL:
    case END_OOM:
    case END_LOST:
    case END_LAUNCH:
    case END_INPUT:
    case END_OUTPUT:
    case END_INFRASTRUCTURE:
        break;
    }
    return "stopped";
}

bool stop_check(struct worker *worker, usec_t now)
{
    int64_t max_run_s = worker->plan->max_run_s;
    enum end_cause cause;

    if (control_stop_asked(&worker->control, now, &cause))
        return ending_because(&worker->ending, cause, "%s", reason(cause));
    if (max_run_s > 0 && now >= worker->ready_boot + max_run_s * USEC_PER_SEC)
        return ending_because(&worker->ending, END_MAX_RUN,
                              worker->plan->attempt > 1
                                  ? "ran longer than the %" PRId64 " s that attempts "
                                    "before this one had left of max_run"
                                  : "ran longer than max_run, %" PRId64 " s",
                              max_run_s);
    return false;
}
