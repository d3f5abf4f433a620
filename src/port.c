/* Whether a TCP port is free on this host. */

#include "src/port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* PyTorch's TCPStore binds [::], so that is what must be free. */
bool port_is_free(int port)
{
    auto_close int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 any6 = { .sin6_family = AF_INET6,
                                 .sin6_port = htons((uint16_t)port) };
    struct sockaddr_in any4 = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port) };

    if (fd >= 0)
        return bind(fd, (struct sockaddr *)&any6, sizeof any6) == 0;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* a host without IPv6 */
    return fd >= 0 && bind(fd, (struct sockaddr *)&any4, sizeof any4) == 0;
}
