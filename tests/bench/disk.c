/*
 * How fast this disk makes things durable, without a daemon:
 *
 *   disk append FILE MS         4 KiB appended and fdatasync, again and again
 *   disk rows FILE MS ROWS      SQLite, ROWS rows of 1 KiB a transaction
 *
 * Decides nothing about what the figures mean.
 */

#include "tests/bench/bench.h"
#include "tests/bench/rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] = "disk append FILE MS | disk rows FILE MS ROWS";

enum {
    BLOCK_BYTES = 4096,
    ROW_BYTES = 1024
};

/* Repeats until the time is over; what comes before the first is not measured. */
struct run {
    int64_t length;
    int64_t took;
    struct bench_times times;
};

static void append(const char *path, struct run *run)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char block[BLOCK_BYTES];
    int64_t began = bench_now();
    int64_t before = began;

    if (fd < 0)
        bench_fail_errno(path);
    memset(block, 'x', sizeof block);
    while (before < began + run->length) {
        int64_t after;

        if (write(fd, block, sizeof block) != (ssize_t)sizeof block
            || fdatasync(fd) < 0)
            bench_fail_errno(path);
        after = bench_now();
        bench_times_add(&run->times, after - before);
        before = after;
    }
    run->took = before - began;
}

static void commit_rows(const char *path, int64_t rows_each, struct run *run)
{
    struct rows *rows = rows_open(path);
    char text[ROW_BYTES + 1];
    char name[32];
    int64_t began = bench_now();
    int64_t before = began;
    int64_t number = 0;

    memset(text, 'x', ROW_BYTES);
    text[ROW_BYTES] = '\0';
    while (before < began + run->length) {
        int64_t after;

        for (int64_t i = 0; i < rows_each; i++) {
            snprintf(name, sizeof name, "row-%lld", (long long)number++);
            rows_add(rows, name, text);
        }
        rows_commit(rows);
        after = bench_now();
        bench_times_add(&run->times, after - before);
        before = after;
    }
    run->took = before - began;
    rows_close(rows);
}

int main(int argc, char **argv)
{
    struct run run = { 0 };
    struct cJSON *answer = json_object_new();
    int64_t rows_each = 1;

    if (argc < 4)
        bench_fail("usage", usage);
    run.length = bench_number("MS", argv[3], 1, 600000) * 1000000;
    if (strcmp(argv[1], "append") == 0) {
        append(argv[2], &run);
    } else if (strcmp(argv[1], "rows") == 0 && argc == 5) {
        rows_each = bench_number("ROWS", argv[4], 1, 100000);
        commit_rows(argv[2], rows_each, &run);
    } else {
        bench_fail("usage", usage);
    }
    bench_times_tell(&run.times, answer);
    json_set_double(answer, "per_second",
                    (double)((int64_t)run.times.count * rows_each) * 1e9
                        / (double)run.took);
    bench_answer(answer);
    bench_times_clear(&run.times);
    return 0;
}
