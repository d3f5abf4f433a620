#ifndef TESTS_LIB_MADE_H
#define TESTS_LIB_MADE_H

#include "src/err.h"

#include <stdint.h>

/* What programs share that make databases for tests: each ends with status 1 and a line
 * when something fails. */

_Noreturn void made_fail(const char *what, const char *why);
void made_must(int result, const struct err *err);

/** A number of [0, bound), the same ones after the same `*random`. */
int64_t made_below(uint64_t *random, int64_t bound);

/** A number of the command line. */
int64_t made_number(const char *text);

#endif
