/* Clocks that can be held, time and spans as text. */

#include "src/clock.h"

#include <check.h>
#include <string.h>

/* 2026-11-30T10:15:00Z */
#define NOON_ISH INT64_C(1796033700000000)

/* clang-format off */
static const struct {
    usec_t wall;
    const char *text;
} formatted[] = {
    { 0,                                "1970-01-01T00:00:00.000000Z" },
    { NOON_ISH + 123456,                "2026-11-30T10:15:00.123456Z" },
    { -1,                               "1969-12-31T23:59:59.999999Z" },
    { INT64_C(951782400000000),         "2000-02-29T00:00:00.000000Z" },
    { INT64_C(253402300799999999),      "9999-12-31T23:59:59.999999Z" },
    { INT64_MAX,                        "294247-01-10T04:00:54.775807Z" },
};

static const struct {
    const char *text;
    usec_t wall;
} times[] = {
    { "1970-01-01T00:00:00Z",            0 },
    { "1970-01-01",                      0 },
    { "1969-12-31T23:59:59.999999Z",     -1 },
    { "2026-11-30T10:15:00Z",            NOON_ISH },
    { "2026-11-30t10:15:00z",            NOON_ISH },
    { "2026-11-30T10:15:00.5Z",          NOON_ISH + 500000 },
    { "2026-11-30T10:15:00.123456Z",     NOON_ISH + 123456 },
    { "2026-11-30T10:15:00.1234569Z",    NOON_ISH + 123456 },
    { "2026-11-30T12:15:00+02:00",       NOON_ISH },
    { "2026-11-30T04:45:00-05:30",       NOON_ISH },
    { "2026-12-01T00:15:00+14:00",       NOON_ISH },
    { "2026-11-30",                      NOON_ISH - 36900 * USEC_PER_SEC },
    { "2000-02-29",                      INT64_C(951782400000000) },
    { "2024-02-29",                      INT64_C(1709164800000000) },
    { "0000-03-01",                      INT64_C(-62162035200000000) },
};

static const char *const no_times[] = {
    "", "now", "2026", "2026-11", "2026-11-30T", "2026-11-30T10:15", "2026-11-30T10:15:00",
    "2026-11-30 10:15:00Z", "2026-11-30T10:15:00Z ", " 2026-11-30", "2026-11-31", "2025-02-29",
    "1900-02-29", "2026-00-01", "2026-13-01", "2026-01-00", "2026-1-1", "+2026-11-30",
    "2026-11-30T24:00:00Z", "2026-11-30T10:60:00Z", "2026-11-30T23:59:60Z",
    "2026-11-30T10:15:00.Z", "2026-11-30T10:15:00,5Z", "2026-11-30T10:15:00+2:00",
    "2026-11-30T10:15:00+0200", "2026-11-30T10:15:00+24:00", "2026-11-30T10:15:00+02:60",
    "2026-11-30T10:15:00ZZ", "1796033700",
};

static const struct {
    const char *text;
    int64_t seconds;
} durations[] = {
    { "0", 0 }, { "90", 90 }, { "90s", 90 }, { "15m", 900 }, { "24h", 86400 }, { "2d", 172800 },
    { "007", 7 }, { "0d", 0 }, { "9223372036854775807", INT64_MAX },
    { "106751991167300d", INT64_C(9223372036854720000) },
};

static const char *const no_durations[] = {
    "", "s", "-1", "+1", " 1", "1 ", "1.5h", "1h30m", "1H", "1w", "1 h", "0x10", "ten",
};

static const char *const long_durations[] = {
    "9223372036854775808", "106751991167301d", "153722867280912931m", "99999999999999999999h",
};

static const struct {
    int64_t seconds;
    const char *text;
} spans[] = {
    { 0, "0 s" }, { 41, "41 s" }, { 59, "59 s" }, { 60, "1 min 00 s" }, { 200, "3 min 20 s" },
    { 3599, "59 min 59 s" }, { 3600, "1 h 00 min" }, { 7500, "2 h 05 min" },
    { 360000, "100 h 00 min" }, { -200, "-3 min 20 s" },
    { INT64_MAX, "2562047788015215 h 30 min" }, { INT64_MIN, "-2562047788015215 h 30 min" },
};
/* clang-format on */

START_TEST(a_time_is_written_in_utc_with_microseconds)
{
    char text[TIME_TEXT_SIZE];

    ck_assert_str_eq(time_format(formatted[_i].wall, text), formatted[_i].text);
}
END_TEST

