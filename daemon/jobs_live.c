/* The jobs that are not over, in memory, by id. */

#include "daemon/jobs_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a over the id; the random part of a ULID spreads well. */
static struct live_bucket *bucket_of(struct jobs *jobs, const char *id)
{
    uint32_t hash = 2166136261U;

    for (const char *at = id; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619U;
    return &jobs->live[hash % LIVE_BUCKETS];
}

struct live_job *live_add(struct jobs *jobs, struct job *job)
{
    struct live_job *live = xcalloc(1, sizeof *live);

    live->job = job;
    for (size_t i = 0; i < jobs->scheduler_count; i++) {
        if (strcmp(jobs->schedulers[i].class->name, job->scheduler) == 0) {
            live->class = jobs->schedulers[i].class;
            live->scheduler = jobs->schedulers[i].scheduler;
        }
    }
    live->stop_sent = xcalloc((size_t)job->instance_count, sizeof *live->stop_sent);
    live->haul = xcalloc((size_t)job->instance_count, sizeof *live->haul);
    LIST_INSERT_HEAD(bucket_of(jobs, job->id), live, in_bucket);
    jobs->live_count++;
    return live;
}

struct live_job *live_find(struct jobs *jobs, const char *id)
{
    struct live_job *live;

    LIST_FOREACH (live, bucket_of(jobs, id), in_bucket)
        if (strcmp(live->job->id, id) == 0)
            return live;
    return NULL;
}

struct live_job *live_find_row(struct jobs *jobs, int64_t job_id)
{
    struct live_job *live;
    struct job_row row;
    struct err err;

    if (store_get_job(jobs->store, job_id, &row, &err) < 0) {
        jobs_fail(jobs, &err);
        return NULL;
    }
    live = live_find(jobs, row.id);
    assert(live);
    return live;
}

void live_remove(struct jobs *jobs, struct live_job *live)
{
    if (live->due)
        STAILQ_REMOVE(&jobs->due, live, live_job, in_due);
    LIST_REMOVE(live, in_bucket);
    jobs_budget_forget(live);
    jobs_forget_launch(live);
    jobs->live_count--;
    job_free(live->job);
    free(live->stop_sent);
    free(live->haul);
    free(live);
}
