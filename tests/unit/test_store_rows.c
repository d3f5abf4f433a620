/* What the store keeps in rows: jobs, events, keys, metrics, prices. */

#include "daemon/store.h"
#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;
static struct store *store;

static void make_store(void)
{
    store = store_made(&folder);
}

static void free_store(void)
{
    store_gone(store, folder);
    store = NULL;
}

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

static void commit(void)
{
    struct err err;

    must(store_commit(store, &err), &err);
}

static int64_t insert(const char *name, const char *owner, enum job_state state)
{
    auto_job struct job *job = job_new(store_next_job_id(store));
    struct err err;

    job_id_make(LIFE_WALL_ZERO, job->id);
    job->name = xstrdup(name);
    job->owner = xstrdup(owner);
    job->instance_type = xstrdup("ml.c5.xlarge");
    job->scheduler = xstrdup("local");
    job->tags = xstrdup("{}");
    job->instance_count = 2;
    job->emulated = true;
    job->state = state;
    job->created_us = LIFE_WALL_ZERO + job->job_id;
    job->changed_us = LIFE_WALL_ZERO + 2 * job->job_id;
    must(store_insert_job(store, job, &err), &err);
    return job->job_id;
}

/* --- rows of job --- */

START_TEST(a_row_comes_back_as_it_was_written)
{
    int64_t id = insert("one", "ana", JOB_PENDING);
    struct job_row row, same;
    struct err err;

    must(store_find_job(store, "one", &row, &err), &err);
    must(store_get_job(store, id, &same, &err), &err);
    ck_assert_int_eq(row.job_id, id);
    ck_assert_int_eq(same.job_id, id);
    ck_assert_str_eq(row.name, "one");
    ck_assert_str_eq(row.owner, "ana");
    ck_assert_str_eq(row.instance_type, "ml.c5.xlarge");
    ck_assert_str_eq(row.scheduler, "local");
    ck_assert_int_eq(row.instance_count, 2);
    ck_assert(row.emulated);
    ck_assert_int_eq(row.state, JOB_PENDING);
    ck_assert_int_eq(row.created_us, LIFE_WALL_ZERO + id);
    ck_assert_int_eq(row.changed_us, LIFE_WALL_ZERO + 2 * id);
    ck_assert(!row.has_bill);
}
END_TEST

START_TEST(the_longest_name_of_a_type_comes_back_whole)
{
    static const char longest[] = /* 64 bytes, the bound of railhead-instance(5) */
        "ml.family.012345678901234567890123456789012345678901234567890123";
    auto_job struct job *job = job_new(store_next_job_id(store));
    struct job_row row;
    struct err err;

    ck_assert_uint_eq(strlen(longest), 64);
    job_id_make(LIFE_WALL_ZERO, job->id);
    job->name = xstrdup("one");
    job->owner = xstrdup("ana");
    job->scheduler = xstrdup("local");
    job->tags = xstrdup("{}");
    job->instance_type = xstrdup(longest);
    must(store_insert_job(store, job, &err), &err);
    must(store_get_job(store, job->job_id, &row, &err), &err);
    ck_assert_str_eq(row.instance_type, longest);
}
END_TEST

