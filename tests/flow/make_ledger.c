/* make_ledger DATABASE SEED INTERVALS FROM TO: a ledger of at least INTERVALS closed
 * intervals, of jobs that began in [FROM, TO), both seconds since 1970, in a database
 * that is not there yet.  The same arguments give the same rows.
 *
 * What it holds is meant to be awkward: several workers and attempts, warm pools, lost
 * workers, launches that failed, lengths of whole seconds, of none and of days, prices
 * that change, also within an interval, pools that are emulated, spot, reserved, free
 * and without a price, tags that need quoting.  For tests of reports and for the bench:
 * rows get in by the daemon's own functions, in the order in which things happened. */

#include "daemon/meter.h"
#include "daemon/store_reservation.h"
#include "src/money.h"
#include "tests/lib/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USEC_PER_HOUR (3600 * USEC_PER_SEC)
#define USEC_PER_DAY  (24 * USEC_PER_HOUR)

enum {
    PRICE_PERIODS = 200, /* of the span, each with prices of its own; none below 6 h */
    PRICE_LEVELS = 9,    /* that prices go through, one a period */
    BOOT_DAYS = 30,
    INTERVALS_PER_COMMIT = 10000,
    WORKERS_MAX = 4,
    CUTS_MAX = 36 /* of the longest length: 9 days */
};

struct pool {
    const char *name;
    const char *instance_type;
    const char *pricing;
    const char *scheduler;
    bool emulated;
    int64_t hourly; /* nano-dollars at first; -1: unpriced */
    int64_t step;   /* what each later level costs less */
    const char *basis;
    const char *confidence;
};

/* clang-format off */
static const struct pool pools[] = {
    { "ml.c5.xlarge",     "ml.c5.xlarge",     "standard", "local", false,   204000000,         0, "published", "high" },
    { "ml.g5.2xlarge",    "ml.g5.2xlarge",    "standard", "local", false,  1515000000,  13333333, "published", "high" },
    { "ml.p3.2xlarge",    "ml.p3.2xlarge",    "standard", "local", true,   3825000000, 111111111, "published", "high" },
    { "ml.trn1.32xlarge", "ml.trn1.32xlarge", "standard", "local", true,  24725000000, 250000001, "derived",   "low"  },
    { "night",            "ml.g5.2xlarge",    "spot",     "local", false,   454500001,   7777777, "own",       "high" },
    { "rack7",            "ml.p4d.24xlarge",  "reserved", "slurm", false,  9100000000,         0, "own",       "high" },
    { "gift",             "ml.m5.large",      "free",     "local", false,           0,         0, "own",       "high" },
    { "ml.c5.4xlarge",    "ml.c5.4xlarge",    "standard", "local", false,   816000000,  10000001, "book",      "high" },
    { "local",            "local",            "standard", "local", false,          -1,         0, NULL,        NULL   },
};

static const char *const owners[] = { "ada", "grace", "edsger", "barbara", "O'Hara, \"Q\"" };
static const char *const projects[] = { "reviews", "speech", "ranking", "vision", "zürich;2", NULL };
/* clang-format on */

/* A job that holds instances or will again: what happens to it next, and when. */
struct running {
    usec_t at;
    enum {
        ATTEMPT_STARTS,
        ATTEMPT_ENDS,
        WARM_ENDS
    } next;
    struct job *job;
    const struct pool *pool;
    bool at_change; /* what was pinned for the interval that is open */
    int attempts;   /* it will have */
    bool launch_fails;
    int lost; /* worker; -1: none */
};

struct world {
    struct store *store;
    uint64_t random;
    usec_t from;
    usec_t to;
    int64_t wanted;   /* intervals */
    int64_t promised; /* of jobs that have begun */
    int64_t uncommitted;
    struct running *running;
    size_t running_count;
    size_t running_room;
};

static bool one_in(struct world *world, int64_t times)
{
    return made_below(&world->random, times) == 0;
}

static usec_t some_length(struct world *world)
{
    int64_t kind = made_below(&world->random, 1000);

    if (kind < 10)
        return 0;
    if (kind < 40)
        return 1 + made_below(&world->random, USEC_PER_SEC);
    if (kind < 90)
        return (1 + made_below(&world->random, 7200)) * USEC_PER_SEC;
    if (kind < 650)
        return made_below(&world->random, USEC_PER_HOUR);
    if (kind < 970)
        return made_below(&world->random, 6 * USEC_PER_HOUR);
    return made_below(&world->random, kind < 996 ? 2 * USEC_PER_DAY : 9 * USEC_PER_DAY);
}

static struct running *run(struct world *world, const struct running *what)
{
    if (world->running_count == world->running_room) {
        world->running_room = world->running_room ? world->running_room * 2 : 64;
        world->running =
            xrealloc(world->running, world->running_room * sizeof *world->running);
    }
    world->running[world->running_count] = *what;
    return &world->running[world->running_count++];
}

