#ifndef SRC_LAUNCH_PLAN_H
#define SRC_LAUNCH_PLAN_H

#include "src/job_spec.h"
#include "src/profile.h"

/* From spec, profile and hosts to the command line and environment of every rank. */

struct rank_plan {
    int rank;
    int local_rank;
    char **argv; /* ends in NULL */
    char **env;  /* NAME=VALUE, ends in NULL, complete: nothing is inherited */
};

/* What one railhead-worker is to do; it reads this as JSON from its stdin. */
struct worker_plan {
    char *job_id;
    char *job_name;
    int attempt;
    int worker;          /* node rank: 0 .. instance_count-1 */
    int world_size;      /* ranks of the whole job, as our log files count them */
    char *code_folder;   /* the ranks' working folder: the source, else output_folder */
    char *model_folder;  /* SM_MODEL_DIR, made by the worker */
    char *output_folder; /* SM_OUTPUT_DATA_DIR, made by the worker */
    char *source_archive; /* tar.gz, or NULL: no source */
    char *cgroup;         /* cgroup v2 folder for the ranks, or NULL: none to be had */
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
    int master_port;                 /* free on hosts[0] */
    int host_cpus; /* that one host really has for the job; 0: as the profile says */
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

/** Ranks of the whole job. */
int launch_world_size(const struct job_spec *spec, const struct profile *profile);

/* Of a job's launch_size. */
enum {
    LAUNCH_SIZE_MAX = 64 << 20
};

/** About how many bytes the command lines and environments of all ranks have. Pure. */
int64_t launch_size(const struct job_spec *spec, const struct profile *profile);

/** To and from JSON. The caller owns the result. */
struct cJSON *worker_plan_to_json(const struct worker_plan *plan);
MUST_CHECK int worker_plan_from_json(const struct cJSON *json, struct worker_plan **out,
                                     struct err *err);

#endif
