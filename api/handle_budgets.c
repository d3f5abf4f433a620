/* /v1/budgets: what may be spent, and what is left of it.  What a budget does is
 * decided in the job machine. */

#include "api/body.h"
#include "api/routes.h"

void handle_budgets(struct api *api, const struct request *request, struct reply *reply)
{
    struct cJSON *list = NULL;

    (void)request;
    jobs_budgets(api->jobs, &list);
    reply_json(reply, 200, list);
}

void handle_budget_show(struct api *api, const struct request *request,
                        struct reply *reply)
{
    struct cJSON *budget = NULL;
    struct err err;

    if (jobs_get_budget(api->jobs, request->capture, &budget, &err) < 0)
        reply_err(reply, &err);
    else
        reply_json(reply, 200, budget);
}

void handle_budget_set(struct api *api, const struct request *request,
                       struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *body = body_parse(request, reply);
    struct budget_order order = { .name = request->capture,
                                  .body = body,
                                  .by = request->owner };
    struct cJSON *budget = NULL;
    struct err err;

    if (!body)
        return;
    if (jobs_set_budget(api->jobs, &order, &budget, &problems, &err) == 0)
        reply_json(reply, order.created ? 201 : 200, budget);
    else if (problems.count)
        reply_problem(reply, PROBLEM_INVALID, &problems, "%s", err.text);
    else
        reply_err(reply, &err);
}

void handle_budget_remove(struct api *api, const struct request *request,
                          struct reply *reply)
{
    struct cJSON *budget = NULL;
    struct err err;

    if (jobs_remove_budget(api->jobs, request->capture, request->owner, &budget, &err)
        < 0)
        reply_err(reply, &err);
    else
        reply_json(reply, 200, budget);
}
