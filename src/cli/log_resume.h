#ifndef SRC_CLI_LOG_RESUME_H
#define SRC_CLI_LOG_RESUME_H

#include "src/base.h"
#include "src/text.h"

/*
 * A log stream over several connections, each of which begins at the log's start: what
 * was given before is passed over.
 *
 * The logs of several ranks come merged, "[RANK] " before each line, and the order of
 * ranks need not be the same twice.  So lines are counted by rank; that of one rank
 * always is the same.
 */

struct log_resume_rank {
    int64_t rank;  /* -1: lines without "[RANK] " */
    int64_t given; /* whole lines given, over all connections */
    size_t begun;  /* bytes given of the line behind those */
    int64_t seen;  /* whole lines of this connection */
};

enum {
    LOG_HEAD_MAX = 14
}; /* "[2147483647] " and one to tell that it is longer */

struct log_resume {
    struct log_resume_rank *ranks;
    size_t count;
    char head[LOG_HEAD_MAX]; /* start of a line whose rank is not yet known */
    size_t head_len;
    bool is_inside; /* of a line whose rank is known: ranks[line_rank] */
    size_t line_rank;
    size_t line_len; /* bytes of it so far */
};

/** Adds to `out` what is new in these bytes.  A few bytes may be held back to tell the
 * rank of their line. */
void log_resume_feed(struct log_resume *resume, const char *bytes, size_t len,
                     struct text *out);

/** The log is at its end: adds what is held back. */
void log_resume_finish(struct log_resume *resume, struct text *out);

/** A new connection begins at the log's start. */
void log_resume_restart(struct log_resume *resume);

void log_resume_clear(struct log_resume *resume);

#endif
