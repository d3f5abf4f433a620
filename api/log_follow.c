/* Keeps a log_stream informed of how its job stands.  Decides when a follower is at its
 * end because its job is gone; all else is log_stream's. */

#include "api/log_follow.h"

#include <stdlib.h>

/* Replaying a job's events and reading its spec, against a stat's 2 us. */
enum {
    REFRESH_COST = 50
};

struct log_follow {
    struct jobs *jobs;
    uint64_t commits; /* when the job was last asked for; 0: not since the start */
    char *job_name;
    int attempt; /* 0: the last one */
    struct log_stream *stream;
};

/* Tells the stream what the job machine knows.  *known: how many ranks have logs. */
static int refresh(struct log_follow *follow, size_t *known, struct err *err)
{
    struct job_logs logs = { 0 };
    int result = jobs_logs(follow->jobs, follow->job_name, follow->attempt, &logs, err);

    *known = logs.count;
    if (result == 0)
        log_stream_update(follow->stream, logs.logs, logs.count, logs.ended);
    job_logs_clear(&logs);
    return result;
}

int log_follow_new(struct jobs *jobs, const char *job_name, int attempt,
                   const struct log_query *query, struct log_follow **out,
                   struct err *err)
{
    struct log_follow *follow = xcalloc(1, sizeof *follow);
    size_t known = 0;
    int failed;

    follow->jobs = jobs;
    follow->job_name = xstrdup(job_name);
    follow->attempt = attempt;
    follow->stream = log_stream_new(query);
    failed = refresh(follow, &known, err);
    if (!failed && known > 0 && log_stream_sources(follow->stream) == 0)
        failed = err_set(err, ERR_NOT_FOUND,
                         "job %s has no such rank or worker; it has %zu rank%s",
                         job_name, known, known == 1 ? "" : "s");
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

bool log_follow_is_ready(struct log_follow *follow, uint64_t commits, size_t *cost)
{
    size_t known;

    *cost += 1 + log_stream_sources(follow->stream);
    if (commits != follow->commits) {
        follow->commits = commits;
        *cost += REFRESH_COST;
        /* A job that is gone: what was read of it is all there is. */
        if (refresh(follow, &known, NULL) < 0)
            log_stream_update(follow->stream, NULL, 0, true);
    }
    return log_stream_is_ready(follow->stream);
}

ssize_t log_follow_read(struct log_follow *follow, char *out, size_t room)
{
    return log_stream_read(follow->stream, out, room);
}
