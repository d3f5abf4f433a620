/* Query parameters, media types, keys, and which requests may come from a web page. */

#include "api/auth.h"
#include "api/request.h"
#include "api/routes.h"

#include <check.h>
#include <string.h>

static const char *const names[] = { "limit", "follow", "since", NULL };
static const struct route route = { .method = "GET", .parameters = names };

static struct request request;
static struct problems problems;

static void set_up(void)
{
    request = (struct request){ .route = &route };
    problems = (struct problems){ 0 };
}

static void tear_down(void)
{
    problems_clear(&problems);
}

static void give(const char *name, const char *value)
{
    request_add_parameter(&request, name, value, strlen(value), &problems);
}

/* "path: message (hint)" of the only problem. */
static void assert_problem(const char *expected)
{
    const struct problem *first = problems.items;
    auto_free char *got = NULL;

    ck_assert_uint_eq(problems.count, 1);
    got = xasprintf("%s: %s (%s)", first->path, first->message,
                    first->hint ? first->hint : "");
    ck_assert_str_eq(got, expected);
}

START_TEST(a_known_parameter_is_kept)
{
    give("limit", "5");
    ck_assert_uint_eq(problems.count, 0);
    ck_assert_str_eq(request_parameter(&request, "limit"), "5");
    ck_assert_ptr_null(request_parameter(&request, "since"));
}
END_TEST

START_TEST(an_unknown_parameter_is_refused_with_the_nearest_name)
{
    give("folow", "true");
    assert_problem("folow: unknown parameter (did you mean follow?)");
}
END_TEST

START_TEST(an_unknown_parameter_far_from_all_is_told_the_known_ones)
{
    give("colour", "red");
    assert_problem("colour: unknown parameter (known here: limit follow since)");
}
END_TEST

START_TEST(a_route_without_parameters_says_so)
{
    static const char *const none[] = { NULL };
    static const struct route bare = { .method = "GET", .parameters = none };

    request.route = &bare;
    give("limit", "5");
    assert_problem("limit: unknown parameter (this path takes no parameters)");
}
END_TEST

START_TEST(a_parameter_given_twice_is_refused)
{
    give("limit", "5");
    give("limit", "6");
    assert_problem("limit: given twice (give it once)");
}
END_TEST

START_TEST(a_value_with_a_nul_in_it_is_refused)
{
    request_add_parameter(&request, "limit", "5\0x", 3, &problems);
    assert_problem("limit: the value is not UTF-8 text ()");
}
END_TEST

/* clang-format off */
static const struct { const char *text; bool good; int64_t value; } ints[] = {
    { "1", true, 1 }, { "1000", true, 1000 }, { "007", true, 7 },
    { "0", false, 0 }, { "1001", false, 0 }, { "-1", false, 0 }, { "", false, 0 }, { "-", false, 0 },
    { "+1", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 }, { "1.0", false, 0 }, { "0x10", false, 0 },
    { "99999999999999999999", false, 0 },
};

static const struct { const char *text; bool good; bool value; } bools[] = {
    { "true", true, true }, { "false", true, false },
    { "", false, false }, { "1", false, false }, { "TRUE", false, false }, { "yes", false, false },
};

static const struct { const char *text; bool good; usec_t value; } times[] = {
    { "0", true, 0 }, { "1764497700", true, INT64_C(1764497700000000) },
    { "1764497700.25", true, INT64_C(1764497700250000) },
    { "1764497700.", true, INT64_C(1764497700000000) },
    { "1.1234567", true, 1123456 },
    { "2026-11-30T10:15:00Z", true, INT64_C(1796033700000000) },
    { "2026-11-30T11:15:00.5+01:00", true, INT64_C(1796033700500000) },
    { "999999999999", false, 0 }, { "-1", false, 0 }, { ".5", false, 0 }, { "", false, 0 },
    { "yesterday", false, 0 }, { "1e9", false, 0 },
};

static const struct { const char *type; enum media media; } media[] = {
    { NULL, MEDIA_JSON }, { "application/json", MEDIA_JSON }, { "Application/JSON", MEDIA_JSON },
    { "application/json; charset=utf-8", MEDIA_JSON }, { "application/json;charset=utf-8", MEDIA_JSON },
    { "application/yaml", MEDIA_YAML }, { "application/x-yaml", MEDIA_YAML }, { "text/yaml", MEDIA_YAML },
    { "text/plain", MEDIA_OTHER }, { "application/x-www-form-urlencoded", MEDIA_OTHER },
    { "application/jsonx", MEDIA_OTHER }, { "application/jso", MEDIA_OTHER }, { "", MEDIA_OTHER },
};

