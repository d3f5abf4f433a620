#ifndef SRC_WORKER_USAGE_H
#define SRC_WORKER_USAGE_H

#include "src/base.h"
#include "src/worker/cgroup.h"

/* What the kernel has counted for a worker's ranks. */

struct usage {
    int64_t cpu_usec;
    int64_t memory_bytes; /* now; of a cgroup: with its share of the page cache */
    int64_t peak_bytes;   /* the most there was; without a cgroup: of one process */
    int64_t read_bytes;   /* from and to disks */
    int64_t write_bytes;
    int64_t rx_bytes; /* of the whole host, the loopback interface left out */
    int64_t tx_bytes;
    bool cpu_of_cgroup; /* counted from its birth on, so from 0 */
    bool io_of_cgroup;
};

/**
 * Reads the counters: of the cgroup where it has them, else of this process's children
 * and theirs, those that are there and those that were waited for.
 *
 * All but memory_bytes and peak_bytes only ever grow, a cgroup's from 0, the others
 * from some number: only differences mean something.  -1: the kernel does not say.
 */
void usage_read(const struct cgroup *cgroup, struct usage *out);

/** The sum of `key`=N over the lines of an io.stat; pure. */
int64_t usage_sum_io(const char *io_stat, const char *key);

/** The sums over the interfaces of a /proc/net/dev, lo left out; pure. */
void usage_sum_network(const char *dev, int64_t *rx_bytes, int64_t *tx_bytes);

#endif
