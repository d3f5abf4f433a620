/* One true cause out of all that happened: what came first. */

#include "src/json.h"
#include "src/worker/ending.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>

/* As waitpid gives them. */
static int exited(int code)
{
    return code << 8;
}

static int killed(int signal_number)
{
    return signal_number;
}

static const char *say(const struct ending *ending, const char *member)
{
    static char words[256];
    auto_json struct cJSON *line = json_object_new();
    auto_free char *text = NULL;

    ending_to_json(ending, line);
    text = json_print(json_get(line, member));
    snprintf(words, sizeof words, "%s", text);
    return words;
}

START_TEST(ranks_that_end_well_are_completed)
{
    struct ending ending;

    ending_init(&ending);
    ck_assert(!ending_rank(&ending, 0, exited(0), false, 5));
    ck_assert(!ending_rank(&ending, 1, exited(0), false, 6));
    ck_assert_str_eq(say(&ending, "cause"), "\"completed\"");
    ck_assert_str_eq(say(&ending, "exit_code"), "0");
    ck_assert_str_eq(say(&ending, "first_failing_rank"), "null");
    ck_assert_str_eq(say(&ending, "message"), "null");
}
END_TEST

START_TEST(an_exit_code_above_128_is_not_taken_for_a_signal)
{
    static const int codes[] = { 128, 137, 139, 143, 255 };

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
        auto_free char *message = xasprintf("\"rank 0 exited with code %d\"", codes[i]);
        struct ending ending;

        ending_init(&ending);
        ck_assert(ending_rank(&ending, 0, exited(codes[i]), false, 5));
        ck_assert_str_eq(say(&ending, "cause"), "\"failed\"");
        ck_assert_str_eq(say(&ending, "signal"), "null");
        ck_assert_str_eq(say(&ending, "message"), message);
        ending_clear(&ending);
    }
}
END_TEST

START_TEST(the_first_rank_that_fails_is_named)
{
    struct ending ending;

    ending_init(&ending);
    ending_rank(&ending, 0, exited(0), false, 5);
    ck_assert(ending_rank(&ending, 2, exited(17), false, 7));
    ck_assert(!ending_rank(&ending, 1, killed(SIGTERM), false, 8));
    ck_assert_str_eq(say(&ending, "cause"), "\"failed\"");
    ck_assert_str_eq(say(&ending, "exit_code"), "17");
    ck_assert_str_eq(say(&ending, "first_failing_rank"), "2");
    ck_assert_str_eq(say(&ending, "first_failure_boot_us"), "7");
    ending_clear(&ending);
}
END_TEST

START_TEST(a_signal_has_a_number_and_a_name)
{
    struct ending ending;

    ending_init(&ending);
    ending_rank(&ending, 3, killed(SIGSEGV), false, 1);
    ck_assert_str_eq(say(&ending, "cause"), "\"signal\"");
    ck_assert_str_eq(say(&ending, "signal"), "11");
    ck_assert_str_eq(say(&ending, "exit_code"), "null");
    ck_assert_str_eq(say(&ending, "message"),
                     "\"rank 3 was killed by signal 11 (SIGSEGV)\"");
    ending_clear(&ending);
}
END_TEST

START_TEST(a_kill_for_want_of_memory_is_oom)
{
    struct ending ending;

    ending_init(&ending);
    ending_rank(&ending, 0, killed(SIGKILL), true, 1);
    ck_assert_str_eq(say(&ending, "cause"), "\"oom\"");
    ck_assert_str_eq(say(&ending, "signal"), "9");
    ending_clear(&ending);
}
END_TEST

START_TEST(an_end_after_a_stop_is_the_stops_doing)
{
    struct ending ending;

    ending_init(&ending);
    ck_assert(ending_because(&ending, END_USER_STOP, "stopped on request"));
    ck_assert(!ending_rank(&ending, 0, killed(SIGKILL), false, 1));
    ck_assert(!ending_rank(&ending, 1, exited(0), false, 1));
    ck_assert_str_eq(say(&ending, "cause"), "\"user_stop\"");
    ck_assert_str_eq(say(&ending, "exit_code"), "null");
    ck_assert_str_eq(say(&ending, "first_failing_rank"), "null");
    ending_clear(&ending);
}
END_TEST

START_TEST(a_stop_after_a_failure_changes_nothing)
{
    struct ending ending;

    ending_init(&ending);
    ending_rank(&ending, 0, exited(3), false, 1);
    ck_assert(!ending_because(&ending, END_PEER, "stopped"));
    ck_assert_str_eq(say(&ending, "cause"), "\"failed\"");
    ending_clear(&ending);
}
END_TEST

START_TEST(a_remark_leaves_the_cause_alone)
{
    struct ending ending;

    ending_init(&ending);
    ending_remark(&ending, "disk full");
    ck_assert_str_eq(say(&ending, "cause"), "\"completed\"");
    ending_remark(&ending, "twice");
    ck_assert_str_eq(say(&ending, "message"), "\"disk full; twice\"");
    ending_clear(&ending);
}
END_TEST

START_TEST(words_that_are_not_utf8_are_made_so)
{
    struct ending ending;

    ending_init(&ending);
    ending_because(&ending, END_LAUNCH, "exec %s", "\xff\xfe");
    ck_assert_str_eq(say(&ending, "message"), "\"exec ??\"");
    ending_clear(&ending);
}
END_TEST

Suite *suite_ending(void)
{
    Suite *suite = suite_create("ending");
    TCase *tests = tcase_create("ending");

    tcase_add_test(tests, ranks_that_end_well_are_completed);
    tcase_add_test(tests, the_first_rank_that_fails_is_named);
    tcase_add_test(tests, an_exit_code_above_128_is_not_taken_for_a_signal);
    tcase_add_test(tests, a_signal_has_a_number_and_a_name);
    tcase_add_test(tests, a_kill_for_want_of_memory_is_oom);
    tcase_add_test(tests, an_end_after_a_stop_is_the_stops_doing);
    tcase_add_test(tests, a_stop_after_a_failure_changes_nothing);
    tcase_add_test(tests, a_remark_leaves_the_cause_alone);
    tcase_add_test(tests, words_that_are_not_utf8_are_made_so);
    suite_add_tcase(suite, tests);
    return suite;
}
