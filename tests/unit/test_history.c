/* Pages of metrics and samples: what they leave out, where they go on, how much they
 * read. */

#include "api/history.h"
#include "src/launch_plan.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder;
static struct job_history job;
static struct history_query query;
static struct cJSON *page;
static struct err err;

static void set_up(void)
{
    folder = scratch_folder();
    job = (struct job_history){ .folder = xasprintf("%s/JOB", folder),
                                .attempts = 1,
                                .workers = 2 };
    query = (struct history_query){ .kind = HISTORY_METRICS,
                                    .rank = -1,
                                    .worker = -1,
                                    .since = INT64_MIN,
                                    .limit = HISTORY_LIMIT_MAX };
    page = NULL;
}

static void tear_down(void)
{
    json_free(page);
    job_history_clear(&job);
    scratch_remove(folder);
}

static void write_lines(int attempt, int worker, const char *name, const char *lines)
{
    auto_free char *place = worker_folder(job.folder, attempt, worker);
    auto_free char *path = xasprintf("%s/%s", place, name);
    FILE *file;

    mkdir(place, 0755);
    file = fopen(path, "a");
    ck_assert_ptr_nonnull(file);
    fputs(lines, file);
    fclose(file);
}

static void write_value(int attempt, int worker, const char *value, usec_t wall)
{
    auto_free char *line =
        xasprintf("{\"name\":\"loss\",\"value\":%s,\"rank\":%d,\"step\":null,"
                  "\"wall_us\":%lld}\n",
                  value, worker, (long long)wall);

    write_lines(attempt, worker, "metrics.jsonl", line);
}

/* The next page, from `cursor` on. */
static void ask(const char *cursor)
{
    auto_free char *kept = cursor ? xstrdup(cursor) : NULL;

    query.cursor = kept;
    json_free(page);
    page = NULL;
    ck_assert_int_eq(history_page(&job, &query, &page, &err), 0);
}

/* The values of the page with a blank between them. */
static void expect(const char *values)
{
    auto_text struct text got = { 0 };

    json_each (item, json_get(page, "items")) {
        auto_free char *value = json_print(json_get(item, "value"));

        text_printf(&got, "%s%s", got.len ? " " : "", value);
    }
    ck_assert_str_eq(got.bytes ? got.bytes : "", values);
}

static const char *next(void)
{
    return json_get_text(page, "next_cursor");
}

static const char *resume(void)
{
    return json_get_text(page, "resume_cursor");
}

START_TEST(values_come_by_attempt_and_then_by_worker)
{
    job.attempts = 2;
    write_value(2, 0, "4", 40);
    write_value(1, 1, "2", 10);
    write_value(1, 0, "1", 20);
    write_value(2, 1, "5", 30);
    write_value(1, 1, "3", 15);
    ask(NULL);
    expect("1 2 3 4 5");
    ck_assert_ptr_null(next());
}
END_TEST

START_TEST(an_item_tells_where_and_when_it_was_printed)
{
    auto_free char *words = NULL;

    write_lines(
        1, 1, "metrics.jsonl",
        "{\"name\":\"a\",\"value\":\"NaN\",\"rank\":3,\"step\":9,\"wall_us\":1}\n");
    ask(NULL);
    words = json_print(json_first(json_get(page, "items")));
    ck_assert_str_eq(words,
                     "{\"name\":\"a\",\"value\":\"NaN\",\"rank\":3,\"step\":9,\"at\":"
                     "\"1970-01-01T00:00:00.000001Z\",\"attempt\":1,\"worker\":1}");
}
END_TEST

START_TEST(pages_of_any_size_give_every_value_once)
{
    auto_text struct text all = { 0 };
    auto_free char *cursor = NULL;
    size_t pages = 0;

    for (int i = 0; i < 10; i++)
        write_value(1, i % 2, "1", i);
    write_value(1, 1, "2", 10);
    query.limit = _i;
    do {
        ask(cursor);
        ck_assert_uint_le(json_count(json_get(page, "items")), (size_t)_i);
        json_each (item, json_get(page, "items"))
            text_puts(&all, json_number(json_get(item, "value")));
        free(cursor);
        cursor = next() ? xstrdup(next()) : NULL;
    } while (cursor && ++pages < 20);
    ck_assert_str_eq(all.bytes, "11111111112");
}
END_TEST

START_TEST(a_line_that_is_being_written_is_given_when_it_is_whole)
{
    write_value(1, 0, "1", 1);
    write_lines(1, 0, "metrics.jsonl", "{\"name\":\"loss\",\"value\":2,\"ra");
    ask(NULL);
    expect("1");
    ck_assert_ptr_null(next());
    write_lines(1, 0, "metrics.jsonl", "nk\":0,\"step\":null,\"wall_us\":2}\n");
    ask(resume());
    expect("2");
}
END_TEST

