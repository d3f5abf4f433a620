/* A log that comes over several connections is given once, whatever the order and the
 * cuts. */

#include "src/cli/log_resume.h"

#include <check.h>
#include <string.h>

#define auto_resume __attribute__((cleanup(log_resume_clear)))

static void feed(struct log_resume *resume, const char *words, struct text *out)
{
    log_resume_feed(resume, words, strlen(words), out);
}

static const char merged[] = "[0] one\n[1] eins\n[0] two\n[10] ten\n[1] zwei\n";

START_TEST(one_connection_passes_all_bytes)
{
    auto_resume struct log_resume resume = { 0 };
    auto_text struct text out = { 0 };

    log_resume_feed(&resume, "a\0b\n\n[x] c\n[0]d", 15, &out);
    log_resume_finish(&resume, &out);
    ck_assert_uint_eq(out.len, 15);
    ck_assert_mem_eq(out.bytes, "a\0b\n\n[x] c\n[0]d", 15);
}
END_TEST

START_TEST(a_cut_at_any_byte_loses_and_doubles_nothing)
{
    for (size_t cut = 0; cut <= strlen(merged); cut++) {
        auto_resume struct log_resume resume = { 0 };
        auto_text struct text out = { 0 };

        log_resume_feed(&resume, merged, cut, &out);
        log_resume_restart(&resume);
        feed(&resume, merged, &out);
        log_resume_finish(&resume, &out);
        ck_assert_str_eq(out.bytes, merged);
    }
}
END_TEST

START_TEST(two_cuts_lose_and_double_nothing)
{
    for (size_t first = 0; first <= strlen(merged); first++) {
        for (size_t second = 0; second <= strlen(merged); second++) {
            auto_resume struct log_resume resume = { 0 };
            auto_text struct text out = { 0 };

            log_resume_feed(&resume, merged, first, &out);
            log_resume_restart(&resume);
            log_resume_feed(&resume, merged, second, &out);
            log_resume_restart(&resume);
            feed(&resume, merged, &out);
            ck_assert_str_eq(out.bytes, merged);
        }
    }
}
END_TEST

START_TEST(bytes_may_come_one_by_one)
{
    auto_resume struct log_resume resume = { 0 };
    auto_text struct text out = { 0 };

    for (const char *at = merged; *at; at++)
        log_resume_feed(&resume, at, 1, &out);
    ck_assert_str_eq(out.bytes, merged);
}
END_TEST

START_TEST(ranks_may_come_in_another_order)
{
    auto_resume struct log_resume resume = { 0 };
    auto_text struct text out = { 0 };

    feed(&resume, "[0] one\n[1] eins\n[0] two\n", &out);
    log_resume_restart(&resume);
    text_clear(&out);
    feed(&resume, "[1] eins\n[1] zwei\n[0] one\n[0] two\n[0] three\n", &out);
    ck_assert_str_eq(out.bytes, "[1] zwei\n[0] three\n");
}
END_TEST

START_TEST(a_line_without_end_is_shown_as_it_grows)
{
    auto_resume struct log_resume resume = { 0 };
    auto_text struct text out = { 0 };

    feed(&resume, "epoch 1 .", &out);
    ck_assert_str_eq(out.bytes, "epoch 1 .");
    log_resume_restart(&resume);
    feed(&resume, "epoch 1 ..", &out);
    ck_assert_str_eq(out.bytes, "epoch 1 ..");
    feed(&resume, ".\n", &out);
    ck_assert_str_eq(out.bytes, "epoch 1 ...\n");
}
END_TEST

START_TEST(a_start_that_may_be_a_rank_comes_at_the_end)
{
    auto_resume struct log_resume resume = { 0 };
    auto_text struct text out = { 0 };

    feed(&resume, "done\n[12", &out);
    ck_assert_str_eq(out.bytes, "done\n");
    log_resume_finish(&resume, &out);
    ck_assert_str_eq(out.bytes, "done\n[12");
}
END_TEST

START_TEST(digits_without_end_are_no_rank)
{
    auto_resume struct log_resume resume = { 0 };
    auto_text struct text out = { 0 };

    feed(&resume, "[123456789012345678901234567890] x\n", &out);
    ck_assert_str_eq(out.bytes, "[123456789012345678901234567890] x\n");
}
END_TEST

Suite *suite_log_resume(void)
{
    Suite *suite = suite_create("log_resume");
    TCase *tests = tcase_create("log_resume");

    tcase_add_test(tests, one_connection_passes_all_bytes);
    tcase_add_test(tests, a_cut_at_any_byte_loses_and_doubles_nothing);
    tcase_add_test(tests, two_cuts_lose_and_double_nothing);
    tcase_add_test(tests, bytes_may_come_one_by_one);
    tcase_add_test(tests, ranks_may_come_in_another_order);
    tcase_add_test(tests, a_line_without_end_is_shown_as_it_grows);
    tcase_add_test(tests, a_start_that_may_be_a_rank_comes_at_the_end);
    tcase_add_test(tests, digits_without_end_are_no_rank);
    suite_add_tcase(suite, tests);
    return suite;
}
