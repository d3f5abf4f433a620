#ifndef API_AUTH_H
#define API_AUTH_H

#include "src/base.h"

#include <sys/types.h>

/* Who asks, and whether a web page may be behind it. */

struct auth;

struct auth *auth_new(void);
void auth_free(struct auth *auth);

/** Name of the user at the other end of a unix socket: the kernel's word for it.  The
 * uid as a number when it has no name.  Valid as long as `auth`: each uid is looked up
 * once. */
const char *auth_peer(struct auth *auth, int fd);

/** Uid of that user; false when the kernel does not say. */
bool auth_uid(int fd, uid_t *uid);

/* Everybody who comes by TCP. */
extern const char auth_anonymous[];

/**
 * Whether a request that came by TCP may be the work of a web page.
 *
 * AUTH_HOST: its Host is not a loopback name (a page whose name was made to point
 * here). AUTH_ORIGIN: it has an Origin other than this server's own.  Pure.
 */
enum auth_verdict {
    AUTH_OK,
    AUTH_HOST,
    AUTH_ORIGIN
};
enum auth_verdict auth_check_browser(const char *host, const char *origin);

#endif
