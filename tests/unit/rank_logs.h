#ifndef TESTS_UNIT_RANK_LOGS_H
#define TESTS_UNIT_RANK_LOGS_H

#include "api/log_stream.h"

/* The logs of a job's ranks as workers write them, and a stream of them: what tests of
 * logs stand on.  Two ranks a worker; two ranks at the start. */

enum {
    RANKS_MAX = 4
};

extern struct job_log logs[RANKS_MAX];
extern size_t ranks;
extern bool line_is_open[RANKS_MAX];
extern struct log_stream *stream;
extern struct log_query query;
extern bool job_ended;

void rank_logs_set_up(void);
void rank_logs_tear_down(void);
void add_rank(void);

/** Another attempt: its files are others. */
void begin_attempt(size_t rank, int attempt);

void append(const char *path, const void *bytes, size_t len);

/** As a worker does: the bytes, and a record for the line that they begin.  Time in
 * seconds. */
void write_log(size_t rank, int64_t at, const char *bytes);
void write_record(const char *path, uint64_t offset, int64_t at);

/** All that there is for now, taken in pieces of `room`; the caller frees. */
char *take(size_t room);
void assert_next(const char *expected);

#endif
