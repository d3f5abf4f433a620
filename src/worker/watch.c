/* The worker's loop, from the launch until nothing is left: output, ends of ranks,
 * stops, mpirun's wishes.  Decides what is looked at when; how ranks are ended is
 * wind_down's. */

#include "src/clock.h"
#include "src/text.h"
#include "src/worker/descendants.h"
#include "src/worker/worker.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* How long a killed process may take to vanish before its like are looked for again. */
#define SWEEP_INTERVAL (20 * USEC_PER_MSEC)

/* The descriptors before those of the ranks' output. */
enum {
    FD_SIGNAL,
    FD_INOTIFY,
    FD_MPI_OWN,
    FD_OUTPUT
};

static int write_exited(struct worker *worker, int rank, int status, bool oom,
                        struct err *err)
{
    struct cJSON *line =
        journal_writer_line(&worker->journal, JOURNAL_RANK_EXITED, clock_boot());

    json_set_int(line, "rank", rank);
    json_set(line, "exit_code",
             WIFEXITED(status) ? json_int_new(WEXITSTATUS(status)) : json_null_new());
    json_set(line, "signal",
             WIFSIGNALED(status) ? json_int_new(WTERMSIG(status)) : json_null_new());
    json_set_bool(line, "oom", oom);
    return journal_writer_append(&worker->journal, line, err);
}

/* The kernel may have chosen a process that a rank had started: then the rank's own end
 * is what it is, and this is why.  torchrun takes longer to end for it than a kill is
 * new. */
static void remark_oom(struct worker *worker, enum rank_kind kind)
{
    int64_t kills = kind == RANK_LAUNCHER ? cgroup_all_oom_kills(&worker->cgroup)
                                          : cgroup_oom_kills(&worker->cgroup);
    auto_free char *remark = NULL;

    if (worker->ending.cause != END_FAILED || kills == 0)
        return;
    remark = xasprintf("the kernel's out-of-memory killer had ended %" PRId64
                       " of this instance's processes",
                       kills);
    ending_remark(&worker->ending, remark);
}

/* The kernel's doing, as far as we can know. */
static bool is_oom(const struct worker *worker, int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !worker->ending.decided
           && cgroup_oom_kills(&worker->cgroup) > 0;
}

/* One below mpirun: before mpirun ends for it. */
static void remote_rank_ended(void *context, int rank, int status)
{
    struct worker *worker = context;
    usec_t now = clock_boot();
    bool oom = is_oom(worker, status);

    users_leave(worker, now);
    if (worker->ending.decided
        || (!oom && mpi_ends_note(&worker->mpi, rank, status, now)))
        return;
    if (ending_rank(&worker->ending, rank, status, oom, now))
        wind_down_begin(worker, now);
}

/* What mpirun asked for runs below a shell, which gives a death by a signal as 128 and
 * its number.  mpirun's daemon has no such code of its own. */
static int without_shell(int status)
{
    int number = WIFEXITED(status) ? WEXITSTATUS(status) - 128 : 0;

    return number > 0 && number < NSIG ? W_EXITCODE(0, number) : status;
}

static void attend(struct worker *worker)
{
    const struct remote_calls calls = { ranks_start_remote, remote_rank_ended, worker };

    remote_attend(worker->remote, &calls);
}

/* mpirun, or its daemon, has ended.  False: what else it says of an end does not count,
 * or not yet. */
static bool mpi_is_clear(struct worker *worker, size_t i, int status, usec_t now)
{
    struct output *output = &worker->ranks[i].output;

    if (!worker->mpi_env)
        return true;
    /* Its ranks told of their ends before it had its own, and may have done so since we
     * listened last: the socket's backlog has one more than a look takes. */
    attend(worker);
    attend(worker);
    if (!output->words)
        return !mpi_ends_open(&worker->mpi, &worker->ending);
    while (output_read(output, worker->metrics, &worker->journal))
        ;
    mpi_own_finish(&worker->said, output, worker->metrics, &worker->journal);
    if (!mpi_ends_close(&worker->mpi, status, &worker->ending, now))
        return true;
    wind_down_begin(worker, now);
    return false;
}

static int rank_ended(struct worker *worker, size_t i, int status, struct err *err)
{
    enum rank_kind kind = worker->plan->ranks[i].kind;
    int rank = worker->plan->ranks[i].rank;
    bool needed = !worker->ranks[i].dismissed;
    usec_t now = clock_boot();
    bool oom = is_oom(worker, status);

    worker->ranks[i].pid = 0;
    worker->running--;
    if (kind == RANK_REMOTE)
        status = without_shell(status);
    if (needed && mpi_is_clear(worker, i, status, now)
        && ending_rank(&worker->ending, rank, status, oom, now)) {
        remark_oom(worker, kind);
        wind_down_begin(worker, now);
    }
    /* What never ran has no end of its own. */
    if (worker->ending.cause == END_LAUNCH)
        return 0;
    return write_exited(worker, rank, status, oom, err);
}

/* Whether ranks run, or how they ended is open. */
static bool works(const struct worker *worker)
{
    return worker->running > 0 || mpi_ends_open(&worker->mpi, &worker->ending);
}

