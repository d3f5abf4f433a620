/* A job is what its events made it, applied one by one or replayed from the store. */

#include "tests/unit/cases.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *const lives[] = {
    "submit 1, stop user_stop",
    "submit 2, expire",
    "submit 2, place, fail launch",
    "submit 2, place, ready 0 10, launch 0 11, ready 1 12, launch 1 13, end 0 20 completed, end 1 30 completed",
    "submit 2, place, ready 1 10, stop user_stop, ready 0 12, end 0 20 user_stop, end 1 30 user_stop",
    "submit 2, place, ready 0 10, launch 0 11, ready 1 12, launch 1 13, lose 0 15, end 1 31 failed 14",
    "submit 3, place, ready 0 10, ready 1 10, ready 2 10, end 1 11 launch, end 0 12 peer, lose 2 9",
    "submit 1, place, ready 0 10, launch 0 11, stop max_wait, end 0 20 max_run",
    "submit 2 0 3 infrastructure+interrupted, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, lose 0 15,"
    " end 1 21 peer, place, ready 0 30, ready 1 30, launch 0 31, launch 1 31, interrupt 60, upload 0 40 interrupted,"
    " end 1 41 interrupted, end 0 42 interrupted, place, fail infrastructure",
    "submit 1 0 2 infrastructure, place, fail infrastructure, stop user_stop",
    "submit 1 0 2 interrupted, place, ready 0 10, interrupt 9, end 0 12 interrupted, expire",
    "submit 1 0 1 infrastructure 60, place, ready 0 10, launch 0 11, upload 0 15 completed, end 0 20 completed, cool 30 two",
    "submit 1 0 1 infrastructure 60, place, ready 0 10, launch 0 11, end 0 20 failed, cool 30",
};

static int apply(void *context, const struct job_event *event, struct err *err)
{
    return job_apply(context, event, err);
}

/* The first `count` events in a store of their own, read back into a job. */
static char *replayed(const struct life *life, size_t count)
{
    auto_job struct job *job = job_new(life->job->job_id);
    char *folder, *print;
    struct store *store = store_made(&folder);
    struct err err;

    for (size_t i = 0; i < count; i++)
        if (store_append_event(store, job->job_id, &life->events[i].event, &err) < 0)
            ck_abort_msg("%s", err.text);
    if (store_commit(store, &err) < 0
        || store_each_event(store, job->job_id, apply, job, &err) < 0)
        ck_abort_msg("%s", err.text);
    print = life_print(job);
    store_gone(store, folder);
    return print;
}

START_TEST(a_replay_of_any_prefix_gives_the_same_job)
{
    auto_life struct life life = { 0 };
    auto_job struct job *live = job_new(1);
    struct err err;

    life_live(&life, lives[_i]);
    ck_assert(life.event_count >= 2);
    for (size_t count = 0; count <= life.event_count; count++) {
        auto_free char *wanted = NULL;
        auto_free char *got = replayed(&life, count);

        if (count > 0)
            ck_assert_int_eq(job_apply(live, &life.events[count - 1].event, &err), 0);
        wanted = life_print(live);
        ck_assert_str_eq(got, wanted);
    }
}
END_TEST

START_TEST(a_submitted_job_has_the_defaults_of_its_spec)
{
    auto_life struct life life = { 0 };

    life_live(&life, "submit 2");
    ck_assert_str_eq(life.job->name, "one");
    ck_assert_str_eq(life.job->owner, "ana");
    ck_assert_str_eq(life.job->instance_type, "ml.c5.xlarge");
    ck_assert_int_eq(life.job->instance_count, 2);
    ck_assert_int_eq(life.job->priority, 50);
    ck_assert_int_eq(life.job->max_run_s, 86400);
    ck_assert_int_eq(life.job->grace_s, 120);
    ck_assert_int_eq(life.job->attempt, 0);
    ck_assert_ptr_null(life.job->workers);
}
END_TEST

