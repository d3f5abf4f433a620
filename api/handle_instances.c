/* /v1/instance-types: what jobs can ask for here. */

#include "api/routes.h"

void handle_instance_types(struct api *api, const struct request *request,
                           struct reply *reply)
{
    (void)request;
    reply_json(reply, 200, jobs_instance_types(api->jobs));
}
