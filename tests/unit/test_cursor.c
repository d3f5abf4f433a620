/* Cursors: which ones are opened, and for whom; the key that signs them. */

#include "api/cursor.h"
#include "api/routes.h"
#include "src/files.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[] = { "status", "owner", "limit", "cursor", NULL };
static const struct route route = { .method = "GET",
                                    .operation = "listThings",
                                    .parameters = names };
static const struct route other_route = { .method = "GET",
                                          .operation = "listOthers",
                                          .parameters = names };
static const struct cursor_key key = { "0123456789abcdef0123456789abcde" };

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

/* The same with this cursor instead of any. */
static void assert_opens(const char *cursor, const char *position)
{
    auto_free char *got = NULL;

    give("cursor", cursor);
    got = cursor_open(&key, &request, &problems);
    ck_assert_uint_eq(problems.count, 0);
    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(got, position);
}

static void assert_refused(const char *cursor, const char *why)
{
    give("cursor", cursor);
    ck_assert_ptr_null(cursor_open(&key, &request, &problems));
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].path, "cursor");
    ck_assert_msg(strstr(problems.items[0].message, why) != NULL, "%s",
                  problems.items[0].message);
}

/* Of lengths that end in each of the ways that base64 and two characters a byte have.
 */
static const char *const positions[] = { "1",       "12",          "123", "1234",
                                         "1234567", "2.4096.0.77", ".",   "0" };

START_TEST(a_cursor_opens_for_the_same_request)
{
    auto_free char *cursor = NULL;

    give("status", "Failed");
    cursor = cursor_seal(&key, &request, positions[_i]);
    assert_opens(cursor, positions[_i]);
}
END_TEST

START_TEST(a_page_may_have_another_size)
{
    auto_free char *cursor = cursor_seal(&key, &request, "7");

    give("limit", "3");
    assert_opens(cursor, "7");
}
END_TEST

START_TEST(the_order_of_parameters_is_of_no_weight)
{
    auto_free char *cursor = NULL;

    give("status", "Failed");
    give("owner", "ana");
    cursor = cursor_seal(&key, &request, "7");
    set_up();
    give("owner", "ana");
    give("status", "Failed");
    assert_opens(cursor, "7");
}
END_TEST

START_TEST(a_url_takes_the_cursor_of_a_thousand_instances)
{
    auto_text struct text position = { 0 };
    auto_free char *cursor = NULL;

    text_puts(&position, "12");
    for (int i = 0; i < 1000; i++)
        text_puts(&position, ".123456789");
    cursor = cursor_seal(&key, &request, position.bytes);
    ck_assert_uint_lt(strlen(cursor), 8000);
    assert_opens(cursor, position.bytes);
}
END_TEST

START_TEST(no_cursor_is_well)
{
    ck_assert_ptr_null(cursor_open(&key, &request, &problems));
    ck_assert_uint_eq(problems.count, 0);
}
END_TEST

START_TEST(another_filter_is_told)
{
    auto_free char *cursor = cursor_seal(&key, &request, "7");

    give("owner", "ana");
    assert_refused(cursor, "other filters");
}
END_TEST

START_TEST(the_value_of_a_filter_counts)
{
    auto_free char *cursor = NULL;

    give("owner", "ana");
    cursor = cursor_seal(&key, &request, "7");
    set_up();
    give("owner", "bo");
    assert_refused(cursor, "other filters");
}
END_TEST

START_TEST(two_filters_are_not_taken_for_one)
{
    auto_free char *cursor = NULL;

    give("status", "a\nowner 1 b");
    cursor = cursor_seal(&key, &request, "7");
    set_up();
    give("status", "a");
    give("owner", "b");
    assert_refused(cursor, "other filters");
}
END_TEST

START_TEST(another_list_is_told)
{
    auto_free char *cursor = cursor_seal(&key, &request, "7");

    request.route = &other_route;
    assert_refused(cursor, "other filters");
}
END_TEST

START_TEST(another_job_is_told)
{
    auto_free char *cursor = cursor_seal(&key, &request, "7");

    strcpy(request.capture, "job-2");
    assert_refused(cursor, "other filters");
}
END_TEST

START_TEST(another_key_opens_nothing)
{
    static const struct cursor_key other = { "0123456789abcdef0123456789abcdX" };
    auto_free char *cursor = cursor_seal(&other, &request, "7");

    assert_refused(cursor, "none that this server gave");
}
END_TEST

START_TEST(no_character_of_a_cursor_can_be_changed_or_left_out)
{
    auto_free char *cursor = cursor_seal(&key, &request, "1234567");
    size_t len = strlen(cursor);

    for (size_t i = 0; i < len; i++) {
        auto_free char *other = xstrdup(cursor);

        tear_down();
        set_up();
        other[i] = other[i] == 'A' ? 'B' : 'A';
        assert_refused(other, "none that this server gave");
        tear_down();
        set_up();
        memmove(other + i, cursor + i + 1, len - i);
        assert_refused(other, "none that this server gave");
    }
}
END_TEST

/* 24 bytes before the position are 32 digits. */
#define HEAD "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

