#ifndef API_LOG_FOLLOW_H
#define API_LOG_FOLLOW_H

#include "api/log_stream.h"
#include "daemon/jobs.h"

/* A job's output as an answer that comes bit by bit: a log_stream that keeps itself
 * informed. */

struct log_follow;

/**
 * ERR_NOT_FOUND when there is no such job or attempt (0: the last one), or none of its
 * ranks is wanted by the query.  `jobs` outlives it. The caller frees.
 */
MUST_CHECK int log_follow_new(struct jobs *jobs, const char *job_name, int attempt,
                              const struct log_query *query, struct log_follow **out,
                              struct err *err);
void log_follow_free(struct log_follow *follow);

/**
 * Whether log_follow_read would give anything, its end included.
 *
 * @commits  how many commits there were: a job stands as it stood as long as this does
 * not change, and is not asked for
 * @cost     what it took is added, in units of a stat
 */
bool log_follow_is_ready(struct log_follow *follow, uint64_t commits, size_t *cost);

/** As log_stream_read. */
ssize_t log_follow_read(struct log_follow *follow, char *out, size_t room);

#endif