/* NULL: nothing runs. */
static struct running *earliest(const struct world *world)
{
    struct running *first = NULL;

    for (size_t i = 0; i < world->running_count; i++)
        if (!first || world->running[i].at < first->at)
            first = &world->running[i];
    return first;
}

static void forget(struct world *world, struct running *running)
{
    job_free(running->job);
    *running = world->running[--world->running_count];
}

static void commit_now_and_then(struct world *world, int intervals)
{
    struct err err;

    world->uncommitted += intervals;
    if (world->uncommitted < INTERVALS_PER_COMMIT)
        return;
    made_must(store_commit(world->store, &err), &err);
    world->uncommitted = 0;
}

static int64_t price_id(const struct world *world, const struct pool *pool,
                        nanousd_t hourly, usec_t from)
{
    char basis[16], confidence[16], as_of[] = "2026-11-30", source[] = "make_ledger";
    const struct profile_price price = { .hourly = hourly,
                                         .from = from,
                                         .basis = basis,
                                         .confidence = confidence,
                                         .as_of = as_of,
                                         .source = source };
    struct err err;
    int64_t seq = 0;

    snprintf(basis, sizeof basis, "%s", pool->basis);
    snprintf(confidence, sizeof confidence, "%s", pool->confidence);
    made_must(store_price_id(world->store, pool->instance_type, &price, &seq, &err),
              &err);
    return seq;
}

static usec_t price_period(const struct world *world)
{
    usec_t period = (world->to - world->from) / PRICE_PERIODS + 1;

    return period > 6 * USEC_PER_HOUR ? period : 6 * USEC_PER_HOUR;
}

/* The price in force at that time; 0: unpriced. */
static int64_t price_of(const struct world *world, const struct pool *pool, usec_t at)
{
    int64_t index = (at - world->from) / price_period(world);

    if (pool->hourly < 0)
        return 0;
    return price_id(world, pool, pool->hourly - index % PRICE_LEVELS * pool->step,
                    pool->step ? world->from + index * price_period(world) : 0);
}

/* When the price changes for the first time after that. */
static usec_t next_price(const struct world *world, usec_t at)
{
    return world->from
           + ((at - world->from) / price_period(world) + 1) * price_period(world);
}

static int64_t label_of(const struct world *world, const struct running *running)
{
    const struct charge_label label = {
        .owner = running->job->owner,
        .instance_type = running->pool->instance_type,
        .pool = running->pool->name,
        .pricing = running->pool->pricing,
        .scheduler = running->pool->scheduler,
        .emulated = running->pool->emulated,
        .tags = running->job->tags,
    };
    struct err err;
    int64_t seq = 0;

    made_must(store_label(world->store, &label, &seq, &err), &err);
    return seq;
}

/* The machine starts again every BOOT_DAYS. */
static void set_ready(struct job *job, usec_t wall)
{
    int64_t boot = wall / (BOOT_DAYS * USEC_PER_DAY);

    snprintf(job->boot_id, sizeof job->boot_id, "00000000-0000-4000-8000-%012lld",
             (long long)boot);
    job->ready_wall_us = wall;
    job->ready_boot_us = wall - boot * BOOT_DAYS * USEC_PER_DAY;
}

static void start_attempt(struct world *world, struct running *running)
{
    struct job *job = running->job;
    struct interval_start start = { .label = label_of(world, running),
                                    .price =
                                        price_of(world, running->pool, running->at),
                                    .at_change = one_in(world, 2),
                                    .evidence = "the last worker was ready" };
    usec_t length = some_length(world);
    struct err err;

    running->at_change = start.at_change;
    job->attempt++;
    set_ready(job, running->at);
    running->lost =
        one_in(world, 50) ? (int)made_below(&world->random, job->instance_count) : -1;
    running->launch_fails = one_in(world, 50);
    for (int i = 0; i < job->instance_count; i++) {
        job->workers[i].end_boot_us =
            job->ready_boot_us
            + (i == running->lost ? made_below(&world->random, length + 1) : length);
        made_must(store_open_interval(world->store, job, i, &start, &err), &err);
    }
    running->at += length;
    running->next = ATTEMPT_ENDS;
}

/* An attempt as it closes: where its price changes, and what the workers before have of
 * the seconds at each price. */
struct closing {
    struct interval_cut cuts[CUTS_MAX];
    size_t cut_count;
    int64_t bases[CUTS_MAX + 1];
};

