#ifndef SRC_STAGE_POUR_H
#define SRC_STAGE_POUR_H

#include "src/stage/stage.h"

/* Where an epoch's bytes go. */
struct pour {
    struct stage *stage;
    const struct channel *channel;
    int fd;              /* a FIFO's writing end */
    bool is_reader_gone; /* set with a failure that is none: the epoch is over */
};

/** All bytes of one object, inflated and wrapped as the channel has it.  `size` is -1
 * where nobody knows; `etag` may be NULL. */
MUST_CHECK int pour_object(struct pour *pour, const char *source, int64_t size,
                           const char *etag, struct err *err);

/** Bytes that are an object of their own. */
MUST_CHECK int pour_bytes(struct pour *pour, const void *bytes, size_t len,
                          struct err *err);

#endif
