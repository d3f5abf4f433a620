/* /v1/training-jobs/NAME/logs.  Decides what may be asked; how logs are merged is
 * log_stream's. */

#include "api/log_follow.h"
#include "api/routes.h"

void handle_job_logs(struct api *api, const struct request *request,
                     struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    struct log_query query = { .worker = -1,
                               .rank = -1,
                               .tail = -1,
                               .since = INT64_MIN };
    int64_t attempt = 0;
    struct err err;

    request_int(request, "attempt", 1, INT32_MAX, &attempt, &problems);
    request_int(request, "worker", 0, INT32_MAX, &query.worker, &problems);
    request_int(request, "rank", 0, INT32_MAX, &query.rank, &problems);
    request_int(request, "tail", 0, LOG_TAIL_MAX, &query.tail, &problems);
    request_bool(request, "follow", &query.follow, &problems);
    request_time(request, "since", &query.since, &problems);
    request_bool(request, "frames", &query.frames, &problems);
    if (problems.count) {
        reply_parameters(reply, &problems);
        return;
    }
    if (log_follow_new(api->jobs, request->capture, (int)attempt, &query, &reply->log,
                       &err)
        < 0) {
        reply_err(reply, &err);
        return;
    }
    reply->status = 200;
    reply->content_type =
        query.frames ? "application/octet-stream" : "text/plain; charset=utf-8";
}
