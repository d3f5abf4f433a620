#ifndef SRC_CLI_FIGURE_H
#define SRC_CLI_FIGURE_H

#include "src/json.h"
#include "src/text.h"

/* What a job cost and what the money bought, in lines for people. */

/** Text or number as it was written; NULL for anything else. */
const char *figure_words(const struct cJSON *value);

/** One line "  label   words". */
void figure_row(struct text *out, const char *label, const char *format, ...)
    PRINTF_LIKE(3, 4);

/** The same for words that may be long: lines of some 90 places below each other, and
 * line feeds as they are. */
void figure_paragraph(struct text *out, const char *label, const char *words);

/**
 * The price of an instance-hour: "$0.204 per instance-hour (catalog, as of
 * 2026-09-01)", an estimate is called one; "unpriced" for null.  Pure.
 */
void figure_price(const struct cJSON *price, struct text *out);

/** The block at the end of `show` and of `submit --wait`; `job` as the server gives it.
 * What is missing says why.  Pure. */
void figure_add(const struct cJSON *job, struct text *out);

#endif
