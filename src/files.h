#ifndef SRC_FILES_H
#define SRC_FILES_H

#include "src/base.h"
#include "src/err.h"

#include <stdio.h>
#include <sys/types.h>

/** Whole file, with a NUL behind; the caller frees.  ERR_LIMIT above `limit` bytes. len
 * may be NULL. */
MUST_CHECK int file_read(const char *path, size_t limit, char **bytes, size_t *len,
                         struct err *err);

/** As file_read, beneath an open folder; regular files only, and the name is no link:
 * for folders that a job can write. */
MUST_CHECK int file_read_at(int folder, const char *name, size_t limit, char **bytes,
                            size_t *len, struct err *err);

/** Opens a regular file to read, `name` beneath an open folder or AT_FDCWD, for folders
 * that a job can write: a link is not followed, a FIFO is not waited for.  -1 with
 * errno; EINVAL: it is there and no regular file. */
int open_regular_at(int folder, const char *name);

/** The same as a stream; NULL with errno.  The caller closes it. */
FILE *file_open_regular(const char *path);

/** Replaces a file whole: a reader sees the old or the new one.  With `durable` it is
 * on disk after (file and folder synced). */
MUST_CHECK int file_replace(const char *path, const void *bytes, size_t len,
                            mode_t mode, bool durable, struct err *err);

/** Syncs the folder that `path` is in: a file's name is on disk only when that is. */
MUST_CHECK int folder_sync_of(const char *path, struct err *err);

/** Makes a folder and what is missing above it; one that exists is well. */
MUST_CHECK int folder_make(const char *path, mode_t mode, struct err *err);

/** Where a program or file of ours is that no user calls: beside the running program (a
 * build tree), else where it is installed.  The caller frees. */
char *path_of_helper(const char *name);

/** Finds out where this program is, for path_of_helper; done by itself unless a mount
 * namespace of one's own comes first, in which /proc/self/exe may lead nowhere (in a
 * chroot, whose outside it names then). */
void path_find_own(void);

/** Whether `path` is `folder` or beneath it, by their words alone.  Pure. */
bool path_is_within(const char *path, const char *folder);

/** Absolute path of a file named relative to the present folder; the caller frees. */
char *path_absolute(const char *path);

/** The path with the folders above its last part as they are now, without links; as it
 * is when they are not there.  The caller frees. */
char *path_settle(const char *path);

/** open(2), mode 0644, of a path beneath a settled one, for folders that a job can
 * write: ELOOP when any part of it has become a link since. */
int open_settled(const char *path, int flags);

/** All of `len` bytes, over short writes and EINTR. */
MUST_CHECK int write_all(int fd, const void *bytes, size_t len, struct err *err);

#endif
