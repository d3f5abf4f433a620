#ifndef SRC_STAGE_COPY_H
#define SRC_STAGE_COPY_H

#include "src/base.h"
#include "src/err.h"
#include "src/stage/say.h"

/* Local files: copied whole or not at all.  What is not whole yet has a name of its
 * own, which no walk shows. */

#define PARTIAL_PREFIX ".railhead-partial-"

/** Whose the names are: several workers may write to one folder.  Once, at the start.
 */
void copy_name_partials(const char *job_id, int worker);

/** The name under which `path` is written until it is whole: in the same folder, the
 * same every time.  The caller frees. */
char *partial_path(const char *path);

/** Opens a partial file anew for writing, and locks it for as long as it is open.  -1
 * with errno. */
MUST_CHECK int partial_open(const char *partial);

/** Removes what is half-written and that nobody writes any more, for its writer was
 * killed, from the folder in which `target` is about to be stored.  Does so once for
 * targets in a row that have one folder. */
void remove_left_partials(const char *target);

/**
 * Copies the bytes and the time of the regular file `from` to `to`, whose folders are
 * made.
 *
 * ERR_CONFLICT when the source changed meanwhile.  A disk that is full is told with its
 * numbers.  Never a hard link: who writes into a copy must not write into the source.
 * `progress` may be NULL.
 */
MUST_CHECK int copy_file(const char *from, const char *to, struct progress *progress,
                         struct err *err);

/** The same of a file in a folder that a job can write, whose path is settled
 * (files.h): a link is no file. */
MUST_CHECK int copy_settled(const char *from, const char *to, struct progress *progress,
                            struct err *err);

/** Makes the folders above `path`. */
MUST_CHECK int make_folder_of(const char *path, struct err *err);

/** "disk full" with how much was to be written and how much room there is at `path`, as
 * ERR_DISK_FULL; returns -1. */
int err_disk_full(struct err *err, const char *path, int64_t needed);

/** Bytes that this user may still write where `path` is (its nearest folder that
 * exists), and which file system it is. */
MUST_CHECK int room_at(const char *path, int64_t *bytes, uint64_t *device,
                       struct err *err);

#endif
