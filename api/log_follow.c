/* Keeps a log_stream informed of how its job stands.  Decides when a follower is at its
 * end because its job is gone; all else is log_stream's. */

#include "api/log_follow.h"

#include <stdlib.h>

struct log_follow {
    struct jobs *jobs;
    char *job_name;
    struct log_stream *stream;
};

/* Tells the stream what the job machine knows.  *known: how many ranks have logs. */
static int refresh(struct log_follow *follow, size_t *known, struct err *err)
{
    struct job_log *logs = NULL;
    bool ended = false;

    if (jobs_logs(follow->jobs, follow->job_name, &logs, known, &ended, err) < 0)
        return -1;
    log_stream_update(follow->stream, logs, *known, ended);
    job_logs_free(logs, *known);
    return 0;
}

int log_follow_new(struct jobs *jobs, const char *job_name,
                   const struct log_query *query, struct log_follow **out,
                   struct err *err)
{
    struct log_follow *follow = xcalloc(1, sizeof *follow);
    size_t known = 0;
    int failed;

    follow->jobs = jobs;
    follow->job_name = xstrdup(job_name);
    follow->stream = log_stream_new(query);
    failed = refresh(follow, &known, err);
    if (!failed && known > 0 && log_stream_sources(follow->stream) == 0)
        failed = err_set(err, ERR_NOT_FOUND,
                         "job %s has no such rank or worker; it has %zu ranks",
                         job_name, known);
    if (failed) {
        log_follow_free(follow);
        return -1;
    }
    *out = follow;
    return 0;
}

void log_follow_free(struct log_follow *follow)
{
    if (!follow)
        return;
    log_stream_free(follow->stream);
    free(follow->job_name);
    free(follow);
}

bool log_follow_is_ready(struct log_follow *follow)
{
    size_t known;

    if (refresh(follow, &known, NULL) < 0) {
        /* The job is gone: what was read of it is all there is. */
        log_stream_update(follow->stream, NULL, 0, true);
        return true;
    }
    return log_stream_is_ready(follow->stream);
}

size_t log_follow_cost(const struct log_follow *follow)
{
    return 1 + log_stream_sources(follow->stream);
}

ssize_t log_follow_read(struct log_follow *follow, char *out, size_t room)
{
    return log_stream_read(follow->stream, out, room);
}
