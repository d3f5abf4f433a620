/* Starts the ranks: all of them before the first exec is waited for, so that a worker
 * of 32 starts as fast as its slowest; and later what mpirun asks for.  Decides what
 * becomes of a launch that fails half-way, and who may ask. */

#include "src/clock.h"
#include "src/files.h"
#include "src/rsh.h"
#include "src/text.h"
#include "src/worker/complain.h"
#include "src/worker/spawn.h"
#include "src/worker/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TMPDIR_BASE "OMPI_MCA_orte_tmpdir_base"
#define FORK_AGENT  "OMPI_MCA_orte_fork_agent"

/* A start that the ranks' cgroup refuses is tried without: the walk will find them. */
static int start_process(struct worker *worker, struct spawn_request *request,
                         struct spawn *spawn, struct err *err)
{
    request->cgroup_fd = worker->cgroup.fd;
    request->tasks_fd = worker->cgroup.tasks_fd;
    if (spawn_start(request, spawn, err) == 0)
        return 0;
    if (request->cgroup_fd < 0)
        return -1;
    err_wrap(err, "the cgroup %s cannot be used", worker->cgroup.path);
    complain(worker->folder, err->text);
    cgroup_leave(&worker->cgroup);
    request->cgroup_fd = -1;
    return spawn_start(request, spawn, err);
}

static bool has_variable(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++)
        if (text_starts_with(*env, name) && (*env)[len] == '=')
            return true;
    return false;
}

/* Not where its ranks would hear of it, nor where the job's environment has one of
 * these for its own reasons. */
static bool speaks_apart(const struct worker *worker)
{
    char *const *env = worker->plan->ranks[0].env;

    return has_variable(worker->mpi_env, FORK_AGENT) && !has_variable(env, FORK_AGENT)
           && !has_variable(env, RSH_MPI_STATES) && !has_variable(env, RSH_MPI_OWN);
}

/* `*own_end`: as spawn_request.kept_fd; the caller's to close. */
static int prepare_mpirun(struct worker *worker, struct spawn_request *request,
                          int *own_end, struct err *err)
{
    worker->ranks[0].output.words = &worker->mpi.words;
    request->env = worker->mpi_env;
    if (!speaks_apart(worker))
        return 0;
    if (mpi_own_open(worker->mpi_env, &worker->said, own_end, err) < 0)
        return -1;
    request->env = worker->said.env;
    request->kept_fd = *own_end;
    return 0;
}

static int start_rank(struct worker *worker, size_t i, struct spawn_request *request,
                      struct spawn *spawn, struct err *err)
{
    const struct rank_plan *plan = &worker->plan->ranks[i];
    struct rank *rank = &worker->ranks[i];
    auto_close int child_end = -1;
    auto_close int own_end = -1;

    if (output_open(worker->folder, plan->rank, worker->plan->rank_log_bytes,
                    &rank->output, &child_end, err)
        < 0)
        return -1;
    worker->opened++;
    if (plan->kind == RANK_REMOTE) {
        rank->awaited = true;
        worker->running++;
        return 0;
    }
    *request = (struct spawn_request){ .argv = plan->argv,
                                       .env = plan->env,
                                       .folder = worker->plan->work_folder,
                                       .output_fd = child_end };
    if (worker->mpi_env && prepare_mpirun(worker, request, &own_end, err) < 0)
        return -1;
    if (start_process(worker, request, spawn, err) < 0)
        return -1;
    rank->pid = spawn->pid;
    worker->running++;
    return 0;
}

static void decide_launch(struct worker *worker, size_t i, const struct err *why)
{
    if (!ending_because(&worker->ending, END_LAUNCH, "rank %d: %s",
                        worker->plan->ranks[i].rank, why->text))
        return;
    worker->ending.rank = worker->plan->ranks[i].rank;
    worker->ending.boot = clock_boot();
}

static void start_all(struct worker *worker)
{
    size_t count = worker->plan->rank_count;
    auto_free struct spawn *spawns = xcalloc(count, sizeof *spawns);
    auto_free struct spawn_request *requests = xcalloc(count, sizeof *requests);
    size_t started = 0;
    struct err why;

    for (; started < count; started++) {
        if (start_rank(worker, started, &requests[started], &spawns[started], &why)
            < 0) {
            decide_launch(worker, started, &why);
            break;
        }
    }
    for (size_t i = 0; i < started; i++)
        if (worker->ranks[i].pid > 0
            && spawn_confirm(&spawns[i], &requests[i], &why) < 0)
            decide_launch(worker, i, &why);
}

static int write_launched(struct worker *worker, struct err *err)
{
    struct cJSON *line =
        journal_writer_line(&worker->journal, JOURNAL_LAUNCHED, clock_boot());
    struct cJSON *ranks = json_array_new();

    for (size_t i = 0; i < worker->plan->rank_count; i++) {
        struct cJSON *rank = json_object_new();

        json_set_int(rank, "rank", worker->plan->ranks[i].rank);
        json_set(rank, "pid",
                 worker->ranks[i].awaited ? json_null_new()
                                          : json_int_new(worker->ranks[i].pid));
        json_append(ranks, rank);
    }
    json_set(line, "ranks", ranks);
    return journal_writer_append(&worker->journal, line, err);
}

/* Daemons that share a host and its name must not share a folder, and one that is
 * killed leaves its files: so it is below the worker's.  Unix sockets in it, beneath
 * "ompi.HOST.UID/pid.NUMBER", have 107 bytes for their path; where there is no room
 * for that, mpirun has its own way. */
