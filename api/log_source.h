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
    int attempt;
    int rank;
    char *path;
    char *times_path;
    uint64_t segment;       /* of the log, the last one when it was last looked for */
    uint64_t times_segment; /* of its times */
    bool ended;             /* nothing more will come */
    uint64_t at;            /* offset in the log of the first byte not yet given */
    uint64_t end;           /* reads no further than this */
    uint64_t missed;        /* bytes before `at` that were cut before they were read */

    char *buffer; /* from `start` on, `len` bytes of the log from `at` on */
    size_t start;
    size_t len;
    size_t room;
    bool dry;  /* at the end of the file, in this round of reading */
    bool torn; /* that is because what follows was cut */

    bool has_line;   /* a line, or a piece of one, comes next in `buffer` */
    size_t line_len; /* its bytes, without the line feed */
    bool line_ends;  /* a line feed follows */
    usec_t line_at;

    uint64_t record; /* in the times: the last one known to be at or before `at`, or the
                        first that is kept */
    struct log_time cache[LOG_TIMES_CACHED];
    uint64_t cache_first;
    size_t cache_count;
};

void log_source_init(struct log_source *source, const struct job_log *log);
void log_source_clear(struct log_source *source);

/** Bytes that there have been in the log by now; 0 when there is none. */
uint64_t log_source_size(struct log_source *source);

/** Whole records that there have been in the times by now. */
uint64_t log_source_records(struct log_source *source);

/** A record; false when it is not there, or not any more. */
bool log_source_record(struct log_source *source, uint64_t index, struct log_time *out);

/** The first of `count` records whose line is kept and was begun at `since` or later;
 * `count` when there is none.  Times never go down. */
uint64_t log_source_first(struct log_source *source, uint64_t count, usec_t since);

/** Begins at this record's line, or at the first byte that there ever was when all that
 * is kept is wanted, so that what was cut before is missed; at the log's present end
 * when `index` is `count`. */
void log_source_begin_at(struct log_source *source, uint64_t index, uint64_t count);

/** Puts the log's next bytes into `out` as they are; 0: none for now.  They may be the
 * first ones after bytes that are `missed`. */
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

/** Nothing more is asked for a while: holds no memory for what it does not have. */
void log_source_rest(struct log_source *source);

#endif
