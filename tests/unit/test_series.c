/* Values over time in one line: bounds, the last one, and the picture of their course.
 */

#include "src/cli/series.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct series_set *set;

static void set_up(void)
{
    set = series_set_new();
}

static void tear_down(void)
{
    series_set_free(set);
}

static void take(const char *name, int64_t owner, const char *words)
{
    series_take(set, &(struct series_value){ .name = name,
                                             .owner = owner,
                                             .words = words,
                                             .at = "2026-11-30T10:15:00.000000Z" });
}

/* The line of a series, its blanks made one. */
static void expect_line(size_t number, const char *wanted)
{
    auto_text struct text out = { 0 };
    auto_text struct text got = { 0 };
    const char *at;

    series_print(set, "RANK", &out);
    at = out.bytes;
    for (size_t i = 0; i <= number; i++)
        at = strchr(at, '\n') + 1;
    for (; *at != '\n'; at++)
        if (*at != ' ' || at[1] != ' ')
            text_add(&got, at, 1);
    ck_assert_str_eq(got.bytes, wanted);
}

START_TEST(a_series_tells_its_bounds_and_its_last_value)
{
    take("loss", 0, "2.50");
    take("loss", 0, "9");
    take("loss", 0, "-1e3");
    take("loss", 0, "4.0");
    expect_line(0, "loss 0 4 -1e3 9 4.0 - 2026-11-30 10:15:00Z ██▁█");
}
END_TEST

START_TEST(series_are_told_by_name_and_rank)
{
    take("b", 1, "1");
    take("a", 10, "2");
    take("a", 9, "3");
    take("b", 1, "5");
    expect_line(0, "a 9 1 3 3 3 - 2026-11-30 10:15:00Z ▅");
    expect_line(1, "a 10 1 2 2 2 - 2026-11-30 10:15:00Z ▅");
    expect_line(2, "b 1 2 1 5 5 - 2026-11-30 10:15:00Z ▁█");
}
END_TEST

START_TEST(what_is_no_number_is_counted_and_marked)
{
    take("a", 0, "1");
    take("a", 0, "NaN");
    take("a", 0, "2");
    take("a", 0, "-Infinity");
    expect_line(0, "a 0 4 1 2 -Infinity - 2026-11-30 10:15:00Z ▁!█!");
}
END_TEST

START_TEST(a_series_without_any_number_has_no_bounds)
{
    take("a", 0, "NaN");
    expect_line(0, "a 0 1 - - NaN - 2026-11-30 10:15:00Z !");
}
END_TEST

START_TEST(bytes_are_told_in_units)
{
    take("memory_bytes", 0, "512");
    take("memory_bytes", 0, "1610612736");
    expect_line(0, "memory_bytes 0 2 512 B 1.5 GiB 1.5 GiB - 2026-11-30 10:15:00Z ▁█");
}
END_TEST

/* However many there are, the picture rises from left to right. */
START_TEST(a_long_course_keeps_its_shape)
{
    static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    auto_text struct text out = { 0 };
    char words[32];
    size_t level = 0;
    size_t places = 0;
    const char *at;

    for (int i = 0; i < _i; i++) {
        snprintf(words, sizeof words, "%d", i);
        take("a", 0, words);
    }
    series_print(set, "RANK", &out);
    for (at = strstr(out.bytes, "▁"); *at != '\n'; at += strlen(blocks[0])) {
        while (strncmp(at, blocks[level], strlen(blocks[0])) != 0)
            ck_assert_uint_lt(++level, ARRAY_SIZE(blocks));
        places++;
    }
    ck_assert_uint_eq(level, ARRAY_SIZE(blocks) - 1);
    ck_assert_uint_ge(places, 12);
    ck_assert_uint_le(places, 24);
}
END_TEST

Suite *suite_series(void)
{
    Suite *suite = suite_create("series");
    TCase *tests = tcase_create("series");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_series_tells_its_bounds_and_its_last_value);
    tcase_add_test(tests, series_are_told_by_name_and_rank);
    tcase_add_test(tests, what_is_no_number_is_counted_and_marked);
    tcase_add_test(tests, a_series_without_any_number_has_no_bounds);
    tcase_add_test(tests, bytes_are_told_in_units);
    tcase_add_loop_test(tests, a_long_course_keeps_its_shape, 20, 300);
    suite_add_tcase(suite, tests);
    return suite;
}
