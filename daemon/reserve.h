#ifndef DAEMON_RESERVE_H
#define DAEMON_RESERVE_H

#include "src/err.h"

/*
 * The reserve: a file that takes up disk, to be cut when the disk is full, so that what
 * must be written still fits: ends, stops, bills.
 */

/* What ends a job of one instance takes 0.6 KiB of the database, and 2 KiB with its
 * utilization and metrics: this is room for 8,000 of them. */
#define RESERVE_BYTES (INT64_C(16) << 20)

struct reserve {
    int fd;       /* -1: the file system cannot set disk aside */
    int64_t size; /* bytes that it has; RESERVE_BYTES: it is whole */
    bool is_low;  /* by the last look */
    usec_t looked_boot;
};

/** Opens, or makes, the file, and fills it as far as the disk has room.  A file system
 * that has no fallocate(2) is well: there is no reserve then. */
MUST_CHECK int reserve_open(const char *path, struct reserve *out, struct err *err);
void reserve_close(struct reserve *reserve);

/** Frees 1 MiB of it; false when nothing is left. */
bool reserve_give(struct reserve *reserve);

/** Whether the reserve is whole and 4 MiB are free besides.  When not, what is missing
 * is made up first, if there is room.  Looks at the disk once a second at most. */
bool reserve_has_room(struct reserve *reserve);

#endif
