/* /healthz and /readyz.  Healthy: the loop turns, which the answer shows.  Ready: new
 * work is taken. */

#include "api/routes.h"

#include <string.h>

void handle_health(struct api *api, const struct request *request, struct reply *reply)
{
    (void)request;
    reply_json(reply, 200, jobs_health(api->jobs));
}

void handle_ready(struct api *api, const struct request *request, struct reply *reply)
{
    auto_json struct cJSON *health = jobs_health(api->jobs);
    const char *status = json_get_text(health, "status");

    (void)request;
    if (api->stopping)
        reply_problem(reply, PROBLEM_UNAVAILABLE, NULL, "the daemon is stopping");
    else if (!status || strcmp(status, "ok") != 0)
        reply_problem(reply, PROBLEM_UNAVAILABLE, NULL, "the daemon is not well: %s",
                      status ? status : "no status");
    else
        reply_json(reply, 200, steal_ptr(&health));
}
