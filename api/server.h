#ifndef API_SERVER_H
#define API_SERVER_H

#include "api/guard.h"
#include "daemon/jobs.h"
#include "src/loop.h"

/* HTTP in the loop: the door to libmicrohttpd. */

struct server;

struct server_settings {
    const char *socket_path; /* unix socket, mode 0660 */
    const char *listen;      /* ADDRESS:PORT, loopback; or NULL: no TCP */
    int64_t body_limit_bytes;
    int64_t source_limit_bytes;
    struct guard_limits guard; /* of each of the two */
};

/**
 * Listens, and answers as long as the loop runs.  `jobs` and `loop` outlive it; it
 * takes jobs_on_commit for itself.
 *
 * ERR_CONFLICT when another daemon listens at the socket.
 */
MUST_CHECK int server_open(const struct server_settings *settings, struct jobs *jobs,
                           struct loop *loop, struct server **out, struct err *err);

/** Takes no more connections and removes the socket; open ones are served on. */
void server_stop_accepting(struct server *server);

/** Cuts every connection.  An answer that waits for a commit is not given. */
void server_close(struct server *server);

#endif
