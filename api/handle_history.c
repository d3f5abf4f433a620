/* /v1/training-jobs/NAME/metrics and .../utilization.  Decides what may be asked; what
 * a page has is history's. */

#include "api/cursor.h"
#include "api/history.h"
#include "api/routes.h"

static void answer_page(struct api *api, const struct request *request,
                        struct history_query *query, struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_job_history struct job_history job = { 0 };
    auto_free char *cursor = cursor_open(&api->cursor_key, request, &problems);
    struct cJSON *page = NULL;
    struct err err;

    query->cursor = cursor;
    query->limit = HISTORY_LIMIT_MAX;
    query->worker = -1;
    query->since = INT64_MIN;
    request_int(request, "limit", 1, HISTORY_LIMIT_MAX, &query->limit, &problems);
    request_int(request, "worker", 0, INT32_MAX, &query->worker, &problems);
    request_time(request, "since", &query->since, &problems);
    if (query->kind == HISTORY_METRICS)
        request_int(request, "rank", 0, INT32_MAX, &query->rank, &problems);
    if (problems.count) {
        reply_parameters(reply, &problems);
        return;
    }
    if (jobs_history(api->jobs, request->capture, &job, &err) < 0
        || history_page(&job, query, &page, &err) < 0) {
        reply_err(reply, &err);
        return;
    }
    cursor_seal_page(&api->cursor_key, request, page);
    reply_json(reply, 200, page);
}

void handle_job_metrics(struct api *api, const struct request *request,
                        struct reply *reply)
{
    struct history_query query = { .kind = HISTORY_METRICS,
                                   .rank = -1,
                                   .name = request_parameter(request, "name") };

    answer_page(api, request, &query, reply);
}

void handle_job_utilization(struct api *api, const struct request *request,
                            struct reply *reply)
{
    struct history_query query = { .kind = HISTORY_UTILIZATION, .rank = -1 };

    answer_page(api, request, &query, reply);
}
