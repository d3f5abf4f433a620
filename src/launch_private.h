#ifndef SRC_LAUNCH_PRIVATE_H
#define SRC_LAUNCH_PRIVATE_H

#include "src/env.h"
#include "src/launch_plan.h"

/* Between the files launch_*.c; nobody else includes this.  All of it is pure. */

/* One rank of a plan. */
struct launch_place {
    enum rank_kind kind;
    int worker;
    int rank;
    int local_rank;
    int processes_per_host; /* of the user's, servers not counted */
};

/** Processes that are no servers, of the whole job. */
int launch_program_count(const struct job_spec *spec, const struct profile *profile);

/** How others reach a worker: its name where names resolve, else its address. */
const char *launch_host(const struct launch_input *input, int worker);

/* --- launch_mpi.c --- */

/* custom_mpi_options, read. */
struct mpi_options {
    char **words;     /* for mpirun, ends in NULL; or NULL */
    char *nccl_debug; /* of --NCCL_DEBUG; or NULL */
};

MUST_CHECK int mpi_options_read(const char *text, struct mpi_options *out,
                                struct err *err);
void mpi_options_clear(struct mpi_options *options);

/** The command line of mpirun; takes over `program`, what it is to start. */
char **launch_mpirun_argv(const struct launch_input *input,
                          const struct worker_plan *plan,
                          const struct mpi_options *options, char **program);

/** Lines "algo-1 slots=2".  The caller frees. */
char *launch_hostfile(const struct launch_input *input);

/** Settings of Open MPI and NCCL, alike for all workers: by the environment and not on
 * mpirun's command line, so that custom_mpi_options may have its own word on each. */
void launch_env_mpi(struct env *env, const struct launch_input *input,
                    const struct mpi_options *options);

/* --- launch_tf.c --- */

/** TF_CONFIG of a rank of parameter_server or multi_worker_mirrored_strategy; the
 * caller frees. */
char *launch_tf_config(const struct launch_input *input,
                       const struct launch_place *place);

/* --- launch_training_env.c --- */

/** SM_TRAINING_ENV, from what `env` has already; the caller frees. */
char *launch_training_env(const struct launch_input *input,
                          const struct worker_plan *plan, const struct env *env);

/** SM_FRAMEWORK_MODULE: the module of SageMaker's image; "" where there is none. */
const char *launch_framework_module(const struct job_spec *spec);

/** SM_FRAMEWORK_PARAMS: the hyperparameters by which SageMaker's SDK asks for a
 * distribution.  The caller frees. */
struct cJSON *launch_framework_params(const struct job_spec *spec);

#endif
