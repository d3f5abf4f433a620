#ifndef DAEMON_COMPARE_H
#define DAEMON_COMPARE_H

#include "src/base.h"
#include "src/err.h"
#include "src/job_spec.h"
#include "src/json.h"
#include "src/members.h"
#include "src/money.h"
#include "src/problems.h"
#include "src/stats.h"

/*
 * A comparison of what runs took and cost; railhead-billing(7), "Comparisons".
 *
 * Runs come from the ledger or from elsewhere.  They are put into arms, checked for
 * whether they did the same, and compared with the baseline.  Pure from here on: no
 * store, no files, no clock.
 */

/* --- runs --- */

enum compare_outcome {
    COMPARE_COMPLETED,
    COMPARE_FAILED, /* or stopped: it cost what it cost */
    COMPARE_UNFINISHED
};

enum compare_cache {
    CACHE_UNKNOWN,
    CACHE_COLD,
    CACHE_WARM
};

/* A number that may not be known.  NaN exactly when `missing` is set. */
struct compare_value {
    double value;
    const char *missing; /* why; static, or of the run's `words` */
};

/* What its billable seconds were; they add up to these.  All NaN: not known. */
struct compare_phases {
    double staging;
    double startup;
    double steady;
    double other;
    double ending;
};

struct compare_run {
    size_t order; /* in which it came; compare_make sets it */
    char *name;
    char *arm;
    char *source; /* where an imported one was published; or NULL */
    bool imported;
    char *status; /* Completed, Failed, Stopped, InProgress, ... */
    enum compare_outcome outcome;
    char *instance_type;
    int instance_count;
    bool emulated;
    char *pricing;    /* NULL: it was never charged */
    usec_t started;   /* 0: not known */
    int attempts;     /* 0: not known */
    int64_t billable; /* seconds of one instance */
    int64_t instance_seconds;
    bool has_price;   /* for all its seconds */
    bool has_hourly;  /* ... and one alone */
    nanousd_t hourly; /* then */
    bool estimate;    /* a price of low confidence */
    nanousd_t cost;   /* when has_price */
    char *work;       /* decimal text; NULL: not known */
    char *work_unit;  /* or NULL */
    struct compare_value objective;
    char *objective_metric; /* or NULL: it has none */
    enum goal goal;
    char *code;                    /* equal words are equal code; NULL: not known */
    struct cJSON *hyperparameters; /* an object, sorted; NULL: not known */
    char *data;                    /* equal words are equal data; NULL: not known */
    struct cJSON *setup; /* how it was run besides: an object; NULL: not known */
    char *batch_size;    /* as its hyperparameters say; or NULL */
    int processes;       /* of the user's, on all instances; 0: not known */
    enum compare_cache cache;
    struct compare_phases phases;
    const char *phases_missing;          /* why they are not known; or NULL */
    struct compare_value startup;        /* start-up and compilation, seconds */
    struct compare_value rate;           /* work a second in steady state */
    char *rate_unit;                     /* or NULL */
    struct compare_value target_seconds; /* billable ones until the target */
    struct compare_value target_cost;    /* nano-dollars */
};

void compare_run_clear(struct compare_run *run);

/** Why an objective is missing that is NaN or infinite: such a run was not equal work.
 */
extern const char compare_not_finite[];

/** The batch size that hyperparameters name ("per_device_train_batch_size=8"), several
 * with ", " between; NULL: none does.  The caller frees. */
char *compare_batch_size(const struct cJSON *hyperparameters);

/** Whether a hyperparameter says a batch size, by its name. */
bool compare_is_batch_size(const char *name);

/** Reads an array of runs that were measured elsewhere (ImportedRun in openapi.yaml)
 * and adds them to `runs`.  What is wrong is added to the problems of `place`.  @by is
 * as in struct compare_ask. */
void compare_import(const struct cJSON *array, const struct member_place *place,
                    const char *by, struct compare_run **runs, size_t *count);

/* --- the comparison --- */

struct compare_ask {
    const char *by;       /* "instance_type", or "tag:KEY" */
    const char *baseline; /* an arm; NULL: that of the first run */
    double objective_band;
    double work_band;        /* shares */
    int64_t seed;            /* of the bootstrap */
    const char *repriced_at; /* time whose prices the costs are at; NULL: as charged */
};

