#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "api/cursor.h"
#include "api/reply.h"
#include "api/request.h"
#include "daemon/jobs.h"

/* Which function answers which method and path: one table, the same as openapi.yaml. */

/* What every handler may use. */
struct api {
    struct jobs *jobs;
    struct cursor_key cursor_key;
    int64_t body_limit_bytes;
    int64_t source_limit_bytes;
    bool stopping; /* accepts no more: /readyz says so */
};

/* One that leaves the reply undecided (status 0) is called again in the next round of
 * the loop: what takes long is done over some of them. */
typedef void route_handler_t(struct api *api, const struct request *request,
                             struct reply *reply);

/* Called when the headers are in, before any of the body: opens what takes the body, or
 * decides the reply at once. */
typedef void route_opener_t(struct api *api, struct request *request,
                            struct reply *reply);

struct route {
    const char *method;
    const char *pattern;   /* at most one {part}, which stands for one segment */
    const char *operation; /* operationId in openapi.yaml */
    route_handler_t *handle;
    const char *const *parameters; /* query parameters, ends in NULL */
    bool takes_body;               /* kept in memory, up to the body limit */
    route_opener_t *open;          /* or NULL */
};

/** The table's rows. */
const struct route *routes_all(size_t *count);

/**
 * Finds the row.  HEAD finds that of GET.
 *
 * @capture  set to what the {part} stood for, "" when there is none
 * @allow    set when the path exists and the method does not: the methods that do, for
 * Allow; the caller frees; else left alone
 *
 * NULL when there is none.  Pure.
 */
const struct route *route_find(const char *method, const char *path,
                               char capture[REQUEST_CAPTURE_SIZE], char **allow);

/* handle_jobs.c */
route_handler_t handle_job_submit;
route_handler_t handle_job_list;
route_handler_t handle_job_show;
route_handler_t handle_job_stop;
route_handler_t handle_job_interrupt;
route_handler_t handle_job_transitions;
route_handler_t handle_job_plan;
route_handler_t handle_estimate;
/* handle_logs.c */
route_handler_t handle_job_logs;
/* handle_history.c */
route_handler_t handle_job_metrics;
route_handler_t handle_job_utilization;
/* handle_sources.c */
route_opener_t open_source_put;
route_handler_t handle_source_put;
route_handler_t handle_source_show;
/* handle_instances.c */
route_handler_t handle_instance_types;
/* handle_compare.c */
route_handler_t handle_compare;
/* handle_bill.c */
route_handler_t handle_ledger_verify;
route_handler_t handle_job_receipt;
route_handler_t handle_usage;
/* handle_budgets.c */
route_handler_t handle_budgets;
route_handler_t handle_budget_show;
route_handler_t handle_budget_set;
route_handler_t handle_budget_remove;
/* handle_prices.c */
route_handler_t handle_prices;
route_handler_t handle_price_set;
/* handle_admin.c */
route_handler_t handle_backup;
/* handle_diagnosis.c */
route_handler_t handle_diagnosis;
/* handle_health.c */
route_handler_t handle_health;
route_handler_t handle_ready;

#endif
