#ifndef DAEMON_QUEUE_H
#define DAEMON_QUEUE_H

#include "daemon/job.h"
#include "daemon/offers.h"

/*
 * Who waits, who holds what, who is next: gang placement (all instances of a job or
 * none), by priority, then age, with backfill that never delays the head of the queue.
 * One line a pool: pools do not share hardware.  What an ended job holds on (a warm
 * pool) goes to the next job of the same owner, type and count, before all others: they
 * could not have it anyway.
 *
 * Knows jobs only by id and size; decides nothing about their states.
 */

struct queue;

/* What the queue needs to know of a job; copied. */
struct queue_job {
    int64_t job_id; /* age: a smaller one came first */
    const char *owner;
    const char *instance_type;
    int count;
    int priority;      /* 0..100 */
    int64_t longest_s; /* max_run and grace: how long it can hold its instances */
};

struct queue *queue_new(const struct offers *offers);
void queue_free(struct queue *queue);

/** Puts a job in line. */
void queue_add(struct queue *queue, const struct queue_job *job);

/** A job that runs already (after a restart): holds its instances, whatever the
 * capacity is now. */
void queue_add_placed(struct queue *queue, const struct queue_job *job,
                      usec_t placed_boot);

/** A placed job has ended and goes on holding its instances as a warm pool, until then
 * at the latest; queue_remove ends that. */
void queue_keep_warm(struct queue *queue, int64_t job_id, usec_t until_boot);

/** Takes a job out, waiting, placed or warm; one that is not there is well. */
void queue_remove(struct queue *queue, int64_t job_id);

/**
 * The next job that may be placed at `boot`, or 0. It holds its instances from now on.
 * Looks at up to 64 waiting jobs behind a head that does not fit.
 *
 * @pool  the ended job whose warm pool it takes over, gone from the queue by that; or 0
 */
int64_t queue_next(struct queue *queue, usec_t boot, int64_t *pool);

/** Instances of a type that jobs have which have not ended. */
int queue_in_use(const struct queue *queue, const char *instance_type);
/** Instances of a type in warm pools. */
int queue_warm(const struct queue *queue, const char *instance_type);

/** Why a waiting job waits and what would change it; *position counts from 1.  False
 * when it does not wait.  The caller frees *reason. */
bool queue_explain(const struct queue *queue, int64_t job_id, int *position,
                   char **reason);

#endif
