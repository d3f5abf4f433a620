#ifndef SRC_RANK_LOG_H
#define SRC_RANK_LOG_H

#include "src/base.h"

/*
 * What a rank has printed, and the times of its lines: two files that only grow,
 * rank-N.log and rank-N.times (src/journal.h), each cut into segments of
 * RANK_LOG_SEGMENT bytes.  PATH has the first, PATH.1 the second, and so on, each full
 * before the next one begins.
 *
 * The oldest segments may be removed.  PATH.kept then has, as a little-endian 64-bit
 * integer, the offset of the first byte that is kept; it is written before a segment
 * goes.  An offset counts from the first byte that there ever was, so it stays true.
 *
 * A job can write these files: nothing here follows a link, waits for a FIFO, or
 * believes a number.
 */

/* A power of 2, so that no record of 16 bytes lies in two segments.  Small against the
 * least that may be kept; large against what opening a file costs. */
#define RANK_LOG_SEGMENT (UINT64_C(16) << 20)

/** Path of the segment of this number, from 0.  The caller frees. */
char *rank_log_segment(const char *path, uint64_t segment);

/** Path of the file that says what is kept.  The caller frees. */
char *rank_log_kept_path(const char *path);

/** Offset of the first byte that is kept; 0 when all is. */
uint64_t rank_log_kept(const char *path);

/**
 * Offset behind the last byte; 0 when there is none.
 *
 * @segment  where it is looked for first, 0 at the start; set to where it was found:
 * the next look costs one stat, the first one as many as the number of segments has
 * digits, twice
 */
uint64_t rank_log_size(const char *path, uint64_t *segment);

/** Bytes put into `out` from this offset on, fewer than `room` only at the end; 0 as
 * well when they are not kept, and on any trouble. */
size_t rank_log_read(const char *path, uint64_t offset, void *out, size_t room);

#endif
