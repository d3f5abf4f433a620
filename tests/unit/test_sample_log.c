/* A file of samples: what stays in it when very many come, and when there is no room.
 */

#include "src/files.h"
#include "src/worker/sample_log.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_numbers(struct sample_log *log, int from, int to)
{
    for (int i = from; i <= to; i++) {
        auto_json struct cJSON *sample = json_object_new();

        json_set_int(sample, "n", i);
        sample_log_add(log, sample);
    }
}

/* Checks that the file has the numbers from `first` to `last` by `step`, and no more.
 */
static void check_numbers(const char *path, int first, int last, int step)
{
    auto_free char *bytes = NULL;
    const char *at;

    ck_assert_int_eq(file_read(path, 1 << 20, &bytes, NULL, NULL), 0);
    at = bytes;
    for (int i = first; i <= last; i += step) {
        int n;
        int used;

        if (sscanf(at, "{\"n\":%d}\n%n", &n, &used) != 1 || n != i)
            ck_abort_msg("not %d: %.20s", i, at);
        at += used;
    }
    ck_assert_str_eq(at, "");
}

START_TEST(a_day_of_samples_is_kept_whole)
{
    char *folder = scratch_folder();
    auto_free char *path = xasprintf("%s/samples", folder);
    struct sample_log log;

    sample_log_init(&log, path);
    add_numbers(&log, 1, SAMPLE_LOG_LINES - 1);
    check_numbers(log.path, 1, SAMPLE_LOG_LINES - 1, 1);
    sample_log_clear(&log);
    scratch_remove(folder);
}
END_TEST

START_TEST(more_than_a_day_is_kept_in_ever_wider_steps)
{
    char *folder = scratch_folder();
    auto_free char *path = xasprintf("%s/samples", folder);
    struct sample_log log;

    sample_log_init(&log, path);
    add_numbers(&log, 1, SAMPLE_LOG_LINES);
    check_numbers(log.path, 2, SAMPLE_LOG_LINES, 2);
    add_numbers(&log, SAMPLE_LOG_LINES + 1, 2 * SAMPLE_LOG_LINES + 9);
    check_numbers(log.path, 4, 2 * SAMPLE_LOG_LINES + 8, 4);
    ck_assert_int_eq(log.samples, 2 * SAMPLE_LOG_LINES + 9);
    sample_log_clear(&log);
    scratch_remove(folder);
}
END_TEST

/* A limit of file sizes stands for a full disk: the last write is cut in mid-line. */
START_TEST(a_full_disk_leaves_whole_lines)
{
    char *folder = scratch_folder();
    auto_free char *path = xasprintf("%s/samples", folder);
    const struct rlimit small = { 60, RLIM_INFINITY };
    struct sample_log log;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    sample_log_init(&log, path);
    add_numbers(&log, 10, 99);
    check_numbers(log.path, 10, 15, 1); /* 9 bytes each */
    sample_log_clear(&log);
    scratch_remove(folder);
}
END_TEST

START_TEST(a_fifo_in_its_place_holds_nobody)
{
    char *folder = scratch_folder();
    auto_free char *path = xasprintf("%s/samples", folder);
    struct sample_log log;

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    sample_log_init(&log, path);
    add_numbers(&log, 1, 2);
    ck_assert_int_eq(unlink(path), 0);
    add_numbers(&log, 3, SAMPLE_LOG_LINES + 1);
    check_numbers(path, 3, SAMPLE_LOG_LINES + 1, 1);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    add_numbers(&log, SAMPLE_LOG_LINES + 2, SAMPLE_LOG_LINES + 4); /* it is full */
    ck_assert_int_eq(log.samples, SAMPLE_LOG_LINES + 4);
    sample_log_clear(&log);
    scratch_remove(folder);
}
END_TEST

START_TEST(a_folder_that_is_gone_is_no_fault)
{
    struct sample_log log;

    sample_log_init(&log, "/no/such/folder/samples");
    add_numbers(&log, 1, 3);
    ck_assert_int_eq(log.samples, 3);
    sample_log_clear(&log);
}
END_TEST

Suite *suite_sample_log(void)
{
    Suite *suite = suite_create("sample_log");
    TCase *tests = tcase_create("sample_log");

    tcase_add_test(tests, a_day_of_samples_is_kept_whole);
    tcase_add_test(tests, more_than_a_day_is_kept_in_ever_wider_steps);
    tcase_add_test(tests, a_full_disk_leaves_whole_lines);
    tcase_add_test(tests, a_fifo_in_its_place_holds_nobody);
    tcase_add_test(tests, a_folder_that_is_gone_is_no_fault);
    suite_add_tcase(suite, tests);
    return suite;
}
