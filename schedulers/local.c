/*
 * This machine: one railhead-worker beside each instance of a job.  Decides when a
 * worker is started, adopted, told to stop, and given up as lost; what a worker does is
 * its own business (railhead-worker(8)).
 */

#include "schedulers/local_cgroup.h"
#include "schedulers/local_journal.h"
#include "schedulers/local_nursery.h"
#include "schedulers/local_place.h"
#include "schedulers/local_sweep.h"
#include "schedulers/scheduler.h"
#include "src/clock.h"
#include "src/files.h"
#include "src/log.h"
#include "src/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/queue.h>
#include <unistd.h>

/* A worker that was told to stop is killed this long after its grace; or, when it
 * stores outputs, which it gives up by itself 30 minutes after a stop, after all of
 * this. */
#define TIDY_USEC  (15 * USEC_PER_SEC)
#define STORE_USEC (35 * 60 * USEC_PER_SEC)
/* The first of two workers of a folder must show itself within this time. */
#define SHOW_UP_USEC (2 * USEC_PER_SEC)

enum {
    WATCH_BUCKETS = 1024
};

struct local_worker {
    struct scheduler *owner;
    struct worker_ref ref;
    char *job_id; /* ref.job_id points here */
    char *folder;
    char *cgroup;        /* or NULL */
    char *memory_cgroup; /* or NULL */
    struct local_journal journal;
    int watch;
    int64_t last_seq;
    usec_t last_boot;
    usec_t grace;
    enum end_cause stop_cause; /* once kill_at was set */
    bool asked_for;            /* by us; else by an earlier daemon, if at all */
    pid_t born;                /* what the nursery gave us; 0: nothing yet */
    struct process_id process; /* as its ready line has it; pid 0: not known yet */
    char boot_id[40];          /* of its ready line */
    int pidfd;
    struct loop_source *exit_source;
    struct loop_source *timer; /* at the earlier of these two, INT64_MAX: never */
    usec_t look_at;            /* somebody should look after it */
    usec_t kill_at;            /* it was told to stop, and its grace is over */
    char *failure;             /* why it is gone, as far as we know; or NULL */
    bool uploading;            /* no rank is left: its grace does not matter any more */
    bool told_end;             /* `ended` or lost was told: nothing more is */
    bool torn;   /* a line that cannot be read was logged: once is enough */
    bool killed; /* by us, for it did not end within its grace */
    bool exited;
    bool released;
    bool never_here; /* what runs under its name, if anything, is another daemon's */
    LIST_ENTRY(local_worker) in_list;
    LIST_ENTRY(local_worker) in_bucket;
};

LIST_HEAD(local_workers, local_worker);

struct scheduler {
    struct loop *loop;
    struct sched_events events;
    struct local_nursery *nursery;
    struct local_place place;
    struct local_cgroups *cgroups;
    int inotify;
    struct loop_source *inotify_source;
    struct local_workers workers;
    struct local_workers watched[WATCH_BUCKETS]; /* by inotify watch */
};

static const char gone[] = "railhead-worker is gone and left no last line";

static void attend(void *context);
static void on_exit_seen(void *context);

static void free_worker(struct local_worker *worker)
{
    LIST_REMOVE(worker, in_list);
    local_nursery_forget(worker->owner->nursery, worker);
    if (worker->watch >= 0) {
        inotify_rm_watch(worker->owner->inotify, worker->watch);
        LIST_REMOVE(worker, in_bucket);
    }
    loop_source_free(worker->exit_source);
    loop_source_free(worker->timer);
    local_journal_close(&worker->journal);
    if (worker->pidfd >= 0)
        close(worker->pidfd);
    free(worker->job_id);
    free(worker->folder);
    free(worker->cgroup);
    free(worker->memory_cgroup);
    free(worker->failure);
    free(worker);
}

static void arm(struct local_worker *worker)
{
    loop_timer_set(worker->timer, worker->look_at < worker->kill_at ? worker->look_at
                                                                    : worker->kill_at);
}

