/* Plays the daemon towards a scheduler; holds what it tells against the contract. */

#include "tests/contract/world.h"

#include "src/clock.h"
#include "src/files.h"
#include "src/job_id.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATIENCE (15 * USEC_PER_SEC)

__attribute__((format(printf, 2, 3))) static void breach(struct world *world,
                                                         const char *format, ...)
{
    va_list args;

    if (world->breach[0])
        return;
    va_start(args, format);
    vsnprintf(world->breach, sizeof world->breach, format, args);
    va_end(args);
}

/* --- what the scheduler says --- */

static struct world_worker *told_about(struct world *world,
                                       const struct worker_ref *ref)
{
    if (world->in_call)
        breach(world, "told within start or stop");
    if (strcmp(ref->job_id, world->job_id) != 0 || ref->attempt != 1 || ref->worker < 0
        || ref->worker >= WORLD_WORKERS) {
        breach(world, "told about a stranger");
        return NULL;
    }
    if (world->workers[ref->worker].ended)
        breach(world, "told about worker %d after its end", ref->worker);
    return &world->workers[ref->worker];
}

static void note_end(struct world_worker *worker, const struct cJSON *data)
{
    const char *cause = json_get_text(data, "cause");

    worker->ended = true;
    worker->exit_code = (int)json_get_int(data, "exit_code", -1);
    if (!cause || !end_cause_from_name(cause, &worker->cause))
        worker->cause = END_INFRASTRUCTURE;
}

/* A step is taken from the loop, as the daemon does it, never while we are told. */
static void look(struct world *world)
{
    if (world->step && world->step->until && world->step->until(world))
        loop_timer_set(world->next, 0);
}

static void on_line(void *context, const struct worker_ref *ref,
                    const struct journal_line *line)
{
    struct world *world = context;
    struct world_worker *worker = told_about(world, ref);

    if (!worker)
        return;
    if (line->seq != worker->last_seq + 1)
        breach(world, "worker %d: line %lld follows line %lld", ref->worker,
               (long long)line->seq, (long long)worker->last_seq);
    if ((line->seq == 1) != (line->kind == JOURNAL_READY))
        breach(world, "line %lld is %s", (long long)line->seq,
               journal_kind_name(line->kind));
    if (line->boot_us < worker->last_boot || line->boot_us > clock_boot())
        breach(world, "line %lld is of another time", (long long)line->seq);
    worker->last_seq = line->seq;
    worker->last_boot = line->boot_us;
    if (line->kind == JOURNAL_READY)
        worker->pid = (pid_t)json_get_int(line->data, "pid", 0);
    worker->launched = worker->launched || line->kind == JOURNAL_LAUNCHED;
    if (line->kind == JOURNAL_ENDED)
        note_end(worker, line->data);
    look(world);
}

static void on_lost(void *context, const struct worker_ref *ref,
                    const struct sched_loss *loss)
{
    struct world *world = context;
    struct world_worker *worker = told_about(world, ref);

    if (!worker)
        return;
    if (loss->last_boot_us < worker->last_boot)
        breach(world, "worker %d was lost before its last line", ref->worker);
    if (!loss->why || !*loss->why)
        breach(world, "worker %d was lost without a reason", ref->worker);
    worker->ended = true;
    worker->lost = true;
    worker->cause = loss->cause;
    look(world);
}

/* --- the job --- */

static char **words(const char *const *texts)
{
    size_t count = 0;
    char **list;

    while (texts[count])
        count++;
    list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = xstrdup(texts[i]);
    return list;
}

static const char *script_of(enum conduct conduct, int worker)
{
    switch (conduct) {
    case CONDUCT_ENDS:
        return "echo run >>\"$RUNS\"; sleep 0.3";
    case CONDUCT_FAILS:
        return worker == 1 ? "echo run >>\"$RUNS\"; sleep 0.3; exit 7"
                           : "echo run >>\"$RUNS\"; sleep 0.3";
    case CONDUCT_GOES_ON:
    case CONDUCT_VANISHES:
        break;
    }
    return "echo run >>\"$RUNS\"; exec sleep 1000";
}

