/*
 * Speaks HTTP through libmicrohttpd, inside the one loop.  Decides when an answer is
 * sent: a write's after the commit that makes it durable, a follower's piece by piece
 * as output comes.  What is answered is decided by the handlers.
 *
 * A call is one exchange as the library sees it.  It is idle (the library has it), held
 * (suspended until the commit), waiting (suspended until there is more of a log),
 * asking (suspended until the ledger's answer is there) or undecided (suspended while
 * its handler works on it, a round at a time).
 */

#include "api/server.h"

#include "api/auth.h"
#include "api/exchange.h"
#include "api/listen.h"
#include "api/listener.h"
#include "api/log_follow.h"
#include "api/upload.h"
#include "src/clock.h"
#include "src/log.h"
#include "src/text.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

/* Followers are looked after this often, while there are any: output shows up within a
 * tenth of a second.  At most so many stats of some 2 us are made each time: 4 ms. */
enum {
    FOLLOW_PERIOD_MS = 100,
    FOLLOW_COST_MAX = 2000
};
enum {
    LOG_BLOCK_BYTES = 32768
};

enum call_state {
    CALL_IDLE,
    CALL_HELD,
    CALL_WAITING,
    CALL_ASKING,
    CALL_UNDECIDED
};

struct call {
    TAILQ_ENTRY(call) link; /* in a list of the server, by state */
    enum call_state state;
    struct listener *listener;
    struct MHD_Connection *connection;
    struct guest *guest;
    struct exchange exchange;
    bool is_cut; /* nothing more is sent: the client is gone, or the server stops */
};

TAILQ_HEAD(call_list, call);

struct server {
    struct api api;
    struct auth *auth;
    struct loop *loop;
    struct guard_limits limits;
    struct listener by_unix;
    struct listener by_tcp;
    struct listen_place place;
    struct call_list held;
    struct call_list waiting;
    struct call_list asking;
    struct call_list undecided;
    struct loop_source *go_on; /* has the handler of one of these called */
    struct loop_source *follow_timer;
    uint64_t commits; /* so far, and one */
    bool closing;     /* no request is taken any more */
};

/* --- answers --- */

static struct server *server_of(const struct call *call)
{
    return call->listener->server;
}

static struct call_list *list_of(struct call *call)
{
    struct server *server = server_of(call);

    switch (call->state) {
    case CALL_HELD:
        return &server->held;
    case CALL_ASKING:
        return &server->asking;
    case CALL_UNDECIDED:
        return &server->undecided;
    case CALL_IDLE:
    case CALL_WAITING:
        break;
    }
    return &server->waiting;
}

static void suspend(struct call *call, enum call_state state)
{
    call->state = state;
    TAILQ_INSERT_TAIL(list_of(call), call, link);
    MHD_suspend_connection(call->connection);
}

static void resume(struct call *call)
{
    TAILQ_REMOVE(list_of(call), call, link);
    call->state = CALL_IDLE;
    MHD_resume_connection(call->connection);
    /* Without threads the library looks at what was resumed only when it is run.  Not
     * from here: a commit may be under way. */
    if (!server_of(call)->closing)
        loop_wake(call->listener->again);
}

static void arm_follow_timer(struct server *server)
{
    loop_timer_set(server->follow_timer,
                   clock_boot() + FOLLOW_PERIOD_MS * USEC_PER_MSEC);
}

/* Gives the library the next piece of a log. */
static ssize_t read_log(void *context, uint64_t position, char *out, size_t room)
{
    struct call *call = context;
    struct server *server = server_of(call);
    ssize_t got;

    (void)position;
    if (call->is_cut || server->closing)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    got = log_follow_read(call->exchange.reply.log, out, room);
    if (got == LOG_STREAM_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (got == LOG_STREAM_WAIT) {
        if (TAILQ_EMPTY(&server->waiting))
            arm_follow_timer(server);
        suspend(call, CALL_WAITING);
    }
    return got;
}

static struct MHD_Response *make_response(struct call *call)
{
    struct reply *reply = &call->exchange.reply;

    if (reply->has_file) {
        reply->has_file = false; /* the library closes it */
        return MHD_create_response_from_fd64(reply->len, reply->fd);
    }
    if (!reply->log)
        return MHD_create_response_from_buffer(reply->len, steal_ptr(&reply->body),
                                               MHD_RESPMEM_MUST_FREE);
    /* A follower may read as slowly as it likes. */
    (void)MHD_set_connection_option(call->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                    0U);
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, LOG_BLOCK_BYTES,
                                             read_log, call, NULL);
}