static void look_at(struct local_worker *worker, usec_t at)
{
    worker->look_at = at;
    arm(worker);
}

/* --- what a worker says --- */

/* Nothing of the worker may live on, then it is told. */
static void lose(struct local_worker *worker)
{
    const struct sched_loss loss = {
        worker->killed ? worker->stop_cause : END_LOST,
        worker->last_boot,
        worker->failure ? worker->failure : gone,
    };
    int killed;

    if (worker->told_end)
        return;
    worker->told_end = true;
    if (worker->pidfd >= 0)
        process_kill(worker->pidfd, SIGKILL);
    local_cgroups_end(worker->owner->cgroups, worker->cgroup);
    local_cgroups_end(worker->owner->cgroups, worker->memory_cgroup);
    killed = worker->never_here ? 0 : local_sweep(&worker->ref);
    if (killed)
        log_warning("local.orphans_killed job=%s worker=%d count=%d", worker->job_id,
                    worker->ref.worker, killed);
    worker->owner->events.lost(worker->owner->events.context, &worker->ref, &loss);
}

static void note_failure(struct local_worker *worker, const char *why)
{
    char *kept = xstrdup(why);

    free(worker->failure);
    worker->failure = kept;
}

/* It is known to be gone, which is told when all that it wrote before has been. */
static void note_gone(struct local_worker *worker, const char *why)
{
    worker->exited = true;
    note_failure(worker, why);
    look_at(worker, 0);
}

static void set_kill_at(struct local_worker *worker)
{
    worker->kill_at =
        clock_boot() + (worker->uploading ? STORE_USEC : worker->grace + TIDY_USEC);
    arm(worker);
}

static void on_line(void *context, const struct journal_line *line)
{
    struct local_worker *worker = context;
    const char *ticks = json_get_text(line->data, "start_ticks");
    const char *boot_id = json_get_text(line->data, "boot_id");
    bool now_uploads = line->kind == JOURNAL_UPLOADING && !worker->uploading;

    if (line->kind == JOURNAL_READY && ticks && boot_id) {
        worker->process.pid = (pid_t)json_get_int(line->data, "pid", 0);
        worker->process.start_ticks = strtoull(ticks, NULL, 10);
        snprintf(worker->boot_id, sizeof worker->boot_id, "%s", boot_id);
    }
    worker->last_boot = line->boot_us;
    if (worker->told_end)
        return;
    worker->uploading = worker->uploading || now_uploads;
    if (now_uploads && worker->kill_at != INT64_MAX)
        set_kill_at(worker); /* once: a job could write such lines without end */
    if (worker->last_seq == 0 && line->kind != JOURNAL_READY) {
        note_failure(worker, "the first line of its journal cannot be read");
        lose(worker);
        return;
    }
    if (line->kind == JOURNAL_ENDED)
        worker->told_end = true;
    if (line->seq <= worker->last_seq)
        return;
    worker->last_seq = line->seq;
    worker->owner->events.line(worker->owner->events.context, &worker->ref, line);
}

/* Whether all of it has been read now; else the next round goes on with it. */
static bool read_journal(struct local_worker *worker)
{
    bool more;
    struct err err;

    if (local_journal_read(&worker->journal, on_line, worker, &more, &err) < 0
        && !worker->torn) {
        worker->torn = true;
        log_error("local.journal_torn job=%s worker=%d error=\"%s\"", worker->job_id,
                  worker->ref.worker, err.text);
    }
    if (more)
        look_at(worker, 0);
    return !more;
}

/* --- its process --- */

/* Tried again in a second when it cannot be done now. */
static bool watch_process(struct local_worker *worker)
{
    struct err err;

    if (loop_add_fd(worker->owner->loop, worker->pidfd, on_exit_seen, worker,
                    &worker->exit_source, &err)
        == 0)
        return true;
    log_warning("local.watch_again job=%s error=\"%s\"", worker->job_id, err.text);
    close(worker->pidfd);
    worker->pidfd = -1;
    look_at(worker, clock_boot() + USEC_PER_SEC);
    return false;
}

