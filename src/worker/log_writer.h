#ifndef SRC_WORKER_LOG_WRITER_H
#define SRC_WORKER_LOG_WRITER_H

#include "src/base.h"

/* Adds to a file that lies in segments (src/rank_log.h) and removes the oldest of them
 * when there are too many. */

struct log_writer {
    char *path;
    uint64_t limit;  /* bytes to keep at most; 0: all */
    uint64_t size;   /* offset of the next byte */
    uint64_t kept;   /* offset of the first byte that is kept */
    uint64_t synced; /* what `size` was at the last sync */
    int fd;          /* the last segment's; -1: none is open */
};

/** Takes the path.  No file is made before there is a byte for it: a silent rank has
 * none. */
void log_writer_init(struct log_writer *writer, char *path, uint64_t limit);
void log_writer_clear(struct log_writer *writer);

/** Bytes added, fewer than `len` when the disk will not have the rest: *errno_value
 * says why. */
size_t log_writer_add(struct log_writer *writer, const void *bytes, size_t len,
                      int *errno_value);

/** Takes back the last bytes, which came by one call that gave fewer than `len`. */
void log_writer_undo(struct log_writer *writer, size_t len);

/** Removes the oldest segment, which is not the last one.  False when that cannot be
 * told to readers, and so is not done: errno says why. */
bool log_writer_cut(struct log_writer *writer);

/** Waits until what came since the last call is on disk, the last 32 MiB of it; more is
 * left to the kernel. */
void log_writer_sync(struct log_writer *writer);

#endif
