#ifndef SRC_STAGE_ORDER_H
#define SRC_STAGE_ORDER_H

#include "src/base.h"

/* The order in which a Pipe channel's objects go in an epoch, and whose they are.  All
 * pure: every instance computes the same. */

/** Fills `order` with 0..count-1 shuffled: Fisher and Yates's from the last place down,
 * each by the next number of splitmix64, whose state begins with what it makes of
 * `seed`, plus `epoch`.  railhead-stage(8) promises it. */
void order_shuffle(uint32_t *order, size_t count, int64_t seed, int64_t epoch);

/* A worker, and one of the local ranks of it. */
struct share {
    int worker, workers;
    int local, locals;
};

/** Whether the object at place `k` of the epoch is for this share: every place is for
 * exactly one, and none has two more than another. */
bool share_has(const struct share *share, size_t k);

#endif
