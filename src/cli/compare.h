#ifndef SRC_CLI_COMPARE_H
#define SRC_CLI_COMPARE_H

#include "src/cli/remote.h"
#include "src/cli/verbs.h"
#include "src/err.h"
#include "src/json.h"
#include "src/text.h"

/* What jobctl compare and jobctl benchmark are made of.  A comparison is the answer of
 * POST /v1/comparisons. */

/* --- compare_claim.c: --what-if --- */

struct claim_words {
    const char *faster;   /* percent */
    const char *cheaper;  /* percent */
    const char *baseline; /* dollars an hour of the type that it is compared with */
    char *const *prices;  /* of the other one, to be tried; ends in NULL; or NULL */
};

/** Says for which prices and times the claim holds.  Gives the exit code. */
int compare_claim(const struct cli *cli, const struct claim_words *words);

/* --- compare_print.c --- */

/** Has the server compare what `request`, a body of POST /v1/comparisons, asks for, and
 * prints that on stdout, in the form of --output.  Gives the exit code. */
int compare_print(const struct cli *cli, struct remote *remote,
                  const struct cJSON *request);

/* --- compare_table.c: for people --- */

/** Runs, arms, what they are against the baseline, checks, verdict.  Pure. */
void compare_table(const struct cJSON *comparison, struct text *out);

/** Dollars with as many digits as people want ("4.65", "0.0002267"), "-" for null or
 * what is no amount.  Returns `out`. */
const char *compare_usd(const struct cJSON *amount, char out[40]);

/* --- compare_chart.c: to be shown --- */

/** An SVG picture: for each arm what its runs cost, their median and the interval, and
 * the same of their time.  Pure. */
void compare_svg(const struct cJSON *comparison, struct text *out);

/** A page with verdict, picture and tables, which needs nothing else.  Pure. */
void compare_html(const struct cJSON *comparison, struct text *out);

#endif