/* Reaps all that has ended.  `*left`: whether anything of the ranks is left. */
static int reap(struct worker *worker, bool *left, struct err *err)
{
    int status;
    pid_t pid;
    int found;

    while ((found = descendants_reap(&pid, &status)) > 0) {
        for (size_t i = 0; i < worker->opened; i++)
            if (worker->ranks[i].pid == pid && rank_ended(worker, i, status, err) < 0)
                return -1;
        remote_ended(worker->remote, pid, status);
        staging_reaped(worker, pid, status);
    }
    *left = works(worker) || (found == 0 && wind_down_left(worker));
    return 0;
}

static void earlier(usec_t *until, usec_t at)
{
    if (at < *until)
        *until = at;
}

/*
 * Milliseconds until something is due, rounded up.  poll counts on a clock that stands
 * while the machine sleeps; the heartbeat bounds how late that makes us.
 */
static int wait_ms(const struct worker *worker, usec_t now)
{
    usec_t until = worker->heartbeat_boot;

    earlier(&until, wind_down_due(worker));
    earlier(&until, metrics_due(worker->metrics));
    earlier(&until, mpi_ends_due(&worker->mpi, &worker->ending));
    earlier(&until, control_due(&worker->control, now));
    if (worker->running == 0)
        earlier(&until, now + SWEEP_INTERVAL);
    else if (!worker->ending.decided && worker->plan->max_run_s > 0)
        earlier(&until, worker->ready_boot + worker->plan->max_run_s * USEC_PER_SEC);
    if (until <= now)
        return 0;
    return (int)((until - now + USEC_PER_MSEC - 1) / USEC_PER_MSEC);
}

/* A closed pipe is -1 here, which poll passes over. */
static void wait_for_more(const struct worker *worker, struct pollfd *fds)
{
    struct pollfd *more = fds + FD_OUTPUT + worker->opened;

    fds[FD_SIGNAL] =
        (struct pollfd){ .fd = worker->control.signal_fd, .events = POLLIN };
    fds[FD_INOTIFY] =
        (struct pollfd){ .fd = worker->control.inotify_fd, .events = POLLIN };
    fds[FD_MPI_OWN] = (struct pollfd){ .fd = worker->said.fd, .events = POLLIN };
    for (size_t i = 0; i < worker->opened; i++)
        fds[FD_OUTPUT + i] =
            (struct pollfd){ .fd = worker->ranks[i].output.pipe_fd, .events = POLLIN };
    staging_poll(worker, more);
    more += STAGING_FDS;
    more += remote_fds(worker->remote, more);
    poll(fds, (nfds_t)(more - fds), wait_ms(worker, clock_boot()));
}

/* One round of work, each part bounded: a rank that floods us delays no stop. */
static int round_of_work(struct worker *worker, struct pollfd *fds, bool *left,
                         struct err *err)
{
    usec_t now;
    bool stop;

    wait_for_more(worker, fds);
    for (size_t i = 0; i < worker->opened; i++)
        if (fds[FD_OUTPUT + i].revents)
            output_read(&worker->ranks[i].output, worker->metrics, &worker->journal);
    if (fds[FD_MPI_OWN].revents)
        mpi_own_read(&worker->said, &worker->ranks[0].output, worker->metrics,
                     &worker->journal);
    attend(worker);
    if (reap(worker, left, err) < 0)
        return -1;
    now = clock_boot();
    stop = staging_hear(worker, now)
           || mpi_ends_settle(&worker->mpi, &worker->ending, now);
    if (stop || (works(worker) && stop_check(worker, now)))
        wind_down_begin(worker, now);
    if (wind_down_go_on(worker, now, err) < 0
        || metrics_write(worker->metrics, &worker->journal, now, false, err) < 0)
        return -1;
    return heartbeat_run(worker, now, err);
}

static int watch_rounds(struct worker *worker, struct err *err)
{
    auto_free struct pollfd *fds =
        xcalloc(FD_OUTPUT + worker->opened + STAGING_FDS + REMOTE_FDS_MAX, sizeof *fds);
    bool left = worker->running > 0;

    while (left) {
        if (round_of_work(worker, fds, &left, err) < 0)
            return -1;
        if (left && worker->running == 0)
            wind_down_sweep(worker);
    }
    return 0;
}

static void remark_dropped(struct worker *worker, const struct output *output)
{
    auto_free char *remark = NULL;

    if (output->dropped == 0)
        return;
    remark = xasprintf("%llu bytes of rank %d's output are not in its log: %s",
                       (unsigned long long)output->dropped, output->rank,
                       strerror(output->dropped_errno));
    ending_remark(&worker->ending, remark);
}

static void remark_cut(struct worker *worker, const struct output *output)
{
    auto_free char *remark = NULL;

    if (output->log.kept == 0)
        return;
    remark = xasprintf("the first %" PRIu64 " bytes of rank %d's output were cut",
                       output->log.kept, output->rank);
    ending_remark(&worker->ending, remark);
}

int watch_run(struct worker *worker, struct err *err)
{
    int result = watch_rounds(worker, err);

    remote_close(steal_ptr(&worker->remote));
    users_free(worker);
    words_free(steal_ptr(&worker->mpi_env));
    if (result < 0)
        return -1;
    for (size_t i = 0; i < worker->opened; i++) {
        output_finish(&worker->ranks[i].output, worker->metrics, &worker->journal);
        remark_cut(worker, &worker->ranks[i].output);
        remark_dropped(worker, &worker->ranks[i].output);
    }
    return metrics_write(worker->metrics, &worker->journal, clock_boot(), true, err);
}
