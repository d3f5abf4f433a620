#ifndef API_LISTENER_H
#define API_LISTENER_H

#include "src/err.h"
#include "src/loop.h"

#include <microhttpd.h>

/* One listening socket, served by libmicrohttpd without threads of its own.  For
 * api/server.c. */

struct listener {
    void *server;
    struct MHD_Daemon *daemon; /* NULL: not in use */
    struct loop_source *ready;
    struct loop_source *again; /* a last source: there is more to do at once */
    struct loop_source *timer;
    usec_t timer_at;
    bool is_unix;
};

/* What the library calls; the context of on_request is the listener. */
struct listener_calls {
    MHD_AccessHandlerCallback on_request;
    MHD_RequestCompletedCallback on_completed;
    int connection_limit;
};

/** Serves what comes to the listening socket `fd`, which is taken over. */
MUST_CHECK int listener_start(struct listener *listener, struct loop *loop,
                              const struct listener_calls *calls, int fd,
                              struct err *err);

/** Takes no more connections; those that are there go on. */
void listener_stop_accepting(struct listener *listener);

/** Sends what is answered already, then cuts every connection.  None may be suspended.
 * Nothing to do for one that was not started. */
void listener_stop(struct listener *listener);

#endif
