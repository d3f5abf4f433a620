#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "src/base.h"
#include "src/json.h"

/* What the drivers share: a clock, the times of many repetitions, the answer on stdout.
 * A driver that cannot measure ends at once and says why: half a figure is none. */

#define NSEC_PER_SEC INT64_C(1000000000)

/** CLOCK_MONOTONIC in nanoseconds. */
int64_t bench_now(void);

/** Ends the program: "what: reason" on stderr, exit code 1. */
_Noreturn void bench_fail(const char *what, const char *reason);
_Noreturn void bench_fail_errno(const char *what);

/** A whole number from the command line within [least, most], or the end. */
int64_t bench_number(const char *name, const char *text, int64_t least, int64_t most);

struct bench_times {
    int64_t *nsec;
    size_t count;
    size_t room;
};

void bench_times_add(struct bench_times *times, int64_t nsec);
void bench_times_clear(struct bench_times *times);

/** Sets "count", "p50_us" and "p99_us" in `out`; sorts the times. */
void bench_times_tell(struct bench_times *times, struct cJSON *out);

/** Prints the answer as one line and frees it. */
void bench_answer(struct cJSON *answer);

#endif
