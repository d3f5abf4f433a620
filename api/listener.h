#ifndef API_LISTENER_H
#define API_LISTENER_H

#include "api/exchange.h"
#include "api/guard.h"
#include "src/err.h"
#include "src/loop.h"

#include <microhttpd.h>

/* One listening socket, served by libmicrohttpd without threads of its own, and who is
 * connected to it.  For api/server.c. */

struct listener {
    void *server;
    struct MHD_Daemon *daemon; /* NULL: not in use */
    struct loop_source *ready;
    struct loop_source *again; /* a last source: there is more to do at once */
    struct loop_source *timer;
    usec_t timer_at;
    struct guard *guard; /* who may come */
    bool is_unix;
};

/* What the library calls, with the listener as context, and the limits of the guard. */
struct listener_calls {
    MHD_AccessHandlerCallback on_request;
    MHD_RequestCompletedCallback on_completed;
    const struct guard_limits *limits;
};

/** Serves what comes to the listening socket `fd`, which is taken over. */
MUST_CHECK int listener_start(struct listener *listener, struct loop *loop,
                              const struct listener_calls *calls, int fd,
                              struct err *err);

/** Descriptor of a connection, which stays the library's. */
int listener_fd(struct MHD_Connection *connection);

/** Whose it is. */
struct guest *listener_guest(struct MHD_Connection *connection);

/** Fills in what the headers say; the texts are the library's until it is answered. */
void listener_read_headers(struct MHD_Connection *connection,
                           struct envelope *envelope);

/** Takes no more connections; those that are there go on. */
void listener_stop_accepting(struct listener *listener);

/** Sends what is answered already, then cuts every connection.  None may be suspended.
 * Nothing to do for one that was not started. */
void listener_stop(struct listener *listener);

#endif
