#ifndef API_LOG_FOLLOW_H
#define API_LOG_FOLLOW_H

#include "api/log_stream.h"
#include "daemon/jobs.h"

/* A job's output as an answer that comes bit by bit: a log_stream that keeps itself
 * informed. */

struct log_follow;

/**
 * ERR_NOT_FOUND when there is no such job, or none of its ranks is wanted by the query.
 * `jobs` outlives it. The caller frees.
 */
MUST_CHECK int log_follow_new(struct jobs *jobs, const char *job_name,
                              const struct log_query *query, struct log_follow **out,
                              struct err *err);
void log_follow_free(struct log_follow *follow);

/** Asks anew how the job stands; whether log_follow_read would give anything, its end
 * included. */
bool log_follow_is_ready(struct log_follow *follow);

/** How many stats log_follow_is_ready costs, at least 1. */
size_t log_follow_cost(const struct log_follow *follow);

/** As log_stream_read. */
ssize_t log_follow_read(struct log_follow *follow, char *out, size_t room);

#endif
