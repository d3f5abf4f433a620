#ifndef API_LOG_STREAM_H
#define API_LOG_STREAM_H

#include "daemon/jobs.h"
#include "src/base.h"

#include <sys/types.h>

/*
 * A job's output as one run of bytes: one rank's log as it is, or all ranks' lines
 * merged by their times.
 *
 * Holds no file open and at most LOG_PIECE_MAX bytes a rank, none while it waits, so
 * that a reader who is slow or gone costs no more than that.  What was cut before it
 * was read is told in its place, by a line
 *
 *   [railhead: 33554432 bytes of rank 0 were cut here]
 *
 * With `frames` all is given with its place: before each piece of a log a line
 *
 *   ATTEMPT RANK/RANKS OFFSET LENGTH
 *
 * where RANKS is how many the job has, and OFFSET that of the first of the LENGTH bytes
 * that follow, in that rank's log of that attempt.  A piece of no bytes comes before
 * all others of a log and says where it begins.  Where an offset is not the end of the
 * piece before, what is between was cut.
 */

/* A line longer than this is given in pieces, each on a line of its own but in frames,
 * when logs are merged. */
enum {
    LOG_PIECE_MAX = 65536
};

/* The most that `tail` may be: finding N lines among R ranks takes N x log R looks at a
 * time, in one round of the loop. */
enum {
    LOG_TAIL_MAX = 10000
};

struct log_query {
    int64_t worker; /* -1: all */
    int64_t rank;   /* -1: all, merged */
    int64_t tail;   /* last lines of what there is when it is asked; -1: all */
    usec_t since;   /* lines begun at this time or later; INT64_MIN: all */
    bool follow;    /* goes on until the job has ended */
    bool frames;    /* every piece with its place */
};

struct log_stream;

struct log_stream *log_stream_new(const struct log_query *query);
void log_stream_free(struct log_stream *stream);

/**
 * Tells what is known of the job's logs: at the start, and before it is asked for more.
 * The first call with any logs finds the places to begin at.
 *
 * @logs   by rank, all those of the job; copied
 * @ended  the job has ended and its logs are complete
 */
void log_stream_update(struct log_stream *stream, const struct job_log *logs,
                       size_t count, bool ended);

/** How many ranks' logs are in it. */
size_t log_stream_sources(const struct log_stream *stream);

/** Whether log_stream_read would find anything new, the end included.  Costs a stat a
 * rank. */
bool log_stream_is_ready(const struct log_stream *stream);

enum {
    LOG_STREAM_WAIT = 0,
    LOG_STREAM_END = -1
};

/** Bytes put into `out`, or LOG_STREAM_WAIT (only under `follow`), or LOG_STREAM_END.
 * A log that cannot be read counts as one that has no more. */
ssize_t log_stream_read(struct log_stream *stream, char *out, size_t room);

#endif
