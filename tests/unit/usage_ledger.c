/* Ledgers of a few rows, and what is reported of them. */

#include "tests/unit/usage_ledger.h"

#include "daemon/billing/billing.h"
#include "daemon/store_reservation.h"
#include "src/clock.h"
#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *folder;
static struct store *store;

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

void ledger_make(void)
{
    store = store_made(&folder);
}

void ledger_gone(void)
{
    clock_release();
    store_gone(store, folder);
}

/* --- rows --- */

int64_t ledger_price(const char *usd, const char *confidence)
{
    static char as_of[] = "2026-01-01", basis[] = "own", source[] = "test";
    auto_free char *words = xstrdup(confidence);
    struct profile_price price = { .as_of = as_of,
                                   .basis = basis,
                                   .confidence = words,
                                   .source = source };
    int64_t seq = 0;
    struct err err;

    must(money_parse(usd, &price.hourly, &err), &err);
    must(store_price_id(store, "ml.c5.xlarge", &price, &seq, &err), &err);
    return seq;
}

int64_t ledger_label_of(const struct charge_label *words)
{
    int64_t seq = 0;
    struct err err;

    must(store_label(store, words, &seq, &err), &err);
    return seq;
}

int64_t ledger_label(const char *owner, const char *pricing, bool emulated,
                     const char *tags)
{
    return ledger_label_of(&(struct charge_label){ .owner = owner,
                                                   .instance_type = "ml.c5.xlarge",
                                                   .pool = pricing,
                                                   .pricing = pricing,
                                                   .scheduler = "local",
                                                   .emulated = emulated,
                                                   .tags = tags });
}

/* The job of this name, which is made when it is new. */
static struct job *job_of(const struct ledger_line *line)
{
    struct job *job = job_new(store_next_job_id(store));
    struct job_row row;
    struct err err;

    job->name = xstrdup(line->job);
    job->owner = xstrdup("ada");
    job->instance_type = xstrdup("ml.c5.xlarge");
    job->scheduler = xstrdup("local");
    job->tags = xstrdup("{}");
    job->state = line->close ? JOB_COMPLETED : JOB_TRAINING;
    job->attempt = line->attempt;
    snprintf(job->boot_id, sizeof job->boot_id, "%s", clock_boot_id());
    job->ready_boot_us = 500000;
    job->ready_wall_us = line->start_s * USEC_PER_SEC + 500000;
    if (store_find_job(store, line->job, &row, &err) == 0)
        job->job_id = row.job_id;
    else
        must(store_insert_job(store, job, &err), &err);
    return job;
}

void ledger_add(const struct ledger_line *line)
{
    struct job *job = job_of(line);
    struct err err;

    must(store_open_interval(store, job, line->worker,
                             &(struct interval_start){ .label = line->label,
                                                       .price = line->price,
                                                       .evidence = "test" },
                             &err),
         &err);
    if (line->close)
        must(store_close_interval(store, job, line->worker, line->close, &err), &err);
    job->attempt = 0; /* it has no earlier ones to free */
    job_free(job);
}

void ledger_run(const char *job, int64_t of, int64_t at, int64_t start_s,
                int64_t seconds)
{
    const struct interval_end end = { .seconds = seconds,
                                      .busy_permille = 500,
                                      .evidence = "test" };

    ledger_add(&(struct ledger_line){ job, 1, 0, of, at, start_s, &end });
}

void ledger_reserve_of(const char *pool, const char *instance_type, int64_t instances,
                       int64_t price, int64_t from_s)
{
    const struct reservation row = { .pool = pool,
                                     .instance_type = instance_type,
                                     .instances = instances,
                                     .price = price,
                                     .from_us = from_s * USEC_PER_SEC };
    struct err err;

    must(store_add_reservation(store, &row, &err), &err);
}

void ledger_reserve(int64_t instances, int64_t price, int64_t from_s)
{
    ledger_reserve_of("reserved", "ml.c5.xlarge", instances, price, from_s);
}

/* --- reports --- */

char *ledger_report(const char *members, struct problems *problems, struct err *err)
{
    auto_free char *path = xasprintf("%s/railhead.db", folder);
    auto_free char *words = xasprintf("{%s}", members);
    auto_json struct cJSON *json = NULL;
    struct bill_request request = { .state = folder };
    char *answer = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&answer, &len);
    int result;

    must(store_commit(store, err), err);
    must(store_open_read(path, &request.store, err), err);
    must(json_parse(words, strlen(words), &json, err), err);
    request.json = json;
    result = bill_usage(&request, out, problems, err);
    store_close(request.store);
    (void)fclose(out);
    if (result == 0)
        return answer;
    free(answer);
    return NULL;
}

char *ledger_report_words(const char *members)
{
    auto_problems struct problems problems = { 0 };
    struct err err;
    char *words = ledger_report(members, &problems, &err);

    if (!words)
        ck_abort_msg("%s", err.text);
    return words;
}

struct cJSON *ledger_report_json(const char *members)
{
    auto_free char *words = ledger_report_words(members);
    struct cJSON *json = NULL;
    struct err err;

    must(json_parse(words, strlen(words), &json, &err), &err);
    return json;
}

static void add_figures(struct text *out, const struct cJSON *total)
{
    const char *cost = json_get_text(total, "cost_usd");

    text_printf(out, "%" PRId64 " s %s", json_get_int(total, "instance_seconds", -1),
                cost ? cost : "null");
}

static char *rows_of(const char *members)
{
    auto_json struct cJSON *json = ledger_report_json(members);
    struct text out = { 0 };

    json_each (row, json_get(json, "rows")) {
        json_each (value, json_get(row, "group"))
            text_printf(&out, "%s ", json_text(value) ? json_text(value) : "-");
        add_figures(&out, row);
        text_puts(&out, "\n");
    }
    add_figures(&out, json_get(json, "total"));
    return text_steal(&out);
}

void ledger_expect(const char *members, const char *wanted)
{
    auto_free char *got = rows_of(members);

    ck_assert_str_eq(got, wanted);
}

static int64_t share(const struct cJSON *report, const char *name, const char **cost)
{
    const struct cJSON *amount = json_get(json_get(report, "total"), name);

    *cost = json_get_text(amount, "cost_usd");
    return json_get_int(amount, "instance_seconds", -1);
}

void ledger_expect_share(const char *members, const char *name, int64_t seconds,
                         const char *cost)
{
    auto_json struct cJSON *json = ledger_report_json(members);
    const char *got;

    ck_assert_int_eq(share(json, name, &got), seconds);
    ck_assert_str_eq(got, cost);
}