/* @open  when it opened  @end  when it ends */
static void make_cuts(const struct world *world, const struct running *running,
                      usec_t open, usec_t end, struct closing *closing)
{
    usec_t at = next_price(world, open);

    if (running->launch_fails || running->pool->step == 0 || !running->at_change)
        return;
    for (; at < end; at = next_price(world, at)) {
        struct interval_cut *cut = &closing->cuts[closing->cut_count++];

        cut->from_second = (at + USEC_PER_SEC - 1) / USEC_PER_SEC - open / USEC_PER_SEC;
        cut->price = price_of(world, running->pool, at);
    }
}

/* Gives the worker's seconds to the prices. */
static void share_out(struct closing *closing, struct interval_end *end)
{
    int64_t from = 0;

    end->base = closing->bases[0];
    end->cuts = closing->cuts;
    for (size_t i = 0; i <= closing->cut_count && from < end->seconds; i++) {
        bool is_last =
            i == closing->cut_count || closing->cuts[i].from_second >= end->seconds;
        int64_t to = is_last ? end->seconds : closing->cuts[i].from_second;

        if (i > 0)
            closing->cuts[end->cut_count++].base = closing->bases[i];
        closing->bases[i] += to - from;
        from = to;
    }
}

static void close_worker(struct world *world, const struct running *running, int worker,
                         struct closing *closing)
{
    const struct job *job = running->job;
    usec_t end_boot = job->workers[worker].end_boot_us;
    struct interval_end end = {
        .kind = INTERVAL_RUN,
        .boot_us = end_boot,
        .busy_permille = one_in(world, 5) ? -1 : (int)made_below(&world->random, 1001),
    };
    char evidence[128];
    struct err err;

    if (running->launch_fails)
        snprintf(evidence, sizeof evidence, "launch failed: not billed");
    else
        snprintf(evidence, sizeof evidence,
                 worker == running->lost ? "lost: last evidence at boot_us %lld"
                                         : "own end line 9 at boot_us %lld: completed",
                 (long long)end_boot);
    if (!running->launch_fails)
        end.seconds = money_billable_seconds(end_boot - job->ready_boot_us);
    end.evidence = evidence;
    share_out(closing, &end);
    made_must(store_close_interval(world->store, job, worker, &end, &err), &err);
}

/* When what a job held became free for the next one. */
static usec_t warm_wall(const struct job *job)
{
    return job->ready_wall_us + (job_warm_start(job) - job->ready_boot_us);
}

static void end_job(struct world *world, struct running *running)
{
    struct job *job = running->job;
    int64_t price = 0;
    struct err err;

    job->state = running->launch_fails ? JOB_FAILED : JOB_COMPLETED;
    job->changed_us = running->at;
    job->warm =
        !running->launch_fails && one_in(world, 10) ? WARM_AVAILABLE : WARM_NONE;
    made_must(meter_set_bill(world->store, job, &err), &err);
    made_must(store_update_state(world->store, job, &err), &err);
    if (job->warm == WARM_NONE) {
        forget(world, running);
        return;
    }
    running->at_change = one_in(world, 2);
    if (running->at_change)
        price = price_of(world, running->pool, warm_wall(job));
    made_must(store_open_warm(world->store, job, running->at_change, price, &err),
              &err);
    running->at += made_below(&world->random, USEC_PER_HOUR);
    running->next = WARM_ENDS;
}

static void end_attempt(struct world *world, struct running *running)
{
    const struct job *job = running->job;
    struct closing closing = { 0 };

    make_cuts(world, running, job->ready_wall_us, warm_wall(job), &closing);
    for (int i = 0; i < running->job->instance_count; i++)
        close_worker(world, running, i, &closing);
    commit_now_and_then(world, running->job->instance_count);
    if (running->job->attempt == running->attempts) {
        end_job(world, running);
        return;
    }
    running->at += made_below(&world->random, USEC_PER_HOUR);
    running->next = ATTEMPT_STARTS;
}

static void close_warm(struct world *world, const struct running *running)
{
    const struct job *job = running->job;
    usec_t length = job->warm_end_boot_us - job_warm_start(job);
    struct closing closing = { 0 };
    struct err err;

    make_cuts(world, running, warm_wall(job), warm_wall(job) + length, &closing);
    for (int i = 0; i < job->instance_count; i++) {
        struct interval_end end = { .kind = INTERVAL_WARM,
                                    .boot_us = job->warm_end_boot_us,
                                    .seconds = money_billable_seconds(length),
                                    .busy_permille = -1,
                                    .evidence = "terminated" };

        share_out(&closing, &end);
        made_must(store_close_interval(world->store, job, i, &end, &err), &err);
    }
}

static void end_warm(struct world *world, struct running *running)
{
    struct job *job = running->job;
    struct err err;

    job->warm = WARM_TERMINATED;
    job->warm_end_boot_us = job_warm_start(job) + (running->at - job->changed_us);
    job->changed_us = running->at;
    close_warm(world, running);
    made_must(store_update_state(world->store, job, &err), &err);
    world->promised += job->instance_count;
    commit_now_and_then(world, job->instance_count);
    forget(world, running);
}

