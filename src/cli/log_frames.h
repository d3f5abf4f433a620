#ifndef SRC_CLI_LOG_FRAMES_H
#define SRC_CLI_LOG_FRAMES_H

#include "src/base.h"
#include "src/text.h"

/*
 * A log in frames (railhead-api(7)), over one or several connections, made into what a
 * person reads.  Every frame says whose bytes it has and at which offset, so that what
 * an earlier connection gave is passed over and what was cut is seen, to the byte.
 */

struct log_frames_rank {
    uint64_t attempt;
    uint64_t rank;
    uint64_t next; /* offset of the first byte not given */
};

enum {
    LOG_FRAME_HEAD_MAX =
        128 /* five numbers of at most 20 digits, and what is between */
};

struct log_frames {
    bool plain;  /* no "[RANK] " before lines, though the job has several ranks */
    bool broken; /* a frame was none: nothing more is taken */

    struct log_frames_rank *ranks;
    size_t count;

    char head[LOG_FRAME_HEAD_MAX]; /* of a frame whose head has not all come */
    size_t head_len;
    size_t at;       /* ranks[at] is whose bytes come */
    bool is_alone;   /* the job has this rank only */
    uint64_t offset; /* of the next byte of the frame */
    uint64_t left;   /* of the frame to come */

    bool in_line; /* the last byte given was not a line feed */
    size_t line_at;
};

/** Adds to `out` what is new in these bytes, to `notes` a line for every piece that was
 * cut. */
void log_frames_feed(struct log_frames *frames, const char *bytes, size_t len,
                     struct text *out, struct text *notes);

/** The log is at its end: ends a line that has "[RANK] " before it. */
void log_frames_finish(struct log_frames *frames, struct text *out);

/** A new connection begins. */
void log_frames_restart(struct log_frames *frames);

void log_frames_clear(struct log_frames *frames);

#endif
