/* The report of usage on ledgers of a few rows: what is cut, counted, left out,
 * refused. tests/flow/usage_adds_up.sh has many rows and every zone. */

#include "daemon/billing/billing.h"
#include "daemon/billing/key_table.h"
#include "daemon/store_reservation.h"
#include "src/clock.h"
#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOUR INT64_C(3600)
#define DAY  (24 * HOUR)
/* 2026-01-01T00:00:00Z */
#define NEW_YEAR INT64_C(1767225600)

static char *folder;
static struct store *store;

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

static void make_store(void)
{
    store = store_made(&folder);
}

static void free_store(void)
{
    clock_release();
    store_gone(store, folder);
}

/* --- rows --- */

static int64_t price(const char *usd, const char *confidence)
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

static int64_t label(const char *owner, const char *pricing, bool emulated,
                     const char *tags)
{
    const struct charge_label words = { .owner = owner,
                                        .instance_type = "ml.c5.xlarge",
                                        .pool = pricing,
                                        .pricing = pricing,
                                        .scheduler = "local",
                                        .emulated = emulated,
                                        .tags = tags };
    int64_t seq = 0;
    struct err err;

    must(store_label(store, &words, &seq, &err), &err);
    return seq;
}

/* One interval of a job; `close` NULL: it still runs. */
struct line {
    const char *job;
    int attempt;
    int worker;
    int64_t label;
    int64_t price;
    int64_t start_s;
    const struct interval_end *close;
};

/* The job of this name, which is made when it is new. */
static struct job *job_of(const struct line *line)
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

static void add(const struct line *line)
{
    struct job *job = job_of(line);
    struct err err;

    must(store_open_interval(store, job, line->worker,
                             &(struct interval_start){ line->label, line->price,
                                                       "test" },
                             &err),
         &err);
    if (line->close)
        must(store_close_interval(store, job, line->worker, line->close, &err), &err);
    job->attempt = 0; /* it has no earlier ones to free */
    job_free(job);
}

static void add_run(const char *job, int64_t of, int64_t at, int64_t start_s,
                    int64_t seconds)
{
    const struct interval_end end = { .seconds = seconds,
                                      .busy_permille = 500,
                                      .evidence = "test" };

    add(&(struct line){ job, 1, 0, of, at, start_s, &end });
}

/* --- reports --- */

/* What railhead-bill answers to these members of a request; the caller frees. */
static char *report(const char *members, struct problems *problems, struct err *err)
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

static struct cJSON *report_json(const char *members)
{
    auto_problems struct problems problems = { 0 };
    struct cJSON *json = NULL;
    struct err err;
    auto_free char *words = report(members, &problems, &err);

    if (!words)
        ck_abort_msg("%s", err.text);
    must(json_parse(words, strlen(words), &json, &err), &err);
    return json;
}

static void add_figures(struct text *out, const struct cJSON *total)
{
    const char *cost = json_get_text(total, "cost_usd");

    text_printf(out, "%" PRId64 " s %s", json_get_int(total, "instance_seconds", -1),
                cost ? cost : "null");
}

