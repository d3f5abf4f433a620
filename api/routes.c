/* Which function answers which method and path.  Decides nothing else. */

#include "api/routes.h"

#include "src/text.h"

#include <string.h>

static const char *const no_parameters[] = { NULL };
static const char *const submit_parameters[] = { "dry_run", NULL };
static const char *const list_parameters[] = {
    "status",        "owner",          "tag",   "instance_type", "name",
    "created_after", "created_before", "limit", "cursor",        NULL
};
static const char *const logs_parameters[] = { "attempt", "worker", "rank",   "tail",
                                               "follow",  "since",  "frames", NULL };
static const char *const metrics_parameters[] = { "name",  "rank",   "worker", "since",
                                                  "limit", "cursor", NULL };
static const char *const samples_parameters[] = { "worker", "since", "limit", "cursor",
                                                  NULL };
static const char *const verify_parameters[] = { "against", NULL };
static const char *const usage_parameters[] = {
    "from",          "to",  "by",  "tz",       "zero", "format", "owner", "pool",
    "instance_type", "tag", "job", "emulated", NULL
};

static const char *const prices_parameters[] = { "instance_type", "limit", "cursor",
                                                 NULL };

/* clang-format off */
static const struct route routes[] = {
    { "POST", "/v1/training-jobs", "submitTrainingJob", handle_job_submit, submit_parameters, true, NULL },
    { "GET", "/v1/training-jobs", "listTrainingJobs", handle_job_list, list_parameters, false, NULL },
    { "GET", "/v1/training-jobs/{name}", "getTrainingJob", handle_job_show, no_parameters, false, NULL },
    { "POST", "/v1/training-jobs/{name}/stop", "stopTrainingJob", handle_job_stop, no_parameters, true, NULL },
    { "POST", "/v1/training-jobs/{name}/interrupt", "interruptTrainingJob", handle_job_interrupt, no_parameters, true, NULL },
    { "GET", "/v1/training-jobs/{name}/logs", "getTrainingJobLogs", handle_job_logs, logs_parameters, false, NULL },
    { "GET", "/v1/training-jobs/{name}/metrics", "getTrainingJobMetrics", handle_job_metrics, metrics_parameters, false, NULL },
    { "GET", "/v1/training-jobs/{name}/utilization", "getTrainingJobUtilization", handle_job_utilization, samples_parameters, false, NULL },
    { "GET", "/v1/training-jobs/{name}/transitions", "getTrainingJobTransitions", handle_job_transitions, no_parameters, false, NULL },
    { "GET", "/v1/training-jobs/{name}/receipt", "getTrainingJobReceipt", handle_job_receipt, no_parameters, false, NULL },
    { "GET", "/v1/training-jobs/{name}/plan", "getTrainingJobPlan", handle_job_plan, no_parameters, false, NULL },
    { "POST", "/v1/estimates", "estimateTrainingJob", handle_estimate, no_parameters, true, NULL },
    { "PUT", "/v1/sources/{sha256}", "putSource", handle_source_put, no_parameters, false, open_source_put },
    { "GET", "/v1/sources/{sha256}", "getSource", handle_source_show, no_parameters, false, NULL },
    { "GET", "/v1/instance-types", "listInstanceTypes", handle_instance_types, no_parameters, false, NULL },
    { "GET", "/v1/prices", "listPrices", handle_prices, prices_parameters, false, NULL },
    { "POST", "/v1/prices", "setPrice", handle_price_set, no_parameters, true, NULL },
    { "GET", "/v1/budgets", "listBudgets", handle_budgets, no_parameters, false, NULL },
    { "GET", "/v1/budgets/{name}", "getBudget", handle_budget_show, no_parameters, false, NULL },
    { "PUT", "/v1/budgets/{name}", "setBudget", handle_budget_set, no_parameters, true, NULL },
    { "DELETE", "/v1/budgets/{name}", "removeBudget", handle_budget_remove, no_parameters, false, NULL },
    { "GET", "/v1/usage", "getUsage", handle_usage, usage_parameters, false, NULL },
    { "POST", "/v1/comparisons", "compareTrainingJobs", handle_compare, no_parameters, true, NULL },
    { "GET", "/v1/ledger/verification", "verifyLedger", handle_ledger_verify, verify_parameters, false, NULL },
    { "GET", "/v1/backup", "getBackup", handle_backup, no_parameters, false, NULL },
    { "GET", "/v1/diagnosis", "getDiagnosis", handle_diagnosis, no_parameters, false, NULL },
    { "GET", "/healthz", "getHealth", handle_health, no_parameters, false, NULL },
    { "GET", "/readyz", "getReadiness", handle_ready, no_parameters, false, NULL },
};
/* clang-format on */

const struct route *routes_all(size_t *count)
{
    *count = ARRAY_SIZE(routes);
    return routes;
}

/* Whether `path` is what `pattern` describes; `capture` is set only then. */
static bool matches(const char *pattern, const char *path,
                    char capture[REQUEST_CAPTURE_SIZE])
{
    const char *open = strchr(pattern, '{');
    const char *rest;
    size_t before;
    size_t len;

    if (!open) {
        *capture = '\0';
        return strcmp(pattern, path) == 0;
    }
    before = (size_t)(open - pattern);
    if (strncmp(pattern, path, before) != 0)
        return false;
    len = strcspn(path + before, "/");
    rest = strchr(open, '}') + 1;
    if (len == 0 || len >= REQUEST_CAPTURE_SIZE
        || strcmp(rest, path + before + len) != 0)
        return false;
    memcpy(capture, path + before, len);
    capture[len] = '\0';
    return true;
}

static void add_method(struct text *list, const char *method)
{
    text_printf(list, "%s%s", list->len ? ", " : "", method);
    if (strcmp(method, "GET") == 0)
        text_puts(list, ", HEAD");
}

const struct route *route_find(const char *method, const char *path,
                               char capture[REQUEST_CAPTURE_SIZE], char **allow)
{
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    auto_text struct text others = { 0 };

    for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
        if (!matches(routes[i].pattern, path, capture))
            continue;
        if (strcmp(routes[i].method, wanted) == 0)
            return &routes[i];
        add_method(&others, routes[i].method);
    }
    if (others.len)
        *allow = text_steal(&others);
    return NULL;
}