static void add_mpi_folder(const struct worker *worker, char ***env)
{
    enum {
        BASE_MAX = 64
    };
    auto_free char *folder = xasprintf("%s/mpi", worker->folder);
    struct err why;

    if (strlen(folder) > BASE_MAX || has_variable(*env, TMPDIR_BASE))
        return;
    if (folder_make(folder, 0700, &why) < 0)
        complain(worker->folder, why.text);
    else
        words_add(env, xasprintf(TMPDIR_BASE "=%s", folder));
}

/* What puts railhead-rsh between mpirun and the ranks, and what it finds its workers
 * by. mpirun splits the agent at blanks, so one with a blank in its path is done
 * without. */
static char **env_of_mpi(const struct worker *worker)
{
    const struct worker_plan *plan = worker->plan;
    auto_free char *agent = path_of_helper("railhead-rsh");
    char **env = NULL;

    for (char **at = plan->ranks[0].env; *at; at++)
        words_add(&env, xstrdup(*at));
    if (!strchr(agent, ' '))
        words_add(&env, xasprintf(FORK_AGENT "=%s --rank", agent));
    words_add(&env, xasprintf(RSH_WORKER "=%s", worker->folder));
    words_add(&env, xasprintf(RSH_MPIRUN "=%s",
                              plan->peers ? plan->peers[0] : worker->folder));
    add_mpi_folder(worker, &env);
    return env;
}

/* Before the ranks: mpirun asks as soon as it runs. */
static void listen_for_mpirun(struct worker *worker)
{
    const struct rank_plan *first = worker->plan->ranks;
    struct err why;

    if (worker->plan->rank_count == 0
        || (first->kind != RANK_REMOTE && !has_variable(first->env, RSH_HOSTS)))
        return;
    worker->remote = remote_open(worker->folder, &why);
    if (!worker->remote)
        decide_launch(worker, 0, &why);
    worker->mpi_env = env_of_mpi(worker);
}

int ranks_launch(struct worker *worker, struct err *err)
{
    struct err why;

    worker->ranks = xcalloc(worker->plan->rank_count, sizeof *worker->ranks);
    if (cgroup_open(worker->plan->cgroup, &worker->cgroup, &why) < 0)
        complain(worker->folder, why.text);
    if (cgroup_limit_memory(&worker->cgroup, worker->plan->memory_cgroup,
                            worker->plan->memory_bytes, &why)
        < 0)
        complain(worker->folder, why.text);
    worker->peers = peers_new(worker->plan);
    listen_for_mpirun(worker);
    if (!worker->ending.decided)
        start_all(worker);
    if (!worker->ending.decided)
        return write_launched(worker, err);
    ranks_signal(worker, SIGKILL);
    return 0;
}

/* Worker 0 may be asked for as much as mpirun likes; elsewhere it is the rank, once. */
static int find_place(struct worker *worker, struct rank **rank, struct err *err)
{
    *rank = NULL;
    if (worker->ending.decided)
        return err_set(err, ERR_CONFLICT, "the worker is stopping");
    if (worker->plan->ranks[0].kind != RANK_REMOTE)
        return 0;
    if (!worker->ranks[0].awaited)
        return err_set(err, ERR_CONFLICT,
                       "something was started here already, and a "
                       "worker takes one daemon of mpirun's");
    *rank = &worker->ranks[0];
    return 0;
}

int ranks_start_remote(void *context, const char *command, const int *streams,
                       pid_t *pid, struct err *err)
{
    struct worker *worker = context;
    auto_free char *line = xstrdup(command);
    char shell[] = "/bin/sh";
    char option[] = "-c";
    char *argv[] = { shell, option, line, NULL };
    struct spawn_request request = { .argv = argv,
                                     .env = worker->mpi_env,
                                     .folder = worker->plan->work_folder,
                                     .input_fd = streams[0],
                                     .output_fd = streams[1],
                                     .error_fd = streams[2] };
    struct spawn spawn;
    struct rank *rank;

    if (find_place(worker, &rank, err) < 0
        || start_process(worker, &request, &spawn, err) < 0
        || spawn_confirm(&spawn, &request, err) < 0)
        return -1;
    *pid = spawn.pid;
    if (rank) {
        rank->awaited = false;
        rank->pid = spawn.pid;
    }
    return 0;
}

static bool is_for_users(const struct worker *worker, size_t i)
{
    enum rank_kind kind = worker->plan->ranks[i].kind;

    return kind == RANK_LAUNCHER || kind == RANK_REMOTE;
}

/* Each rank leads a session and process group of its own, so what a shell started in it
 * is told too.  Its number cannot pass to others while the leader is not reaped. */
void ranks_signal(struct worker *worker, int signal_number)
{
    for (size_t i = 0; i < worker->opened; i++) {
        struct rank *rank = &worker->ranks[i];

        if (rank->pid <= 0 || (signal_number == SIGTERM && is_for_users(worker, i)))
            continue;
        kill(-rank->pid, signal_number);
        kill(-rank->pid, SIGCONT); /* who was suspended could not save */
        rank->told_group = signal_number == SIGTERM ? rank->pid : 0;
    }
}

/* Asks only: a group's number could have passed to others by now, and then costs a wait
 * that the grace bounds, but hits nobody. */
bool ranks_linger(const struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (worker->ranks[i].told_group > 0
            && kill(-worker->ranks[i].told_group, 0) == 0)
            return true;
    return false;
}
