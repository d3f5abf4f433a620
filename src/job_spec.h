#ifndef SRC_JOB_SPEC_H
#define SRC_JOB_SPEC_H

#include "src/base.h"
#include "src/err.h"
#include "src/json.h"
#include "src/problems.h"

/* What a user asks for; railhead-job(5) is the same in words. */

enum framework {
    FRAMEWORK_PYTORCH,
    FRAMEWORK_PLAIN
};

enum distribution {
    DISTRIBUTION_NONE,              /* the program once on every instance */
    DISTRIBUTION_TORCH_DISTRIBUTED, /* processes_per_host ranks on every instance */
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

struct metric_definition {
    char *name;
    char *regex;
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
    int processes_per_host;        /* 0: by profile */
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
    int priority; /* 0..100 */
    bool has_fake;
    struct fake_behaviour fake;
};

/**
 * Reads and validates a whole spec; defaults are filled in.
 *
 * All that is wrong is added to `problems`, each with the member's path and, for a name
 * that is unknown, the nearest right one. Members that Railhead knows but does not run
 * yet (inputs, compiler_config, distribution.mpi, ...) are refused by name.  Returns
 * NULL when there are problems.  Pure. The caller frees.
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
