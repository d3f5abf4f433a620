/* When days begin, in zones that put their clocks forward and back over midnight, by
 * half an hour, or over a whole day. */

#include "src/clock.h"
#include "src/zone.h"

#include <check.h>
#include <stdlib.h>

static void use(const char *name)
{
    struct err err;

    if (zone_use(name, &err) < 0)
        ck_abort_msg("%s: %s", name, err.text);
}

static int64_t second_of(const char *words)
{
    usec_t at;
    struct err err;

    if (time_parse(words, &at, &err) < 0)
        ck_abort_msg("%s", err.text);
    return at / USEC_PER_SEC;
}

/* clang-format off */
static const struct {
    const char *zone;
    int year, month, day;
    const char *start;
} days[] = {
    { "UTC",                 2026, 11, 30, "2026-11-30T00:00:00Z" },
    { "UTC",                 2026, 13,  1, "2027-01-01T00:00:00Z" }, /* as timegm has it */
    { "Europe/Berlin",       2026, 11, 30, "2026-11-29T23:00:00Z" },
    { "Europe/Berlin",       2026,  3, 29, "2026-03-28T23:00:00Z" }, /* 23 hours */
    { "Europe/Berlin",       2026,  3, 30, "2026-03-29T22:00:00Z" },
    { "Europe/Berlin",       2026, 10, 25, "2026-10-24T22:00:00Z" }, /* 25 hours */
    { "Europe/Berlin",       2026, 10, 26, "2026-10-25T23:00:00Z" },
    { "Australia/Lord_Howe", 2026,  4,  5, "2026-04-04T13:00:00Z" }, /* 24.5 hours */
    { "Australia/Lord_Howe", 2026,  4,  6, "2026-04-05T13:30:00Z" },
    { "Australia/Lord_Howe", 2026, 10,  4, "2026-10-03T13:30:00Z" }, /* 23.5 hours */
    { "Australia/Lord_Howe", 2026, 10,  5, "2026-10-04T13:00:00Z" },
    { "Asia/Kathmandu",      2026,  1,  1, "2025-12-31T18:15:00Z" },
    { "Pacific/Kiritimati",  2026,  1,  1, "2025-12-31T10:00:00Z" },
    { "Etc/GMT+12",          2026,  1,  1, "2026-01-01T12:00:00Z" },
    /* Midnight is left out: the day begins at one o'clock. */
    { "America/Havana",      2026,  3,  8, "2026-03-08T05:00:00Z" },
    { "America/Sao_Paulo",   2018, 11,  4, "2018-11-04T03:00:00Z" },
    /* At one minute past midnight the clock went back to 23:01: the first midnight counts. */
    { "America/St_Johns",    2006, 10, 29, "2006-10-29T02:30:00Z" },
    { "America/St_Johns",    2006, 10, 30, "2006-10-30T03:30:00Z" },
    /* The 30th was left out: it begins where the 31st does. */
    { "Pacific/Apia",        2011, 12, 29, "2011-12-29T10:00:00Z" },
    { "Pacific/Apia",        2011, 12, 30, "2011-12-30T10:00:00Z" },
    { "Pacific/Apia",        2011, 12, 31, "2011-12-30T10:00:00Z" },
    /* Beyond the table of the zone its rule goes on. */
    { "Europe/Berlin",       2500,  7,  1, "2500-06-30T22:00:00Z" },
};

static const struct {
    const char *zone;
    const char *at;
    const char *day;
} instants[] = {
    { "UTC",              "2026-11-30T23:59:59Z", "2026-11-30" },
    { "Europe/Berlin",    "2026-11-30T22:59:59Z", "2026-11-30" },
    { "Europe/Berlin",    "2026-11-30T23:00:00Z", "2026-12-01" },
    { "America/St_Johns", "2006-10-29T02:29:59Z", "2006-10-28" },
    /* 23:30 of the 28th for the second time: the 29th has begun before. */
    { "America/St_Johns", "2006-10-29T03:00:00Z", "2006-10-29" },
    { "Pacific/Apia",     "2011-12-30T09:59:59Z", "2011-12-29" },
    { "Pacific/Apia",     "2011-12-30T10:00:00Z", "2011-12-31" },
};

