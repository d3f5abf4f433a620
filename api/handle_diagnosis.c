/* What jobctl doctor asks; railhead-bill looks. */

#include "api/routes.h"

void handle_diagnosis(struct api *api, const struct request *request,
                      struct reply *reply)
{
    struct cJSON *question = json_object_new();

    (void)api;
    (void)request;
    json_set_text(question, "do", "diagnose");
    reply_question(reply, "application/json", question);
}
