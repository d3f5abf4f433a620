/* From the queue to an attempt: what gets a place gets its ports and addresses, in the
 * same transaction.  Who is next is the queue's. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

/* A round places so many jobs at most, so that answers do not wait for a long queue: a
 * start makes a folder and a journal and asks the nursery, up to 1 ms on a busy disk,
 * so 4 of them stay within the loop's 5 ms. */
enum {
    PLACED_PER_ROUND = 4
};

/* Loopback addresses come in blocks of 250 workers; a job takes as many blocks as it
 * needs. */
static int take_block(struct jobs *jobs, int instance_count)
{
    enum {
        WORKERS_PER_BLOCK = 250,
        BLOCKS = 126 * 256
    };
    int needed = 1 + (instance_count - 1) / WORKERS_PER_BLOCK;
    int block = jobs->next_block + needed > BLOCKS ? 0 : jobs->next_block;

    jobs->next_block = block + needed;
    return block;
}

static struct queue_job entry_of(const struct job *job)
{
    return (struct queue_job){
        .job_id = job->job_id,
        .owner = job->owner,
        .instance_type = job->instance_type,
        .count = job->instance_count,
        .priority = job->priority,
        .longest_s = job->max_run_s - job_used_run_s(job) + job->grace_s,
    };
}

void jobs_queue(struct jobs *jobs, const struct job *job)
{
    const struct queue_job entry = entry_of(job);

    queue_add(jobs->queue, &entry);
}

void jobs_queue_placed(struct jobs *jobs, const struct job *job)
{
    const struct queue_job entry = entry_of(job);

    queue_add_placed(jobs->queue, &entry, job->placed_boot_us);
    if (jobs_is_warm(job))
        queue_keep_warm(jobs->queue, job->job_id, jobs_warm_until(job));
}

/* Back in line, and the pool back in its place; the next round that changes anything
 * tries again. */
static void put_back(struct jobs *jobs, const struct job *job,
                     const struct live_job *pool)
{
    queue_remove(jobs->queue, job->job_id);
    if (pool)
        jobs_queue_placed(jobs, pool->job);
    jobs_queue(jobs, job);
}

/* Counted when it is placed: what the profile says may have changed since it came. */
static int port_count(struct jobs *jobs, const struct job *job, int *count,
                      struct err *err)
{
    const struct profile *profile = catalog_find(jobs->catalog, job->instance_type);
    auto_job_spec struct job_spec *spec = NULL;

    if (jobs_get_spec(jobs, job->job_id, &spec, NULL, err) < 0)
        return -1;
    *count = profile ? launch_port_count(spec, profile) : 1; /* its launch will fail */
    return 0;
}

static struct cJSON *placed_data(struct jobs *jobs, const struct job *job, int port,
                                 int ports)
{
    struct cJSON *data = json_object_new();

    json_set_int(data, "attempt", job->attempt + 1);
    json_set_text(data, "boot_id", clock_boot_id());
    json_set_int(data, "boot_us", clock_boot());
    json_set_int(data, "port", port);
    json_set_int(data, "port_count", ports);
    json_set_int(data, "block", take_block(jobs, job->instance_count));
    return data;
}

static int place_one(struct jobs *jobs, struct live_job *live, struct live_job *pool,
                     struct err *err)
{
    auto_json struct cJSON *data = NULL;
    auto_free char *why = jobs_budget_bars(jobs, live);
    int port, ports;

    if (why) {
        put_back(jobs, live->job, pool);
        return jobs_budget_stop(jobs, live, why, err);
    }
    if (port_count(jobs, live->job, &ports, err) < 0
        || ports_take(&jobs->ports, ports, &port, err) < 0) {
        put_back(jobs, live->job, pool);
        return -1;
    }
    data = placed_data(jobs, live->job, port, ports);
    if (jobs_post(jobs, live, EV_PLACED, -1, data, err) < 0) {
        ports_release(&jobs->ports, port, ports);
        return -1;
    }
    live->holds = true;
    if (!pool)
        return 0;
    return jobs_end_warm(jobs, pool, live->job->placed_boot_us, live->job->name, err);
}

void jobs_place(struct jobs *jobs)
{
    struct err err;
    int64_t job_id, pool_id;
    int placed = 0;

    if (!jobs_have_room(jobs))
        return;
    while (!jobs->failed && placed < PLACED_PER_ROUND
           && (job_id = queue_next(jobs->queue, clock_boot(), &pool_id)) != 0) {
        struct live_job *live = live_find_row(jobs, job_id);
        struct live_job *pool = pool_id ? live_find_row(jobs, pool_id) : NULL;

        placed++;
        if (!live || (pool_id && !pool))
            return; /* the database failed */
        if (place_one(jobs, live, pool, &err) < 0) {
            log_error("queue.place_failed job=%s error=\"%s\"", live->job->name,
                      err.text);
            return;
        }
    }
    if (placed == PLACED_PER_ROUND)
        jobs_wake(jobs); /* there may be more */
}
