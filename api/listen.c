/* Opens the sockets to listen on.  Decides when a socket file is stale, and that TCP is
 * loopback only. */

#include "api/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static int open_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* A socket file outlives a daemon that was killed: whether one listens is known only by
 * trying. */
static int clear_stale(const struct sockaddr_un *address, struct err *err)
{
    const char *path = address->sun_path;
    auto_close int probe = -1;
    struct stat info;

    if (lstat(path, &info) < 0)
        return errno == ENOENT ? 0 : err_sys(err, errno, "socket %s", path);
    if (!S_ISSOCK(info.st_mode))
        return err_set(err, ERR_CONFLICT, "socket %s: something else is there", path);
    probe = open_socket(AF_UNIX);
    if (probe < 0)
        return err_sys(err, errno, "socket");
    /* EAGAIN: somebody listens, and has more callers than it can take. */
    if (connect(probe, (const struct sockaddr *)address, sizeof *address) == 0
        || errno == EAGAIN)
        return err_set(err, ERR_CONFLICT, "socket %s: another daemon listens there",
                       path);
    if (errno != ECONNREFUSED)
        return err_sys(err, errno, "socket %s", path);
    if (unlink(path) < 0)
        return err_sys(err, errno, "remove stale socket %s", path);
    return 0;
}

int listen_unix(const char *path, struct listen_place *place, int *fd, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    auto_close int made = -1;
    struct stat info;
    mode_t mask;
    int failed;

    if (strlen(path) >= sizeof address.sun_path)
        return err_set(err, ERR_INVALID,
                       "socket %s: a socket's path has at most %zu bytes", path,
                       sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    if (clear_stale(&address, err) < 0)
        return -1;
    made = open_socket(AF_UNIX);
    if (made < 0)
        return err_sys(err, errno, "socket");
    /* The mode has to be right from the first instant, whatever the umask. */
    mask = umask(0117);
    failed = bind(made, (const struct sockaddr *)&address, sizeof address);
    umask(mask);
    if (failed < 0 || listen(made, LISTEN_BACKLOG) < 0 || lstat(path, &info) < 0)
        return err_sys(err, errno, "listen at %s", path);
    *place = (struct listen_place){ xstrdup(path), info.st_dev, info.st_ino };
    *fd = steal_fd(&made);
    return 0;
}

void listen_unix_end(struct listen_place *place)
{
    struct stat info;

    if (place->path && lstat(place->path, &info) == 0 && info.st_dev == place->device
        && info.st_ino == place->inode)
        unlink(place->path);
    free(place->path);
    *place = (struct listen_place){ 0 };
}

static bool parse_port(const char *text, in_port_t *port)
{
    size_t len = strlen(text);
    unsigned long number;

    if (len < 1 || len > 5 || strspn(text, "0123456789") != len)
        return false;
    number = strtoul(text, NULL, 10);
    if (number > UINT16_MAX)
        return false;
    *port = htons((in_port_t)number);
    return true;
}

/* Reads ADDRESS:PORT into `out`; false when it is not a loopback one. */
static bool parse_address(const char *text, union any_address *out)
{
    const char *colon = strrchr(text, ':');
    auto_free char *host = NULL;
    in_port_t port;

    if (!colon || !parse_port(colon + 1, &port))
        return false;
    host = xstrndup(text, (size_t)(colon - text));
    *out = (union any_address){ 0 };
    if (strcmp(host, "[::1]") == 0) {
        out->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
                                         .sin6_addr = IN6ADDR_LOOPBACK_INIT,
                                         .sin6_port = port };
        return true;
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = port;
    if (strcmp(host, "localhost") == 0) {
        out->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return true;
    }
    return inet_pton(AF_INET, host, &out->v4.sin_addr) == 1
           && ntohl(out->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static char *show_address(const union any_address *address)
{
    char host[INET6_ADDRSTRLEN];

    if (address->any.sa_family == AF_INET6)
        return xasprintf("[::1]:%d", ntohs(address->v6.sin6_port));
    inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof host);
    return xasprintf("%s:%d", host, ntohs(address->v4.sin_port));
}

int listen_tcp(const char *address, char **shown, int *fd, struct err *err)
{
    union any_address place;
    socklen_t size;
    auto_close int made = -1;
    int yes = 1;

    if (!parse_address(address, &place))
        return err_set(
            err, ERR_INVALID,
            "listen %s: expected a loopback ADDRESS:PORT, such as 127.0.0.1:8080; other hosts need tokens, which do not exist yet",
            address);
    size = place.any.sa_family == AF_INET6 ? sizeof place.v6 : sizeof place.v4;
    made = open_socket(place.any.sa_family);
    if (made < 0)
        return err_sys(err, errno, "socket");
    if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0
        || bind(made, &place.any, size) < 0 || listen(made, LISTEN_BACKLOG) < 0
        || getsockname(made, &place.any, &size) < 0)
        return err_sys(err, errno, "listen at %s", address);
    *shown = show_address(&place);
    *fd = steal_fd(&made);
    return 0;
}
