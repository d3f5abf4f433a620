#ifndef SRC_PORT_H
#define SRC_PORT_H

#include "src/base.h"

/* TCP ports of jobs: below Linux' ephemeral range (ip(7), ip_local_port_range), so that
 * no outgoing connection takes one between our look and the job's bind. */
enum {
    PORTS_FIRST = 20000,
    PORTS_COUNT = 10000
};

/** Whether a process could listen at it now, on all addresses. */
bool port_is_free(int port);

#endif
