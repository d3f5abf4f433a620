/* The names of a job's states, and which primary state each shows as.  Which moves
 * there are between them is the job machine's. */

#include "src/job_state.h"

#include <string.h>

/* clang-format off */
static const struct {
    const char *name;
    const char *primary;
    bool is_final;
    bool waits;
} states[JOB_STATE_COUNT] = {
    [JOB_NEW]                    = { "New",                 "InProgress", false, false },
    [JOB_PENDING]                = { "Pending",             "InProgress", false, true  },
    [JOB_STARTING]               = { "Starting",            "InProgress", false, false },
    [JOB_DOWNLOADING]            = { "Downloading",         "InProgress", false, false },
    [JOB_TRAINING]               = { "Training",            "InProgress", false, false },
    [JOB_UPLOADING]              = { "Uploading",           "InProgress", false, false },
    [JOB_INTERRUPTED]            = { "Interrupted",         "InProgress", false, true  },
    [JOB_RESTARTING]             = { "Restarting",          "InProgress", false, true  },
    [JOB_STOPPING]               = { "Stopping",            "Stopping",   false, false },
    [JOB_COMPLETED]              = { "Completed",           "Completed",  true,  false },
    [JOB_FAILED]                 = { "Failed",              "Failed",     true,  false },
    [JOB_STOPPED]                = { "Stopped",             "Stopped",    true,  false },
    [JOB_MAX_RUNTIME_EXCEEDED]   = { "MaxRuntimeExceeded",  "Stopped",    true,  false },
    [JOB_MAX_WAIT_TIME_EXCEEDED] = { "MaxWaitTimeExceeded", "Stopped",    true,  false },
};
/* clang-format on */

const char *job_state_name(enum job_state state)
{
    return states[state].name;
}

const char *job_state_primary(enum job_state state, bool stop_asked)
{
    if (state == JOB_UPLOADING && stop_asked)
        state = JOB_STOPPING;
    return states[state].primary;
}

bool job_state_from_name(const char *name, enum job_state *out)
{
    for (size_t i = 0; i < JOB_STATE_COUNT; i++) {
        if (strcmp(states[i].name, name) == 0) {
            *out = (enum job_state)i;
            return true;
        }
    }
    return false;
}

bool job_state_is_final(enum job_state state)
{
    return states[state].is_final;
}

bool job_state_waits(enum job_state state)
{
    return states[state].waits;
}
