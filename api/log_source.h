#ifndef API_LOG_SOURCE_H
#define API_LOG_SOURCE_H

#include "daemon/jobs.h"
#include "src/base.h"
#include "src/journal.h"

#include <sys/types.h>

/* One rank's log with the times of its lines: what a log_stream is made of. */

enum {
    LOG_TIMES_CACHED = 128
};

struct log_source {
    int rank;
    char *path;
    char *times_path;
    bool ended;   /* nothing more will come */
    uint64_t at;  /* offset in the log of the first byte not yet given */
    uint64_t end; /* reads no further than this */

    char *buffer; /* from `start` on, `len` bytes of the log from `at` on */
    size_t start;
    size_t len;
    size_t room;
    bool dry; /* at the end of the file, in this round of reading */

    bool has_line;   /* a line, or a piece of one, comes next in `buffer` */
    size_t line_len; /* its bytes, without the line feed */
    bool line_ends;  /* a line feed follows */
    usec_t line_at;

    uint64_t record; /* in the times: the last one known to be at or before `at` */
    struct log_time cache[LOG_TIMES_CACHED];
    uint64_t cache_first;
    size_t cache_count;
};

void log_source_init(struct log_source *source, const struct job_log *log);
void log_source_clear(struct log_source *source);

/** Bytes that the log has by now; 0 when there is none. */
uint64_t log_source_size(const struct log_source *source);

/** Whole records of the times by now. */
uint64_t log_source_records(const struct log_source *source);

/** A record; false when it is not there. */
bool log_source_record(struct log_source *source, uint64_t index, struct log_time *out);

/** The first of `count` records whose time is `since` or later; `count` when there is
 * none.  Times never go down. */
uint64_t log_source_first_since(struct log_source *source, uint64_t count,
                                usec_t since);

/** Begins at this record's line; at the log's present end when `index` is `count`. */
void log_source_begin_at(struct log_source *source, uint64_t index, uint64_t count);

/** Puts the log's next bytes into `out` as they are; 0: none for now. */
size_t log_source_read_raw(struct log_source *source, char *out, size_t room);

/**
 * Sees to it that the next line is in the buffer; false when there is none for now.
 *
 * @final  no more will come: an unfinished line counts as a line
 */
bool log_source_fill(struct log_source *source, bool final);

/** Its bytes, line_len of them, until the next call. */
const char *log_source_line(const struct log_source *source);

/** That line has been given. */
void log_source_drop_line(struct log_source *source);

#endif
