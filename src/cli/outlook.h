#ifndef SRC_CLI_OUTLOOK_H
#define SRC_CLI_OUTLOOK_H

#include "src/json.h"
#include "src/text.h"

/* What a job may cost, in lines for people.  All of it is pure. */

/** The price of all instances and what the job can cost at most; `outlook` is an
 * estimate or a forecast as the server gives it. */
void outlook_add_bounds(const struct cJSON *outlook, const struct cJSON *price,
                        struct text *out);

/** What it is likely to cost, on what that rests, or why it is not known; `likely` is
 * that member of an estimate, or a forecast. */
void outlook_add_likely(const struct cJSON *likely, struct text *out);

/** Of a job that has not ended: when it will have, and what it will have cost. */
void outlook_add_forecast(const struct cJSON *forecast, struct text *out);

#endif
