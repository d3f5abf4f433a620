/* What is asked of the ledger.  Decides what may be asked; railhead-bill answers. */

#include "api/routes.h"

static struct cJSON *question(const char *verb)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "do", verb);
    return json;
}

void handle_ledger_verify(struct api *api, const struct request *request,
                          struct reply *reply)
{
    (void)api;
    (void)request;
    reply_question(reply, "application/json", question("verify"));
}
