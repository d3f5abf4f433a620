#ifndef SRC_JOB_SPEC_H
#define SRC_JOB_SPEC_H

#include "src/base.h"
#include "src/channel.h"
#include "src/err.h"
#include "src/json.h"
#include "src/money.h"
#include "src/problems.h"

/* What a user asks for; railhead-job(5) is the same in words. */

enum framework {
    FRAMEWORK_PYTORCH,
    FRAMEWORK_TENSORFLOW,
    FRAMEWORK_MPI,
    FRAMEWORK_PLAIN
};

enum distribution {
    DISTRIBUTION_NONE, /* the program processes_per_host times on every instance */
    DISTRIBUTION_TORCH_DISTRIBUTED, /* processes_per_host ranks on every instance; also
                                       what pytorchddp is taken for */
    DISTRIBUTION_MPI,               /* mpirun on the first instance */
    DISTRIBUTION_PARAMETER_SERVER,  /* TF_CONFIG: processes_per_host workers and one
                                       server on every instance */
    DISTRIBUTION_MULTI_WORKER_MIRRORED, /* TF_CONFIG: processes_per_host workers */
};

/* Who starts the ranks of torch_distributed. */
enum launcher {
    LAUNCHER_RAILHEAD, /* the worker itself, one process a rank */
    LAUNCHER_TORCHRUN, /* the real torchrun, one agent an instance */
};

enum goal {
    GOAL_MAXIMIZE,
    GOAL_MINIMIZE
};

/* A group named `step` in the pattern, (?<step>[0-9]+), gives a value its step. */
struct metric_definition {
    char *name;
    char *regex;
};

/* What a retry may follow, as bits of job_spec.retry_on. */
enum retry_cause {
    RETRY_INFRASTRUCTURE = 1, /* causes infrastructure and lost */
    RETRY_INTERRUPTED = 2,
    RETRY_INPUT = 4,  /* a channel or checkpoint could not be fetched */
    RETRY_OUTPUT = 8, /* outputs could not be stored */
    RETRY_OOM = 16,
    RETRY_SIGNAL = 32,
    RETRY_FAILED = 64, /* the program's own exit code */
};

/* How a job of the `fake` scheduler behaves: timers instead of processes. */
struct fake_behaviour {
    int64_t start_ms; /* from placed to ready */
    int64_t run_ms;   /* from ready to the end */
    int exit_code;    /* of worker `worker`, 0..255 */
    int worker;       /* which worker ends with exit_code; others end with 0 */
    bool ignore_stop; /* runs on until grace is over */
    bool lost;        /* `worker` vanishes without an end */
};

struct job_spec {
    char *name; /* NULL until given or made */
    char *base_name;
    char *entry_point; /* or NULL: then `command` */
    char **command;    /* ends in NULL; or NULL: then `entry_point` */
    char *source_dir;  /* "sha256:<64 hex>" once packed, a folder before; or NULL */
    char *python;      /* interpreter; NULL: the daemon's */
    enum framework framework;
    char *instance_type;
    int instance_count; /* 1..1000 */
    enum distribution distribution;
    enum launcher launcher;
    int processes_per_host;   /* 0: by profile */
    bool oversubscribe;       /* more processes than the profile has slots */
    char *custom_mpi_options; /* of mpi; or NULL */
    struct channel *channels; /* `inputs`, by name */
    size_t channel_count;
    char *output_path;      /* URI, or NULL: outputs stay with the job */
    bool output_compressed; /* model.tar.gz and output.tar.gz; else as trees */
    char *checkpoint_uri;   /* or NULL */
    char *checkpoint_path;  /* local_path, absolute; NULL exactly when the URI is */
    int max_attempts;       /* 1..30 */
    unsigned retry_on;      /* bits of enum retry_cause */
    int64_t keep_alive_s;   /* warm pool; 0: none */
    struct cJSON *hyperparameters; /* an object, never NULL */
    struct cJSON *environment;     /* an object of texts, never NULL */
    struct cJSON *tags;            /* an object of texts, never NULL */
    struct metric_definition *metrics;
    size_t metric_count;
    char *work_unit;        /* NULL: no `work` */
    char *work_metric;      /* or NULL: then work_amount */
    char *work_amount;      /* decimal text: what a completed job has done */
    char *work_planned;     /* decimal text or NULL: what the job means to do */
    char *objective_metric; /* NULL: no `objective` */
    enum goal objective_goal;
    char *objective_target; /* decimal text or NULL */
    int64_t max_run_s;
    int64_t max_wait_s; /* 0: none */
    int64_t grace_s;
    int priority;     /* 0..100 */
    nanousd_t budget; /* that it may cost at most; 0: not bounded */
    bool has_fake;
    struct fake_behaviour fake;
};

/**
 * Reads and validates a whole spec; defaults are filled in.
 *
 * All that is wrong is added to `problems`, each with the member's path and, for a name
 * that is unknown, the nearest right one. Members that Railhead knows but does not run
 * yet (compiler_config, secrets) are refused by name.  Returns NULL when there are
 * problems.  Pure. The caller frees.
 */
struct job_spec *job_spec_parse(const struct cJSON *json, struct problems *problems);

/** The complete spec, defaults included; job_spec_parse of it gives the same spec. The
 * caller owns it. */
struct cJSON *job_spec_to_json(const struct job_spec *spec);

void job_spec_free(struct job_spec *spec);
void job_spec_cleanup(struct job_spec **spec);
#define auto_job_spec __attribute__((cleanup(job_spec_cleanup)))

/* As a spec has them: "torch_distributed", "railhead", "pytorch", "maximize". */
const char *distribution_name(enum distribution distribution);
const char *launcher_name(enum launcher launcher);
const char *framework_name(enum framework framework);
const char *goal_name(enum goal goal);

#endif
