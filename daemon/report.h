#ifndef DAEMON_REPORT_H
#define DAEMON_REPORT_H

#include "daemon/bill.h"
#include "daemon/price_book.h"
#include "daemon/store.h"
#include "src/job_spec.h"

/* A job in JSON; api/openapi.yaml describes every member. */

struct report_input {
    const struct job *job; /* replayed from its events */
    const struct job_spec *spec;
    const struct cJSON *spec_json;
    const struct interval *intervals; /* interval_count of them */
    size_t interval_count;
    const struct interval *warm; /* of its warm pool, warm_count of them */
    size_t warm_count;
    const struct cJSON *progress; /* what is moved just now; or NULL */
    const struct cJSON *forecast; /* or NULL: it has ended */
    const struct cJSON *metrics;
    const struct cJSON *transitions; /* array */
    const struct price_book *book;
    const struct offer *offer; /* or NULL: not offered any more */
    int world_size;
    int queue_position; /* 0: does not wait */
    const char *queue_reason;
};

/** The caller owns the result. */
MUST_CHECK int report_job(const struct report_input *input, struct cJSON **out,
                          struct err *err);

/** One item of a list. */
struct cJSON *report_row(const struct job_row *row);

/** A price as answers show it: {usd_per_hour, source, basis, confidence, as_of}; null
 * when `price` is NULL. */
struct cJSON *report_price(const struct profile_price *price);

#endif
