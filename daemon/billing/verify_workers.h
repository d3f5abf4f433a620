#ifndef DAEMON_BILLING_VERIFY_WORKERS_H
#define DAEMON_BILLING_VERIFY_WORKERS_H

#include "daemon/billing/verify.h"
#include "daemon/store_audit.h"

/* Holds the workers of an attempt against each other, and the intervals of a worker. */

/* The interval that a worker of the job had last. */
struct seat {
    enum interval_kind kind;
    int64_t attempt;
    int64_t label;
    int64_t price;
    bool at_change;
    char boot_id[40];
    usec_t open_boot_us;
    usec_t open_wall_us;
    int64_t close_seq; /* 0: it is open */
    usec_t close_boot_us;
};

/* Of a job: to be emptied (count 0) when another one comes. */
struct seats {
    struct verdict *verdict;
    struct seat *items; /* by worker; the owner frees them */
    size_t count;
    size_t room;
};

/** The next interval of the job, by kind, attempt and worker: it is the `index`th of
 * its attempt, from 0. */
void verify_worker(struct seats *seats, const struct audit_row *row, size_t index);

#endif
