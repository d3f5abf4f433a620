/*
 * Decides which connections are refused or cut, so that no client takes the daemon from
 * the others; not what a request is answered.
 *
 * While a request is awaited its guest has a deadline, which bytes do not move, except
 * those of a body, at BODY_RATE.  An answer has none here: the library cuts a
 * connection on which nothing moves, and leaves followers of logs alone.
 */

#include "api/guard.h"

#include "api/reply.h"
#include "src/clock.h"
#include "src/log.h"
#include "src/text.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

/* Beyond the limits root and the daemon's own user have so many, so that an operator
 * gets in when nobody else does. */
enum {
    RESERVED = 8
};
/* So many that were refused may still read why; others are cut at once. */
enum {
    LINGER_MAX = 64,
    LINGER_MS = 1000
};
/* The library accepts ten at a time, and looks for those that were cut after that. */
enum {
    ACCEPTED_AT_ONCE = 16
};
/* A byte each 61 us: an upload through the slowest line that anybody would wait for. */
enum {
    BODY_RATE = 16384 /* bytes/s */
};
/* A look costs some 20 ns, of one that sends a body 400 ns: below 1 ms each time.  More
 * guests than that are looked at in turn. */
enum {
    SWEEP_PERIOD_MS = 250,
    SWEEP_LOOKS = 2048
};

/* Who comes again and again must not fill the log. */
enum {
    LOG_PERIOD_S = 60
};

struct client {
    LIST_ENTRY(client) link;
    uid_t uid;
    int guests;   /* that are let in */
    int refused;  /* that are not, and are still here */
    int64_t held; /* bytes */
};

enum guest_phase {
    GUEST_NEW,      /* has asked nothing yet */
    GUEST_SENDING,  /* a body is awaited */
    GUEST_ANSWERED, /* an answer is made or sent */
    GUEST_FREE,     /* may ask again */
    GUEST_REFUSED,  /* reads why */
    GUEST_CUT
};

struct guest {
    TAILQ_ENTRY(guest) link;
    struct guard *guard;
    struct client *client;
    int fd;
    enum guest_phase phase;
    bool is_let_in;
    bool is_reserved; /* beyond the limits, for it is an operator's */
    usec_t deadline;  /* of the phase, on the boot clock */
    int64_t held;
    uint64_t sent;        /* bytes of this body */
    uint64_t sent_before; /* at the last look */
    bool was_waiting;     /* bytes had come by the last look that nobody had taken */
};

struct guard {
    struct guard_limits limits;
    TAILQ_HEAD(guest_list, guest) guests;
    LIST_HEAD(client_list, client) clients; /* a site's users: a list is enough */
    int count; /* guests that are let in, without the reserved ones */
    int reserved;
    int lingering; /* refused, and not cut */
    int64_t held;
    usec_t quiet_until; /* no refusal is logged before */
    struct loop_source *timer;
};

/* --- telling and cutting --- */

/* Into the socket itself: the library sends answers only to what was asked.  What does
 * not fit in at once is not sent. */