static struct worker_plan *make_plan(const struct world *world, int worker)
{
    auto_free char *runs = xasprintf("RUNS=%s/runs", world->folder);
    auto_free char *id = xasprintf("RAILHEAD_JOB_ID=%s", world->job_id);
    auto_free char *number = xasprintf("RAILHEAD_WORKER=%d", worker);
    const char *argv[] = { "/bin/sh", "-c", script_of(world->conduct, worker), NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", runs,   id,
                          "RAILHEAD_ATTEMPT=1", number, NULL };
    struct worker_plan *plan = xcalloc(1, sizeof *plan);

    plan->job_id = xstrdup(world->job_id);
    plan->job_name = xstrdup("contract");
    plan->attempt = 1;
    plan->worker = worker;
    plan->world_size = WORLD_WORKERS;
    plan->worker_count = WORLD_WORKERS;
    plan->host_name = xasprintf("algo-%d", worker + 1);
    plan->hosts = xstrdup("127.0.0.1 algo-1 algo-2\n");
    plan->local_processes = 1;
    plan->ml_folder = xasprintf("%s/ml-%d", world->folder, worker);
    plan->work_folder = xasprintf("%s/output/data", plan->ml_folder);
    plan->checkpoint_path = xasprintf("%s/checkpoints", plan->ml_folder);
    plan->max_run_s = 3600;
    plan->grace_s = 5;
    plan->rank_count = 1;
    plan->ranks = xcalloc(1, sizeof *plan->ranks);
    plan->ranks[0] =
        (struct rank_plan){ RANK_PROGRAM, worker, 0, words(argv), words(env) };
    return plan;
}

static struct fake_behaviour behaviour_of(enum conduct conduct)
{
    struct fake_behaviour fake = { .run_ms = 300, .worker = 1 };

    if (conduct == CONDUCT_GOES_ON)
        fake.run_ms = 1000000;
    if (conduct == CONDUCT_FAILS)
        fake.exit_code = 7;
    fake.lost = conduct == CONDUCT_VANISHES;
    return fake;
}

struct world *world_new(const struct scheduler_class *class, char *folder,
                        enum conduct conduct)
{
    struct world *world = xcalloc(1, sizeof *world);
    char id[JOB_ID_SIZE];

    job_id_make(clock_wall(), id);
    world->class = class;
    world->conduct = conduct;
    world->folder = xasprintf("%s/%s", folder, id);
    world->job_id = xstrdup(id);
    world->job_folder = xasprintf("%s/job", world->folder);
    world->boot_id = xstrdup(clock_boot_id());
    world->placed_boot = clock_boot();
    world->fake = behaviour_of(conduct);
    if (mkdir(world->folder, 0700) < 0)
        breach(world, "no folder %s", world->folder);
    for (int i = 0; i < WORLD_WORKERS; i++)
        world->plans[i] = make_plan(world, i);
    return world;
}

void world_free(struct world *world)
{
    for (int i = 0; i < WORLD_WORKERS; i++)
        worker_plan_free(world->plans[i]);
    free(world->folder);
    free(world->job_id);
    free(world->job_folder);
    free(world->boot_id);
    free(world);
}

/* --- the daemon --- */

void world_start(struct world *world)
{
    struct err err;

    world->in_call = true;
    for (int i = 0; i < WORLD_WORKERS; i++) {
        const struct sched_job job = {
            .job_id = world->job_id,
            .attempt = 1,
            .worker = i,
            .folder = world->job_folder,
            .plan = world->has_no_plans ? NULL : world->plans[i],
            .grace_s = world->plans[i]->grace_s,
            .max_run_s = world->plans[i]->max_run_s,
            .last_seq = world->workers[i].last_seq,
            .last_boot_us = world->workers[i].last_boot,
            .placed_boot_id = world->boot_id,
            .placed_boot_us = world->placed_boot,
            .placed_wall_us = clock_wall() - (clock_boot() - world->placed_boot),
            .fake = &world->fake,
        };

        if (world->class->start(world->scheduler, &job, &err) < 0)
            breach(world, "start: %s", err.text);
    }
    world->in_call = false;
}