/* When a state began, in milliseconds of the boot clock; event N comes at N seconds. */
/* clang-format off */
static const struct {
    const char *steps;
    int64_t began;
} changes[] = {
    { "submit 2", 1000 },
    { "submit 2, place", 2000 },
    { "submit 2, place, ready 0 2100", 2000 }, /* a fact of a worker changes no state */
    { "submit 2, place, ready 0 2100, ready 1 2050", 2100 },
    { "submit 1, place, ready 0 2100, launch 0 2200", 2200 },
    { "submit 2, place, ready 0 2100, launch 0 2150, ready 1 2300, launch 1 2310",
      2310 },
    { "submit 1, place, ready 0 2100, launch 0 2200, end 0 2900 completed", 2900 },
    { "submit 1, place, ready 0 2100, launch 0 2200, lose 0 2500", 2500 },
    { "submit 1, place, ready 0 2100, launch 0 2200, stop user_stop", 7000 },
    { "submit 1, place, ready 0 2100, launch 0 2200, upload 0 2900 completed", 2900 },
    { "submit 1, place, ready 0 2100, launch 0 2200, upload 0 2900 completed, end 0 3900 completed", 3900 },
    { "submit 1 0 2 infrastructure, place, ready 0 2100, launch 0 2200, lose 0 2900", 2900 },
    { "submit 1 0 2 infrastructure, place, ready 0 2100, launch 0 2200, lose 0 2900, place", 9000 },
    { "submit 1 0 2 infrastructure, place, ready 0 2100, launch 0 2200, lose 0 2900, stop user_stop", 10000 },
    { "submit 1 0 2 infrastructure, place, fail infrastructure", 3000 },
    /* Never before the state that it ends. */
    { "submit 1, place, ready 0 1900", 2000 },
    { "submit 1, place, ready 0 2100, launch 0 2200, stop user_stop, end 0 2900 user_stop",
      7000 },
    /* The daemon's own word, where no worker said anything. */
    { "submit 1, place, fail launch", 3000 },
    { "submit 1, place, ready 0 2100, launch 0 2200, fail infrastructure", 7000 },
    { "submit 1, stop user_stop", 3000 },
};
/* clang-format on */

START_TEST(a_state_begins_when_the_evidence_says)
{
    auto_life struct life life = { 0 };

    life_live(&life, changes[_i].steps);
    ck_assert_msg(life.job->changed_us
                      == LIFE_WALL_ZERO + changes[_i].began * USEC_PER_MSEC,
                  "%s: at %lld", changes[_i].steps,
                  (long long)(life.job->changed_us - LIFE_WALL_ZERO));
}
END_TEST

static void refused(struct job *job, const struct job_event *event, enum err_code code,
                    const char *why)
{
    auto_free char *before = job->name ? life_print(job) : NULL;
    auto_free char *after = NULL;
    struct err err;

    ck_assert_int_lt(job_apply(job, event, &err), 0);
    ck_assert_msg(err.code == code && strstr(err.text, why), "%s", err.text);
    after = job->name ? life_print(job) : NULL;
    if (before)
        ck_assert_str_eq(before, after);
}

START_TEST(an_event_out_of_order_is_refused)
{
    auto_life struct life life = { 0 };
    struct job_event event;

    life_live(&life, "submit 1, place");
    event = (struct job_event){ .seq = 4, .kind = EV_STOP_ASKED, .worker = -1 };
    refused(life.job, &event, ERR_INTERNAL, "event 4 follows event 2");
    event.seq = 2;
    refused(life.job, &event, ERR_INTERNAL, "event 2 follows event 2");
}
END_TEST

START_TEST(a_worker_that_ended_says_nothing_more)
{
    auto_life struct life life = { 0 };
    struct err err;

    life_live(&life, "submit 2, place, ready 0 10, lose 0 12");
    ck_assert(!life_try(&life, "end 0 13 completed", &err));
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert(!life_try(&life, "lose 0 14", &err));
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert_int_eq(life.job->workers[0].end.cause, END_LOST);
}
END_TEST

START_TEST(data_that_does_not_fit_is_an_internal_error)
{
    auto_life struct life life = { 0 };
    auto_job struct job *fresh = job_new(1);
    auto_json struct cJSON *nothing = json_object_new();
    auto_json struct cJSON *odd = json_object_new();
    auto_json struct cJSON *skipped = json_object_new();
    struct job_event event = { .seq = 1, .kind = EV_SUBMITTED, .worker = -1 };

    json_set_text(odd, "cause", "boredom");
    refused(fresh, &event, ERR_INTERNAL, "without id, name, scheduler or instances");
    life_live(&life, "submit 1");
    event = (struct job_event){ .seq = 2,
                                .kind = EV_PLACED,
                                .worker = -1,
                                .data = nothing };
    refused(life.job, &event, ERR_INTERNAL, "without boot_id");
    json_set_text(skipped, "boot_id", LIFE_BOOT_ID);
    json_set_int(skipped, "attempt", 2);
    event.data = skipped;
    refused(life.job, &event, ERR_INTERNAL, "does not follow attempt 0");
    life_live(&life, "place");
    event = (struct job_event){ .seq = 3, .kind = EV_WORKER_ENDED, .data = odd };
    refused(life.job, &event, ERR_INTERNAL, "boredom");
    event.data = nothing;
    refused(life.job, &event, ERR_INTERNAL, "unknown cause");
    event =
        (struct job_event){ .seq = 3, .kind = EV_FAILED, .worker = -1, .data = odd };
    refused(life.job, &event, ERR_INTERNAL, "boredom");
    event = (struct job_event){ .seq = 3, .kind = EV_WORKER_READY, .worker = 1 };
    refused(life.job, &event, ERR_INTERNAL, "worker 1 that is not there");
    event.worker = -1;
    refused(life.job, &event, ERR_INTERNAL, "worker -1 that is not there");
}
END_TEST

