#ifndef SRC_NAMESPACES_H
#define SRC_NAMESPACES_H

#include "src/err.h"

/* A view of the file system and a host name that only one process and its children
 * have: /opt/ml and algo-1 of a container, without the container. */

/** Where scripts expect their folders. */
#define ML_FOLDER "/opt/ml"

/**
 * Enters a mount and a UTS namespace of our own.  Where only a privileged user may, a
 * user namespace too, in which the user and the group keep their numbers: what runs
 * there has no right that it had not before.
 *
 * Nothing that is mounted there reaches the host; what the host mounts later is seen.
 * ERR_DENIED when it is not permitted, ERR_LIMIT when there may be no more.  For
 * processes with one thread.
 */
MUST_CHECK int namespaces_enter(struct err *err);

/** Shows `source` in the place of `target`, both folders or neither, in our namespace;
 * what is mounted beneath `source` is shown too. */
MUST_CHECK int namespaces_bind(const char *source, const char *target, struct err *err);

/** As namespaces_bind, of folders: nothing can be written or removed through `target`,
 * nor beneath what was mounted in `source` by now.  When that cannot be had nothing is
 * shown. */
MUST_CHECK int namespaces_bind_read_only(const char *source, const char *target,
                                         struct err *err);

/**
 * Shows a folder at /opt/ml.  Where the host has no such folder, none is made there:
 * /opt becomes a list, which cannot be written to, of what the host's /opt has, and ml.
 *
 * ERR_NOT_FOUND when the host has no /opt.  The present folder is / after.
 */
MUST_CHECK int namespaces_bind_ml(const char *source, struct err *err);

/** Whether all of this would be well: tries it in a child, in less than a millisecond.
 * Fails with the reason. */
MUST_CHECK int namespaces_probe(struct err *err);

#endif
