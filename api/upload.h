#ifndef API_UPLOAD_H
#define API_UPLOAD_H

#include "daemon/jobs.h"
#include "src/digest.h"
#include "src/err.h"

/* A source archive on its way in: a temp file beside its place, with the digest
 * computed as the bytes come. */

struct upload;

/** `limit` in bytes.  The caller frees. */
MUST_CHECK int upload_new(struct jobs *jobs, const char hex[DIGEST_HEX_SIZE],
                          int64_t limit, struct upload **out, struct err *err);

/** ERR_LIMIT above the limit. */
MUST_CHECK int upload_add(struct upload *upload, const void *bytes, size_t len,
                          struct err *err);

/**
 * Puts the file into its place, durable there before this returns.
 *
 * ERR_INVALID when the bytes have another digest.
 */
MUST_CHECK int upload_finish(struct upload *upload, struct err *err);

/** Removes the temp file unless it was finished. */
void upload_free(struct upload *upload);

/** Removes what uploads left that a crash cut off. */
void upload_sweep(struct jobs *jobs);

#endif