/* The one that was born for us has left: it was never ready, or another one, started by
 * the daemon before this one, has the folder. */
static void make_way(struct local_worker *worker)
{
    worker->exited = false;
    worker->born = 0;
    close(worker->pidfd);
    worker->pidfd = -1;
    look_at(worker, worker->process.pid ? 0 : clock_boot() + SHOW_UP_USEC);
}

static void on_exit_seen(void *context)
{
    struct local_worker *worker = context;

    loop_source_free(worker->exit_source);
    worker->exit_source = NULL;
    worker->exited = true;
    if (worker->released)
        free_worker(worker);
    else
        attend(worker);
}

/* What the nursery says of a worker that we asked it for. */
static void on_born(void *context, pid_t pid, int pidfd, const char *why_not)
{
    struct local_worker *worker = context;

    if (worker->pidfd >= 0 || !pid) {
        /* Adopted by its journal meanwhile, or not known to be there. */
        if (pidfd >= 0)
            close(pidfd);
        if (why_not)
            worker->failure = xasprintf("start railhead-worker: %s", why_not);
        look_at(worker, why_not ? 0 : clock_boot() + SHOW_UP_USEC);
        return;
    }
    worker->born = pid;
    worker->pidfd = pidfd;
    watch_process(worker);
}

/* A worker that was started by an earlier daemon: is it still there? */
static void adopt(struct local_worker *worker)
{
    struct err err;

    if (strcmp(worker->boot_id, clock_boot_id()) != 0) {
        note_gone(worker, "the machine started again");
    } else if (process_open(&worker->process, &worker->pidfd, &err) == 0) {
        if (watch_process(worker))
            log_info("local.adopted job=%s worker=%d pid=%d", worker->job_id,
                     worker->ref.worker, (int)worker->process.pid);
    } else if (err.code == ERR_NOT_FOUND) {
        note_gone(worker, gone);
    } else {
        log_warning("local.adopt_again job=%s error=\"%s\"", worker->job_id, err.text);
        look_at(worker, clock_boot() + USEC_PER_SEC);
    }
}

static void kill_worker(struct local_worker *worker)
{
    log_warning("local.worker_killed job=%s worker=%d", worker->job_id,
                worker->ref.worker);
    worker->kill_at = INT64_MAX;
    worker->killed = true;
    note_failure(worker, "the worker did not answer to a stop and was killed");
    if (worker->pidfd >= 0)
        process_kill(worker->pidfd, SIGKILL); /* its exit will be seen */
    else
        lose(worker);
}

/* Where none is watched: finds it, or finds out that there is none. */
static void look_for_process(struct local_worker *worker)
{
    if (worker->process.pid)
        adopt(worker);
    else if (worker->failure)
        note_gone(worker, worker->failure);
    else if (!local_journal_is_held(&worker->journal))
        note_gone(worker, "railhead-worker ended before it was ready");
    else
        look_at(worker, clock_boot() + SHOW_UP_USEC);
}

/* Somebody said that it may be time to look: the journal grew, a deadline is over, or
 * we have just started. */
static void attend(void *context)
{
    struct local_worker *worker = context;

    worker->look_at = INT64_MAX;
    if (read_journal(worker)) {
        if (worker->exited && worker->born && worker->process.pid != worker->born)
            make_way(worker);
        else if (worker->exited)
            lose(worker);
        else if (!worker->told_end && worker->pidfd < 0)
            look_for_process(worker);
    }
    if (!worker->exited && clock_boot() >= worker->kill_at)
        kill_worker(worker);
    arm(worker);
}

/* --- inotify --- */

static struct local_workers *watch_bucket(struct scheduler *local, int watch)
{
    return &local->watched[(unsigned)watch % WATCH_BUCKETS];
}

