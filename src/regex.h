#ifndef SRC_REGEX_H
#define SRC_REGEX_H

#include "src/base.h"
#include "src/err.h"

/* The door to PCRE2, with limits on the work of one match. */

struct regex;

/** Compiles (UTF off: bytes). ERR_INVALID tells the place and PCRE2's reason. The
 * caller frees. */
MUST_CHECK int regex_new(const char *pattern, struct regex **out, struct err *err);
void regex_free(struct regex *regex);

/**
 * Looks for the first match in `bytes`.  True when there is one and group 1 (the whole
 * when there are no groups) took part: its place is in *start and *len.  A match that
 * reaches the limits (100,000 match steps, depth 1,000, heap 1 MiB) counts as none.
 */
bool regex_find(struct regex *regex, const char *bytes, size_t len, size_t *start,
                size_t *found_len);

#endif
