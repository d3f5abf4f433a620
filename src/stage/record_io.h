#ifndef SRC_STAGE_RECORD_IO_H
#define SRC_STAGE_RECORD_IO_H

#include "src/base.h"
#include "src/err.h"

/* MXNet's RecordIO, as SageMaker wraps objects in it: a magic number and a length, both
 * of 32 bits and little-endian, the bytes, and zeros up to a multiple of 4. */

enum {
    RECORD_IO_HEADER = 8
};

/** ERR_LIMIT from 2^29 bytes on: the length has the three highest bits for the parts of
 * a record that is split, and ours are whole. */
MUST_CHECK int record_io_header(int64_t len, unsigned char out[RECORD_IO_HEADER],
                                struct err *err);

/** How many zeros follow `len` bytes. */
size_t record_io_padding(int64_t len);

#endif