/* Rows as "GROUP...: SECONDS s COST", a line each; then the total. */
static char *rows_of(const char *members)
{
    auto_json struct cJSON *json = report_json(members);
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

static void expect_rows(const char *members, const char *wanted)
{
    auto_free char *got = rows_of(members);

    ck_assert_str_eq(got, wanted);
}

#define JANUARY "\"from\":\"2026-01-01\",\"to\":\"2026-02-01\""

/* Whatever the second of a year's turn is paid with is in the year that it is in. */
START_TEST(a_charge_is_cut_where_days_weeks_and_months_begin)
{
    add_run("a", label("ada", "standard", false, "{}"), price("1", "high"),
            NEW_YEAR - HOUR, 3 * HOUR + 1);
    expect_rows("\"by\":\"month\",\"from\":\"2025-12-01\",\"to\":\"2026-02-01\"",
                "2025-12 3600 s 1\n2026-01 7201 s 2.000277778\n10801 s 3.000277778");
    expect_rows("\"by\":\"month\",\"from\":\"2025-12-01\",\"to\":\"2026-02-01\","
                "\"tz\":\"Europe/Berlin\"",
                "2026-01 10801 s 3.000277778\n10801 s 3.000277778");
    expect_rows("\"by\":\"day,week\",\"from\":\"2025-12-01\",\"to\":\"2026-02-01\"",
                "2025-12-31 2026-W01 3600 s 1\n"
                "2026-01-01 2026-W01 7201 s 2.000277778\n10801 s 3.000277778");
    expect_rows("\"from\":\"2026-01-01T00:59:59Z\",\"to\":\"2026-01-01T01:00:00Z\"",
                "1 s 0.000277778\n1 s 0.000277778");
}
END_TEST

/* 0.000000001 * 1800 / 3600 is half a nano-dollar, and even is 0; both together are 1.
 */
START_TEST(workers_share_the_cost_of_their_attempt_to_the_last_digit)
{
    const int64_t of = label("ada", "standard", false, "{}");
    const int64_t at = price("0.000000001", "high");

    for (int worker = 0; worker < 3; worker++)
        add(&(struct line){ "a", 1, worker, of, at, NEW_YEAR,
                            &(struct interval_end){ .seconds = HOUR / 2,
                                                    .base = worker * HOUR / 2,
                                                    .busy_permille = -1,
                                                    .evidence = "test" } });
    expect_rows(JANUARY, "5400 s 0.000000002\n5400 s 0.000000002");
}
END_TEST

START_TEST(a_long_interval_is_found_from_any_day_of_it)
{
    add_run("a", label("ada", "standard", false, "{}"), price("1", "high"), NEW_YEAR,
            40 * DAY);
    expect_rows("\"from\":\"2026-02-09\",\"to\":\"2026-02-10\"",
                "86400 s 24\n86400 s 24");
    expect_rows("\"from\":\"2026-02-10\",\"to\":\"2026-02-11\"", "0 s 0");
    expect_rows("\"job\":\"a\",\"from\":\"2026-01-20\",\"to\":\"2026-01-21\"",
                "86400 s 24\n86400 s 24");
}
END_TEST

START_TEST(a_change_of_price_parts_an_interval)
{
    const struct interval_cut cuts[] = { { HOUR, 0, price("2", "high") },
                                         { 2 * HOUR, 0, price("3", "low") } };

    add(&(struct line){ "a", 1, 0, label("ada", "standard", false, "{}"),
                        price("1", "high"), NEW_YEAR,
                        &(struct interval_end){ .seconds = 3 * HOUR,
                                                .busy_permille = -1,
                                                .evidence = "test",
                                                .cuts = cuts,
                                                .cut_count = ARRAY_SIZE(cuts) } });
    expect_rows(JANUARY, "10800 s 6\n10800 s 6");
    expect_rows("\"from\":\"2026-01-01T00:30:00Z\",\"to\":\"2026-01-01T01:30:00Z\"",
                "3600 s 1.5\n3600 s 1.5");
    expect_rows("\"from\":\"2026-01-01T02:00:00Z\",\"to\":\"2026-01-02\"",
                "3600 s 3\n3600 s 3");
}
END_TEST

START_TEST(what_has_no_price_is_not_free)
{
    auto_json struct cJSON *json = NULL;

    add_run("a", label("ada", "standard", false, "{}"), 0, NEW_YEAR, HOUR);
    expect_rows(JANUARY, "3600 s null\n3600 s null");
    add_run("b", label("ada", "free", false, "{}"), price("0", "high"), NEW_YEAR, HOUR);
    expect_rows(JANUARY ",\"by\":\"pricing\"",
                "free 3600 s 0\nstandard 3600 s null\n7200 s 0");
    json = report_json(JANUARY);
    ck_assert_int_eq(json_get_int(json_get(json, "total"), "unpriced_instance_seconds",
                                  0),
                     HOUR);
}
END_TEST

static int64_t share(const struct cJSON *report, const char *name, const char **cost)
{
    const struct cJSON *amount = json_get(json_get(report, "total"), name);

    *cost = json_get_text(amount, "cost_usd");
    return json_get_int(amount, "instance_seconds", -1);
}

static void expect_share(const char *members, const char *name, int64_t seconds,
                         const char *cost)
{
    auto_json struct cJSON *json = report_json(members);
    const char *got;

    ck_assert_int_eq(share(json, name, &got), seconds);
    ck_assert_str_eq(got, cost);
}

START_TEST(what_is_emulated_spot_reserved_free_or_an_estimate_is_told_apart)
{
    const int64_t dollar = price("1", "high");

    add_run("emulated", label("ada", "standard", true, "{}"), dollar, NEW_YEAR, HOUR);
    add_run("spot", label("ada", "spot", false, "{}"), dollar, NEW_YEAR, 2 * HOUR);
    add_run("reserved", label("ada", "reserved", false, "{}"), dollar, NEW_YEAR,
            4 * HOUR);
    add_run("free", label("ada", "free", false, "{}"), price("0", "high"), NEW_YEAR,
            8 * HOUR);
    add_run("low", label("ada", "standard", false, "{}"), price("1", "low"), NEW_YEAR,
            16 * HOUR);
    expect_share(JANUARY, "emulated", HOUR, "1");
    expect_share(JANUARY, "spot", 2 * HOUR, "2");
    expect_share(JANUARY, "reserved", 4 * HOUR, "4");
    expect_share(JANUARY, "free", 8 * HOUR, "0");
    expect_share(JANUARY, "estimated", 16 * HOUR, "16");
    expect_rows(JANUARY ",\"emulated\":\"only\"", "3600 s 1\n3600 s 1");
    expect_rows(JANUARY ",\"emulated\":\"exclude\"", "108000 s 22\n108000 s 22");
}
END_TEST

static void reserve(int64_t instances, int64_t at, int64_t from_s)
{
    struct err err;

    must(store_add_reservation(store,
                               &(struct reservation){ .pool = "reserved",
                                                      .instance_type = "ml.c5.xlarge",
                                                      .instances = instances,
                                                      .price = at,
                                                      .from_us =
                                                          from_s * USEC_PER_SEC },
                               &err),
         &err);
}

/* Two instances for a day, three for the next, none from then on; ten hours were used
 * over midnight. */
START_TEST(what_nobody_used_of_a_reservation_is_idle)
{
    const int64_t dollar = price("1", "high");

    reserve(2, dollar, NEW_YEAR);
    reserve(3, dollar, NEW_YEAR + DAY);
    reserve(0, dollar, NEW_YEAR + 2 * DAY);
    add_run("a", label("ada", "reserved", false, "{}"), dollar,
            NEW_YEAR + DAY - 4 * HOUR, 10 * HOUR);
    expect_share(JANUARY, "idle_reserved", 110 * HOUR, "110");
    expect_share(JANUARY, "reserved", 10 * HOUR, "10");
    expect_share("\"from\":\"2026-01-01\",\"to\":\"2026-01-02\"", "idle_reserved",
                 44 * HOUR, "44");
    expect_share("\"from\":\"2026-01-02\",\"to\":\"2026-01-03\",\"by\":\"owner\"",
                 "idle_reserved", 66 * HOUR, "66");
    expect_share(JANUARY ",\"pool\":\"spot\"", "idle_reserved", 0, "0");
    /* Idle time is nobody's. */
    expect_rows(JANUARY ",\"by\":\"owner,pool,job,attempt\"",
                "ada reserved a 1 36000 s 10\n- reserved - - 0 s 0\n36000 s 10");
}
END_TEST

START_TEST(of_one_owner_idle_time_is_not_known)
{
    auto_json struct cJSON *json = NULL;

    reserve(2, price("1", "high"), NEW_YEAR);
    json = report_json(JANUARY ",\"owner\":\"ada\"");
    ck_assert_int_eq(json_kind(json_get(json_get(json, "total"), "idle_reserved")),
                     JSON_NULL);
}
END_TEST

START_TEST(what_still_runs_counts_the_whole_seconds_that_passed)
{
    auto_json struct cJSON *json = NULL;

    clock_hold((NEW_YEAR + 91) * USEC_PER_SEC, 500000 + 90 * USEC_PER_SEC + 1);
    add(&(struct line){ "a", 1, 0, label("ada", "standard", false, "{}"),
                        price("36", "high"), NEW_YEAR, NULL });
    expect_rows("", "90 s 0.9\n90 s 0.9");
    expect_rows("\"job\":\"a\",\"by\":\"job\"", "a 90 s 0.9\n90 s 0.9");
    json = report_json("");
    ck_assert_int_eq(json_get_int(json_get(json, "total"), "open_instance_seconds", 0),
                     90);
    ck_assert_str_eq(json_get_text(json, "from"), "2026-01-01T00:00:00.000000Z");
    ck_assert_str_eq(json_get_text(json, "to"), "2026-01-01T00:01:32.000000Z");
}
END_TEST

START_TEST(rows_of_nothing_are_there_when_they_are_asked_for)
{
    const int64_t ada = label("ada", "standard", false, "{}");

    label("grace", "standard", false, "{}");
    expect_rows("\"by\":\"day\",\"from\":\"2026-01-01\",\"to\":\"2026-01-03\"",
                "0 s 0");
    add_run("a", ada, price("1", "high"), NEW_YEAR, HOUR);
    expect_rows("\"by\":\"day\",\"zero\":\"true\",\"from\":\"2026-01-01\",\"to\":"
                "\"2026-01-03\"",
                "2026-01-01 3600 s 1\n2026-01-02 0 s 0\n3600 s 1");
    expect_rows("\"by\":\"owner,day\",\"zero\":\"true\",\"from\":\"2026-01-01\",\"to\":"
                "\"2026-01-03\"",
                "ada 2026-01-01 3600 s 1\nada 2026-01-02 0 s 0\n"
                "grace 2026-01-01 0 s 0\ngrace 2026-01-02 0 s 0\n3600 s 1");
    expect_rows("\"by\":\"day,job\",\"zero\":\"true\",\"from\":\"2026-01-01\",\"to\":"
                "\"2026-01-03\"",
                "2026-01-01 a 3600 s 1\n2026-01-02 a 0 s 0\n3600 s 1");
}
END_TEST

START_TEST(a_report_may_be_of_some_alone)
{
    const int64_t dollar = price("1", "high");

    add_run("a", label("ada", "standard", false, "{\"n\":3,\"project\":\"x\"}"), dollar,
            NEW_YEAR, HOUR);
    add_run("b", label("grace", "spot", false, "{\"n\":true,\"project\":\"y\"}"),
            dollar, NEW_YEAR, 2 * HOUR);
    add_run("c", label("grace", "spot", false, "{}"), dollar, NEW_YEAR, 4 * HOUR);
    expect_rows(JANUARY ",\"owner\":\"ada\"", "3600 s 1\n3600 s 1");
    expect_rows(JANUARY ",\"pool\":\"spot\"", "21600 s 6\n21600 s 6");
    expect_rows(JANUARY ",\"tag\":\"project=y\"", "7200 s 2\n7200 s 2");
    expect_rows(JANUARY ",\"tag\":\"n=3\"", "3600 s 1\n3600 s 1");
    expect_rows(JANUARY ",\"instance_type\":\"ml.c5.large\"", "0 s 0");
    expect_rows(JANUARY ",\"job\":\"c\"", "14400 s 4\n14400 s 4");
    expect_rows(JANUARY ",\"by\":\"tag:n,project\"",
                "3 x 3600 s 1\ntrue y 7200 s 2\n- - 14400 s 4\n25200 s 7");
}
END_TEST

START_TEST(an_attempt_is_one_of_a_job)
{
    const int64_t of = label("ada", "standard", false, "{}");
    const int64_t dollar = price("1", "high");

    for (int attempt = 1; attempt < 12; attempt += 9)
        add(&(struct line){ "a", attempt, 0, of, dollar, NEW_YEAR,
                            &(struct interval_end){ .seconds = attempt * HOUR,
                                                    .busy_permille = -1,
                                                    .evidence = "test" } });
    add(&(struct line){ "a", 2, 0, of, dollar, NEW_YEAR,
                        &(struct interval_end){ .seconds = 2 * HOUR,
                                                .busy_permille = -1,
                                                .evidence = "test" } });
    expect_rows(JANUARY ",\"by\":\"attempt\"",
                "a 1 3600 s 1\na 2 7200 s 2\na 10 36000 s 10\n46800 s 13");
}
END_TEST

START_TEST(csv_says_the_same_and_no_name_runs_as_a_formula)
{
    auto_problems struct problems problems = { 0 };
    struct err err;
    auto_free char *words = NULL;
    const char *second;

    add_run("a", label("=cmd, \"x\"", "standard", false, "{}"), price("1", "high"),
            NEW_YEAR, HOUR);
    words = report(JANUARY ",\"by\":\"owner\",\"format\":\"csv\"", &problems, &err);
    second = strstr(words, "\r\n") + 2;
    ck_assert(text_starts_with(second,
                               "\"'=cmd, \"\"x\"\"\",2026-01-01T00:00:00.000000Z,"
                               "2026-02-01T00:00:00.000000Z,1,3600,1,0,0,"));
}
END_TEST

/* clang-format off */
static const struct {
    const char *members;
    const char *path;
} refused[] = {
    { "\"from\":\"2026-02-01\",\"to\":\"2026-01-01\"",           "from" },
    { "\"from\":\"2026-02-01\",\"to\":\"2026-02-01\"",           "from" },
    { "\"from\":\"yesterday\"",                                  "from" },
    { "\"from\":\"1969-12-31\"",                                 "from" },
    { "\"to\":\"2026-01-01T00:00:00.5Z\"",                       "to" },
    { "\"tz\":\"Europe/Atlantis\"",                              "tz" },
    { "\"by\":\"year\"",                                         "by" },
    { "\"by\":\"day,day\"",                                      "by" },
    { "\"by\":\"day,,week\"",                                    "by" },
    { "\"by\":\"tag:\"",                                         "by" },
    { "\"by\":\"tag:a,tag:b,tag:c,tag:d,tag:e,tag:f,tag:g\"",    "by" },
    { "\"tag\":\"project\"",                                     "tag" },
    { "\"tag\":\"=x\"",                                          "tag" },
    { "\"zero\":\"yes\"",                                        "zero" },
    { "\"emulated\":\"never\"",                                  "emulated" },
};
/* clang-format on */

START_TEST(what_cannot_be_reported_is_refused_by_its_parameter)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(report(refused[_i].members, &problems, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].path, refused[_i].path);
}
END_TEST

