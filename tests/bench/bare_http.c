/*
 * libmicrohttpd with nothing behind it, beside which the daemon is measured:
 *
 *   bare_http             answers every request with 200 and a small JSON object
 *   bare_http DATABASE    puts each body into a row first, one commit for all that came
 *                         in a round, answers after it: what any durable submit costs
 *
 * The library is run as the daemon runs it: same flags and limits, an epoll of our own
 * outside, one thread.  Says its port in the first line; ends when stdin does.
 */

#include "tests/bench/bench.h"
#include "tests/bench/rows.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTION_LIMIT = 1024,
    CONNECTION_MEMORY_BYTES = 32768,
    IDLE_TIMEOUT_S = 60,
    BODY_MAX = 16384
};

struct call {
    TAILQ_ENTRY(call) link; /* in server->held while `held` */
    struct MHD_Connection *connection;
    bool held;
    size_t len;
    char body[BODY_MAX + 1];
};

struct server {
    struct MHD_Daemon *daemon;
    struct rows *rows; /* or NULL */
    int64_t number;
    TAILQ_HEAD(, call) held;
};

static enum MHD_Result answer(struct MHD_Connection *connection)
{
    static char body[] = "{\"name\":\"bare\",\"status\":\"InProgress\"}";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(sizeof body - 1, body, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result queued;

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
    queued = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

static void hold(struct server *server, struct call *call)
{
    char name[32];

    snprintf(name, sizeof name, "row-%lld", (long long)server->number++);
    rows_add(server->rows, name, call->body);
    call->held = true;
    TAILQ_INSERT_TAIL(&server->held, call, link);
    MHD_suspend_connection(call->connection);
}

static struct call *call_new(struct MHD_Connection *connection)
{
    struct call *call = xmalloc(sizeof *call);

    call->connection = connection;
    call->held = false;
    call->len = 0;
    return call;
}

static enum MHD_Result add_body(struct call *call, const char *bytes, size_t *len)
{
    if (*len > BODY_MAX - call->len)
        return MHD_NO;
    memcpy(call->body + call->len, bytes, *len);
    call->len += *len;
    *len = 0;
    return MHD_YES;
}

/* The library's signature.  NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method,
                                  const char *version, const char *bytes, size_t *len,
                                  void **state)
{
    struct server *server = context;
    struct call *call = *state;

    (void)path;
    (void)method;
    (void)version;
    if (!call) {
        *state = call_new(connection);
        return MHD_YES;
    }
    if (*len)
        return add_body(call, bytes, len);
    call->body[call->len] = '\0';
    if (!server->rows)
        return answer(connection);
    hold(server, call);
    return MHD_YES;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why)
{
    struct server *server = context;
    struct call *call = *state;

    (void)connection;
    (void)why;
    if (call && call->held)
        TAILQ_REMOVE(&server->held, call, link);
    free(call);
    *state = NULL;
}

static void release(struct server *server)
{
    struct call *call;

    if (TAILQ_EMPTY(&server->held))
        return;
    rows_commit(server->rows);
    while ((call = TAILQ_FIRST(&server->held))) {
        TAILQ_REMOVE(&server->held, call, link);
        call->held = false;
        if (answer(call->connection) == MHD_NO)
            bench_fail("libmicrohttpd", "does not take an answer");
        MHD_resume_connection(call->connection);
    }
    MHD_run(server->daemon);
}

static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0
        || listen(fd, SOMAXCONN) < 0
        || getsockname(fd, (struct sockaddr *)&address, &len) < 0)
        bench_fail_errno("listen");
    *port = ntohs(address.sin_port);
    return fd;
}

static void start(struct server *server, int listen_fd)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

    /* clang-format off */
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, server,
        MHD_OPTION_LISTEN_SOCKET, listen_fd,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTION_LIMIT,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,
        MHD_OPTION_END);
    /* clang-format on */
    if (!server->daemon)
        bench_fail("libmicrohttpd", "does not start");
}

static void watch(int epoll, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
        bench_fail_errno("epoll");
}

static void serve(struct server *server, int library_fd)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { 0 };
    MHD_UNSIGNED_LONG_LONG wait_ms;

    watch(epoll, library_fd);
    watch(epoll, STDIN_FILENO);
    for (;;) {
        bool at_once =
            MHD_get_timeout(server->daemon, &wait_ms) == MHD_YES && wait_ms == 0;
        int ready = epoll_wait(epoll, &event, 1, at_once ? 0 : -1);

        if (ready > 0 && event.data.fd == STDIN_FILENO)
            break;
        MHD_run(server->daemon);
        release(server);
    }
    close(epoll);
}

int main(int argc, char **argv)
{
    struct server server = { .rows = argc > 1 ? rows_open(argv[1]) : NULL };
    struct cJSON *ready = json_object_new();
    const union MHD_DaemonInfo *info;
    uint16_t port;
    int fd = listen_anywhere(&port);

    TAILQ_INIT(&server.held);
    start(&server, fd);
    info = MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info)
        bench_fail("libmicrohttpd", "has no epoll");
    json_set_int(ready, "port", port);
    bench_answer(ready);
    serve(&server, info->epoll_fd);
    MHD_stop_daemon(server.daemon);
    if (server.rows)
        rows_close(server.rows);
    return 0;
}
