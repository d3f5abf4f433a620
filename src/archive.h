#ifndef SRC_ARCHIVE_H
#define SRC_ARCHIVE_H

#include "src/base.h"
#include "src/digest.h"
#include "src/err.h"

/* The door to libarchive: a job's source as one tar.gz. */

/* A source tree above these is refused. */
enum {
    ARCHIVE_FILES_MAX = 100000
};
#define ARCHIVE_BYTES_MAX (INT64_C(2) << 30) /* unpacked */

/**
 * Packs `folder` into the file `path` so that equal trees give equal bytes: names
 * sorted, times, owners and the gzip header zeroed, modes reduced to 0644/0755.  Links
 * that point outside the tree, and sockets, devices and FIFOs, are refused by name.
 * `.git`, `__pycache__` and `*.pyc` are left out. `hex` receives the SHA-256 of the
 * file.
 */
MUST_CHECK int archive_pack(const char *folder, const char *path,
                            char hex[DIGEST_HEX_SIZE], struct err *err);

/** Unpacks beneath `folder`, which exists.  Nothing is written outside it (absolute
 * names, `..`, links out and hard links are refused), and no owner or set-id bit is
 * taken over. */
MUST_CHECK int archive_unpack(const char *path, const char *folder, struct err *err);

/** Whether a link called `name` with this target leads to somewhere in its own tree.
 * Pure. */
bool archive_link_stays_inside(const char *name, const char *target);

#endif
