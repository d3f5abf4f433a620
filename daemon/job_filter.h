#ifndef DAEMON_JOB_FILTER_H
#define DAEMON_JOB_FILTER_H

#include "src/base.h"

/* Which jobs a list has: those that pass all of these.  NULL, and 0 for a time, pass
 * every job.  Texts are borrowed. */
struct job_filter {
    const char *status; /* primary or secondary; a primary one stands for several */
    const char *owner;
    const char *instance_type;
    const char *tag;       /* KEY=VALUE, parted at the first '=', which there is */
    const char *name_part; /* as it is written: no pattern */
    usec_t created_from;   /* then or later */
    usec_t created_until;  /* before */
};

#endif
