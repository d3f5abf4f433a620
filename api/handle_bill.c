/* What is asked of the ledger.  Decides what may be asked; railhead-bill answers. */

#include "api/routes.h"

#include <string.h>

static struct cJSON *question(const char *verb)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "do", verb);
    return json;
}

void handle_ledger_verify(struct api *api, const struct request *request,
                          struct reply *reply)
{
    const char *against = request_parameter(request, "against");
    struct cJSON *json = question("verify");

    (void)api;
    if (against)
        json_set_text(json, "against", against);
    reply_question(reply, "application/json", json);
}

void handle_job_receipt(struct api *api, const struct request *request,
                        struct reply *reply)
{
    struct cJSON *json = question("receipt");

    (void)api;
    json_set_text(json, "job", request->capture);
    reply_question(reply, "application/json", json);
}

/* The forms of the report of usage; daemon/billing/usage.c writes them. */
static const struct {
    const char *format;
    const char *content_type;
} usage_formats[] = {
    { "json", "application/json" },
    { "csv", "text/csv; charset=utf-8; header=present" },
    { "intervals", "application/x-ndjson" },
    { "focus", "text/csv; charset=utf-8; header=present" },
    { "cur", "text/csv; charset=utf-8; header=present" },
    { "html", "text/html; charset=utf-8" },
};

/* NULL: there is none of this name. */
static const char *type_of_format(const char *format)
{
    for (size_t i = 0; i < ARRAY_SIZE(usage_formats); i++)
        if (strcmp(usage_formats[i].format, format) == 0)
            return usage_formats[i].content_type;
    return NULL;
}

/* What the parameters mean is for railhead-bill, which has the zone and the ledger. */
void handle_usage(struct api *api, const struct request *request, struct reply *reply)
{
    const char *format = request_parameter(request, "format");
    const char *type = type_of_format(format ? format : "json");
    auto_problems struct problems problems = { 0 };
    struct cJSON *json;

    (void)api;
    if (!type) {
        problems_add(&problems, "format",
                     "known: json, csv, intervals, focus, cur, html",
                     "there is no form \"%.40s\"", format);
        reply_parameters(reply, &problems);
        return;
    }
    json = question("usage");
    for (size_t i = 0; i < request->parameter_count; i++)
        json_set_text(json, request->parameters[i].name, request->parameters[i].value);
    reply_question(reply, type, json);
}
