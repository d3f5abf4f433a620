/*
 * How fast this machine starts processes and sees their end, without a daemon:
 *
 *   spawn many PARALLEL COUNT PROGRAM ARGUMENT...    COUNT in all, PARALLEL at once
 *   spawn first COUNT PROGRAM FILE                   one after the other; the program
 *                                                    writes CLOCK_BOOTTIME to FILE
 *
 * "@" alone as an ARGUMENT stands for the number of the start.  By posix_spawn from a
 * small process: the cheapest start that there is.
 */

#include "tests/bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "spawn many PARALLEL COUNT PROGRAM ARGUMENT... | spawn first COUNT PROGRAM FILE";

static void start(char **argv)
{
    pid_t pid;
    int errno_value;

    if (!argv[0])
        bench_fail("usage", usage);
    errno_value = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
    if (errno_value)
        bench_fail(argv[0], strerror(errno_value));
}

static void await_one(void)
{
    int status;

    if (wait(&status) < 0)
        bench_fail_errno("wait");
    if (status != 0)
        bench_fail("program", "did not end with 0");
}

static double cpu_ms(int who)
{
    struct rusage used;

    getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3
           + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static void start_numbered(char **argv, int64_t number)
{
    static char at[] = "@";
    char text[32];
    char **mark = NULL;

    for (char **each = argv; *each && !mark; each++)
        if (strcmp(*each, at) == 0)
            mark = each;
    snprintf(text, sizeof text, "%lld", (long long)number);
    if (mark)
        *mark = text;
    start(argv);
    if (mark)
        *mark = at;
}

static void many(int64_t parallel, int64_t count, char **argv)
{
    struct cJSON *answer = json_object_new();
    int64_t began = bench_now();
    int64_t started = 0;

    for (int64_t ended = 0; ended < count; ended++) {
        while (started < count && started - ended < parallel)
            start_numbered(argv, started++);
        await_one();
    }
    json_set_double(answer, "per_second",
                    (double)count * 1e9 / (double)(bench_now() - began));
    json_set_double(answer, "cpu_ms_each",
                    (cpu_ms(RUSAGE_SELF) + cpu_ms(RUSAGE_CHILDREN)) / (double)count);
    bench_answer(answer);
}

static int64_t boot_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static int64_t read_time(const char *path)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[64];
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (got <= 0)
        bench_fail_errno(path);
    text[got] = '\0';
    return strtoll(text, NULL, 10);
}

static void first(int64_t count, char **argv)
{
    struct cJSON *answer = json_object_new();
    struct cJSON *times = json_array_new();

    for (int64_t i = 0; i < count; i++) {
        int64_t before = boot_now();

        start(argv);
        await_one();
        json_append(times, json_int_new((read_time(argv[1]) - before) / 1000));
        if (unlink(argv[1]) < 0)
            bench_fail_errno(argv[1]);
    }
    json_set(answer, "us", times);
    bench_answer(answer);
}

int main(int argc, char **argv)
{
    if (argc >= 5 && strcmp(argv[1], "many") == 0)
        many(bench_number("PARALLEL", argv[2], 1, 1000),
             bench_number("COUNT", argv[3], 1, 1000000), argv + 4);
    else if (argc == 5 && strcmp(argv[1], "first") == 0)
        first(bench_number("COUNT", argv[2], 1, 1000000), argv + 3);
    else
        bench_fail("usage", usage);
    return 0;
}
