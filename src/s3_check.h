#ifndef SRC_S3_CHECK_H
#define SRC_S3_CHECK_H

#include "src/base.h"
#include "src/err.h"
#include "src/s3.h"

/* The MD5 of a file that is being filled, by a process beside.  For s3_fetch.c alone.
 */

struct s3_check;

/** Begins to compare what will be in the open file `fd` with `wanted`'s ETag.  The
 * caller frees. */
MUST_CHECK int s3_check_start(const struct s3_wanted *wanted, int fd,
                              struct s3_check **out, struct err *err);

/** So many bytes more are in the file, behind those that were there. */
void s3_check_add(struct s3_check *check, int64_t bytes);

/** How many bytes it has read so far. */
int64_t s3_check_hashed(struct s3_check *check);

/** Waits until it has read on or is over. */
void s3_check_wait(struct s3_check *check);

bool s3_check_is_over(const struct s3_check *check);

/** Of one that is over: whether the bytes are right. */
MUST_CHECK int s3_check_result(const struct s3_check *check, bool *right,
                               struct err *err);

/** Ends it when it is not over.  NULL is well. */
void s3_check_free(struct s3_check *check);

#endif
