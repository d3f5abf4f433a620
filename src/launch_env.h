#ifndef SRC_LAUNCH_ENV_H
#define SRC_LAUNCH_ENV_H

#include "src/env.h"
#include "src/launch_plan.h"

/* What a rank finds in its environment; railhead-worker(8) lists it. */

/* One rank, or the torchrun agent of one worker (rank = worker then). */
struct launch_place {
    int worker;
    int rank;
    int local_rank;
    int processes_per_host;
};

/** What all ranks of a worker share, without the spec's own environment. Folders and
 * source are taken from `plan`; `user_args` is a JSON array as text.  Pure. */
void launch_env_shared(struct env *env, const struct launch_input *input,
                       const struct worker_plan *plan, int processes_per_host,
                       const char *user_args);

/** What a static torchrun sets for one rank.  Pure. */
void launch_env_torch(struct env *env, const struct launch_input *input,
                      const struct launch_place *place);

/** The spec's environment, which wins over all but the names by which a stray process
 * is recognised. Pure. */
void launch_env_spec(struct env *env, const struct launch_input *input, int worker);

#endif