static bool add_header(struct MHD_Response *response, const char *name,
                       const char *value)
{
    return !value || MHD_add_response_header(response, name, value) == MHD_YES;
}

/* Hands the reply to the library.  MHD_NO cuts the connection. */
static enum MHD_Result send_reply(struct call *call)
{
    const struct reply *reply = &call->exchange.reply;
    struct MHD_Response *response = make_response(call);
    enum MHD_Result sent = MHD_NO;

    (void)guest_holds(call->guest, exchange_held(&call->exchange), NULL);
    if (!response)
        return MHD_NO;
    if (add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type)
        && add_header(response, MHD_HTTP_HEADER_LOCATION, reply->location)
        && add_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow)
        && add_header(response, "Idempotent-Replay", reply->replayed ? "true" : NULL)
        && add_header(response, MHD_HTTP_HEADER_CONNECTION,
                      reply->ends ? "close" : NULL)
        && add_header(response, "Railhead-Facts", reply->facts))
        sent = MHD_queue_response(call->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return sent;
}

/* What was promised is on disk now, or it is not promised. */
static void on_commit(void *context, bool ok)
{
    struct server *server = context;
    struct call *call;

    server->commits++;
    while ((call = TAILQ_FIRST(&server->held))) {
        if (!ok) {
            reply_clear(&call->exchange.reply);
            reply_problem(&call->exchange.reply, PROBLEM_UNAVAILABLE, NULL,
                          "the change could not be written to disk and was not made");
        }
        if (send_reply(call) == MHD_NO)
            call->is_cut = true;
        resume(call);
    }
}

/* --- requests --- */

