#ifndef DAEMON_STORE_BLOCK_H
#define DAEMON_STORE_BLOCK_H

#include "daemon/job_filter.h"
#include "daemon/store.h"

/*
 * Signatures of blocks of jobs: which parts their names may have, and which instance
 * types they may be on, so that a list passes over the others (a Bloom filter of one
 * hash, Bloom 1970).  They cost a submit a tenth of what an index does.  A job is in
 * block job_id / STORE_BLOCK_JOBS; a block's row is written with the first job of the
 * next one.
 */

enum {
    STORE_BLOCK_JOBS = 256,
    /* Two rows a page.  Names of 20 characters with a beginning in common set a tenth
     * of the bits, random ones half. */
    STORE_BLOCK_BYTES = 2000
};

struct store_block {
    int64_t number;
    unsigned char bits[STORE_BLOCK_BYTES];
};

/** Notes a job that is inserted; ids grow. */
MUST_CHECK int store_note_job(struct store *store, const struct job *job,
                              struct err *err);

/** Makes the block that is not full again, from its jobs. */
MUST_CHECK int store_read_block(struct store *store, struct err *err);

/** Lowers *high, so that no job from it on and below what it was passes the filter's
 * name and type; looks at 2,000 blocks at most, 1 us each. */
MUST_CHECK int store_pass_blocks(struct store *store, const struct job_filter *filter,
                                 int64_t *high, struct err *err);

#endif
