/* Every state has its names, and no two share one. */

#include "src/job_state.h"

#include <check.h>

/* clang-format off */
static const struct {
    enum job_state state;
    const char *name;
    const char *primary;
    bool is_final;
    bool waits;
} rows[] = {
    { JOB_NEW,                    "New",                 "InProgress", false, false },
    { JOB_PENDING,                "Pending",             "InProgress", false, true  },
    { JOB_STARTING,               "Starting",            "InProgress", false, false },
    { JOB_DOWNLOADING,            "Downloading",         "InProgress", false, false },
    { JOB_TRAINING,               "Training",            "InProgress", false, false },
    { JOB_UPLOADING,              "Uploading",           "InProgress", false, false },
    { JOB_INTERRUPTED,            "Interrupted",         "InProgress", false, true  },
    { JOB_RESTARTING,             "Restarting",          "InProgress", false, true  },
    { JOB_STOPPING,               "Stopping",            "Stopping",   false, false },
    { JOB_COMPLETED,              "Completed",           "Completed",  true,  false },
    { JOB_FAILED,                 "Failed",              "Failed",     true,  false },
    { JOB_STOPPED,                "Stopped",             "Stopped",    true,  false },
    { JOB_MAX_RUNTIME_EXCEEDED,   "MaxRuntimeExceeded",  "Stopped",    true,  false },
    { JOB_MAX_WAIT_TIME_EXCEEDED, "MaxWaitTimeExceeded", "Stopped",    true,  false },
};
/* clang-format on */

START_TEST(a_state_has_both_its_names)
{
    ck_assert_str_eq(job_state_name(rows[_i].state), rows[_i].name);
    ck_assert_str_eq(job_state_primary(rows[_i].state, false), rows[_i].primary);
    ck_assert_int_eq(job_state_is_final(rows[_i].state), rows[_i].is_final);
    ck_assert_int_eq(job_state_waits(rows[_i].state), rows[_i].waits);
}
END_TEST

START_TEST(an_upload_that_a_stop_led_to_shows_as_stopping)
{
    bool uploads = rows[_i].state == JOB_UPLOADING;

    ck_assert_str_eq(job_state_primary(rows[_i].state, true),
                     uploads ? "Stopping" : rows[_i].primary);
}
END_TEST

START_TEST(a_name_leads_back_to_its_state)
{
    enum job_state state = (enum job_state)JOB_STATE_COUNT;

    ck_assert(job_state_from_name(rows[_i].name, &state));
    ck_assert_int_eq(state, rows[_i].state);
}
END_TEST

START_TEST(every_state_is_tested)
{
    ck_assert_uint_eq(ARRAY_SIZE(rows), JOB_STATE_COUNT);
}
END_TEST

START_TEST(other_names_are_no_states)
{
    enum job_state state = JOB_TRAINING;

    ck_assert(!job_state_from_name("training", &state));
    ck_assert(!job_state_from_name("InProgress", &state));
    ck_assert(!job_state_from_name("", &state));
    ck_assert_int_eq(state, JOB_TRAINING);
}
END_TEST

Suite *suite_job_state(void);

Suite *suite_job_state(void)
{
    Suite *suite = suite_create("job_state");
    TCase *tests = tcase_create("names");

    tcase_add_loop_test(tests, a_state_has_both_its_names, 0, ARRAY_SIZE(rows));
    tcase_add_loop_test(tests, an_upload_that_a_stop_led_to_shows_as_stopping, 0,
                        ARRAY_SIZE(rows));
    tcase_add_loop_test(tests, a_name_leads_back_to_its_state, 0, ARRAY_SIZE(rows));
    tcase_add_test(tests, every_state_is_tested);
    tcase_add_test(tests, other_names_are_no_states);
    suite_add_tcase(suite, tests);
    return suite;
}
