/* make_jobs DATABASE SEED COUNT: so many jobs, nearly all of which have ended, in a
 * database that is not there yet.  The same arguments give the same jobs but for their
 * ids.
 *
 * For lists of jobs: owners, types and tags that have most of them, some, and one in
 * some thousand; and a job a minute, but that the clock was set back an hour once.
 * Every job has its events. */

#include "daemon/job.h"
#include "daemon/store.h"
#include "tests/lib/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIRST_S = 1700000000,
    LIVE_ONE_IN = 20000,
    JOBS_PER_COMMIT = 5000
};

/* clang-format off */
static const char *const owners[] = { "ana", "bo", "carl", "dora" };
static const char *const types[] = { "ml.c5.xlarge", "ml.g5.2xlarge", "ml.p4d.24xlarge" };
static const char *const projects[] = { "reviews", "speech", "vision", "ranking" };
/* clang-format on */

struct world {
    struct store *store;
    uint64_t random;
    int64_t count;
};

/* The first is had by most, the last by one in some thousand. */
static const char *some(struct world *world, const char *const *choices, size_t count)
{
    size_t i = 0;

    while (i + 1 < count && made_below(&world->random, 8) == 0)
        i++;
    if (i + 1 == count && made_below(&world->random, 4))
        i--;
    return choices[i];
}

static usec_t time_of_job(const struct world *world, int64_t number)
{
    int64_t minutes = number < world->count / 2 ? number : number - 60;

    return (FIRST_S + minutes * 60) * USEC_PER_SEC;
}

static struct cJSON *submitted(struct world *world, int64_t number)
{
    struct cJSON *data = json_object_new();
    struct cJSON *spec = json_object_new();
    struct cJSON *command = json_array_new();
    struct cJSON *tags = json_object_new();
    auto_free char *name = xasprintf("%s-train-%07lld", number % 3 ? "bert" : "roberta",
                                     (long long)number);
    char id[JOB_ID_SIZE];

    job_id_make(time_of_job(world, number), id);
    json_append_text(command, "/bin/true");
    json_set_text(tags, "project", some(world, projects, ARRAY_SIZE(projects)));
    json_set_text(tags, "team", made_below(&world->random, 2) ? "search" : "ads");
    json_set(spec, "command", command);
    json_set_text(spec, "instance_type", some(world, types, ARRAY_SIZE(types)));
    json_set(spec, "tags", tags);
    json_set_text(data, "id", id);
    json_set_text(data, "name", name);
    json_set_text(data, "owner", some(world, owners, ARRAY_SIZE(owners)));
    json_set_text(data, "scheduler", "local");
    json_set_bool(data, "emulated", true);
    json_set(data, "spec", spec);
    return data;
}

/* Posts an event as the daemon does: applied and stored. */
static void post(struct world *world, struct job *job, enum job_event_kind kind,
                 usec_t at, struct cJSON *data)
{
    struct job_event event = { job->last_seq + 1, at, kind, -1, data };
    struct err err;

    made_must(job_apply(job, &event, &err), &err);
    if (kind == EV_SUBMITTED)
        made_must(store_insert_job(world->store, job, &err), &err);
    made_must(store_append_event(world->store, job->job_id, &event, &err), &err);
    json_free(data);
}

static struct cJSON *cause(const char *word)
{
    struct cJSON *data = json_object_new();

    json_set_text(data, "cause", word);
    return data;
}

/* It waits, and then nobody wants it any more, or it has waited for too long. */
static void end(struct world *world, struct job *job, usec_t at)
{
    struct err err;

    if (made_below(&world->random, 2000) == 0) {
        post(world, job, EV_WAIT_EXPIRED, at, cause("max_wait"));
    } else {
        post(world, job, EV_STOP_ASKED, at, cause("user_stop"));
        if (made_below(&world->random, 10) == 0)
            post(world, job, EV_STOPPED, at, cause("user_stop"));
        else if (made_below(&world->random, 20) == 0)
            post(world, job, EV_FAILED, at, cause("failed"));
        else
            post(world, job, EV_COMPLETED, at, cause("completed"));
    }
    made_must(store_update_state(world->store, job, &err), &err);
    made_must(store_set_bill(world->store, job->job_id, 0, 0, 0, &err), &err);
}

int main(int argc, char **argv)
{
    struct world world = { 0 };
    struct err err;

    if (argc != 4)
        made_fail("usage", "make_jobs DATABASE SEED COUNT");
    if (access(argv[1], F_OK) == 0)
        made_fail(argv[1], "is there already");
    world.random = (uint64_t)made_number(argv[2]);
    world.count = made_number(argv[3]);
    made_must(store_open(argv[1], &world.store, &err), &err);
    for (int64_t i = 1; i <= world.count; i++) {
        auto_job struct job *job = job_new(store_next_job_id(world.store));
        usec_t at = time_of_job(&world, i);

        post(&world, job, EV_SUBMITTED, at, submitted(&world, i));
        if (i % LIVE_ONE_IN)
            end(&world, job, at + USEC_PER_SEC);
        if (i % JOBS_PER_COMMIT == 0)
            made_must(store_commit(world.store, &err), &err);
    }
    made_must(store_commit(world.store, &err), &err);
    store_close(world.store);
    return 0;
}
