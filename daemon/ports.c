/* Which rendezvous port a job gets. */

#include "daemon/ports.h"

#include "src/digest.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* PyTorch's TCPStore binds [::], so that is what must be free. */
static bool can_bind(int port)
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

/* Two daemons on one host should not walk in step. */
static int random_start(void)
{
    uint32_t number;

    random_bytes(&number, sizeof number);
    return (int)(number % PORTS_COUNT);
}

int ports_take(struct ports *ports, int *port, struct err *err)
{
    if (ports->next == 0)
        ports->next = random_start();
    for (int i = 0; i < PORTS_COUNT; i++) {
        int index = (ports->next + i) % PORTS_COUNT;

        if (ports->taken[index] || !can_bind(PORTS_FIRST + index))
            continue;
        ports->taken[index] = true;
        ports->next = (index + 1) % PORTS_COUNT;
        *port = PORTS_FIRST + index;
        return 0;
    }
    return err_set(err, ERR_UNAVAILABLE, "no free rendezvous port from %d to %d",
                   PORTS_FIRST, PORTS_FIRST + PORTS_COUNT - 1);
}

void ports_hold(struct ports *ports, int port)
{
    if (port >= PORTS_FIRST && port < PORTS_FIRST + PORTS_COUNT)
        ports->taken[port - PORTS_FIRST] = true;
}

void ports_release(struct ports *ports, int port)
{
    if (port >= PORTS_FIRST && port < PORTS_FIRST + PORTS_COUNT)
        ports->taken[port - PORTS_FIRST] = false;
}
