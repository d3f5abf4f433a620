#ifndef SRC_LAUNCH_ENV_H
#define SRC_LAUNCH_ENV_H

#include "src/launch_private.h"

/* What a rank finds in its environment; railhead-worker(8) lists it.  All is pure. */

/* More bytes than this, Linux gives no program in one variable (MAX_ARG_STRLEN). */
enum {
    LAUNCH_VARIABLE_MAX = 131071,
    LAUNCH_TRAINING_ENV_HOSTS = 100 /* SM_TRAINING_ENV is there for so many hosts */
};

/** What all ranks of a worker share, without the spec's own environment. Folders and
 * source are taken from `plan`; `user_args` is a JSON array as text. */
void launch_env_shared(struct env *env, const struct launch_input *input,
                       const struct worker_plan *plan, const char *user_args);

/** What one rank, or what starts the ranks, has for itself: its number, its FIFOs, its
 * part of the accelerators, and what its distribution tells it. */
void launch_env_rank(struct env *env, const struct launch_input *input,
                     const struct worker_plan *plan, const struct launch_place *place);

/** The spec's environment, which wins over all but the names by which a stray process
 * is recognised. */
void launch_env_spec(struct env *env, const struct launch_input *input, int worker);

#endif
