/* The names of events, as they stand in the log for ever. */

#include "daemon/job_event.h"

#include <string.h>

/* clang-format off */
static const char *const names[EV_COUNT] = {
    [EV_WORKER_READY]     = "worker_ready",
    [EV_WORKER_LAUNCHED]  = "worker_launched",
    [EV_WORKER_UPLOADING] = "worker_uploading",
    [EV_WORKER_ENDED]     = "worker_ended",
    [EV_WORKER_LOST]      = "worker_lost",
    [EV_SUBMITTED]        = "submitted",
    [EV_PLACED]           = "placed",
    [EV_READY]            = "ready",
    [EV_LAUNCHED]         = "launched",
    [EV_UPLOADING]        = "uploading",
    [EV_STOP_ASKED]       = "stop_asked",
    [EV_INTERRUPT_ASKED]  = "interrupt_asked",
    [EV_RETRY]            = "retry",
    [EV_INTERRUPTED]      = "interrupted",
    [EV_COMPLETED]        = "completed",
    [EV_FAILED]           = "failed",
    [EV_STOPPED]          = "stopped",
    [EV_TIMED_OUT]        = "timed_out",
    [EV_WAIT_EXPIRED]     = "wait_expired",
    [EV_WARM_ENDED]       = "warm_ended",
};
/* clang-format on */

const char *job_event_name(enum job_event_kind kind)
{
    return names[kind];
}

bool job_event_from_name(const char *name, enum job_event_kind *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strcmp(names[i], name) == 0) {
            *out = (enum job_event_kind)i;
            return true;
        }
    }
    return false;
}