static void go_on(struct world *world, struct running *running)
{
    switch (running->next) {
    case ATTEMPT_STARTS:
        start_attempt(world, running);
        return;
    case ATTEMPT_ENDS:
        end_attempt(world, running);
        return;
    case WARM_ENDS:
        end_warm(world, running);
        return;
    }
}

/* Most jobs belong to an experiment, of which each project has a new one every other
 * day. */
static char *some_tags(struct world *world, usec_t at)
{
    const char *project = projects[made_below(&world->random, ARRAY_SIZE(projects))];
    long long experiment = at / (2 * USEC_PER_DAY);

    if (!project)
        return xstrdup("{}");
    if (one_in(world, 20))
        return xasprintf(
            "{\"note\":\"a \\\"b\\\", c\\n\",\"project\":\"%s\",\"round\":%lld}",
            project, experiment % 7);
    return xasprintf("{\"experiment\":\"e%lld\",\"project\":\"%s\"}", experiment,
                     project);
}

static void begin_job(struct world *world, usec_t at)
{
    const struct pool *pool = &pools[made_below(&world->random, ARRAY_SIZE(pools))];
    struct job *job = job_new(store_next_job_id(world->store));
    struct running *running;
    struct err err;

    snprintf(job->id, sizeof job->id, "%026lld", (long long)job->job_id);
    snprintf(job->recipe, sizeof job->recipe, "%064lld",
             (long long)made_below(&world->random, 1000));
    job->name = xasprintf("job-%lld", (long long)job->job_id);
    job->owner = xstrdup(owners[made_below(&world->random, ARRAY_SIZE(owners))]);
    job->instance_type = xstrdup(pool->instance_type);
    job->scheduler = xstrdup(pool->scheduler);
    job->tags = some_tags(world, at);
    job->emulated = pool->emulated;
    job->instance_count =
        one_in(world, 3) ? 1 + (int)made_below(&world->random, WORKERS_MAX) : 1;
    job->workers = xcalloc((size_t)job->instance_count, sizeof *job->workers);
    job->created_us = job->changed_us = at;
    made_must(store_insert_job(world->store, job, &err), &err);
    running = run(world, &(struct running){ .at = at, .job = job, .pool = pool });
    running->attempts = one_in(world, 12) ? 2 + (int)made_below(&world->random, 2) : 1;
    job->past = xcalloc((size_t)running->attempts, sizeof *job->past);
    world->promised += job->instance_count * running->attempts;
    start_attempt(world, running);
}

/* Up to the next job: on average the time that is left for each interval that is left,
 * times the 1.75 intervals that a job has on average; never all of it. */
static usec_t gap_after(struct world *world, usec_t at)
{
    int64_t left = world->wanted - world->promised;

    return left > 0
               ? made_below(&world->random, 7 * (world->to - at) / (2 * (left + 4)) + 1)
               : 0;
}

static void reserve(const struct world *world, int64_t instances, usec_t from)
{
    for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
        struct reservation reservation = { .pool = pools[i].name,
                                           .instance_type = pools[i].instance_type,
                                           .instances = instances,
                                           .from_us = from };
        struct err err;

        if (strcmp(pools[i].pricing, "reserved") != 0)
            continue;
        reservation.price = price_of(world, &pools[i], from);
        made_must(store_add_reservation(world->store, &reservation, &err), &err);
    }
}

static void live(struct world *world)
{
    usec_t at = world->from;
    struct running *next;

    /* More instances from the middle of the time on, and none at its end. */
    reserve(world, 4, world->from);
    reserve(world, 6, world->from + (world->to - world->from) / 2);
    while (world->promised < world->wanted) {
        while ((next = earliest(world)) && next->at <= at)
            go_on(world, next);
        begin_job(world, at);
        at += gap_after(world, at);
    }
    while ((next = earliest(world)))
        go_on(world, next);
    reserve(world, 0, world->to);
}

int main(int argc, char **argv)
{
    struct world world = { 0 };
    struct err err;

    if (argc != 6)
        made_fail("usage", "make_ledger DATABASE SEED INTERVALS FROM TO");
    if (access(argv[1], F_OK) == 0)
        made_fail(argv[1], "is there already");
    world.random = (uint64_t)made_number(argv[2]);
    world.wanted = made_number(argv[3]);
    world.from = made_number(argv[4]) * USEC_PER_SEC;
    world.to = made_number(argv[5]) * USEC_PER_SEC;
    if (world.to <= world.from)
        made_fail(argv[5], "not after FROM");
    made_must(store_open(argv[1], &world.store, &err), &err);
    live(&world);
    made_must(store_commit(world.store, &err), &err);
    store_close(world.store);
    free(world.running);
    return 0;
}
