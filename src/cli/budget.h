#ifndef SRC_CLI_BUDGET_H
#define SRC_CLI_BUDGET_H

#include "src/cli/verbs.h"

/* The commands of jobctl budget, which have options of their own. */

extern const struct verb verb_budget_set;
extern const struct verb verb_budget_ls;
extern const struct verb verb_budget_show;
extern const struct verb verb_budget_rm;

/** "/v1/budgets/NAME"; the caller frees. */
char *budget_path(const char *name);

#endif
