#ifndef API_GUARD_H
#define API_GUARD_H

#include "src/err.h"
#include "src/loop.h"

#include <sys/types.h>

/*
 * Who may be connected to one listening socket, for how long, and with how much of our
 * memory.
 *
 * A guest is one connection: it enters, asks, sends a body, is answered, is free again,
 * and leaves.  A client is all guests of one user.  The limits are told in
 * railhead.yaml(5).
 */

struct guard;
struct guest;

struct guard_limits {
    int connections;            /* at once */
    int connections_per_client; /* of these */
    int64_t held_bytes;         /* bodies and answers of all; of a client the half */
    usec_t header;              /* from the connection to the end of the headers */
    usec_t body;                /* from there to the end of the body */
    usec_t idle;                /* from an answer to the next request's headers */
};

/* At a TCP port the kernel does not say who calls: everybody is one client. */
#define GUARD_ANYBODY ((uid_t)-1)

MUST_CHECK int guard_new(const struct guard_limits *limits, struct loop *loop,
                         struct guard **out, struct err *err);

/** NULL is well.  All guests have left. */
void guard_free(struct guard *guard);

/** The most guests that there are at a time, the refused ones included. */
int guard_places(const struct guard *guard);

/**
 * Takes a connection in, or tells it why not.  Never NULL; the caller has guest_leave
 * called when the connection is gone.
 *
 * @fd   the socket, which stays the caller's; it is shut down when the guest must go
 * @uid  whose it is, or GUARD_ANYBODY
 */
struct guest *guard_enter(struct guard *guard, int fd, uid_t uid);
void guest_leave(struct guest *guest);

/** Whether it was refused, so that nothing it asks is answered. */
bool guest_is_refused(const struct guest *guest);

/** The headers are in. */
void guest_asks(struct guest *guest);
/** So many bytes of the body came. */
void guest_sends(struct guest *guest, size_t len);
/** The request is whole, or refused: an answer is made and sent. */
void guest_is_answered(struct guest *guest);
/** The answer is out; what was held is held no more. */
void guest_is_free(struct guest *guest);

/**
 * Tells how much memory a guest's request and answer take now.
 *
 * ERR_LIMIT when the other requests of its client take too much, ERR_UNAVAILABLE when
 * those of all do: a single request is never refused for what it takes itself.
 */
int guest_holds(struct guest *guest, int64_t bytes, struct err *err);

#endif