static const char *header_of(const struct call *call, const char *name)
{
    return MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result take_parameter(void *context, enum MHD_ValueKind kind,
                                      const char *name, size_t name_len,
                                      const char *value, size_t value_len)
{
    struct call *call = context;

    (void)kind;
    (void)name_len;
    exchange_parameter(&call->exchange, name, value ? value : "", value_len);
    return MHD_YES;
}

/* The headers are in. */
static enum MHD_Result begin_call(struct call *call, const char *method,
                                  const char *path)
{
    struct exchange *exchange = &call->exchange;
    struct envelope envelope = {
        .method = method,
        .path = path,
        .by_tcp = !call->listener->is_unix,
    };

    guest_asks(call->guest);
    listener_read_headers(call->connection, &envelope);
    exchange_begin(exchange, &server_of(call)->api, &envelope);
    MHD_get_connection_values_n(call->connection, MHD_GET_ARGUMENT_KIND, take_parameter,
                                call);
    exchange_enter(exchange);
    if (!exchange_answers_early(exchange))
        return MHD_YES;
    guest_is_answered(call->guest);
    return send_reply(call);
}

/* What other requests hold may leave no room for this one. */
static void weigh(struct call *call)
{
    struct exchange *exchange = &call->exchange;
    struct err err;

    if (!exchange->reply.status
        && guest_holds(call->guest, exchange_held(exchange), &err) < 0)
        exchange_refuse(exchange, &err);
}

static enum MHD_Result take_body(struct call *call, const char *bytes, size_t len)
{
    guest_sends(call->guest, len);
    if (!exchange_body(&call->exchange, bytes, len))
        return MHD_NO;
    weigh(call);
    return MHD_YES;
}

static const char *owner_of(const struct call *call)
{
    return call->listener->is_unix
               ? auth_peer(server_of(call)->auth, listener_fd(call->connection))
               : auth_anonymous;
}

static void on_bill(void *context)
{
    struct call *call = context;

    reply_take_bill(&call->exchange.reply);
    if (send_reply(call) == MHD_NO)
        call->is_cut = true;
    resume(call);
}

/* Asks the ledger, and waits for its answer. */
static enum MHD_Result ask_ledger(struct call *call)
{
    struct reply *reply = &call->exchange.reply;
    struct bill_runs *runs = jobs_bill_runs(server_of(call)->api.jobs);
    struct err err;

    if (bill_run_start(runs, reply->question, on_bill, call, &reply->bill, &err) < 0) {
        reply_clear(reply);
        reply_err(reply, &err);
        return send_reply(call);
    }
    suspend(call, CALL_ASKING);
    return MHD_YES;
}

static enum MHD_Result wait_for_handler(struct call *call)
{
    suspend(call, CALL_UNDECIDED);
    loop_wake(server_of(call)->go_on);
    return MHD_YES;
}

/* The request is in, whole. */
static enum MHD_Result answer_call(struct call *call)
{
    struct request *request = &call->exchange.request;

    guest_is_answered(call->guest);
    weigh(call);
    request->owner = owner_of(call);
    request->content_type = header_of(call, MHD_HTTP_HEADER_CONTENT_TYPE);
    request->idempotency_key = header_of(call, "Idempotency-Key");
    if (exchange_answer(&call->exchange)) {
        suspend(call, CALL_HELD);
        return MHD_YES;
    }
    if (!call->exchange.reply.status)
        return wait_for_handler(call);
    return call->exchange.reply.question ? ask_ledger(call) : send_reply(call);
}

/* The library says how many parameters it has.
 * NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method,
                                  const char *version, const char *bytes, size_t *len,
                                  void **state)
{
    struct listener *listener = context;
    const struct server *server = listener->server;
    struct call *call = *state;
    struct guest *guest = listener_guest(connection);
    size_t came = *len;

    (void)version;
    if (server->closing || guest_is_refused(guest))
        return MHD_NO;
    if (!call) {
        call = xcalloc(1, sizeof *call);
        call->listener = listener;
        call->connection = connection;
        call->guest = guest;
        *state = call;
        return begin_call(call, method, path);
    }
    if (call->is_cut)
        return MHD_NO;
    if (!came)
        return answer_call(call);
    *len = 0;
    return take_body(call, bytes, came);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why)
{
    struct call *call = *state;

    (void)context;
    (void)connection;
    (void)why;
    if (!call)
        return;
    if (call->state != CALL_IDLE)
        TAILQ_REMOVE(list_of(call), call, link);
    guest_is_free(call->guest);
    exchange_clear(&call->exchange);
    free(call);
    *state = NULL;
}

/* --- followers --- */

/* The library does not see a client leave while its connection is suspended. */
static bool has_left(const struct call *call)
{
    struct pollfd wait = { .fd = listener_fd(call->connection), .events = POLLRDHUP };

    return poll(&wait, 1, 0) > 0;
}

static void look_after_followers(void *context)
{
    struct server *server = context;
    struct call *last = TAILQ_LAST(&server->waiting, call_list);
    size_t cost = 0;
    bool done = !last;

    while (!done && cost < FOLLOW_COST_MAX) {
        struct call *call = TAILQ_FIRST(&server->waiting);

        done = call == last;
        call->is_cut = has_left(call);
        if (call->is_cut
            || log_follow_is_ready(call->exchange.reply.log, server->commits, &cost)) {
            resume(call);
            continue;
        }
        /* To the end of the row: who was not looked at is first next time. */
        TAILQ_REMOVE(&server->waiting, call, link);
        TAILQ_INSERT_TAIL(&server->waiting, call, link);
    }
    if (!TAILQ_EMPTY(&server->waiting))
        arm_follow_timer(server);
}

/* --- answers of several rounds --- */

/* One handler a round, in turn: what takes long holds up neither others nor the loop.
 */
static void go_on(void *context)
{
    struct server *server = context;
    struct call *call = TAILQ_FIRST(&server->undecided);

    if (!call)
        return;
    call->is_cut = has_left(call);
    if (!call->is_cut)
        exchange_answer(&call->exchange);
    if (call->is_cut || call->exchange.reply.status) {
        call->is_cut = call->is_cut || send_reply(call) == MHD_NO;
        resume(call);
    } else {
        TAILQ_REMOVE(&server->undecided, call, link);
        TAILQ_INSERT_TAIL(&server->undecided, call, link);
    }
    if (!TAILQ_EMPTY(&server->undecided))
        loop_wake(server->go_on);
}

/* --- opening and closing --- */

static int start_listening(struct server *server, struct listener *listener, int fd,
                           struct err *err)
{
    const struct listener_calls calls = { on_request, on_completed, &server->limits };

    listener->server = server;
    return listener_start(listener, server->loop, &calls, fd, err);
}

static int open_unix(struct server *server, const char *path, struct err *err)
{
    int fd;

    if (listen_unix(path, &server->place, &fd, err) < 0)
        return -1;
    server->by_unix.is_unix = true;
    if (start_listening(server, &server->by_unix, fd, err) < 0)
        return err_wrap(err, "socket %s", path);
    log_info("api.listening socket=%s mode=0660", path);
    return 0;
}

static int open_tcp(struct server *server, const char *address, struct err *err)
{
    auto_free char *shown = NULL;
    int fd;

    if (!address)
        return 0;
    if (listen_tcp(address, &shown, &fd, err) < 0)
        return -1;
    if (start_listening(server, &server->by_tcp, fd, err) < 0)
        return err_wrap(err, "listen %s", address);
    log_warning(
        "api.listening address=%s reach=loopback tokens=none owner=%s note=\"any user of this host may submit and stop jobs\"",
        shown, auth_anonymous);
    return 0;
}

int server_open(const struct server_settings *settings, struct jobs *jobs,
                struct loop *loop, struct server **out, struct err *err)
{
    struct server *server = xcalloc(1, sizeof *server);

    server->api = (struct api){ .jobs = jobs,
                                .body_limit_bytes = settings->body_limit_bytes,
                                .source_limit_bytes = settings->source_limit_bytes };
    server->auth = auth_new();
    server->loop = loop;
    server->limits = settings->guard;
    server->commits = 1;
    TAILQ_INIT(&server->held);
    TAILQ_INIT(&server->waiting);
    TAILQ_INIT(&server->asking);
    TAILQ_INIT(&server->undecided);
    if (cursor_key_load(jobs_state(jobs), &server->api.cursor_key, err) < 0
        || loop_add_timer(loop, look_after_followers, server, &server->follow_timer,
                          err)
               < 0
        || loop_add_last(loop, go_on, server, &server->go_on, err) < 0
        || open_unix(server, settings->socket_path, err) < 0
        || open_tcp(server, settings->listen, err) < 0) {
        server_close(server);
        return -1;
    }
    upload_sweep(jobs);
    jobs_on_commit(jobs, on_commit, server);
    *out = server;
    return 0;
}

void server_stop_accepting(struct server *server)
{
    server->api.stopping = true;
    listener_stop_accepting(&server->by_unix);
    listener_stop_accepting(&server->by_tcp);
    listen_unix_end(&server->place);
}

static void cut_all(struct call_list *list)
{
    struct call *call;

    while ((call = TAILQ_FIRST(list))) {
        call->is_cut = true;
        resume(call);
    }
}

void server_close(struct server *server)
{
    if (!server)
        return;
    server->closing = true;
    /* The library does not stop while a connection is suspended. */
    cut_all(&server->held);
    cut_all(&server->waiting);
    cut_all(&server->asking);
    cut_all(&server->undecided);
    listener_stop(&server->by_unix);
    listener_stop(&server->by_tcp);
    listen_unix_end(&server->place);
    loop_source_free(server->follow_timer);
    loop_source_free(server->go_on);
    jobs_on_commit(server->api.jobs, NULL, NULL);
    auth_free(server->auth);
    free(server);
}