START_TEST(who_resumes_gets_what_came_later_of_every_worker)
{
    write_value(1, 0, "1", 1);
    write_value(1, 1, "2", 1);
    ask(NULL);
    write_value(1, 1, "4", 2);
    write_value(1, 0, "3", 2);
    ask(resume());
    expect("3 4");
    job.attempts = 2;
    write_value(2, 0, "5", 3);
    ask(resume());
    expect("5");
}
END_TEST

START_TEST(nothing_is_to_be_resumed_once_the_job_has_ended)
{
    write_value(1, 0, "1", 1);
    ask(NULL);
    ck_assert_ptr_nonnull(resume());
    job.ended = true;
    ask(resume());
    expect("");
    ck_assert_ptr_null(resume());
}
END_TEST

START_TEST(a_job_that_was_not_launched_has_no_values)
{
    job.attempts = 0;
    write_value(1, 0, "1", 1);
    ask(NULL);
    expect("");
    ck_assert_ptr_nonnull(resume());
}
END_TEST

START_TEST(name_rank_worker_and_time_choose)
{
    write_lines(1, 0, "metrics.jsonl",
                "{\"name\":\"a\",\"value\":1,\"rank\":0,\"wall_us\":5}\n"
                "{\"name\":\"b\",\"value\":2,\"rank\":0,\"wall_us\":6}\n"
                "{\"name\":\"a\",\"value\":3,\"rank\":1,\"wall_us\":7}\n");
    write_lines(1, 1, "metrics.jsonl",
                "{\"name\":\"a\",\"value\":4,\"rank\":2,\"wall_us\":8}\n");
    query.name = "a";
    ask(NULL);
    expect("1 3 4");
    query.rank = 1;
    ask(NULL);
    expect("3");
    query.rank = -1;
    query.worker = 1;
    ask(NULL);
    expect("4");
    query.worker = -1;
    query.since = 6;
    ask(NULL);
    expect("3 4");
}
END_TEST

/* clang-format off */
static const char *const no_values[] = {
    "",
    "nonsense",
    "[]",
    "{\"name\":\"a\",\"value\":1,\"rank\":0}",
    "{\"name\":\"a\",\"value\":\"soon\",\"rank\":0,\"wall_us\":1}",
    "{\"name\":\"a\",\"value\":NaN,\"rank\":0,\"wall_us\":1}",
    "{\"name\":\"a\",\"value\":1,\"rank\":-1,\"wall_us\":1}",
    "{\"value\":1,\"rank\":0,\"wall_us\":1}",
    "{\"name\":\"a\",\"value\":1,\"rank\":0,\"wall_us\":-1}",
};
/* clang-format on */

START_TEST(a_line_that_is_no_value_is_passed_over)
{
    write_lines(1, 0, "metrics.jsonl", no_values[_i]);
    write_lines(1, 0, "metrics.jsonl", "\n");
    write_value(1, 0, "1", 1);
    ask(NULL);
    expect("1");
}
END_TEST

START_TEST(a_line_without_end_does_not_keep_the_others_back)
{
    auto_free char *line = xcalloc(200001, 1);

    memset(line, 'x', 200000);
    write_lines(1, 0, "metrics.jsonl", line);
    write_lines(1, 0, "metrics.jsonl", "\n");
    write_value(1, 0, "1", 1);
    for (int i = 0; i < 5 && (i == 0 || next()); i++)
        ask(i ? next() : NULL);
    expect("1");
}
END_TEST

START_TEST(what_a_job_puts_in_the_place_of_its_history_is_not_opened)
{
    auto_free char *place = worker_folder(job.folder, 1, 0);
    auto_free char *path = xasprintf("%s/metrics.jsonl", place);
    auto_free char *other = xasprintf("%s/other", folder);

    write_lines(1, 1, "metrics.jsonl",
                "{\"name\":\"a\",\"value\":4,\"rank\":2,\"wall_us\":8}\n");
    mkdir(place, 0755);
    ck_assert_int_eq(mkfifo(path, 0644), 0);
    ask(NULL);
    expect("4");
    unlink(path);
    write_value(1, 0, "7", 1);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_int_eq(symlink(other, path), 0);
    ask(NULL);
    expect("4");
}
END_TEST

