/* Which rendezvous port a job gets. */

#include "daemon/ports.h"

#include "src/digest.h"

/* Two daemons on one host should not walk in step. */
static int random_start(void)
{
    uint32_t number;

    random_bytes(&number, sizeof number);
    return (int)(number % PORTS_COUNT);
}

/* How many in a row from `index` on may be had, at most `count`. */
static int usable(const struct ports *ports, int index, int count)
{
    int length = 0;

    while (length < count && index + length < PORTS_COUNT
           && !ports->taken[index + length]
           && port_is_free(PORTS_FIRST + index + length))
        length++;
    return length;
}

static void mark(struct ports *ports, int port, int count, bool taken)
{
    for (int i = port - PORTS_FIRST; i < port - PORTS_FIRST + count; i++)
        if (i >= 0 && i < PORTS_COUNT)
            ports->taken[i] = taken;
}

int ports_take(struct ports *ports, int count, int *port, struct err *err)
{
    int skip;

    if (ports->next == 0)
        ports->next = random_start();
    /* Behind what ends too early lies one that cannot be had: it is not asked again. */
    for (int i = 0; i < PORTS_COUNT; i += skip) {
        int index = (ports->next + i) % PORTS_COUNT;

        skip = usable(ports, index, count);
        if (skip == count) {
            *port = PORTS_FIRST + index;
            mark(ports, *port, count, true);
            ports->next = (index + count) % PORTS_COUNT;
            return 0;
        }
        if (index + skip < PORTS_COUNT)
            skip++;
    }
    return err_set(err, ERR_UNAVAILABLE,
                   "no %d free rendezvous ports in a row from %d to %d", count,
                   PORTS_FIRST, PORTS_FIRST + PORTS_COUNT - 1);
}

void ports_hold(struct ports *ports, int port, int count)
{
    mark(ports, port, count, true);
}

void ports_release(struct ports *ports, int port, int count)
{
    mark(ports, port, count, false);
}
