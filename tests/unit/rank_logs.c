/* Writes what a worker would. */

#include "tests/unit/rank_logs.h"

#include "src/journal.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *folder;
struct job_log logs[RANKS_MAX];
size_t ranks;
bool line_is_open[RANKS_MAX];
struct log_stream *stream;
struct log_query query;
bool job_ended;

void add_rank(void)
{
    logs[ranks] = (struct job_log){
        .worker = (int)ranks / 2,
        .rank = (int)ranks,
        .path = xasprintf("%s/rank-%zu.log", folder, ranks),
        .times_path = xasprintf("%s/rank-%zu.times", folder, ranks),
    };
    ranks++;
}

void rank_logs_set_up(void)
{
    folder = scratch_folder();
    ranks = 0;
    memset(line_is_open, 0, sizeof line_is_open);
    stream = NULL;
    query =
        (struct log_query){ .worker = -1, .rank = -1, .tail = -1, .since = INT64_MIN };
    job_ended = false;
    add_rank();
    add_rank();
}

void rank_logs_tear_down(void)
{
    log_stream_free(stream);
    for (size_t i = 0; i < ranks; i++) {
        free(logs[i].path);
        free(logs[i].times_path);
    }
    scratch_remove(folder);
}

void begin_attempt(size_t rank, int attempt)
{
    free(logs[rank].path);
    free(logs[rank].times_path);
    logs[rank].attempt = attempt;
    logs[rank].path = xasprintf("%s/again-%zu.log", folder, rank);
    logs[rank].times_path = xasprintf("%s/again-%zu.times", folder, rank);
    line_is_open[rank] = false;
}

void append(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "ae");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

void write_record(const char *path, uint64_t offset, int64_t at)
{
    struct log_time record = { htole64(offset),
                               (int64_t)htole64((uint64_t)(at * USEC_PER_SEC)) };

    append(path, &record, sizeof record);
}

void write_log(size_t rank, int64_t at, const char *bytes)
{
    struct stat info;
    size_t len = strlen(bytes);

    append(logs[rank].path, "", 0);
    ck_assert_int_eq(stat(logs[rank].path, &info), 0);
    append(logs[rank].path, bytes, len);
    if (!line_is_open[rank])
        write_record(logs[rank].times_path, (uint64_t)info.st_size, at);
    line_is_open[rank] = bytes[len - 1] != '\n';
}

char *take(size_t room)
{
    struct text all = { 0 };
    auto_free char *piece = xmalloc(room);
    ssize_t got;

    if (!stream)
        stream = log_stream_new(&query);
    log_stream_update(stream, logs, ranks, job_ended);
    while ((got = log_stream_read(stream, piece, room)) > 0)
        text_add(&all, piece, (size_t)got);
    return text_steal(&all);
}

void assert_next(const char *expected)
{
    auto_free char *got = take(4096);

    ck_assert_str_eq(got, expected);
}
