/* The history of metrics: whole lines, in time, and not without end. */

#include "src/worker/metrics_history.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[64];
static char *path;
static struct metrics_history history;

static void make_home(void)
{
    snprintf(home, sizeof home, "/tmp/test-history-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
    path = xasprintf("%s/metrics.jsonl", home);
    metrics_history_init(&history, home);
}

static void remove_home(void)
{
    metrics_history_clear(&history);
    free(path);
    remove_tree(home);
}

static off_t size_of_file(void)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_size : -1;
}

START_TEST(a_history_without_values_has_no_file)
{
    ck_assert_int_eq(history.due_boot, INT64_MAX);
    metrics_history_write(&history);
    ck_assert_int_eq(size_of_file(), -1);
    ck_assert_ptr_null(metrics_history_remark(&history));
}
END_TEST

START_TEST(a_value_is_due_a_second_after_the_first_that_waits)
{
    metrics_history_add(&history, "{}", 5);
    metrics_history_add(&history, "{}", 900000);
    ck_assert_int_eq(history.due_boot, 5 + USEC_PER_SEC);
    metrics_history_write(&history);
    ck_assert_int_eq(history.due_boot, INT64_MAX);
    ck_assert_int_eq(size_of_file(), 6);
}
END_TEST

START_TEST(many_values_are_written_without_waiting)
{
    for (int i = 0; i < 30000; i++)
        metrics_history_add(&history, "{}", 5);
    ck_assert_int_ge(size_of_file(), 65536);
    ck_assert_uint_lt(history.pending.len, 65536);
}
END_TEST

START_TEST(a_history_ends_with_a_whole_line_at_64_mib_and_says_so)
{
    auto_free char *line = xcalloc(1, 60001);
    auto_free char *remark = NULL;

    memset(line, 'x', 60000);
    for (int i = 0; i < 1200; i++) {
        metrics_history_add(&history, line, 5);
        metrics_history_write(&history);
    }
    ck_assert_int_le(size_of_file(), 64 << 20);
    ck_assert_int_gt(size_of_file(), (64 << 20) - 60001);
    ck_assert_int_eq(size_of_file() % 60001, 0);
    remark = metrics_history_remark(&history);
    ck_assert_str_eq(remark, "the history of metrics lacks 82 of its values: it has 64 "
                             "MiB at most");
}
END_TEST

START_TEST(a_fifo_in_the_place_of_the_file_does_not_hold_us)
{
    auto_free char *remark = NULL;

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    metrics_history_add(&history, "{}", 5);
    metrics_history_write(&history);
    remark = metrics_history_remark(&history);
    ck_assert_ptr_nonnull(strstr(remark, "lacks 1 of its values: "));
}
END_TEST

Suite *suite_metrics_history(void);

Suite *suite_metrics_history(void)
{
    Suite *suite = suite_create("metrics_history");
    TCase *tests = tcase_create("history");

    tcase_add_checked_fixture(tests, make_home, remove_home);
    tcase_add_test(tests, a_history_without_values_has_no_file);
    tcase_add_test(tests, a_value_is_due_a_second_after_the_first_that_waits);
    tcase_add_test(tests, many_values_are_written_without_waiting);
    tcase_add_test(tests, a_history_ends_with_a_whole_line_at_64_mib_and_says_so);
    tcase_add_test(tests, a_fifo_in_the_place_of_the_file_does_not_hold_us);
    suite_add_tcase(suite, tests);
    return suite;
}
