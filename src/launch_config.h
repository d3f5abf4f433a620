#ifndef SRC_LAUNCH_CONFIG_H
#define SRC_LAUNCH_CONFIG_H

#include "src/launch_plan.h"

/* The files of /opt/ml/input/config, and the values that the environment has of them.
 * All of it is pure; the caller owns what is returned. */

/** resourceconfig.json, as one worker sees it. */
struct cJSON *launch_resource_config(const struct launch_input *input, int worker);

/** The instance groups of resourceconfig.json: one, of all instances. */
struct cJSON *launch_instance_group(const struct launch_input *input);
extern const char launch_group_name[]; /* homogeneousCluster */

/** [algo-1, ...] in the order of the workers. */
struct cJSON *launch_host_names(const struct launch_input *input);

/** inputdataconfig.json. */
struct cJSON *launch_input_data_config(const struct job_spec *spec);

/** A hyperparameter where only text can stand, in hyperparameters.json and SM_HP_KEY:
 * text as it is, null as "", all else as JSON. */
char *launch_value_text(const struct cJSON *value);

/** Adds all files to the plan. */
void launch_configs_add(struct worker_plan *plan, const struct launch_input *input);

/** Adds one. */
void launch_config_add(struct worker_plan *plan, const char *name, const char *text);

#endif
