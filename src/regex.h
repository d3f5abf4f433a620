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

/* Where in the bytes something was found. */
struct regex_match {
    size_t start; /* of the value */
    size_t len;
    size_t step_start; /* of the group named `step` */
    size_t step_len;   /* 0: there is none, or it took no part */
};

enum regex_outcome {
    REGEX_NONE,
    REGEX_FOUND,
    REGEX_TOO_DEAR, /* given up: 100,000 match steps, depth 1,000, heap 1 MiB */
};

/**
 * Looks for the first match in `bytes`.  The value is what the first group that is not
 * named `step` has, or the whole match when there is no such group; a match in which
 * that group took no part is none.  `out` is set only by REGEX_FOUND.
 */
enum regex_outcome regex_find(struct regex *regex, const char *bytes, size_t len,
                              struct regex_match *out);

#endif
