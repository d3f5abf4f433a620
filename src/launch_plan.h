#ifndef SRC_LAUNCH_PLAN_H
#define SRC_LAUNCH_PLAN_H

#include "src/job_spec.h"
#include "src/profile.h"
#include "src/storage.h"

/* From spec, profile and hosts to the command line and environment of every rank. */

enum rank_kind {
    RANK_PROGRAM, /* the user's own process */
    /* torchrun or mpirun: it starts the user's processes, and a stop's SIGTERM is for
     * them, not for it.  That its own kill timer does not cut their grace is
     * railhead-torchrun.py's and railhead-rsh's work (src/rsh.h): mpirun's
     * (odls_base_sigkill_timeout) stays as it is, for it is waited for in full, several
     * times, after every failure. */
    RANK_LAUNCHER,
    RANK_SERVER, /* a parameter server: it ends when all that are no servers, on all
                    workers, have ended */
    RANK_REMOTE, /* started when mpirun asks for it through railhead-rsh; argv is
                    what mpirun says then, env what is its base */
};

struct rank_plan {
    enum rank_kind kind;
    int rank;
    int local_rank;
    char **argv; /* ends in NULL; empty for RANK_REMOTE */
    char **env;  /* NAME=VALUE, ends in NULL, complete: nothing is inherited */
};

/* A file of /opt/ml/input/config. */
struct config_file {
    char *name; /* resourceconfig.json */
    char *text;
};

/* What one railhead-worker is to do; it reads this as JSON from its stdin. */
struct worker_plan {
    char *job_id;
    char *job_name;
    int attempt;
    int worker; /* node rank: 0 .. instance_count-1 */
    int worker_count;
    int world_size; /* ranks of the whole job, as our log files count them */
    bool isolate; /* own mount and UTS namespace: ml_folder is /opt/ml, hosts resolve */
    char *host_name;       /* algo-1 */
    char *hosts;           /* lines for /etc/hosts: "127.1.0.1 algo-1\n" and on */
    char *ml_folder;       /* /opt/ml; without isolate ml in the worker's folder */
    char *work_folder;     /* the ranks' working folder: ML/code with a source, else
                              ML/output/data */
    char *checkpoint_path; /* where checkpoints are as the ranks see it; always set */
    struct config_file *configs; /* of ML/input/config */
    size_t config_count;
    struct channel *channels;
    size_t channel_count;
    int local_processes; /* of the user's on this instance: a Pipe channel has so many
                            FIFOs an epoch (src/stage.h) */
    char *output_uri;    /* OUTPUT_PATH/JOB/output, or NULL */
    bool output_compressed;
    char *checkpoint_uri; /* or NULL */
    struct storage storage;
    char **peers;         /* the folders of all workers, by worker, where this host can
                             read them; ends in NULL; or NULL */
    int64_t memory_bytes; /* limit of the worker's ranks together; 0: none */
    char *source_archive; /* tar.gz, or NULL: no source */
    char *cgroup;         /* cgroup v2 folder for the ranks, or NULL: none to be had */
    char *memory_cgroup;  /* as well, of the v1 memory controller, or NULL */
    int64_t rank_log_bytes; /* of a rank's log to keep at most; 0: all */
    int64_t max_run_s;
    int64_t grace_s;
    struct metric_definition *metrics;
    size_t metric_count;
    struct rank_plan *ranks; /* the local ones, by rank */
    size_t rank_count;
};

struct launch_host {
    const char *name;    /* algo-1 */
    const char *address; /* 127.1.0.1 */
};

struct launch_input {
    const struct job_spec *spec;
    const struct profile *profile;
    const char *job_id;
    int attempt;
    const struct launch_host *hosts; /* spec->instance_count of them */
    int port;     /* the first of launch_port_count ports in a row that are free */
    bool isolate; /* workers get namespaces of their own, names resolve */
    bool hosts_share_one; /* all hosts are this machine: MPI must not use memory that is
                             shared between them */
    const struct storage *storage;
    const char *mpirun;     /* or NULL: looked for in PATH */
    const char *rsh_agent;  /* railhead-rsh */
    int64_t rank_log_bytes; /* of a rank's log to keep at most; 0: all */
    int64_t used_run_s;     /* of max_run, by earlier attempts */
    int host_cpus; /* that one host really has for the job; 0: as the profile says */
    int64_t host_memory_mib; /* that one host really has; 0: as the profile says */
    const char *network_interface; /* for NCCL and gloo; NULL: left to them */
    const char *job_folder;        /* absolute, STATE/jobs/ID: see worker_folder */
    const char *source_archive;    /* or NULL */
    const char *python;            /* the daemon's default interpreter */
    const char *torchrun_wrapper;  /* railhead-torchrun.py; NULL: torch's own */
    const char *const *base_env;   /* what the daemon passes on; ends in NULL */
};

/**
 * The plan of one worker.
 *
 * ERR_INVALID when spec and profile do not go together. Pure. The caller frees.
 */
MUST_CHECK int launch_plan_make(const struct launch_input *input, int worker,
                                struct worker_plan **out, struct err *err);
void worker_plan_free(struct worker_plan *plan);

/** Where a worker lives: JOB_FOLDER-ATTEMPT-WORKER.  One folder a worker and none above
 * it: making one is among the dearest things in a short job's life.  Caller frees. */
char *worker_folder(const char *job_folder, int attempt, int worker);

/** The user's processes of the whole job, servers included. */
int launch_world_size(const struct job_spec *spec, const struct profile *profile);

/** The user's processes on every instance (servers not counted): as the spec says, else
 * the profile's NeuronCores or GPUs, else 1. */
int launch_processes_per_host(const struct job_spec *spec,
                              const struct profile *profile);

/** How many logs the job has: one a rank, or one a worker where torchrun or mpirun
 * starts the ranks. */
int launch_log_count(const struct job_spec *spec, const struct profile *profile);

/** The worker in whose folder log N, 0 .. launch_log_count-1, is. */
int launch_log_worker(const struct job_spec *spec, const struct profile *profile,
                      int log);

/** How many ports in a row the job needs, at least 1. */
int launch_port_count(const struct job_spec *spec, const struct profile *profile);

/* Of a job's launch_size. */
enum {
    LAUNCH_SIZE_MAX = 128 << 20
};

/** About how many bytes the command lines and environments of all ranks have. Pure. */
int64_t launch_size(const struct job_spec *spec, const struct profile *profile);

/** "program", "launcher", "server", "remote". */
const char *rank_kind_name(enum rank_kind kind);

/** To and from JSON, the keys of storage included: for a worker's stdin alone.  A plan
 * may have no ranks (src/stage.h).  The caller owns the result. */
struct cJSON *worker_plan_to_json(const struct worker_plan *plan);
MUST_CHECK int worker_plan_from_json(const struct cJSON *json, struct worker_plan **out,
                                     struct err *err);

#endif
