#ifndef SRC_CLI_PLAN_H
#define SRC_CLI_PLAN_H

#include "src/json.h"
#include "src/text.h"

/* The plan of a job, for people. */

/** Adds a word as a shell reads it: as it is when nothing in it is special, else in
 * '...', or in $'...' (bash) when it has control characters.  Pure. */
void plan_add_word(struct text *out, const char *word);

/**
 * Every rank's command line, to be pasted, and its environment; `plan` as the server
 * gives it.  What all ranks have is told once, of each one what it has besides.  Pure.
 */
void plan_add(const struct cJSON *plan, struct text *out);

#endif
