#ifndef SRC_JOB_SPEC_MEMBERS_H
#define SRC_JOB_SPEC_MEMBERS_H

#include "src/job_spec.h"
#include "src/members.h"

/* Between the files of job_spec: the words of its enums in their order, and the readers
 * of its larger members. */

extern const char *const framework_names[]; /* ends in NULL, as the other two */
extern const char *const launcher_names[];
extern const char *const goal_names[];

/* Limits, told in railhead-job(5).  Linux takes at most 128 KiB for one argument or
 * variable and, with the usual 8 MiB of stack, 2 MiB in all. */
enum {
    SPEC_WORDS_MAX = 1000,
    SPEC_HYPERPARAMETERS_MAX = 1000,
    SPEC_ENVIRONMENT_MAX = 200,
    SPEC_TAGS_MAX = 50,
    SPEC_TAG_NAME_MAX = 128,  /* characters */
    SPEC_TAG_VALUE_MAX = 256, /* characters */
    SPEC_METRICS_MAX = 100,
    SPEC_METRIC_NAME_MAX = 255,
    SPEC_METRIC_REGEX_MAX = 500,
    SPEC_NAME_MAX = 256, /* of a hyperparameter or a variable */
    SPEC_PATH_MAX = 1024,
    SPEC_EXEC_ONE_MAX = 131071, /* without its NUL */
    SPEC_EXEC_ALL_MAX = 1 << 20,
    SPEC_RUN_DEFAULT_S = 86400,
    SPEC_RUN_MAX_S = 28 * 86400,
    SPEC_WAIT_MAX_S = 56 * 86400,
    SPEC_GRACE_DEFAULT_S = 120,
    SPEC_GRACE_MAX_S = 3600,
    /* They appear in SM_HPS and in SM_TRAINING_ENV, each one variable, where ASCII
     * escapes make of two bytes up to six: 3 * 32 KiB leave a quarter of the 128 KiB to
     * the rest. */
    SPEC_HYPERPARAMETERS_BYTES_MAX = 32768,
};

/* Member readers; `into` is a struct job_spec. */
member_reader_t spec_read_command;
member_reader_t spec_read_distribution;
member_reader_t spec_read_hyperparameters;
member_reader_t spec_read_environment;
member_reader_t spec_read_metric_definitions;
member_reader_t spec_read_work;
member_reader_t spec_read_objective;
member_reader_t spec_read_tags;
member_reader_t spec_read_fake;

#endif
