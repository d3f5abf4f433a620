/* The socket between railhead-rsh and a worker: how a request and its answers travel.
 * Decides nothing about who may ask for what, except that it is the same user. */

#include "src/rsh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* mpirun starts a daemon an instance; who finds the backlog full waits. */
enum {
    BACKLOG = 16
};

/* A socket's path has 108 bytes, a worker's folder may have more: so the folder is
 * named by its descriptor. */
static int address_in(const char *folder, struct sockaddr_un *out, struct err *err)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return err_sys(err, errno, "open %s", folder);
    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(out->sun_path, sizeof out->sun_path, "/proc/self/fd/%d/rsh", fd);
    return fd;
}

int rsh_listen(const char *folder, struct err *err)
{
    struct sockaddr_un address;
    auto_close int folder_fd = address_in(folder, &address, err);
    auto_close int fd = -1;

    if (folder_fd < 0)
        return -1;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_sys(err, errno, "make a socket");
    if (unlinkat(folder_fd, "rsh", 0) < 0 && errno != ENOENT)
        return err_sys(err, errno, "replace %s/rsh", folder);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) < 0
        || listen(fd, BACKLOG) < 0)
        return err_sys(err, errno, "listen on %s/rsh", folder);
    return steal_fd(&fd);
}

int rsh_accept(int listener)
{
    auto_close int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred peer;
    socklen_t len = sizeof peer;

    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0
        || peer.uid != geteuid())
        return -1;
    return steal_fd(&fd);
}

int rsh_connect(const char *folder, struct err *err)
{
    struct sockaddr_un address;
    auto_close int folder_fd = address_in(folder, &address, err);
    auto_close int fd = -1;

    if (folder_fd < 0)
        return -1;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_sys(err, errno, "make a socket");
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return steal_fd(&fd);
    if (errno == ENOENT || errno == ECONNREFUSED)
        return err_set(err, ERR_UNAVAILABLE, "nobody listens on %s/rsh", folder);
    return err_sys(err, errno, "connect to %s/rsh", folder);
}

int rsh_ask(int connection, const char *command, struct err *err)
{
    static const int streams[RSH_STREAMS] = { STDIN_FILENO, STDOUT_FILENO,
                                              STDERR_FILENO };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof streams)] = { 0 };
    size_t len = strlen(command);
    auto_free char *bytes = xstrdup(command);
    struct iovec part = { bytes, len };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof control };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);

    if (len == 0 || len > RSH_COMMAND_MAX)
        return err_set(err, ERR_LIMIT, "a command of %zu bytes cannot be run", len);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof streams);
    memcpy(CMSG_DATA(rights), streams, sizeof streams);
    if (sendmsg(connection, &message, MSG_NOSIGNAL) != (ssize_t)len)
        return err_sys(err, errno, "send the command");
    return 0;
}

/* Whatever descriptors came are in `out`, at most RSH_STREAMS. Gives how many. */
static size_t take_rights(struct msghdr *message, int out[RSH_STREAMS])
{
    struct cmsghdr *rights = CMSG_FIRSTHDR(message);
    size_t count;

    if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
        return 0;
    count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof *out;
    memcpy(out, CMSG_DATA(rights), count * sizeof *out);
    return count;
}

int rsh_take(int connection, char **command, int streams[RSH_STREAMS])
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(RSH_STREAMS * sizeof(int))];
    auto_free char *bytes = xmalloc(RSH_COMMAND_MAX + 1);
    struct iovec part = { bytes, RSH_COMMAND_MAX };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              /* CMSG_SPACE would let a fourth descriptor in; the kernel
                               * closes what does not fit. */
                              .msg_controllen = CMSG_LEN(RSH_STREAMS * sizeof(int)) };
    ssize_t got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    size_t count;

    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    count = take_rights(&message, streams);
    bytes[got] = '\0';
    if ((count == RSH_STREAMS || count == 0) && got > 0 && strlen(bytes) == (size_t)got
        && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
        if (count == 0)
            streams[0] = -1;
        *command = steal_ptr(&bytes);
        return 1;
    }
    while (count > 0)
        close(streams[--count]);
    return -1;
}

void rsh_say(int connection, const char *format, ...)
{
    char text[RSH_ANSWER_MAX];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len >= (int)sizeof text)
        len = (int)sizeof text - 1;
    (void)!send(connection, text, (size_t)len, MSG_NOSIGNAL);
}

int rsh_hear(int connection, char text[RSH_ANSWER_MAX])
{
    ssize_t got;

    do
        got = recv(connection, text, RSH_ANSWER_MAX - 1, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return 0;
    if (got <= 0)
        return -1;
    text[got] = '\0';
    return 1;
}