/* Who has more than one reading gives is read by its timer, once a round. */
static void on_watch(struct scheduler *local, int watch)
{
    struct local_worker *worker;

    LIST_FOREACH (worker, watch_bucket(local, watch), in_bucket)
        if (worker->watch == watch && !worker->told_end && worker->look_at > 0)
            read_journal(worker);
}

static void on_inotify(void *context)
{
    struct scheduler *local = context;
    _Alignas(struct inotify_event) char bytes[8192];
    ssize_t got = read(local->inotify, bytes, sizeof bytes);

    for (ssize_t at = 0; at < got;) {
        const struct inotify_event *event = (const void *)(bytes + at);

        if (event->mask & IN_Q_OVERFLOW) {
            struct local_worker *worker;

            LIST_FOREACH (worker, &local->workers, in_list)
                look_at(worker, 0);
        }
        on_watch(local, event->wd);
        at += (ssize_t)sizeof *event + event->len;
    }
}

static int watch_journal(struct local_worker *worker, struct err *err)
{
    auto_free char *path = xasprintf("%s/journal.jsonl", worker->folder);

    worker->watch = inotify_add_watch(worker->owner->inotify, path, IN_MODIFY);
    if (worker->watch < 0)
        return err_sys(err, errno, "watch %s (fs.inotify.max_user_watches?)", path);
    LIST_INSERT_HEAD(watch_bucket(worker->owner, worker->watch), worker, in_bucket);
    return 0;
}

/* --- the scheduler --- */

static int local_open(const struct sched_settings *settings, struct loop *loop,
                      const struct sched_events *events, struct scheduler **out,
                      struct err *err)
{
    struct scheduler *local = xcalloc(1, sizeof *local);

    local->loop = loop;
    local->events = *events;
    local->nursery = local_nursery_new(loop, settings, on_born);
    local_place_open(settings, &local->place);
    LIST_INIT(&local->workers);
    local->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (local->inotify < 0)
        err_sys(err, errno, "inotify (fs.inotify.max_user_instances?)");
    if (local->inotify < 0
        || loop_add_fd(loop, local->inotify, on_inotify, local, &local->inotify_source,
                       err)
               < 0
        || local_cgroups_new(loop, &local->cgroups, err) < 0) {
        scheduler_local.close(local);
        return -1;
    }
    log_info("local.opened worker=%s", settings->worker_path);
    *out = local;
    return 0;
}

/* One that has begun is adopted.  One that was placed before the machine started again
 * is not begun now: its journal may be empty because the disk had not got it yet.  Nor
 * is one that was placed before the database was restored: of a backup that is tried
 * out beside the daemon that it is of, that one's jobs must live on. */
static int prepare_worker(struct local_worker *worker, const struct sched_job *job,
                          struct err *err)
{
    struct worker_plan plan;
    bool begun, other_boot;

    if (folder_make(worker->folder, 0750, err) < 0
        || local_journal_open(worker->folder, &worker->journal, err) < 0
        || watch_journal(worker, err) < 0)
        return -1;
    other_boot = strcmp(job->placed_boot_id, clock_boot_id()) != 0;
    begun = local_journal_has_begun(&worker->journal);
    if (begun || !job->plan || other_boot) {
        worker->never_here = !begun && other_boot;
        look_at(worker, 0);
        return 0;
    }
    plan = *job->plan;
    plan.cgroup = worker->cgroup;
    plan.memory_cgroup = worker->memory_cgroup;
    worker->asked_for =
        local_nursery_ask(worker->owner->nursery, worker->folder, &plan, worker, err)
        == 0;
    return worker->asked_for ? 0 : -1;
}

static int add_worker(struct scheduler *local, const struct sched_job *job,
                      struct local_worker **out, struct err *err)
{
    struct local_worker *worker = xcalloc(1, sizeof *worker);

