#ifndef API_LISTEN_H
#define API_LISTEN_H

#include "src/base.h"
#include "src/err.h"

#include <sys/stat.h>

/* The sockets that a server listens on. */

enum {
    LISTEN_BACKLOG = 1024
};

/* Which file a unix socket is, so that only our own is ever removed. */
struct listen_place {
    char *path;
    dev_t device;
    ino_t inode;
};

/**
 * Listens at `path`, mode 0660.  A socket that nobody listens at is replaced.
 *
 * ERR_CONFLICT when somebody does, or when something else than a socket is there;
 * ERR_INVALID when the path is too long for a socket.  The caller closes the
 * descriptor.
 */
MUST_CHECK int listen_unix(const char *path, struct listen_place *place, int *fd,
                           struct err *err);

/** Removes the socket when it is still the one made here; frees what `place` holds. */
void listen_unix_end(struct listen_place *place);

/**
 * Listens at "127.0.0.1:8080", "[::1]:8080" or "localhost:8080"; port 0 takes a free
 * one.
 *
 * @shown  "ADDRESS:PORT" in fact; the caller frees
 *
 * ERR_INVALID for what is not a loopback address.
 */
MUST_CHECK int listen_tcp(const char *address, char **shown, int *fd, struct err *err);

#endif
