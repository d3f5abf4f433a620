#ifndef SRC_JOB_ID_H
#define SRC_JOB_ID_H

#include "src/base.h"

/* A job's id: a ULID, 26 characters of Crockford's base 32: 48 bits of milliseconds,
 * then 80 random bits. It sorts by time and is never given twice, even when a name is
 * used again. */
enum {
    JOB_ID_SIZE = 27
};

void job_id_make(usec_t wall, char out[JOB_ID_SIZE]);
bool job_id_is_valid(const char *text);

/** [a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}: what SageMaker takes as a training job's name. */
bool job_name_is_valid(const char *name);

/** base-20261130-101500-123: `base` is cut so that the whole fits 63 characters. `out`
 * holds 64. */
void job_name_make(const char *base, usec_t wall, char out[64]);

#endif