    worker->owner = local;
    worker->job_id = xstrdup(job->job_id);
    worker->ref = (struct worker_ref){ worker->job_id, job->attempt, job->worker };
    worker->folder = worker_folder(job->folder, job->attempt, job->worker);
    worker->cgroup = local_place_cgroup(local->place.cgroup_base, &worker->ref);
    worker->memory_cgroup = local_place_cgroup(local->place.memory_base, &worker->ref);
    worker->journal.fd = -1;
    worker->watch = -1;
    worker->pidfd = -1;
    worker->look_at = INT64_MAX;
    worker->kill_at = INT64_MAX;
    worker->last_seq = job->last_seq;
    worker->last_boot = job->last_boot_us;
    worker->grace = job->grace_s * USEC_PER_SEC;
    LIST_INSERT_HEAD(&local->workers, worker, in_list);
    *out = worker;
    return loop_add_timer(local->loop, attend, worker, &worker->timer, err);
}

static struct local_worker *find(struct scheduler *local, const struct worker_ref *ref)
{
    struct local_worker *worker;

    LIST_FOREACH (worker, &local->workers, in_list)
        if (worker->ref.worker == ref->worker && worker->ref.attempt == ref->attempt
            && !worker->released && strcmp(worker->job_id, ref->job_id) == 0)
            return worker;
    return NULL;
}

/* When others run already, one that cannot be started is told as lost, by and by. */
static int local_start(struct scheduler *local, const struct sched_job *job,
                       struct err *err)
{
    const struct worker_ref ref = { job->job_id, job->attempt, job->worker };
    struct local_worker *worker;

    if (find(local, &ref))
        return 0;
    if (add_worker(local, job, &worker, err) == 0) {
        if (prepare_worker(worker, job, err) == 0)
            return 0;
        if (job->worker > 0) {
            worker->failure = xstrdup(err->text);
            look_at(worker, 0);
            return 0;
        }
    }
    free_worker(worker);
    return -1;
}

static int local_stop(struct scheduler *local, const struct worker_ref *ref,
                      const struct sched_stop *stop, struct err *err)
{
    struct local_worker *worker = find(local, ref);
    auto_json struct cJSON *json = NULL;
    auto_free char *path = NULL;
    auto_free char *text = NULL;

    if (!worker || worker->told_end)
        return 0;
    json = json_object_new();
    json_set_text(json, "cause", end_cause_name(stop->cause));
    if (stop->grace_s >= 0)
        json_set_int(json, "grace_s", stop->grace_s);
    text = json_print(json);
    path = xasprintf("%s/stop", worker->folder);
    if (stop->grace_s >= 0)
        worker->grace = stop->grace_s * USEC_PER_SEC;
    worker->stop_cause = stop->cause;
    set_kill_at(worker);
    return file_replace(path, text, strlen(text), 0640, false, err);
}

static void local_release(struct scheduler *local, const char *job_id, int attempt)
{
    struct local_worker *worker = LIST_FIRST(&local->workers);

    while (worker) {
        struct local_worker *next = LIST_NEXT(worker, in_list);

        if (worker->ref.attempt == attempt && strcmp(worker->job_id, job_id) == 0) {
            worker->released = true;
            if (worker->exited || worker->pidfd < 0)
                free_worker(worker);
        }
        worker = next;
    }
}

static void local_traits(const struct scheduler *local, struct sched_traits *out)
{
    local_place_traits(&local->place, out);
}

/* Workers live on. */
static void local_close(struct scheduler *local)
{
    while (!LIST_EMPTY(&local->workers))
        free_worker(LIST_FIRST(&local->workers));
    local_nursery_free(local->nursery);
    loop_source_free(local->inotify_source);
    if (local->inotify >= 0)
        close(local->inotify);
    local_cgroups_free(local->cgroups);
    local_place_close(&local->place);
    free(local);
}

const struct scheduler_class scheduler_local = {
    .name = "local",
    .open = local_open,
    .start = local_start,
    .stop = local_stop,
    .traits = local_traits,
    .release = local_release,
    .close = local_close,
};
