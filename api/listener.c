/* The HTTP library inside the one loop: when it is run, and on which sockets.  What
 * comes is the server's. */

#include "api/listener.h"

#include "api/auth.h"
#include "src/clock.h"
#include "src/log.h"
#include "src/text.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Of one connection: its headers twice over what a request may have, so that too many
 * are refused in our words, and the buffer that uploads come through. */
enum {
    CONNECTION_MEMORY_BYTES = 2 * EXCHANGE_HEAD_MAX
};

/* Lets the library work, and sees to it that it is run again when it wants to be though
 * nothing comes: because it is not through, or because a connection will time out.  A
 * timer that is set too early stays: setting it back at each request would cost a
 * system call, and it fires once at most. */
static void run(struct listener *listener)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;
    usec_t at;

    if (MHD_run(listener->daemon) == MHD_NO)
        log_error("api.run result=failed");
    if (MHD_get_timeout(listener->daemon, &wait_ms) != MHD_YES)
        return;
    if (wait_ms == 0) {
        loop_wake(listener->again);
        return;
    }
    at = clock_boot() + (usec_t)wait_ms * USEC_PER_MSEC;
    if (at < listener->timer_at) {
        listener->timer_at = at;
        loop_timer_set(listener->timer, at);
    }
}

static void on_ready(void *context)
{
    run(context);
}

static void on_timer(void *context)
{
    struct listener *listener = context;

    listener->timer_at = INT64_MAX;
    run(listener);
}

PRINTF_LIKE(2, 0)
static void on_library_log(void *context, const char *format, va_list args)
{
    auto_free char *words = xvasprintf(format, args);

    (void)context;
    words[strcspn(words, "\n")] = '\0';
    log_debug("api.library says=\"%s\"", words);
}

/* Of a part of the URL, in place.  A NUL would end it, and what stands behind would be
 * passed over: such a part stays as it is, and names nothing that there is. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *part)
{
    (void)context;
    (void)connection;
    return strstr(part, "%00") ? strlen(part) : MHD_http_unescape(part);
}

/* --- connections --- */

int listener_fd(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

struct guest *listener_guest(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        ->socket_context;
}

static enum MHD_Result count_framing(void *context, enum MHD_ValueKind kind,
                                     const char *name, const char *value)
{
    int *count = context;

    (void)kind;
    (void)value;
    *count += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0
              || strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

void listener_read_headers(struct MHD_Connection *connection, struct envelope *envelope)
{
    envelope->host = header(connection, MHD_HTTP_HEADER_HOST);
    envelope->origin = header(connection, MHD_HTTP_HEADER_ORIGIN);
    envelope->content_length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    envelope->transfer_encoding = header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    envelope->expect = header(connection, MHD_HTTP_HEADER_EXPECT);
    envelope->head_bytes =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
            ->header_size;
    envelope->framings = 0;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_framing,
                              &envelope->framings);
}

static void on_connection(void *context, struct MHD_Connection *connection,
                          void **guest, enum MHD_ConnectionNotificationCode what)
{
    const struct listener *listener = context;
    int fd = listener_fd(connection);
    uid_t uid = GUARD_ANYBODY;

    switch (what) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        if (listener->is_unix)
            (void)auth_uid(fd, &uid);
        *guest = guard_enter(listener->guard, fd, uid);
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        guest_leave(*guest);
        break;
    }
}

/* --- starting and stopping --- */

/* Who moves no byte for so long is cut without a word: after the guard, which has one,
 * had its turn. */
static unsigned silence_s(const struct guard_limits *limits)
{
    usec_t longest = limits->idle;

    if (longest < limits->header)
        longest = limits->header;
    if (longest < limits->body)
        longest = limits->body;
    return (unsigned)(longest / USEC_PER_SEC) + 1;
}

/* Takes `fd` over, also when it fails. */
static int start_library(struct listener *listener, const struct listener_calls *calls,
                         int fd, struct err *err)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

    /* clang-format off */
    listener->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, calls->on_request, listener,
        MHD_OPTION_EXTERNAL_LOGGER, on_library_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener,
        MHD_OPTION_NOTIFY_COMPLETED, calls->on_completed, listener,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)guard_places(listener->guard),
        MHD_OPTION_CONNECTION_TIMEOUT, silence_s(calls->limits),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,
        MHD_OPTION_END);
    /* clang-format on */
    if (listener->daemon)
        return 0;
    close(fd);
    return err_set(err, ERR_INTERNAL, "libmicrohttpd does not start");
}

int listener_start(struct listener *listener, struct loop *loop,
                   const struct listener_calls *calls, int fd, struct err *err)
{
    const union MHD_DaemonInfo *info;

    listener->timer_at = INT64_MAX;
    if (guard_new(calls->limits, loop, &listener->guard, err) < 0) {
        close(fd);
        return -1;
    }
    if (start_library(listener, calls, fd, err) < 0)
        return -1;
    info = MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info)
        return err_set(err, ERR_INTERNAL, "libmicrohttpd has no epoll");
    if (loop_add_timer(loop, on_timer, listener, &listener->timer, err) < 0
        || loop_add_last(loop, on_ready, listener, &listener->again, err) < 0)
        return -1;
    return loop_add_fd(loop, info->epoll_fd, on_ready, listener, &listener->ready, err);
}

void listener_stop_accepting(struct listener *listener)
{
    int fd = listener->daemon ? MHD_quiesce_daemon(listener->daemon) : -1;

    if (fd >= 0)
        close(fd);
}

void listener_stop(struct listener *listener)
{
    loop_source_free(listener->ready);
    loop_source_free(listener->again);
    loop_source_free(listener->timer);
    if (listener->daemon) {
        /* What is answered already goes out: after a commit that failed it says so. */
        if (MHD_run(listener->daemon) == MHD_NO)
            log_error("api.run result=failed");
        MHD_stop_daemon(listener->daemon);
    }
    guard_free(listener->guard);
}