static void wait_for_step(struct world *world)
{
    const struct step *step = world->step;

    loop_timer_set(world->deadline, clock_boot() + PATIENCE);
    if (!step->until && !step->pause)
        loop_exit(world->loop, 0);
    else if (!step->until)
        loop_timer_set(world->next, clock_boot() + step->pause);
    else
        look(world);
}

static void on_next(void *context)
{
    struct world *world = context;

    if (world->step->act)
        world->step->act(world);
    world->step++;
    wait_for_step(world);
}

static void on_deadline(void *context)
{
    struct world *world = context;

    breach(world, "nothing more was told for 15 s");
    loop_exit(world->loop, 0);
}

static int open_life(struct world *world, struct err *err)
{
    auto_free char *worker = xasprintf("%s/railhead-worker", getenv("RAILHEAD_BUILD"));
    const struct sched_settings settings = { .state_folder = world->folder,
                                             .worker_path = worker };
    const struct sched_events events = { on_line, on_lost, world };

    if (loop_new(&world->loop, err) < 0
        || loop_add_timer(world->loop, on_next, world, &world->next, err) < 0
        || loop_add_timer(world->loop, on_deadline, world, &world->deadline, err) < 0)
        return -1;
    return world->class->open(&settings, world->loop, &events, &world->scheduler, err);
}

void world_live(struct world *world, const struct step *steps)
{
    struct err err;

    if (open_life(world, &err) < 0) {
        fprintf(stderr, "%s: %s\n", world->class->name, err.text);
        exit(1);
    }
    world->step = steps;
    world_start(world);
    wait_for_step(world);
    loop_run(world->loop);
    world->class->close(world->scheduler);
    loop_source_free(world->next);
    loop_source_free(world->deadline);
    loop_free(world->loop);
}

static void stop_all(struct world *world, const struct sched_stop *stop)
{
    struct err err;

    world->in_call = true;
    for (int i = 0; i < WORLD_WORKERS; i++) {
        const struct worker_ref ref = { world->job_id, 1, i };

        if (world->class->stop(world->scheduler, &ref, stop, &err) < 0)
            breach(world, "stop: %s", err.text);
    }
    world->in_call = false;
}

void world_stop(struct world *world)
{
    const struct sched_stop stop = { END_USER_STOP, -1 };

    stop_all(world, &stop);
}

void world_interrupt(struct world *world)
{
    const struct sched_stop stop = { END_INTERRUPTED, 1 };

    stop_all(world, &stop);
}

void world_release(struct world *world)
{
    world->class->release(world->scheduler, world->job_id, 1);
}

void world_vanish(struct world *world)
{
    if (world->workers[1].pid > 1)
        kill(world->workers[1].pid, SIGKILL);
}

bool world_all_launched(const struct world *world)
{
    for (int i = 0; i < WORLD_WORKERS; i++)
        if (!world->workers[i].launched)
            return false;
    return true;
}

bool world_all_ended(const struct world *world)
{
    for (int i = 0; i < WORLD_WORKERS; i++)
        if (!world->workers[i].ended)
            return false;
    return true;
}

int world_runs(const struct world *world)
{
    auto_free char *path = xasprintf("%s/runs", world->folder);
    auto_free char *text = NULL;
    size_t len;

    if (world->class == &scheduler_fake)
        return -1;
    if (file_read(path, 4096, &text, &len, NULL) < 0)
        return 0;
    return (int)(len / strlen("run\n"));
}
