/* What programs share that make databases for tests. */

#include "tests/lib/made.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void made_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}

void made_must(int result, const struct err *err)
{
    if (result < 0)
        made_fail("store", err->text);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
int64_t made_below(uint64_t *random, int64_t bound)
{
    uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (int64_t)(z % (uint64_t)bound);
}

int64_t made_number(const char *text)
{
    char *rest;
    long long value = strtoll(text, &rest, 10);

    if (*rest || rest == text || value < 0)
        made_fail(text, "not a number");
    return value;
}