START_TEST(a_page_reads_no_more_than_it_may)
{
    auto_text struct text lines = { 0 };
    size_t pages = 0;

    for (int i = 0; i < 20000; i++)
        text_printf(&lines, "{\"name\":\"b\",\"value\":%d,\"rank\":0,\"wall_us\":%d}\n",
                    i, i);
    write_lines(1, 0, "metrics.jsonl", lines.bytes);
    write_value(1, 0, "1", 30000);
    query.name = "loss";
    ask(NULL);
    expect("");
    ck_assert_ptr_nonnull(next());
    while (next() && pages < 100) {
        ask(next());
        pages++;
    }
    expect("1");
    ck_assert_uint_ge(pages, lines.len / 131072);
}
END_TEST

START_TEST(a_late_time_is_found_without_reading_what_was_before)
{
    auto_text struct text lines = { 0 };

    for (int i = 0; i < 50000; i++)
        text_printf(&lines, "{\"name\":\"b\",\"value\":%d,\"rank\":0,\"wall_us\":%d}\n",
                    i, i);
    write_lines(1, 0, "metrics.jsonl", lines.bytes);
    query.since = 49997;
    ask(NULL);
    expect("49997 49998 49999");
}
END_TEST

/* clang-format off */
static const char *const bad_cursors[] = {
    "", "0", "x", "3", "1.", "1.x", "1.-5", "1.1.1.1", "1 ", "-1", "99999999999999999999",
    "1.99999999999999999999",
};
/* clang-format on */

START_TEST(a_cursor_that_no_page_gave_is_refused)
{
    query.cursor = bad_cursors[_i];
    ck_assert_int_lt(history_page(&job, &query, &page, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(a_worker_that_the_job_has_not_is_not_found)
{
    query.worker = 2;
    ck_assert_int_lt(history_page(&job, &query, &page, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(samples_are_given_as_they_are)
{
    auto_free char *words = NULL;

    query.kind = HISTORY_UTILIZATION;
    write_lines(
        1, 0, "utilization.jsonl",
        "{\"wall_us\":1000000,\"cpu_percent\":12.5,\"gpus\":[{\"percent\":3}]}\n");
    ask(NULL);
    words = json_print(json_first(json_get(page, "items")));
    ck_assert_str_eq(words,
                     "{\"cpu_percent\":12.5,\"gpus\":[{\"percent\":3}],\"at\":"
                     "\"1970-01-01T00:00:01.000000Z\",\"attempt\":1,\"worker\":0}");
}
END_TEST

START_TEST(a_file_that_was_made_shorter_goes_on_at_its_end)
{
    auto_free char *cursor = NULL;
    auto_free char *place = worker_folder(job.folder, 1, 0);
    auto_free char *path = xasprintf("%s/metrics.jsonl", place);

    for (int i = 0; i < 4; i++)
        write_value(1, 0, "1", i);
    ask(NULL);
    cursor = xstrdup(resume());
    ck_assert_int_eq(unlink(path), 0);
    write_value(1, 0, "1", 3);
    ask(cursor);
    expect("");
    write_value(1, 0, "2", 4);
    ask(resume());
    expect("2");
}
END_TEST

Suite *suite_history(void)
{
    Suite *suite = suite_create("history");
    TCase *tests = tcase_create("history");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, values_come_by_attempt_and_then_by_worker);
    tcase_add_test(tests, an_item_tells_where_and_when_it_was_printed);
    tcase_add_loop_test(tests, pages_of_any_size_give_every_value_once, 1, 12);
    tcase_add_test(tests, a_line_that_is_being_written_is_given_when_it_is_whole);
    tcase_add_test(tests, who_resumes_gets_what_came_later_of_every_worker);
    tcase_add_test(tests, nothing_is_to_be_resumed_once_the_job_has_ended);
    tcase_add_test(tests, a_job_that_was_not_launched_has_no_values);
    tcase_add_test(tests, name_rank_worker_and_time_choose);
    tcase_add_loop_test(tests, a_line_that_is_no_value_is_passed_over, 0,
                        ARRAY_SIZE(no_values));
    tcase_add_test(tests, a_line_without_end_does_not_keep_the_others_back);
    tcase_add_test(tests, what_a_job_puts_in_the_place_of_its_history_is_not_opened);
    tcase_add_test(tests, a_page_reads_no_more_than_it_may);
    tcase_add_test(tests, a_late_time_is_found_without_reading_what_was_before);
    tcase_add_loop_test(tests, a_cursor_that_no_page_gave_is_refused, 0,
                        ARRAY_SIZE(bad_cursors));
    tcase_add_test(tests, a_worker_that_the_job_has_not_is_not_found);
    tcase_add_test(tests, samples_are_given_as_they_are);
    tcase_add_test(tests, a_file_that_was_made_shorter_goes_on_at_its_end);
    suite_add_tcase(suite, tests);
    return suite;
}