START_TEST(a_job_that_is_not_there_is_not_found)
{
    struct job_row row;
    struct err err;

    ck_assert_int_lt(store_find_job(store, "nobody", &row, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, "nobody"));
    ck_assert_int_lt(store_get_job(store, 7, &row, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_name_is_taken_once_and_the_round_goes_on)
{
    auto_job struct job *second = job_new(0);
    struct job_row row;
    struct err err;

    insert("one", "ana", JOB_PENDING);
    second->job_id = store_next_job_id(store);
    second->name = xstrdup("one");
    second->owner = xstrdup("bo");
    second->instance_type = xstrdup("local");
    second->scheduler = xstrdup("local");
    job_id_make(LIFE_WALL_ZERO, second->id);
    ck_assert_int_lt(store_insert_job(store, second, &err), 0);
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert_str_eq(err.text, "a job named 'one' is there already");
    ck_assert_int_eq(store_next_job_id(store), second->job_id);
    insert("two", "bo", JOB_PENDING);
    commit();
    must(store_find_job(store, "two", &row, &err), &err);
    must(store_find_job(store, "one", &row, &err), &err);
    ck_assert_str_eq(row.owner, "ana");
}
END_TEST

START_TEST(a_bill_has_a_cost_or_none)
{
    int64_t priced = insert("priced", "ana", JOB_COMPLETED);
    int64_t unpriced = insert("unpriced", "ana", JOB_COMPLETED);
    struct job_row row;
    struct err err;

    must(store_set_bill(store, priced, 41, 4646667, 3, &err), &err);
    must(store_set_bill(store, unpriced, 41, -1, 82, &err), &err);
    must(store_get_job(store, priced, &row, &err), &err);
    ck_assert(row.has_bill && row.priced);
    ck_assert_int_eq(row.billable_seconds, 41);
    ck_assert_int_eq(row.cost, 4646667);
    ck_assert_int_eq(row.unpriced_seconds, 3);
    must(store_get_job(store, unpriced, &row, &err), &err);
    ck_assert(row.has_bill && !row.priced);
    ck_assert_int_eq(row.unpriced_seconds, 82);
}
END_TEST

START_TEST(live_jobs_are_those_that_have_not_ended_by_age)
{
    auto_free int64_t *ids = NULL;
    size_t count;
    struct err err;
    int64_t first, third;

    first = insert("first", "ana", JOB_TRAINING);
    insert("second", "ana", JOB_FAILED);
    third = insert("third", "ana", JOB_PENDING);
    must(store_live_jobs(store, &ids, &count, &err), &err);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(ids[0], first);
    ck_assert_int_eq(ids[1], third);
}
END_TEST

/* --- events, keys, metrics, prices --- */

static int add_kind(void *context, const struct job_event *event, struct err *err)
{
    auto_free char *data = event->data ? json_print(event->data) : NULL;

    (void)err;
    text_printf(context, "%" PRId64 " %" PRId64 " %s %d %s; ", event->seq, event->at_us,
                job_event_name(event->kind), event->worker, data ? data : "-");
    return 0;
}

START_TEST(events_come_back_in_order_with_their_data)
{
    auto_json struct cJSON *data = json_object_new();
    auto_text struct text text = { 0 };
    struct job_event events[] = { { 2, 20, EV_WORKER_ENDED, 1, NULL },
                                  { 1, 10, EV_STOP_ASKED, -1, NULL },
                                  { 3, 30, EV_WORKER_READY, 0, NULL } };
    struct err err;

    json_set_int(data, "boot_us", INT64_MAX);
    json_set_text(data, "why", "\xc3\xa4 \" \\ \n");
    events[0].data = data;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        must(store_append_event(store, 5, &events[i], &err), &err);
    must(store_append_event(store, 6, &events[0], &err), &err);
    must(store_each_event(store, 5, add_kind, &text, &err), &err);
    ck_assert_str_eq(text.bytes,
                     "1 10 stop_asked -1 -; 2 20 worker_ended 1 "
                     "{\"boot_us\":9223372036854775807,\"why\":\"\xc3\xa4 \\\" "
                     "\\\\ \\n\"}; 3 30 worker_ready 0 -; ");
}
END_TEST

START_TEST(an_event_is_written_once)
{
    const struct job_event event = { 1, 10, EV_STOP_ASKED, -1, NULL };
    struct err err;

    must(store_append_event(store, 5, &event, &err), &err);
    ck_assert_int_lt(store_append_event(store, 5, &event, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
}
END_TEST

START_TEST(the_spec_is_in_the_first_event)
{
    auto_life struct life life = { .store = store };
    auto_json struct cJSON *spec = NULL;
    auto_free char *text = NULL;
    struct err err;

    life_live(&life, "submit 2, place");
    must(store_get_spec(store, life.job->job_id, &spec, &err), &err);
    text = json_print(spec);
    ck_assert_str_eq(text, "{\"instance_type\":\"ml.c5.xlarge\",\"instance_count\":2}");
}
END_TEST

START_TEST(an_idempotency_key_belongs_to_its_owner)
{
    char digest[65] = "";
    int64_t job_id = 0;
    struct err err;

    ck_assert_int_lt(store_find_key(store, "ana", "k", digest, &job_id, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    must(store_add_key(store, "ana", "k", "abc", 12, &err), &err);
    must(store_find_key(store, "ana", "k", digest, &job_id, &err), &err);
    ck_assert_str_eq(digest, "abc");
    ck_assert_int_eq(job_id, 12);
    ck_assert_int_lt(store_find_key(store, "bo", "k", digest, &job_id, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    must(store_add_key(store, "bo", "k", "def", 13, &err), &err);
    ck_assert_int_lt(store_add_key(store, "bo", "k", "ghi", 14, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
}
END_TEST

static void set_metric(const char *name, const char *value, int rank, const char *step,
                       usec_t wall)
{
    auto_json struct cJSON *number = step ? json_number_new(step) : NULL;
    struct metric_value metric = {
        name, value, rank, number, LIFE_WALL_ZERO + wall, 1
    };
    struct err err;

    must(store_set_metric(store, 5, &metric, &err), &err);
}

/* A job that cost nothing, of a recipe, where and how it ran. */
static void insert_run(const char *recipe, const char *scheduler, bool emulated,
                       enum job_state state, int64_t seconds)
{
    auto_job struct job *job = job_new(store_next_job_id(store));
    struct err err;

    job->name = xasprintf("run-%d", (int)job->job_id);
    job->owner = xstrdup("ana");
    job->instance_type = xstrdup("ml.c5.xlarge");
    job->scheduler = xstrdup(scheduler);
    job->tags = xstrdup("{}");
    job->instance_count = 1;
    job->emulated = emulated;
    job->state = state;
    snprintf(job->recipe, sizeof job->recipe, "%s", recipe);
    must(store_insert_job(store, job, &err), &err);
    must(store_set_bill(store, job->job_id, seconds, 0, 0, &err), &err);
}

static void expect_runs(const char *recipe, const char *scheduler, bool emulated,
                        size_t limit, const char *expected)
{
    auto_job struct job *like = job_new(0);
    auto_text struct text all = { 0 };
    int64_t seconds[8];
    size_t count = 0;
    struct err err;

    like->scheduler = xstrdup(scheduler);
    like->emulated = emulated;
    snprintf(like->recipe, sizeof like->recipe, "%s", recipe);
    must(store_get_runs(store, like, limit, seconds, &count, &err), &err);
    for (size_t i = 0; i < count; i++)
        text_printf(&all, "%s%lld", i ? " " : "", (long long)seconds[i]);
    ck_assert_str_eq(all.bytes ? all.bytes : "", expected);
}

START_TEST(runs_of_a_recipe_are_those_that_completed_there_newest_first)
{
    insert_run("aa", "local", false, JOB_COMPLETED, 10);
    insert_run("aa", "local", true, JOB_COMPLETED, 20);
    insert_run("aa", "fake", false, JOB_COMPLETED, 30);
    insert_run("aa", "local", false, JOB_FAILED, 40);
    insert_run("bb", "local", false, JOB_COMPLETED, 50);
    insert_run("aa", "local", false, JOB_COMPLETED, 60);
    insert_run("aa", "local", false, JOB_COMPLETED, 70);
    expect_runs("aa", "local", false, 8, "70 60 10");
    expect_runs("aa", "local", false, 2, "70 60");
    expect_runs("aa", "local", true, 8, "20");
    expect_runs("aa", "fake", false, 8, "30");
    expect_runs("cc", "local", false, 8, "");
}
END_TEST

START_TEST(a_metric_keeps_the_first_value_of_its_attempt)
{
    struct metric_value value = { "seen", "100", 0, NULL, LIFE_WALL_ZERO, 1 };
    struct metric_readings readings;
    struct err err;

    must(store_get_readings(store, 5, "seen", &readings, &err), &err);
    ck_assert_int_eq(readings.attempt, 0);
    must(store_set_metric(store, 5, &value, &err), &err);
    value.value = "250";
    value.wall += 7;
    must(store_set_metric(store, 5, &value, &err), &err);
    must(store_get_readings(store, 5, "seen", &readings, &err), &err);
    ck_assert_int_eq(readings.attempt, 1);
    ck_assert_str_eq(readings.first, "100");
    ck_assert_str_eq(readings.last, "250");
    ck_assert_int_eq(readings.first_wall, LIFE_WALL_ZERO);
    ck_assert_int_eq(readings.last_wall, LIFE_WALL_ZERO + 7);
    value.value = "NaN";
    value.wall += 7;
    value.attempt = 2;
    must(store_set_metric(store, 5, &value, &err), &err);
    must(store_get_readings(store, 5, "seen", &readings, &err), &err);
    ck_assert_int_eq(readings.attempt, 2);
    ck_assert_str_eq(readings.first, "NaN");
    ck_assert_str_eq(readings.last, "NaN");
    ck_assert_int_eq(readings.first_wall, LIFE_WALL_ZERO + 14);
}
END_TEST

START_TEST(the_newest_value_of_a_metric_is_kept)
{
    auto_json struct cJSON *metrics = NULL;
    auto_json struct cJSON *others = NULL;
    auto_free char *text = NULL;
    struct err err;

    set_metric("train:loss", "0.5", 0, NULL, 2);
    set_metric("train:loss", "0.9", 1, "7", 1);
    set_metric("seen", "9007199254740993", 1, NULL, 0);
    set_metric("train:loss", "0.25", 3, "900", 2);
    must(store_get_metrics(store, 5, &metrics, &err), &err);
    must(store_get_metrics(store, 6, &others, &err), &err);
    text = json_print(metrics);
    ck_assert_str_eq(
        text, "{\"seen\":{\"last\":9007199254740993,\"rank\":1,\"step\":null,\"at\":"
              "\"2026-09-21T14:13:20.000000Z\"},\"train:loss\":{\"last\":0.25,"
              "\"rank\":3,\"step\":900,\"at\":\"2026-09-21T14:13:20.000002Z\"}}");
    ck_assert_uint_eq(json_count(others), 0);
}
END_TEST

START_TEST(what_is_no_number_is_a_text_in_the_answer)
{
    auto_json struct cJSON *metrics = NULL;
    auto_free char *text = NULL;
    struct err err;

    set_metric("loss", "NaN", 0, NULL, 0);
    must(store_get_metrics(store, 5, &metrics, &err), &err);
    text = json_print(metrics);
    ck_assert_str_eq(text, "{\"loss\":{\"last\":\"NaN\",\"rank\":0,\"step\":null,"
                           "\"at\":\"2026-09-21T14:13:20.000000Z\"}}");
}
END_TEST

START_TEST(a_price_has_one_row_and_a_changed_one_another)
{
    char date[] = "2026-09-01", later[] = "2026-10-01";
    struct profile_price price = { .hourly = 204000000, .as_of = date };
    int64_t first, again, other, of_other_type;
    struct err err;

    must(store_price_id(store, "ml.c5.xlarge", &price, &first, &err), &err);
    must(store_price_id(store, "ml.c5.xlarge", &price, &again, &err), &err);
    must(store_price_id(store, "ml.c5.2xlarge", &price, &of_other_type, &err), &err);
    price.as_of = later;
    must(store_price_id(store, "ml.c5.xlarge", &price, &other, &err), &err);
    ck_assert_int_eq(first, again);
    ck_assert_int_ne(first, other);
    ck_assert_int_ne(first, of_other_type);
}
END_TEST

Suite *suite_store_rows(void);

Suite *suite_store_rows(void)
{
    Suite *suite = suite_create("store_rows");
    TCase *tests = tcase_create("rows");

    tcase_add_checked_fixture(tests, make_store, free_store);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_row_comes_back_as_it_was_written);
    tcase_add_test(tests, the_longest_name_of_a_type_comes_back_whole);
    tcase_add_test(tests, a_job_that_is_not_there_is_not_found);
    tcase_add_test(tests, a_name_is_taken_once_and_the_round_goes_on);
    tcase_add_test(tests, a_bill_has_a_cost_or_none);
    tcase_add_test(tests, live_jobs_are_those_that_have_not_ended_by_age);
    tcase_add_test(tests, events_come_back_in_order_with_their_data);
    tcase_add_test(tests, an_event_is_written_once);
    tcase_add_test(tests, the_spec_is_in_the_first_event);
    tcase_add_test(tests, an_idempotency_key_belongs_to_its_owner);
    tcase_add_test(tests, runs_of_a_recipe_are_those_that_completed_there_newest_first);
    tcase_add_test(tests, a_metric_keeps_the_first_value_of_its_attempt);
    tcase_add_test(tests, the_newest_value_of_a_metric_is_kept);
    tcase_add_test(tests, what_is_no_number_is_a_text_in_the_answer);
    tcase_add_test(tests, a_price_has_one_row_and_a_changed_one_another);
    suite_add_tcase(suite, tests);
    return suite;
}
