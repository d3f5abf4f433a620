#ifndef SRC_STAGE_FEED_H
#define SRC_STAGE_FEED_H

#include "src/stage/objects.h"
#include "src/stage/order.h"
#include "src/stage/stage.h"

/* One local rank's view of a Pipe channel: a FIFO an epoch. */
struct feed {
    struct stage *stage;
    const struct channel *channel;
    const struct objects *objects; /* or, of an augmented manifest: */
    const int64_t *lines;          /* where its lines begin */
    size_t count;                  /* of objects or lines */
    struct share share;
    char *stem; /* the FIFOs are STEM_EPOCH */
};

/** Makes the FIFOs of epochs 0 and 1; those that are there are well. */
MUST_CHECK int feed_make_first(const struct feed *feed, struct err *err);

/** Feeds one epoch after another, for ever; returns -1 when an object cannot be given
 * whole or when two read at once.  The FIFO stays open then, so that nobody takes what
 * came for all. */
MUST_CHECK int feed_run(struct feed *feed, struct err *err);

#endif
