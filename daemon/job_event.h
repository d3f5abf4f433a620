#ifndef DAEMON_JOB_EVENT_H
#define DAEMON_JOB_EVENT_H

#include "src/json.h"

/* What can happen to a job.  A row of job_event; nothing else ever changes a job. */

enum job_event_kind {
    /* Facts about one worker; the state stays.  Data: its line in the journal. */
    EV_WORKER_READY,
    EV_WORKER_LAUNCHED,
    EV_WORKER_UPLOADING, /* no process of the job is left there; the end so far */
    EV_WORKER_ENDED,
    EV_WORKER_LOST, /* data: {"boot_us": last evidence, "why": "..."} */

    EV_SUBMITTED,  /* {"id","name","owner","spec","scheduler","emulated"} */
    EV_PLACED,     /* {"attempt","boot_id","boot_us","port","port_count","block"} */
    EV_READY,      /* {"boot_us","wall_us"}: the last worker is ready; the bill opens */
    EV_LAUNCHED,   /* every rank runs */
    EV_UPLOADING,  /* no process of the job is left anywhere; outputs are stored */
    EV_STOP_ASKED, /* {"cause","by","message"} */
    EV_INTERRUPT_ASKED, /* {"grace_s","by"}: the attempt is to end, the job is not */
    EV_RETRY,           /* the attempt has ended, another follows: as those below */
    EV_INTERRUPTED,     /* the same, when the machine was wanted back */
    EV_COMPLETED,       /* this and those below:
                           {"cause","exit_code","signal","first_failing_rank","message"} */
    EV_FAILED,
    EV_STOPPED,
    EV_TIMED_OUT,    /* max_run */
    EV_WAIT_EXPIRED, /* max_wait */

    EV_WARM_ENDED, /* {"status": "Reused" or "Terminated", "reused_by", "boot_us"}: what
                      an ended job held is free */
};

enum {
    EV_COUNT = EV_WARM_ENDED + 1
};

struct job_event {
    int64_t seq;  /* from 1, without a gap within the job */
    usec_t at_us; /* wall clock of the daemon when it was posted */
    enum job_event_kind kind;
    int worker;               /* -1: not about one */
    const struct cJSON *data; /* an object, or NULL */
};

const char *job_event_name(enum job_event_kind kind);
bool job_event_from_name(const char *name, enum job_event_kind *out);

#endif
