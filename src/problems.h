#ifndef SRC_PROBLEMS_H
#define SRC_PROBLEMS_H

#include "src/base.h"

/* All that is wrong with one input, so that a user mends it in one go. */

struct problem {
    char *path;    /* the member: "distribution.torch_distributed"; "": the whole */
    char *message; /* what is wrong, with the value */
    char *hint;    /* the remedy; NULL when the message says it */
};

struct problems {
    struct problem *items;
    size_t count;
};

/* At most this many are kept; more are counted in no answer. */
enum {
    PROBLEMS_MAX = 100
};

/** Adds one; path and hint (may be NULL) are copied. */
void problems_add(struct problems *problems, const char *path, const char *hint,
                  const char *format, ...) PRINTF_LIKE(4, 5);

/** Frees the items; the struct may be used again. */
void problems_clear(struct problems *problems);

#define auto_problems __attribute__((cleanup(problems_clear)))

struct cJSON;

/** An array of {path, message, hint}, as in a problem answer.  The caller owns it. */
struct cJSON *problems_to_json(const struct problems *problems);

/** Adds those of such an array that was read; one without a message says "refused". */
void problems_add_json(struct problems *problems, const struct cJSON *errors);

#endif
