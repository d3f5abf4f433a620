#ifndef DAEMON_PORTS_H
#define DAEMON_PORTS_H

#include "src/base.h"
#include "src/err.h"
#include "src/port.h"

/* Rendezvous ports: as many in a row as a job needs, from 20000 to 29999. */

struct ports {
    bool taken[PORTS_COUNT];
    int next;
};

/** The first of `count` ports in a row that no job of ours has and that can be bound on
 * this host now.  ERR_UNAVAILABLE when there are none. */
MUST_CHECK int ports_take(struct ports *ports, int count, int *port, struct err *err);
/** Marks the ports of a job that runs already. */
void ports_hold(struct ports *ports, int port, int count);
void ports_release(struct ports *ports, int port, int count);

#endif
