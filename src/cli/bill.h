#ifndef SRC_CLI_BILL_H
#define SRC_CLI_BILL_H

#include "src/cli/verbs.h"

/* The questions of jobctl bill, each in a file bill_*.c. */

extern const struct verb verb_bill_usage;

#endif