static void tell(int fd, struct reply *reply)
{
    auto_text struct text words = { 0 };

    text_printf(&words,
                "HTTP/1.1 %d Refused\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                "Connection: close\r\n\r\n",
                reply->status, reply->content_type, reply->len);
    text_add(&words, reply->body, reply->len);
    (void)send(fd, words.bytes, words.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    reply_clear(reply);
}

/* The library sees the end and closes the connection. */
static void cut(struct guest *guest)
{
    if (guest->phase == GUEST_REFUSED)
        guest->guard->lingering--;
    guest->phase = GUEST_CUT;
    (void)shutdown(guest->fd, SHUT_RDWR);
}

static void cut_late(struct guest *guest, const char *what, usec_t limit)
{
    struct reply reply = { 0 };

    reply_problem(&reply, PROBLEM_REQUEST_TIMEOUT, NULL,
                  "the %s did not come within %lld s", what,
                  (long long)(limit / USEC_PER_SEC));
    tell(guest->fd, &reply);
    cut(guest);
}

/* The library waits for the end of a line (the size of a chunk, a trailer) that is
 * longer than it has room for.  It does not give up, and asks to be run again and
 * again. */
static void cut_stuck(struct guest *guest)
{
    struct reply reply = { 0 };

    reply_problem(&reply, PROBLEM_INVALID, NULL,
                  "a line between the chunks of the body is too long");
    tell(guest->fd, &reply);
    cut(guest);
}

/* --- looking --- */

/* Bytes wait to be read that were there at the last look, too, and nothing was read
 * between the two. */
static bool is_stuck(struct guest *guest)
{
    int waiting = 0;
    bool is_waiting = ioctl(guest->fd, FIONREAD, &waiting) == 0 && waiting > 0;
    bool stuck = is_waiting && guest->was_waiting && guest->sent == guest->sent_before;

    guest->was_waiting = is_waiting;
    guest->sent_before = guest->sent;
    return stuck;
}

static usec_t earned(const struct guest *guest)
{
    return (usec_t)(guest->sent / BODY_RATE) * USEC_PER_SEC;
}

static void look_at(struct guest *guest, usec_t now)
{
    const struct guard_limits *limits = &guest->guard->limits;

    switch (guest->phase) {
    case GUEST_NEW:
        if (now >= guest->deadline)
            cut_late(guest, "headers", limits->header);
        break;
    case GUEST_SENDING:
        if (is_stuck(guest))
            cut_stuck(guest);
        else if (now >= guest->deadline + earned(guest))
            cut_late(guest, "body", limits->body + earned(guest));
        break;
    case GUEST_FREE:
        /* Without a word: it would be taken for the answer to the next request. */
    case GUEST_REFUSED:
        if (now >= guest->deadline)
            cut(guest);
        break;
    case GUEST_ANSWERED:
    case GUEST_CUT:
        break;
    }
}

static void sweep(void *context)
{
    struct guard *guard = context;
    usec_t now = clock_boot();
    struct guest *last = TAILQ_LAST(&guard->guests, guest_list);
    struct guest *guest = NULL;

    for (int i = 0; i < SWEEP_LOOKS && guest != last; i++) {
        guest = TAILQ_FIRST(&guard->guests);
        look_at(guest, now);
        /* To the end of the row: who was not looked at is first next time. */
        TAILQ_REMOVE(&guard->guests, guest, link);
        TAILQ_INSERT_TAIL(&guard->guests, guest, link);
    }
    if (last)
        loop_timer_set(guard->timer, now + SWEEP_PERIOD_MS * USEC_PER_MSEC);
}

/* --- coming and going --- */

int guard_new(const struct guard_limits *limits, struct loop *loop, struct guard **out,
              struct err *err)
{
    struct guard *guard = xcalloc(1, sizeof *guard);

    guard->limits = *limits;
    TAILQ_INIT(&guard->guests);
    LIST_INIT(&guard->clients);
    if (loop_add_timer(loop, sweep, guard, &guard->timer, err) < 0) {
        free(guard);
        return -1;
    }
    *out = guard;
    return 0;
}

void guard_free(struct guard *guard)
{
    if (!guard)
        return;
    loop_source_free(guard->timer);
    free(guard);
}

int guard_places(const struct guard *guard)
{
    return guard->limits.connections + RESERVED + LINGER_MAX + ACCEPTED_AT_ONCE;
}

static struct client *client_of(struct guard *guard, uid_t uid)
{
    struct client *client;

    LIST_FOREACH (client, &guard->clients, link)
        if (client->uid == uid)
            return client;
    client = xcalloc(1, sizeof *client);
    client->uid = uid;
    LIST_INSERT_HEAD(&guard->clients, client, link);
    return client;
}

static bool is_operator(uid_t uid)
{
    return uid != GUARD_ANYBODY && (uid == 0 || uid == geteuid());
}

static int check_limits(const struct guard *guard, const struct client *client,
                        struct err *err)
{
    const struct guard_limits *limits = &guard->limits;

    if (client->guests >= limits->connections_per_client)
        return err_set(
            err, ERR_LIMIT,
            "this client has %d connections, as many as limits.connections_per_client allows",
            client->guests);
    if (guard->count >= limits->connections)
        return err_set(
            err, ERR_UNAVAILABLE,
            "there are %d connections, as many as limits.connections allows; try again later",
            guard->count);
    return 0;
}

static void log_refusal(const struct guest *guest)
{
    struct guard *guard = guest->guard;
    usec_t now = clock_boot();

    if (now < guard->quiet_until)
        return;
    guard->quiet_until = now + LOG_PERIOD_S * USEC_PER_SEC;
    log_warning("api.refused uid=%d connections=%d of=%d", (int)guest->client->uid,
                guest->client->guests, guard->count);
}

/* Why goes out before it is asked anything; then it has a moment to send what it wanted
 * to and to read, for a socket that is closed over bytes unread takes back what was
 * said. */
static void turn_away(struct guest *guest, const struct err *why)
{
    struct reply reply = { 0 };

    guest->phase = GUEST_REFUSED;
    guest->deadline += LINGER_MS * USEC_PER_MSEC;
    guest->guard->lingering++;
    log_refusal(guest);
    reply_err(&reply, why);
    tell(guest->fd, &reply);
    if (guest->guard->lingering > LINGER_MAX)
        cut(guest);
    else
        (void)shutdown(guest->fd, SHUT_WR);
}

struct guest *guard_enter(struct guard *guard, int fd, uid_t uid)
{
    struct guest *guest = xcalloc(1, sizeof *guest);
    struct client *client = client_of(guard, uid);
    usec_t now = clock_boot();
    struct err why;
    bool within;

    guest->guard = guard;
    guest->client = client;
    guest->fd = fd;
    guest->phase = GUEST_NEW;
    guest->deadline = now;
    if (TAILQ_EMPTY(&guard->guests))
        loop_timer_set(guard->timer, now + SWEEP_PERIOD_MS * USEC_PER_MSEC);
    TAILQ_INSERT_TAIL(&guard->guests, guest, link);
    within = check_limits(guard, client, &why) == 0;
    guest->is_reserved = !within && is_operator(uid) && guard->reserved < RESERVED;
    guest->is_let_in = within || guest->is_reserved;
    if (!guest->is_let_in) {
        client->refused++;
        turn_away(guest, &why);
        return guest;
    }
    guest->deadline += guard->limits.header;
    client->guests++;
    guard->reserved += guest->is_reserved;
    guard->count += within;
    return guest;
}

static void release(struct guest *guest)
{
    guest->guard->held -= guest->held;
    guest->client->held -= guest->held;
    guest->held = 0;
}

void guest_leave(struct guest *guest)
{
    struct guard *guard = guest->guard;
    struct client *client = guest->client;

    release(guest);
    TAILQ_REMOVE(&guard->guests, guest, link);
    guard->lingering -= guest->phase == GUEST_REFUSED;
    guard->reserved -= guest->is_reserved;
    guard->count -= guest->is_let_in && !guest->is_reserved;
    client->guests -= guest->is_let_in;
    client->refused -= !guest->is_let_in;
    if (client->guests == 0 && client->refused == 0) {
        LIST_REMOVE(client, link);
        free(client);
    }
    free(guest);
}

bool guest_is_refused(const struct guest *guest)
{
    return guest->phase == GUEST_REFUSED || guest->phase == GUEST_CUT;
}

/* --- a request's course --- */

void guest_asks(struct guest *guest)
{
    guest->phase = GUEST_SENDING;
    guest->deadline = clock_boot() + guest->guard->limits.body;
    guest->sent = 0;
    guest->sent_before = 0;
    guest->was_waiting = false;
}

void guest_sends(struct guest *guest, size_t len)
{
    guest->sent += len;
}

void guest_is_answered(struct guest *guest)
{
    guest->phase = GUEST_ANSWERED;
}

void guest_is_free(struct guest *guest)
{
    release(guest);
    if (guest_is_refused(guest))
        return;
    guest->phase = GUEST_FREE;
    guest->deadline = clock_boot() + guest->guard->limits.idle;
}

int guest_holds(struct guest *guest, int64_t bytes, struct err *err)
{
    struct guard *guard = guest->guard;
    struct client *client = guest->client;
    int64_t limit = guard->limits.held_bytes;

    release(guest);
    guest->held = bytes;
    guard->held += bytes;
    client->held += bytes;
    if (client->held - bytes > limit / 2)
        return err_set(
            err, ERR_LIMIT,
            "bodies and answers of this client's other requests take %lld bytes; read the answers, or send less at a time (limits.held_bytes)",
            (long long)(client->held - bytes));
    if (guard->held - bytes > limit)
        return err_set(
            err, ERR_UNAVAILABLE,
            "bodies and answers of other requests take %lld bytes; try again later (limits.held_bytes)",
            (long long)(guard->held - bytes));
    return 0;
}