START_TEST(a_number_that_is_no_int_counts_as_absent)
{
    auto_life struct life life = { 0 };
    auto_json struct cJSON *data = json_object_new();
    struct job_event event = { .kind = EV_WORKER_ENDED, .data = data };
    struct err err;

    json_set_text(data, "cause", "failed");
    json_set_int(data, "exit_code", INT64_C(1) << 32);
    json_set_int(data, "first_failing_rank", INT64_C(1) << 32);
    life_live(&life, "submit 1, place, ready 0 10, launch 0 20");
    event.seq = life.job->last_seq + 1;
    ck_assert_int_eq(job_apply(life.job, &event, &err), 0);
    ck_assert_int_eq(life.job->workers[0].end.exit_code, -1);
    ck_assert_int_eq(life.job->workers[0].end.first_failing_rank, -1);
}
END_TEST

START_TEST(every_event_has_a_name_that_leads_back)
{
    for (int kind = 0; kind < EV_COUNT; kind++) {
        enum job_event_kind back = EV_SUBMITTED;

        ck_assert_ptr_nonnull(job_event_name((enum job_event_kind)kind));
        ck_assert(
            job_event_from_name(job_event_name((enum job_event_kind)kind), &back));
        ck_assert_int_eq(back, kind);
    }
}
END_TEST

START_TEST(a_name_that_is_no_event_is_none)
{
    enum job_event_kind kind = EV_READY;

    ck_assert(!job_event_from_name("ready ", &kind));
    ck_assert(!job_event_from_name("", &kind));
    ck_assert_int_eq(kind, EV_READY);
}
END_TEST

static const struct {
    int block;
    int worker;
    const char *address;
} addresses[] = {
    { 0, 0, "127.1.0.1" },     { 0, 249, "127.1.0.250" },
    { 0, 250, "127.1.1.1" },   { 3, 999, "127.1.6.250" },
    { 255, 250, "127.2.0.1" }, { 126 * 256 - 1, 0, "127.126.255.1" },
};

START_TEST(workers_of_a_job_have_addresses_of_their_own)
{
    const struct job job = { .block = addresses[_i].block };
    char text[HOST_TEXT_SIZE];

    job_worker_address(&job, addresses[_i].worker, text);
    ck_assert_str_eq(text, addresses[_i].address);
    job_worker_host(addresses[_i].worker, text);
    ck_assert(strncmp(text, "algo-", 5) == 0
              && strtol(text + 5, NULL, 10) == addresses[_i].worker + 1);
}
END_TEST

START_TEST(an_end_in_json_says_null_for_what_there_is_not)
{
    const struct job_end nothing = { .cause = END_LOST,
                                     .exit_code = -1,
                                     .first_failing_rank = -1 };
    char words[] = "why";
    const struct job_end all = { .cause = END_SIGNAL,
                                 .exit_code = 0,
                                 .signal = 9,
                                 .first_failing_rank = 3,
                                 .message = words };
    auto_json struct cJSON *first = job_end_to_json(&nothing);
    auto_json struct cJSON *second = job_end_to_json(&all);
    auto_free char *first_text = json_print(first);
    auto_free char *second_text = json_print(second);

    ck_assert_str_eq(first_text,
                     "{\"cause\":\"lost\",\"exit_code\":null,\"signal\":null,"
                     "\"first_failing_rank\":null,\"message\":null}");
    ck_assert_str_eq(second_text, "{\"cause\":\"signal\",\"exit_code\":0,\"signal\":9,"
                                  "\"first_failing_rank\":3,\"message\":\"why\"}");
}
END_TEST

Suite *suite_job(void);

Suite *suite_job(void)
{
    Suite *suite = suite_create("job");
    TCase *tests = tcase_create("events");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_replay_of_any_prefix_gives_the_same_job, 0,
                        ARRAY_SIZE(lives));
    tcase_add_test(tests, a_submitted_job_has_the_defaults_of_its_spec);
    tcase_add_loop_test(tests, a_state_begins_when_the_evidence_says, 0,
                        ARRAY_SIZE(changes));
    tcase_add_test(tests, an_event_out_of_order_is_refused);
    tcase_add_test(tests, a_worker_that_ended_says_nothing_more);
    tcase_add_test(tests, data_that_does_not_fit_is_an_internal_error);
    tcase_add_test(tests, a_number_that_is_no_int_counts_as_absent);
    tcase_add_test(tests, every_event_has_a_name_that_leads_back);
    tcase_add_test(tests, a_name_that_is_no_event_is_none);
    tcase_add_loop_test(tests, workers_of_a_job_have_addresses_of_their_own, 0,
                        ARRAY_SIZE(addresses));
    tcase_add_test(tests, an_end_in_json_says_null_for_what_there_is_not);
    suite_add_tcase(suite, tests);
    return suite;
}