static const char *const refused[] = {
    "", "Nowhere", "Europe", "Europe/", "/etc/localtime", "../localtime", "Europe/../UTC",
    "right/UTC", "zone.tab", "UTC ", ":UTC", "CET-1CEST", "europe/berlin\n",
    "localtime", "posixrules", "Factory", "posix/Europe/Berlin", "posix//Europe/Berlin",
    "Europe//Berlin", "Europe/Berlin/", "/UTC", "./UTC", "right", "posix", "tzdata.zi",
};

static const struct {
    const char *name;
    const char *reason;
} reasons[] = {
    { "Europe/Atlantis",     "there is no time zone \"Europe/Atlantis\" on this host" },
    { "right/Europe/Berlin", "\"right/Europe/Berlin\" counts leap seconds, which no bill has" },
    { "posix/Europe/Berlin", "\"posix/Europe/Berlin\" is a copy of a zone, which has the name behind that" },
    { "localtime",           "\"localtime\" is whatever zone this host is set to, and no name of one" },
    { "posixrules",          "\"posixrules\" is whatever zone this host has rules of, and no name of one" },
    { "Factory",             "\"Factory\" is a zone that nobody has set yet, and no name of one" },
};

static const struct {
    const char *name;
    const char *nearest; /* NULL: none */
} meant[] = {
    { "Europe/Berln",          "Europe/Berlin" },
    { "europe/berlin",         "Europe/Berlin" },
    { "Berlin",                "Europe/Berlin" },
    { "Eurpoe/Berlin",         "Europe/Berlin" },
    { "AMERICA/NEW_YORK",      "America/New_York" },
    { "kathmandu",             "Asia/Kathmandu" },
    { "posix/Europe/Berlin",   "Europe/Berlin" },
    { "right/Asia/Kathmandu",  "Asia/Kathmandu" },
    { "utc",                   "Etc/UTC" },
    { "Asia/Calcuta",          "Asia/Calcutta" },
    { "CEST",                  NULL }, /* neither CET nor EST */
    { "Europe/Atlantis",       NULL },
    { "Factory",               NULL },
    { "factory",               NULL },
    { "",                      NULL },
};
/* clang-format on */

START_TEST(a_day_begins_at_the_first_instant_of_its_date_or_a_later_one)
{
    use(days[_i].zone);
    ck_assert_int_eq(zone_day_start(days[_i].year, days[_i].month, days[_i].day),
                     second_of(days[_i].start));
}
END_TEST

START_TEST(an_instant_is_of_the_last_day_that_has_begun)
{
    use(instants[_i].zone);
    ck_assert_int_eq(zone_day_of(second_of(instants[_i].at)),
                     second_of(instants[_i].day) / 86400);
}
END_TEST

START_TEST(what_is_no_zone_is_refused_and_changes_nothing)
{
    struct err err;

    use("Asia/Kathmandu");
    ck_assert_int_lt(zone_use(refused[_i], &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(zone_day_start(2026, 1, 1), second_of("2025-12-31T18:15:00Z"));
}
END_TEST

START_TEST(why_it_is_refused_is_told)
{
    struct err err;

    ck_assert_int_lt(zone_use(reasons[_i].name, &err), 0);
    ck_assert_str_eq(err.text, reasons[_i].reason);
}
END_TEST

START_TEST(the_zone_that_was_meant_is_found)
{
    auto_free char *nearest = zone_nearest(meant[_i].name);

    ck_assert_pstr_eq(nearest, meant[_i].nearest);
}
END_TEST

static void restore_zone(void)
{
    use("UTC");
}

Suite *suite_zone(void)
{
    Suite *suite = suite_create("zone");
    TCase *tcase = tcase_create("zone");

    tcase_add_checked_fixture(tcase, NULL, restore_zone);
    tcase_add_loop_test(tcase,
                        a_day_begins_at_the_first_instant_of_its_date_or_a_later_one, 0,
                        ARRAY_SIZE(days));
    tcase_add_loop_test(tcase, an_instant_is_of_the_last_day_that_has_begun, 0,
                        ARRAY_SIZE(instants));
    tcase_add_loop_test(tcase, what_is_no_zone_is_refused_and_changes_nothing, 0,
                        ARRAY_SIZE(refused));
    tcase_add_loop_test(tcase, why_it_is_refused_is_told, 0, ARRAY_SIZE(reasons));
    tcase_add_loop_test(tcase, the_zone_that_was_meant_is_found, 0, ARRAY_SIZE(meant));
    suite_add_tcase(suite, tcase);
    return suite;
}
