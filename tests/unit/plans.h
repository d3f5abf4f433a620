#ifndef TESTS_UNIT_PLANS_H
#define TESTS_UNIT_PLANS_H

#include "src/launch_plan.h"

/* Plans in tests: three hosts, three instance types, specs from a few members. */

extern const struct profile plans_c5;   /* 4 vCPUs */
extern const struct profile plans_p4d;  /* 8 GPUs, EFA */
extern const struct profile plans_trn1; /* 32 NeuronCores, EFA */

/** A spec of one type and count with more members: "\"entry_point\": \"t.py\"".  It is
 * named "job" and has a source.  The caller frees; fails the test when it is refused.
 */
struct job_spec *plans_spec(const char *members, const char *type, int count);

/** Job 01JOB in /jobs/01JOB, port 20000, not isolated, on hosts that share one. */
struct launch_input plans_input(const struct job_spec *spec,
                                const struct profile *profile);

/** Fails the test when there is none.  The caller frees. */
struct worker_plan *plans_make(const struct launch_input *input, int worker);

/** The value of a variable, or NULL; fails the test when its name is there twice. */
const char *plans_env(const struct rank_plan *rank, const char *name);

/** Arguments in brackets, [a][b c]; the caller frees. */
char *plans_shown(char *const *argv);

#endif
