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
    SPEC_PROCESSES_MAX = 256,
    SPEC_MPI_OPTIONS_MAX = 4096,
    SPEC_CHANNELS_MAX = 20, /* as SageMaker's */
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
    SPEC_KEEP_ALIVE_MAX_S = 21600, /* as SageMaker's */
    /* They appear in SM_HPS and in SM_TRAINING_ENV, each one variable, where ASCII
     * escapes make of two bytes up to six: 3 * 32 KiB leave a quarter of the 128 KiB to
     * the rest. */
    SPEC_HYPERPARAMETERS_BYTES_MAX = 32768,
};

/* Member readers; `into` is a struct job_spec. */
member_reader_t spec_read_command;
member_reader_t spec_read_hyperparameters;
member_reader_t spec_read_environment;
member_reader_t spec_read_metric_definitions;
member_reader_t spec_read_work;
member_reader_t spec_read_objective;
member_reader_t spec_read_tags;
member_reader_t spec_read_budget;
member_reader_t spec_read_fake;

/* Of job_spec_parse.c. */
bool spec_is_python(const char *path); /* NULL is none */

/* Of job_spec_distribution.c. */
member_reader_t spec_read_distribution;
void spec_check_distribution(const struct job_spec *spec, const struct cJSON *json,
                             const struct member_place *whole);
enum framework spec_default_framework(const struct job_spec *spec);
struct cJSON *spec_distribution_to_json(const struct job_spec *spec);

/* Of job_spec_data.c. */
member_reader_t spec_read_inputs;
member_reader_t spec_read_output_path;
member_reader_t spec_read_output_compression;
member_reader_t spec_read_checkpoint;
member_reader_t spec_read_retry;
void spec_data_init(struct job_spec *spec);
void spec_data_clear(struct job_spec *spec);
void spec_check_data(const struct job_spec *spec, const struct cJSON *json,
                     const struct member_place *whole);
void spec_inputs_to_json(const struct job_spec *spec, struct cJSON *json);
void spec_outputs_to_json(const struct job_spec *spec, struct cJSON *json);
struct cJSON *spec_retry_to_json(const struct job_spec *spec);

#endif
