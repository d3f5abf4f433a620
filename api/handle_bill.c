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
struct usage_format {
    const char *name;
    const char *content_type;
    bool is_export; /* it tells more than the ledger knows */
};

static const struct usage_format usage_formats[] = {
    { "json", "application/json", false },
    { "csv", "text/csv; charset=utf-8; header=present", false },
    { "intervals", "application/x-ndjson", false },
    { "focus", "text/csv; charset=utf-8; header=present", true },
    { "cur", "text/csv; charset=utf-8; header=present", true },
    { "html", "text/html; charset=utf-8", false },
};

/* NULL: there is none of this name. */
static const struct usage_format *find_format(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(usage_formats); i++)
        if (strcmp(usage_formats[i].name, name) == 0)
            return &usage_formats[i];
    return NULL;
}

/* What the parameters mean is for railhead-bill, which has the zone and the ledger. */
void handle_usage(struct api *api, const struct request *request, struct reply *reply)
{
    const char *name = request_parameter(request, "format");
    const struct usage_format *format = find_format(name ? name : "json");
    auto_problems struct problems problems = { 0 };
    struct cJSON *json;

    if (!format) {
        problems_add(&problems, "format",
                     "known: json, csv, intervals, focus, cur, html",
                     "there is no form \"%.40s\"", name);
        reply_parameters(reply, &problems);
        return;
    }
    json = question("usage");
    for (size_t i = 0; i < request->parameter_count; i++)
        json_set_text(json, request->parameters[i].name, request->parameters[i].value);
    if (format->is_export)
        json_set(json, "export", jobs_export_facts(api->jobs));
    reply_question(reply, format->content_type, json);
}
