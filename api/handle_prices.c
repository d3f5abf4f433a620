/* /v1/prices: what instances cost, and since when.  Which price may be set is decided
 * in the job machine. */

#include "api/body.h"
#include "api/cursor.h"
#include "api/routes.h"

enum {
    LIST_LIMIT = 1000 /* 3 ms or so of the loop */
};

void handle_prices(struct api *api, const struct request *request, struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_free char *cursor = cursor_open(&api->cursor_key, request, &problems);
    struct cJSON *list = NULL;
    int64_t limit = LIST_LIMIT;
    struct err err;
    struct price_filter filter = {
        .instance_type = request_parameter(request, "instance_type"),
        .cursor = cursor,
    };

    request_int(request, "limit", 1, LIST_LIMIT, &limit, &problems);
    if (problems.count) {
        reply_parameters(reply, &problems);
        return;
    }
    filter.limit = (int)limit;
    if (jobs_prices(api->jobs, &filter, &list, &err) < 0) {
        reply_err(reply, &err);
        return;
    }
    cursor_seal_page(&api->cursor_key, request, list);
    reply_json(reply, 200, list);
}

void handle_price_set(struct api *api, const struct request *request,
                      struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *body = body_parse(request, reply);
    struct cJSON *item = NULL;
    struct err err;

    if (!body)
        return;
    if (jobs_set_price(api->jobs, body, request->owner, &item, &problems, &err) == 0)
        reply_json(reply, 201, item);
    else if (problems.count)
        reply_problem(reply, PROBLEM_INVALID, &problems, "%s", err.text);
    else
        reply_err(reply, &err);
}