/* Figures of an arm. */
enum compare_what {
    COMPARE_SECONDS,
    COMPARE_COST,
    COMPARE_WORK_PER_USD,
    COMPARE_OBJECTIVE,
    COMPARE_STARTUP,
    COMPARE_RATE,
    COMPARE_SECONDS_TO_TARGET,
    COMPARE_COST_TO_TARGET
};
enum {
    COMPARE_FIGURES = COMPARE_COST_TO_TARGET + 1
};

/* How an interval was computed. */
enum compare_method {
    METHOD_NONE,
    METHOD_T,
    METHOD_BOOTSTRAP
};

struct compare_figure {
    size_t runs; /* that have it */
    double best; /* NaN: not known, as all below */
    double median;
    struct stats_center center; /* geometric mean and its interval */
    enum compare_method method;
    const char *missing; /* why a part is not known; NULL: all is */
};

struct compare_ratio {
    struct stats_center ratio; /* arm / baseline; NaN: not known */
    enum compare_method method;
    const char *missing;
};

/* What a ratio shows. */
enum compare_shown {
    SHOWN_UNKNOWN,
    SHOWN_SINGLE_RUNS, /* one run an arm: nothing beyond itself */
    SHOWN_NONE,        /* the interval contains 1 */
    SHOWN_LESS,
    SHOWN_MORE
};

struct compare_arm {
    const char *name;
    struct compare_run *runs; /* run_count of them, in a row */
    size_t run_count;
    size_t counted; /* completed ones */
    size_t failed;
    size_t unfinished;
    const char *mixed; /* why there are no figures; or NULL */
    bool has_spent;    /* every run that ended has a cost */
    nanousd_t spent;
    struct compare_figure figures[COMPARE_FIGURES];
    /* Against the baseline, of which none of these is set. */
    struct compare_ratio cost;
    struct compare_ratio time;
    enum compare_shown cost_shown;
    enum compare_shown time_shown;
    struct compare_value break_even; /* work of a run */
};

enum compare_check_kind {
    CHECK_CODE,
    CHECK_HYPERPARAMETERS,
    CHECK_DATA,
    CHECK_WORK,
    CHECK_OBJECTIVE,
    CHECK_EMULATED,
    CHECK_CACHE,
    CHECK_BATCH_SIZE,
    CHECK_SETUP,
    CHECK_PRICING,
    CHECK_INTERLEAVED
};
enum {
    COMPARE_CHECKS = CHECK_INTERLEAVED + 1
};

enum compare_result {
    CHECK_EQUAL,
    CHECK_DIFFERS,
    CHECK_UNKNOWN
};

struct compare_check {
    enum compare_result result;
    bool flagged; /* no verdict because of it */
    char *message;
};

/* What can be said at all. */
enum compare_verdict {
    VERDICT_NONE,
    VERDICT_SINGLE_RUNS,
    VERDICT_NO_DIFFERENCE,
    VERDICT_DIFFERENCE
};

struct comparison {
    const struct compare_ask *ask;
    struct compare_run *runs; /* by arm and start */
    size_t run_count;
    struct compare_arm *arms; /* the baseline first */
    size_t arm_count;
    struct compare_check checks[COMPARE_CHECKS];
    bool comparable; /* no check is flagged */
    enum compare_verdict verdict;
    char *sentence;
    char **remarks; /* ends in NULL; or NULL */
};

/** Every interval's level. */
#define COMPARE_LEVEL 0.95

/**
 * Compares.  `runs` are taken over, whatever comes of it; `ask` is borrowed.  Where
 * there is one arm there is no verdict (VERDICT_NONE).
 *
 * ERR_INVALID: there are no runs, or no arm is the baseline.
 */
MUST_CHECK int compare_make(const struct compare_ask *ask, struct compare_run *runs,
                            size_t count, struct comparison *out, struct err *err);
void comparison_clear(struct comparison *comparison);
#define auto_comparison __attribute__((cleanup(comparison_clear)))

/** `arms`, `runs`, `checks`, `comparable`, `verdict`, `remarks`, `by`, `baseline`,
 * `level` and `seed` as in openapi.yaml.  The caller owns it. */
struct cJSON *compare_to_json(const struct comparison *comparison);

/* --- its parts, for the files of compare alone --- */

/** compare_figures.c: figures of every arm, and against the baseline. */
void compare_compute(struct comparison *comparison);
/** compare_checks.c: whether the work was equal. */
void compare_check_all(struct comparison *comparison);
const char *compare_check_name(enum compare_check_kind kind);
/** compare_verdict.c: the sentence and the remarks. */
void compare_judge(struct comparison *comparison);

#endif