START_TEST(a_job_that_there_is_not_is_not_found)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(report("\"job\":\"nobody\"", &problems, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

/* Every day since 1970 is more than a report may be cut into. */
START_TEST(too_many_days_are_refused_and_not_counted)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(report("\"by\":\"day\",\"from\":\"1970-01-01\",\"to\":"
                              "\"2270-01-01\"",
                              &problems, &err));
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

START_TEST(keys_are_numbered_in_their_order_and_found_again)
{
    struct key_table table = { 0 };
    char words[32];

    for (size_t i = 0; i < 10000; i++) {
        int len = snprintf(words, sizeof words, "%zu", i);

        ck_assert_uint_eq(key_table_put(&table, words, (size_t)len), i);
    }
    ck_assert_uint_eq(key_table_put(&table, "", 0), 10000);
    ck_assert_uint_eq(key_table_put(&table, "123", 3), 123);
    ck_assert_uint_eq(key_table_put(&table, "1234", 4), 1234);
    ck_assert_int_eq(memcmp(key_table_key(&table, 1234), "1234", 4), 0);
    key_table_clear(&table);
}
END_TEST

Suite *suite_usage_report(void)
{
    Suite *suite = suite_create("usage_report");
    TCase *tcase = tcase_create("usage_report");

    tcase_add_checked_fixture(tcase, make_store, free_store);
    tcase_add_test(tcase, a_charge_is_cut_where_days_weeks_and_months_begin);
    tcase_add_test(tcase, workers_share_the_cost_of_their_attempt_to_the_last_digit);
    tcase_add_test(tcase, a_long_interval_is_found_from_any_day_of_it);
    tcase_add_test(tcase, a_change_of_price_parts_an_interval);
    tcase_add_test(tcase, what_has_no_price_is_not_free);
    tcase_add_test(tcase,
                   what_is_emulated_spot_reserved_free_or_an_estimate_is_told_apart);
    tcase_add_test(tcase, what_nobody_used_of_a_reservation_is_idle);
    tcase_add_test(tcase, of_one_owner_idle_time_is_not_known);
    tcase_add_test(tcase, what_still_runs_counts_the_whole_seconds_that_passed);
    tcase_add_test(tcase, rows_of_nothing_are_there_when_they_are_asked_for);
    tcase_add_test(tcase, a_report_may_be_of_some_alone);
    tcase_add_test(tcase, an_attempt_is_one_of_a_job);
    tcase_add_test(tcase, csv_says_the_same_and_no_name_runs_as_a_formula);
    tcase_add_loop_test(tcase, what_cannot_be_reported_is_refused_by_its_parameter, 0,
                        ARRAY_SIZE(refused));
    tcase_add_test(tcase, a_job_that_there_is_not_is_not_found);
    tcase_add_test(tcase, too_many_days_are_refused_and_not_counted);
    tcase_add_test(tcase, keys_are_numbered_in_their_order_and_found_again);
    suite_add_tcase(suite, tcase);
    return suite;
}
