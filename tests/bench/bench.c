/* What the drivers of the benchmarks share.  Decides how a percentile is taken: the
 * nearest rank, so that every figure is a time that was really seen. */

#include "tests/bench/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void bench_fail(const char *what, const char *reason)
{
    fprintf(stderr, "bench: %s: %s\n", what, reason);
    exit(1);
}

void bench_fail_errno(const char *what)
{
    bench_fail(what, strerror(errno));
}

int64_t bench_number(const char *name, const char *text, int64_t least, int64_t most)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < least || number > most)
        bench_fail(name, "not a whole number in its range");
    return number;
}

void bench_times_add(struct bench_times *times, int64_t nsec)
{
    if (times->count == times->room) {
        times->room = times->room ? times->room * 2 : 4096;
        times->nsec = xrealloc(times->nsec, times->room * sizeof *times->nsec);
    }
    times->nsec[times->count++] = nsec;
}

void bench_times_clear(struct bench_times *times)
{
    free(times->nsec);
    *times = (struct bench_times){ 0 };
}

static int by_length(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static double percentile_us(const struct bench_times *times, size_t percent)
{
    size_t rank = (times->count * percent + 99) / 100;

    return (double)times->nsec[rank ? rank - 1 : 0] / 1000.0;
}

void bench_times_tell(struct bench_times *times, struct cJSON *out)
{
    if (!times->count)
        bench_fail("measure", "nothing was done in the time given");
    qsort(times->nsec, times->count, sizeof *times->nsec, by_length);
    json_set_int(out, "count", (int64_t)times->count);
    json_set_double(out, "p50_us", percentile_us(times, 50));
    json_set_double(out, "p99_us", percentile_us(times, 99));
}

void bench_answer(struct cJSON *answer)
{
    auto_json struct cJSON *owned = answer;
    auto_free char *text = json_print(owned);

    if (puts(text) < 0 || fflush(stdout) != 0)
        bench_fail_errno("write the answer");
}