/* clang-format off */
static const char *const not_cursors[] = {
    "",
    "7",
    "A",
    HEAD,          /* no position */
    HEAD "M",      /* six bits are no byte */
    HEAD "MR",     /* bits behind the last byte */
    HEAD "MQ==",   /* padding */
    HEAD "M Q",    /* a blank */
    HEAD "M+/",    /* the other alphabet */
    HEAD "_w",     /* nothing before the end of the position */
    HEAD "Gw",     /* neither digit nor dot */
    HEAD "HxI",    /* something behind the end of the position */
    HEAD "MQ\xff", /* no ASCII */
};
/* clang-format on */

START_TEST(what_is_no_cursor_is_not_taken_apart)
{
    struct cursor cursor = { 0 };

    ck_assert(!cursor_decode(not_cursors[_i], &cursor));
    ck_assert_ptr_null(cursor.position);
}
END_TEST

START_TEST(a_cursor_is_taken_apart)
{
    struct cursor cursor;

    ck_assert(cursor_decode(HEAD "MQ", &cursor));
    ck_assert_str_eq(cursor.position, "31");
    ck_assert_int_eq(cursor.mac[0], 0);
    cursor_clear(&cursor);
}
END_TEST

START_TEST(every_cursor_of_a_page_is_sealed_and_null_stays)
{
    auto_json struct cJSON *page = json_object_new();
    auto_free char *sealed = cursor_seal(&key, &request, "7");

    json_set_text(page, "next_cursor", NULL);
    json_set_text(page, "resume_cursor", "7");
    cursor_seal_page(&key, &request, page);
    ck_assert_int_eq(json_kind(json_get(page, "next_cursor")), JSON_NULL);
    ck_assert_str_eq(json_get_text(page, "resume_cursor"), sealed);
}
END_TEST

/* --- the key --- */

static char *folder;
static char *path;

static void make_folder(void)
{
    folder = scratch_folder();
    path = xasprintf("%s/cursor.key", folder);
}

static void remove_folder(void)
{
    scratch_remove(folder);
    free(path);
}

START_TEST(a_key_is_made_once_and_for_us_alone)
{
    struct cursor_key first = { "" }, second = { "" };
    struct stat facts;
    struct err err;

    ck_assert_int_eq(cursor_key_load(folder, &first, &err), 0);
    ck_assert_int_eq(cursor_key_load(folder, &second, &err), 0);
    ck_assert_mem_eq(first.bytes, second.bytes, sizeof first.bytes);
    ck_assert_mem_ne(first.bytes, (struct cursor_key){ "" }.bytes, sizeof first.bytes);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
}
END_TEST

START_TEST(two_keys_differ)
{
    struct cursor_key first = { "" }, second = { "" };
    struct err err;

    ck_assert_int_eq(cursor_key_load(folder, &first, &err), 0);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(cursor_key_load(folder, &second, &err), 0);
    ck_assert_mem_ne(first.bytes, second.bytes, sizeof first.bytes);
}
END_TEST

static const char *const wrong_keys[] = { "", "short",
                                          "0123456789abcdef0123456789abcdef+" };

START_TEST(a_key_of_another_size_is_refused)
{
    struct cursor_key got;
    struct err err;

    ck_assert_int_eq(file_replace(path, wrong_keys[_i], strlen(wrong_keys[_i]), 0600,
                                  false, &err),
                     0);
    ck_assert_int_lt(cursor_key_load(folder, &got, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "cursor.key"));
}
END_TEST

Suite *suite_cursor(void)
{
    Suite *suite = suite_create("cursor");
    TCase *tests = tcase_create("cursors");
    TCase *keys = tcase_create("keys");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, a_cursor_opens_for_the_same_request, 0,
                        ARRAY_SIZE(positions));
    tcase_add_test(tests, a_page_may_have_another_size);
    tcase_add_test(tests, the_order_of_parameters_is_of_no_weight);
    tcase_add_test(tests, a_url_takes_the_cursor_of_a_thousand_instances);
    tcase_add_test(tests, no_cursor_is_well);
    tcase_add_test(tests, another_filter_is_told);
    tcase_add_test(tests, the_value_of_a_filter_counts);
    tcase_add_test(tests, two_filters_are_not_taken_for_one);
    tcase_add_test(tests, another_list_is_told);
    tcase_add_test(tests, another_job_is_told);
    tcase_add_test(tests, another_key_opens_nothing);
    tcase_add_test(tests, no_character_of_a_cursor_can_be_changed_or_left_out);
    tcase_add_loop_test(tests, what_is_no_cursor_is_not_taken_apart, 0,
                        ARRAY_SIZE(not_cursors));
    tcase_add_test(tests, a_cursor_is_taken_apart);
    tcase_add_test(tests, every_cursor_of_a_page_is_sealed_and_null_stays);
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(keys, make_folder, remove_folder);
    tcase_add_test(keys, a_key_is_made_once_and_for_us_alone);
    tcase_add_test(keys, two_keys_differ);
    tcase_add_loop_test(keys, a_key_of_another_size_is_refused, 0,
                        ARRAY_SIZE(wrong_keys));
    suite_add_tcase(suite, keys);
    return suite;
}
