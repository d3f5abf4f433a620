/*
 * Tells who asks.  Decides which callers are refused before any handler sees them:
 * until tokens exist these are only the ones that may be web pages.
 */

#include "api/auth.h"

#include <arpa/inet.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/types.h>

struct known_user {
    struct known_user *next;
    uid_t uid;
    char *name;
};

struct auth {
    struct known_user *users; /* a site's users are few: a list is enough */
};

const char auth_anonymous[] = "anonymous";

struct auth *auth_new(void)
{
    return xcalloc(1, sizeof(struct auth));
}

void auth_free(struct auth *auth)
{
    if (!auth)
        return;
    while (auth->users) {
        struct known_user *user = auth->users;

        auth->users = user->next;
        free(user->name);
        free(user);
    }
    free(auth);
}

/* Asks the name service, which may be slow: once a uid, then it is known. */
static char *look_up(uid_t uid)
{
    char room[4096];
    struct passwd entry;
    struct passwd *found = NULL;

    if (getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found)
        return xstrdup(found->pw_name);
    return xasprintf("%u", (unsigned)uid);
}

bool auth_uid(int fd, uid_t *uid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return false;
    *uid = peer.uid;
    return true;
}

const char *auth_peer(struct auth *auth, int fd)
{
    struct known_user *user;
    uid_t uid;

    if (!auth_uid(fd, &uid))
        return auth_anonymous;
    for (user = auth->users; user; user = user->next)
        if (user->uid == uid)
            return user->name;
    user = xcalloc(1, sizeof *user);
    user->uid = uid;
    user->name = look_up(uid);
    user->next = auth->users;
    auth->users = user;
    return user->name;
}

/* "localhost", "127.0.0.1", "[::1]", each with any port: a forwarded port has another
 * number. */
static bool is_loopback(const char *host)
{
    char name[64];
    size_t len = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    struct in_addr address;

    if (len >= sizeof name || len > strlen(host))
        return false;
    if (host[len]
        && (host[len] != ':'
            || strspn(host + len + 1, "0123456789") != strlen(host + len + 1)))
        return false;
    memcpy(name, host, len);
    name[len] = '\0';
    if (strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0)
        return true;
    return inet_pton(AF_INET, name, &address) == 1
           && ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
}

enum auth_verdict auth_check_browser(const char *host, const char *origin)
{
    static const char scheme[] = "http://";

    if (!host || !is_loopback(host))
        return AUTH_HOST;
    if (!origin)
        return AUTH_OK;
    if (strncasecmp(origin, scheme, strlen(scheme)) == 0
        && strcasecmp(origin + strlen(scheme), host) == 0)
        return AUTH_OK;
    return AUTH_ORIGIN;
}
