#ifndef SRC_STAGE_READERS_H
#define SRC_STAGE_READERS_H

#include "src/base.h"
#include "src/err.h"

/** ERR_INVALID when two processes, or one twice, have opened the FIFO of `fd` to read
 * it: each would get some of the bytes.  A file descriptor that was inherited or
 * duplicated is the same opening.  Sees the processes that this user may look at. */
MUST_CHECK int readers_check(int fd, struct err *err);

#endif
