#ifndef SRC_CLI_BILL_H
#define SRC_CLI_BILL_H

#include "src/cli/verbs.h"
#include "src/json.h"
#include "src/text.h"

/* The questions of jobctl bill, each in a file bill_*.c. */

extern const struct verb verb_bill_usage;
extern const struct verb verb_bill_verify;
extern const struct verb verb_bill_receipt;

/** The report of usage, as GET /v1/usage gives it in JSON, for people.  Pure. */
void bill_table(const struct cJSON *report, struct text *out);

#endif