static const struct { const char *host; const char *origin; enum auth_verdict verdict; } pages[] = {
    { "localhost",        NULL, AUTH_OK }, { "LocalHost:80",     NULL, AUTH_OK },
    { "127.0.0.1:8080",   NULL, AUTH_OK }, { "127.1.2.3",        NULL, AUTH_OK },
    { "[::1]",            NULL, AUTH_OK }, { "[::1]:8080",       NULL, AUTH_OK },
    { NULL,               NULL, AUTH_HOST }, { "",               NULL, AUTH_HOST },
    { "evil.example",     NULL, AUTH_HOST }, { "localhost.evil.example", NULL, AUTH_HOST },
    { "localhost:80x",    NULL, AUTH_HOST }, { "127.0.0.1.evil.example", NULL, AUTH_HOST },
    { "10.0.0.1",         NULL, AUTH_HOST }, { "[::1",           NULL, AUTH_HOST },
    { "[::1]x",           NULL, AUTH_HOST }, { "[fe80::1]:80",   NULL, AUTH_HOST },
    { "localhost:8080", "http://localhost:8080",  AUTH_OK },
    { "localhost:8080", "HTTP://LOCALHOST:8080",  AUTH_OK },
    { "localhost:8080", "http://localhost:3000",  AUTH_ORIGIN },
    { "localhost:8080", "https://localhost:8080", AUTH_ORIGIN },
    { "localhost:8080", "http://evil.example",    AUTH_ORIGIN },
    { "localhost:8080", "null",                   AUTH_ORIGIN },
    { "localhost:8080", "",                       AUTH_ORIGIN },
    { "evil.example",   "http://evil.example",    AUTH_HOST },
};
/* clang-format on */

START_TEST(whole_numbers_in_their_range_are_taken)
{
    int64_t value = -7;

    give("limit", ints[_i].text);
    request_int(&request, "limit", 1, 1000, &value, &problems);
    ck_assert_uint_eq(problems.count, ints[_i].good ? 0 : 1);
    ck_assert_int_eq(value, ints[_i].good ? ints[_i].value : -7);
}
END_TEST

START_TEST(true_and_false_are_taken)
{
    bool value = !bools[_i].value;

    give("follow", bools[_i].text);
    request_bool(&request, "follow", &value, &problems);
    ck_assert_uint_eq(problems.count, bools[_i].good ? 0 : 1);
    ck_assert(value == (bools[_i].good ? bools[_i].value : !bools[_i].value));
}
END_TEST

START_TEST(times_are_taken_in_both_forms)
{
    usec_t value = -7;

    give("since", times[_i].text);
    request_time(&request, "since", &value, &problems);
    ck_assert_uint_eq(problems.count, times[_i].good ? 0 : 1);
    ck_assert_int_eq(value, times[_i].good ? times[_i].value : -7);
}
END_TEST

START_TEST(an_absent_parameter_leaves_the_default)
{
    int64_t number = 100;
    bool flag = true;
    usec_t time = 3;

    request_int(&request, "limit", 1, 1000, &number, &problems);
    request_bool(&request, "follow", &flag, &problems);
    request_time(&request, "since", &time, &problems);
    ck_assert_uint_eq(problems.count, 0);
    ck_assert_int_eq(number, 100);
    ck_assert(flag);
    ck_assert_int_eq(time, 3);
}
END_TEST

START_TEST(the_media_type_says_how_to_read_a_body)
{
    ck_assert_int_eq(request_media(media[_i].type), media[_i].media);
}
END_TEST

START_TEST(a_key_has_1_to_255_visible_characters)
{
    char key[257];

    memset(key, 'k', sizeof key);
    key[256] = '\0';
    ck_assert(!request_key_is_valid(key));
    key[255] = '\0';
    ck_assert(request_key_is_valid(key));
    ck_assert(request_key_is_valid("!~"));
    ck_assert(!request_key_is_valid(""));
    ck_assert(!request_key_is_valid("a b"));
    ck_assert(!request_key_is_valid("a\x7f"));
    ck_assert(!request_key_is_valid("\xc3\xa9"));
}
END_TEST

START_TEST(what_may_be_a_web_page_is_refused)
{
    ck_assert_int_eq(auth_check_browser(pages[_i].host, pages[_i].origin),
                     pages[_i].verdict);
}
END_TEST

Suite *suite_request(void)
{
    Suite *suite = suite_create("request");
    TCase *tests = tcase_create("request");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_known_parameter_is_kept);
    tcase_add_test(tests, an_unknown_parameter_is_refused_with_the_nearest_name);
    tcase_add_test(tests, an_unknown_parameter_far_from_all_is_told_the_known_ones);
    tcase_add_test(tests, a_route_without_parameters_says_so);
    tcase_add_test(tests, a_parameter_given_twice_is_refused);
    tcase_add_test(tests, a_value_with_a_nul_in_it_is_refused);
    tcase_add_loop_test(tests, whole_numbers_in_their_range_are_taken, 0,
                        ARRAY_SIZE(ints));
    tcase_add_loop_test(tests, true_and_false_are_taken, 0, ARRAY_SIZE(bools));
    tcase_add_loop_test(tests, times_are_taken_in_both_forms, 0, ARRAY_SIZE(times));
    tcase_add_test(tests, an_absent_parameter_leaves_the_default);
    tcase_add_loop_test(tests, the_media_type_says_how_to_read_a_body, 0,
                        ARRAY_SIZE(media));
    tcase_add_test(tests, a_key_has_1_to_255_visible_characters);
    tcase_add_loop_test(tests, what_may_be_a_web_page_is_refused, 0, ARRAY_SIZE(pages));
    suite_add_tcase(suite, tests);
    return suite;
}