START_TEST(a_time_is_read)
{
    struct err err;
    usec_t wall = 1;

    ck_assert_int_eq(time_parse(times[_i].text, &wall, &err), 0);
    ck_assert_int_eq(wall, times[_i].wall);
}
END_TEST

START_TEST(what_is_no_time_is_refused_and_named)
{
    struct err err;
    usec_t wall = 77;

    ck_assert_int_lt(time_parse(no_times[_i], &wall, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, no_times[_i]));
    ck_assert_int_eq(wall, 77);
}
END_TEST

START_TEST(every_day_of_400_years_survives_writing_and_reading)
{
    const usec_t day = 86400 * USEC_PER_SEC;
    char text[TIME_TEXT_SIZE];
    struct err err;
    usec_t read;

    for (usec_t days = -146097; days < 146097; days++) {
        if (time_parse(time_format(days * day + 1, text), &read, &err) < 0
            || read != days * day + 1)
            ck_abort_msg("%s", text);
    }
}
END_TEST

START_TEST(a_duration_is_read_as_seconds)
{
    struct err err;
    int64_t seconds = -1;

    ck_assert_int_eq(duration_parse(durations[_i].text, &seconds, &err), 0);
    ck_assert_int_eq(seconds, durations[_i].seconds);
}
END_TEST

START_TEST(what_is_no_duration_is_refused)
{
    struct err err;
    int64_t seconds = -1;

    ck_assert_int_lt(duration_parse(no_durations[_i], &seconds, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(seconds, -1);
}
END_TEST

START_TEST(a_duration_that_does_not_fit_is_over_the_limit)
{
    struct err err;
    int64_t seconds = -1;

    ck_assert_int_lt(duration_parse(long_durations[_i], &seconds, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_eq(seconds, -1);
}
END_TEST

START_TEST(a_span_is_written_for_people)
{
    char text[TIME_TEXT_SIZE];

    duration_format(spans[_i].seconds, text);
    ck_assert_str_eq(text, spans[_i].text);
}
END_TEST

START_TEST(a_held_clock_stands_until_it_is_released)
{
    clock_hold(NOON_ISH, 5);
    ck_assert_int_eq(clock_wall(), NOON_ISH);
    ck_assert_int_eq(clock_boot(), 5);
    clock_release();
    ck_assert_int_ne(clock_boot(), 5);
    ck_assert_int_gt(clock_wall(), INT64_C(1600000000) * USEC_PER_SEC);
}
END_TEST

START_TEST(the_boot_clock_does_not_go_back)
{
    usec_t before = clock_boot();

    ck_assert_int_gt(before, 0);
    ck_assert_int_ge(clock_boot(), before);
}
END_TEST

START_TEST(the_boot_id_has_36_characters_and_stays)
{
    const char *id = clock_boot_id();

    ck_assert_uint_eq(strlen(id), 36);
    ck_assert_uint_eq(strspn(id, "0123456789abcdef-"), 36);
    ck_assert_ptr_eq(clock_boot_id(), id);
}
END_TEST

Suite *suite_clock(void);

Suite *suite_clock(void)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("clock");

    tcase_add_loop_test(tests, a_time_is_written_in_utc_with_microseconds, 0,
                        ARRAY_SIZE(formatted));
    tcase_add_loop_test(tests, a_time_is_read, 0, ARRAY_SIZE(times));
    tcase_add_loop_test(tests, what_is_no_time_is_refused_and_named, 0,
                        ARRAY_SIZE(no_times));
    tcase_add_test(tests, every_day_of_400_years_survives_writing_and_reading);
    tcase_add_loop_test(tests, a_duration_is_read_as_seconds, 0, ARRAY_SIZE(durations));
    tcase_add_loop_test(tests, what_is_no_duration_is_refused, 0,
                        ARRAY_SIZE(no_durations));
    tcase_add_loop_test(tests, a_duration_that_does_not_fit_is_over_the_limit, 0,
                        ARRAY_SIZE(long_durations));
    tcase_add_loop_test(tests, a_span_is_written_for_people, 0, ARRAY_SIZE(spans));
    tcase_add_test(tests, a_held_clock_stands_until_it_is_released);
    tcase_add_test(tests, the_boot_clock_does_not_go_back);
    tcase_add_test(tests, the_boot_id_has_36_characters_and_stays);
    suite_add_tcase(suite, tests);
    return suite;
}
