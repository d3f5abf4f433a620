/* What is JSON and what is not, numbers that keep their text, getters, duplicates,
 * printing. */

#include "src/json.h"
#include "src/text.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct cJSON *parsed(const char *text)
{
    struct cJSON *value = NULL;
    struct err err = { 0 };

    ck_assert_msg(json_parse(text, strlen(text), &value, &err) == 0, "%s: %s", text,
                  err.text);
    return value;
}

static void assert_round_trip(const char *text)
{
    auto_json struct cJSON *value = parsed(text);
    auto_free char *back = json_print(value);

    ck_assert_str_eq(back, text);
}

static void assert_refused(const char *bytes, size_t len, const char *message)
{
    struct cJSON *value = NULL;
    struct err err = { .code = ERR_INTERNAL };

    ck_assert_msg(json_parse(bytes, len, &value, &err) < 0, "accepted: %s", bytes);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.text, message);
    ck_assert_ptr_null(value);
}

/* clang-format off */
static const char *const kept[] = {
    "0", "-0", "-1", "9223372036854775807", "9223372036854775808", "18446744073709551616",
    "1e-4", "1E+4", "0.1", "0.10", "-0.0e0", "1e999", "123456789012345678901234567890.5",
    "[]", "{}", "[[],{}]", "true", "false", "null", "\"\"", "\"text\"",
    "[1,2,3]", "{\"a\":1,\"b\":[true,false,null,\"x\"],\"c\":{\"d\":-1.50}}",
    "[1,[2,[3,[4]]],\"5\"]", "\"1\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
    "{\"a\":1,\"a\":2}", "{\"\":0}",
};
/* clang-format on */

START_TEST(what_is_json_prints_as_it_was_written)
{
    assert_round_trip(kept[_i]);
}
END_TEST

/* clang-format off */
static const struct {
    const char *text;
    const char *message;
} refused[] = {
    { "", "line 1 column 1: the text ends where a value is expected" },
    { " \n ", "line 2 column 2: the text ends where a value is expected" },
    { "x", "line 1 column 1: expected a value, not \"x\"" },
    { "tru", "line 1 column 1: expected a value, not \"t\"" },
    { "nul ", "line 1 column 1: expected a value, not \"n\"" },
    { "truer", "line 1 column 5: expected the end, not \"r\"" },
    { "True", "line 1 column 1: expected a value, not \"T\"" },
    { "NaN", "line 1 column 1: expected a value, not \"N\"" },
    { "'a'", "line 1 column 1: expected a value, not \"'\"" },
    { "\x7f", "line 1 column 1: expected a value" },
    { "\x0b" "1", "line 1 column 1: expected a value" },
    { "\xef\xbb\xbf" "1", "line 1 column 1: expected a value" },
    { "1 2", "line 1 column 3: expected the end, not \"2\"" },
    { "{} []", "line 1 column 4: expected the end, not \"[\"" },
    { "]", "line 1 column 1: expected a value, not \"]\"" },
    { "[1,]", "line 1 column 4: expected a value, not \"]\"" },
    { "[,1]", "line 1 column 2: expected a value, not \",\"" },
    { "[1 2]", "line 1 column 4: expected \",\" or \"]\", not \"2\"" },
    { "[1}", "line 1 column 3: expected \",\" or \"]\", not \"}\"" },
    { "[1", "line 1 column 3: the text ends where \",\" or \"]\" is expected" },
    { "[", "line 1 column 2: the text ends where a value is expected" },
    { "{", "line 1 column 2: the text ends where a name in double quotes is expected" },
    { "{a:1}", "line 1 column 2: expected a name in double quotes, not \"a\"" },
    { "{,}", "line 1 column 2: expected a name in double quotes, not \",\"" },
    { "{1:1}", "line 1 column 2: expected a name in double quotes, not \"1\"" },
    { "{\"a\":1,}", "line 1 column 8: expected a name in double quotes, not \"}\"" },
    { "{\"a\" 1}", "line 1 column 6: expected \":\", not \"1\"" },
    { "{\"a\":}", "line 1 column 6: expected a value, not \"}\"" },
    { "{\"a\":1 \"b\":2}", "line 1 column 8: expected \",\" or \"}\", not \"\"\"" },
    { "{\"a\":1]", "line 1 column 7: expected \",\" or \"}\", not \"]\"" },
    { "{\n  \"a\": 1,\n  \"b\": \"\xc3\xa9\xc3\xa9\" x\n}",
      "line 3 column 13: expected \",\" or \"}\", not \"x\"" },
    { "[1,\r\n  2,\r\n  oops]", "line 3 column 3: expected a value, not \"o\"" },
    { "-", "line 1 column 1: not a number as JSON writes it" },
    { "[01]", "line 1 column 2: not a number as JSON writes it" },
    { "-01", "line 1 column 1: not a number as JSON writes it" },
    { "1.", "line 1 column 1: not a number as JSON writes it" },
    { "1.e5", "line 1 column 1: not a number as JSON writes it" },
    { "1e", "line 1 column 1: not a number as JSON writes it" },
    { "1e+", "line 1 column 1: not a number as JSON writes it" },
    { "-.5", "line 1 column 1: not a number as JSON writes it" },
    { ".5", "line 1 column 1: expected a value, not \".\"" },
    { "+1", "line 1 column 1: expected a value, not \"+\"" },
    { "0x1f", "line 1 column 2: expected the end, not \"x\"" },
    { "1_0", "line 1 column 2: expected the end, not \"_\"" },
    { "\"abc", "line 1 column 1: text without its closing quote" },
    { "[\"abc\\\"]", "line 1 column 2: text without its closing quote" },
    { "\"a\nb\"", "line 1 column 3: a control character in text is not escaped" },
    { "\"\x01\"", "line 1 column 2: a control character in text is not escaped" },
    { "\"\\x41\"", "line 1 column 2: not an escape that JSON knows" },
    { "\"\\", "line 1 column 2: not an escape that JSON knows" },
    { "\"\\u12g4\"", "line 1 column 2: \"\\u\" without four hexadecimal digits" },
    { "\"\\u12", "line 1 column 2: \"\\u\" without four hexadecimal digits" },
    { "\"\\u0000\"", "line 1 column 2: the character NUL is not allowed in text" },
    { "\"ab\\ud800\"", "line 1 column 4: half of a surrogate pair" },
    { "\"\\ud800x\"", "line 1 column 2: half of a surrogate pair" },
    { "\"\\ud800\\u0041\"", "line 1 column 2: half of a surrogate pair" },
    { "\"\\ud800\\ud800\"", "line 1 column 2: half of a surrogate pair" },
    { "\"\\udc00\"", "line 1 column 2: half of a surrogate pair" },
    { "[\"\xff\"]", "line 1 column 3: not valid UTF-8" },
    { "\n\"\xc0\x80\"", "line 2 column 2: not valid UTF-8" },
    { "\"\xed\xa0\x80\"", "line 1 column 2: not valid UTF-8" },
    { "// note\n1", "line 1 column 1: expected a value, not \"/\"" },
};
/* clang-format on */

START_TEST(what_is_not_json_is_refused_with_its_place)
{
    assert_refused(refused[_i].text, strlen(refused[_i].text), refused[_i].message);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    assert_refused("[1\0]", 4, "line 1 column 3: a NUL byte");
    assert_refused("1\0", 2, "line 1 column 2: a NUL byte");
}
END_TEST

START_TEST(bytes_behind_the_length_are_not_read)
{
    auto_json struct cJSON *value = NULL;
    struct err err;

    ck_assert_int_eq(json_parse("123456", 3, &value, &err), 0);
    ck_assert_str_eq(json_number(value), "123");
    assert_refused("\"abc\"", 4, "line 1 column 1: text without its closing quote");
    assert_refused("true", 3, "line 1 column 1: expected a value, not \"t\"");
}
END_TEST

START_TEST(depth_64_passes_and_65_fails)
{
    char text[2 * (JSON_DEPTH_MAX + 1)];
    size_t good_len = sizeof text - 2;
    struct cJSON *value = NULL;
    struct err err;

    memset(text, '[', JSON_DEPTH_MAX);
    memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    ck_assert_int_eq(json_parse(text, good_len, &value, &err), 0);
    json_free(value);
    memset(text, '[', sizeof text);
    assert_refused(text, sizeof text, "line 1 column 65: nested too deeply");
}
END_TEST

START_TEST(objects_and_arrays_alternate_to_the_full_depth)
{
    auto_text struct text text = { 0 };

    for (int i = 0; i < JSON_DEPTH_MAX / 2; i++)
        text_puts(&text, "[{\"a\":");
    text_puts(&text, "1");
    for (int i = 0; i < JSON_DEPTH_MAX / 2; i++)
        text_puts(&text, "}]");
    assert_round_trip(text.bytes);
}
END_TEST

START_TEST(a_million_open_brackets_are_refused_at_once)
{
    size_t len = 1000000;
    auto_free char *text = xmalloc(len);

    memset(text, '[', len);
    assert_refused(text, len, "line 1 column 65: nested too deeply");
}
END_TEST

START_TEST(escapes_become_their_characters)
{
    auto_json struct cJSON *value =
        parsed("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\ude00\"");

    ck_assert_str_eq(json_text(value),
                     "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}
END_TEST

START_TEST(text_that_looks_like_a_marked_number_stays_text)
{
    auto_json struct cJSON *value =
        parsed("[\"\\u0001\",\"\\u00011\",\"\\u00ff1\",\"\xc3\xbf"
               "2\",3]");
    const struct cJSON *item = json_first(value);

    ck_assert_str_eq(json_text(item), "\x01");
    item = json_next(item);
    ck_assert_str_eq(json_text(item), "\x01"
                                      "1");
    item = json_next(item);
    ck_assert_str_eq(json_text(item), "\xc3\xbf"
                                      "1");
    item = json_next(item);
    ck_assert_str_eq(json_text(item), "\xc3\xbf"
                                      "2");
    item = json_next(item);
    ck_assert_str_eq(json_number(item), "3");
    ck_assert_ptr_null(json_next(item));
}
END_TEST

START_TEST(many_short_numbers_fit_the_copy)
{
    auto_text struct text text = { 0 };

    text_puts(&text, "[0");
    for (int i = 0; i < 5000; i++)
        text_puts(&text, ",1");
    text_puts(&text, "]");
    assert_round_trip(text.bytes);
}
END_TEST

/* clang-format off */
static const struct {
    const char *text;
    bool is_int;
    int64_t number;
} whole[] = {
    { "0", true, 0 },
    { "-0", true, 0 },
    { "9223372036854775807", true, INT64_MAX },
    { "-9223372036854775808", true, INT64_MIN },
    { "9223372036854775808", false, 0 },
    { "-9223372036854775809", false, 0 },
    { "1.0", false, 0 },
    { "1e3", false, 0 },
    { "1E3", false, 0 },
    { "\"1\"", false, 0 },
    { "true", false, 0 },
    { "null", false, 0 },
};
/* clang-format on */

START_TEST(whole_numbers_that_fit_are_integers)
{
    auto_json struct cJSON *value = parsed(whole[_i].text);
    int64_t number = -77;

    ck_assert_int_eq(json_to_int(value, &number), whole[_i].is_int);
    ck_assert_int_eq(number, whole[_i].is_int ? whole[_i].number : -77);
}
END_TEST

START_TEST(a_double_is_finite)
{
    auto_json struct cJSON *value = parsed("[0.1,1e999,-1e999,\"1\",1e-999]");
    const struct cJSON *item = json_first(value);
    double number = 7;

    ck_assert(json_to_double(item, &number));
    ck_assert_double_eq_tol(number, 0.1, DBL_MIN);
    item = json_next(item);
    ck_assert(!json_to_double(item, &number));
    ck_assert_str_eq(json_number(item), "1e999");
    item = json_next(item);
    ck_assert(!json_to_double(item, &number));
    item = json_next(item);
    ck_assert(!json_to_double(item, &number));
    ck_assert_double_eq_tol(number, 0.1, DBL_MIN);
    item = json_next(item);
    ck_assert(json_to_double(item, &number));
    ck_assert_double_eq_tol(number, 0, DBL_MIN);
}
END_TEST

START_TEST(every_kind_has_its_name)
{
    auto_json struct cJSON *value = parsed("[null,true,1,\"a\",[],{}]");
    static const char *const names[] = { "null", "true or false", "a number",
                                         "text", "a list",        "an object" };
    int kind = JSON_NULL;

    json_each (item, value) {
        ck_assert_int_eq((int)json_kind(item), kind);
        ck_assert_str_eq(json_kind_name(json_kind(item)), names[kind]);
        ck_assert_int_eq(json_is_true(item), kind == JSON_BOOL);
        ck_assert_int_eq(json_text(item) != NULL, kind == JSON_TEXT);
        ck_assert_int_eq(json_number(item) != NULL, kind == JSON_NUMBER);
        kind++;
    }
    ck_assert_int_eq((int)json_count(value), kind);
}
END_TEST

START_TEST(what_is_absent_is_nothing)
{
    auto_json struct cJSON *empty = json_object_new();

    ck_assert_int_eq(json_kind(NULL), JSON_NULL);
    ck_assert_ptr_null(json_text(NULL));
    ck_assert_ptr_null(json_number(NULL));
    ck_assert(!json_is_true(NULL));
    ck_assert_uint_eq(json_count(NULL), 0);
    ck_assert_uint_eq(json_count(empty), 0);
    ck_assert_ptr_null(json_get(NULL, "a"));
    ck_assert_ptr_null(json_get(empty, "a"));
    ck_assert_ptr_null(json_first(NULL));
    ck_assert_ptr_null(json_first(empty));
    ck_assert_ptr_null(json_copy(NULL));
    json_free(NULL);
}
END_TEST

START_TEST(names_are_told_apart_by_case)
{
    auto_json struct cJSON *value = parsed("{\"Name\":1,\"name\":2}");

    ck_assert_str_eq(json_number(json_get(value, "name")), "2");
    ck_assert_str_eq(json_number(json_get(value, "Name")), "1");
    ck_assert_ptr_null(json_get(value, "NAME"));
}
END_TEST

START_TEST(a_default_stands_in_for_what_is_absent_or_of_another_kind)
{
    auto_json struct cJSON *value =
        parsed("{\"i\":5,\"t\":\"x\",\"b\":true,\"f\":false}");

    ck_assert_int_eq(json_get_int(value, "i", 9), 5);
    ck_assert_int_eq(json_get_int(value, "t", 9), 9);
    ck_assert_int_eq(json_get_int(value, "none", -1), -1);
    ck_assert_int_eq(json_get_int(NULL, "i", 3), 3);
    ck_assert_str_eq(json_get_text(value, "t"), "x");
    ck_assert_ptr_null(json_get_text(value, "i"));
    ck_assert_ptr_null(json_get_text(value, "none"));
    ck_assert(json_get_bool(value, "b"));
    ck_assert(!json_get_bool(value, "f"));
    ck_assert(!json_get_bool(value, "t"));
    ck_assert(!json_get_bool(value, "none"));
}
END_TEST

START_TEST(each_walks_members_in_order)
{
    auto_json struct cJSON *value = parsed("{\"b\":1,\"a\":2}");
    auto_text struct text names = { 0 };

    json_each (member, value)
        text_puts(&names, json_name(member));
    ck_assert_str_eq(names.bytes, "ba");
}
END_TEST

START_TEST(duplicates_are_named_with_their_paths)
{
    auto_json struct cJSON *value = parsed(
        "{\"hyperparameters\":{\"lr\":1,\"x\":0,\"lr\":2},"
        "\"inputs\":[{\"uri\":1,\"uri\":2,\"uri\":3},[{},{\"a\":{\"b\":1,\"b\":2}}]],"
        "\"tags\":{\"lr\":1},\"tags\":{}}");
    auto_problems struct problems problems = { 0 };

    json_check_duplicates(value, &problems);
    ck_assert_uint_eq(problems.count, 4);
    ck_assert_str_eq(problems.items[0].path, "tags");
    ck_assert_str_eq(problems.items[1].path, "hyperparameters.lr");
    ck_assert_str_eq(problems.items[2].path, "inputs[0].uri");
    ck_assert_str_eq(problems.items[3].path, "inputs[1][1].a.b");
    ck_assert_str_eq(problems.items[0].message, "appears more than once");
}
END_TEST

START_TEST(without_duplicates_there_is_no_problem)
{
    auto_json struct cJSON *value =
        parsed("[{\"a\":1,\"A\":2},{\"a\":{\"a\":1}},5,\"a\"]");
    auto_problems struct problems problems = { 0 };

    json_check_duplicates(value, &problems);
    ck_assert_uint_eq(problems.count, 0);
}
END_TEST

/* Quadratic work would be 5 * 10^9 comparisons here, far above the test's limit. */
START_TEST(duplicates_among_many_members_are_found_quickly)
{
    auto_json struct cJSON *value = json_object_new();
    auto_problems struct problems problems = { 0 };
    char name[16];

    for (unsigned i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "m%u", i % 99999);
        json_set_bool(value, name, true);
    }
    json_check_duplicates(value, &problems);
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].path, "m0");
}
END_TEST

START_TEST(values_are_built_and_printed)
{
    auto_json struct cJSON *object = json_object_new();
    struct cJSON *array = json_array_new();
    auto_free char *compact = NULL;

    json_set_text(object, "text", "a\"\n");
    json_set_text(object, "no text", NULL);
    json_set_int(object, "low", INT64_MIN);
    json_set_number(object, "number", "1.50");
    json_set_bool(object, "yes", true);
    json_set_bool(object, "no", false);
    json_set_null(object, "null");
    json_append(array, json_int_new(1));
    json_append_text(array, "x");
    json_append(array, json_bool_new(false));
    json_append(array, json_null_new());
    json_set(object, "array", array);
    compact = json_print(object);
    ck_assert_str_eq(compact,
                     "{\"text\":\"a\\\"\\n\",\"no text\":null,"
                     "\"low\":-9223372036854775808,\"number\":1.50,\"yes\":true,"
                     "\"no\":false,\"null\":null,\"array\":[1,\"x\",false,null]}");
}
END_TEST

/* clang-format off */
static const struct {
    double number;
    const char *text;
} doubles[] = {
    { 0, "0" },
    { -0.0, "-0" },
    { 1, "1" },
    { 0.1, "0.1" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { 1e21, "1e+21" },
    { 4390.25, "4390.25" },
    { DBL_MIN, "2.2250738585072014e-308" },
    { DBL_MAX, "1.7976931348623157e+308" },
    { 9007199254740993.0, "9007199254740992" },
    { (double)INFINITY, "null" },
    { -(double)INFINITY, "null" },
    { (double)NAN, "null" },
};
/* clang-format on */

START_TEST(a_double_prints_as_the_shortest_text_that_reads_back)
{
    auto_json struct cJSON *object = json_object_new();
    auto_free char *text = NULL;
    auto_free char *expected = xasprintf("{\"n\":%s}", doubles[_i].text);

    json_set_double(object, "n", doubles[_i].number);
    text = json_print(object);
    ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(a_copy_shares_nothing)
{
    struct cJSON *value = parsed("{\"a\":[1,\"x\",null]}");
    auto_json struct cJSON *copy = json_copy(value);
    auto_free char *text = NULL;

    json_free(value);
    text = json_print(copy);
    ck_assert_str_eq(text, "{\"a\":[1,\"x\",null]}");
}
END_TEST

START_TEST(text_that_is_no_utf8_still_makes_json)
{
    auto_json struct cJSON *value = json_text_new("a\xff\xc3\xa9\xe2\x82z");

    ck_assert_str_eq(json_text(value),
                     "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbdz");
}
END_TEST

START_TEST(number_text_is_told_from_other_text)
{
    ck_assert(json_is_number_text("-12.50e+3"));
    ck_assert(json_is_number_text("0"));
    ck_assert(!json_is_number_text(""));
    ck_assert(!json_is_number_text("1 "));
    ck_assert(!json_is_number_text(" 1"));
    ck_assert(!json_is_number_text("1x"));
    ck_assert(!json_is_number_text("01"));
    ck_assert(!json_is_number_text("+1"));
    ck_assert(!json_is_number_text("inf"));
}
END_TEST

static TCase *reading_cases(void)
{
    TCase *cases = tcase_create("reading");

    tcase_add_loop_test(cases, what_is_json_prints_as_it_was_written, 0,
                        ARRAY_SIZE(kept));
    tcase_add_loop_test(cases, what_is_not_json_is_refused_with_its_place, 0,
                        ARRAY_SIZE(refused));
    tcase_add_test(cases, a_nul_byte_is_refused);
    tcase_add_test(cases, bytes_behind_the_length_are_not_read);
    tcase_add_test(cases, depth_64_passes_and_65_fails);
    tcase_add_test(cases, objects_and_arrays_alternate_to_the_full_depth);
    tcase_add_test(cases, a_million_open_brackets_are_refused_at_once);
    tcase_add_test(cases, escapes_become_their_characters);
    tcase_add_test(cases, text_that_looks_like_a_marked_number_stays_text);
    tcase_add_test(cases, many_short_numbers_fit_the_copy);
    return cases;
}

static TCase *getter_cases(void)
{
    TCase *cases = tcase_create("getters");

    tcase_add_loop_test(cases, whole_numbers_that_fit_are_integers, 0,
                        ARRAY_SIZE(whole));
    tcase_add_test(cases, a_double_is_finite);
    tcase_add_test(cases, every_kind_has_its_name);
    tcase_add_test(cases, what_is_absent_is_nothing);
    tcase_add_test(cases, names_are_told_apart_by_case);
    tcase_add_test(cases, a_default_stands_in_for_what_is_absent_or_of_another_kind);
    tcase_add_test(cases, each_walks_members_in_order);
    tcase_add_test(cases, duplicates_are_named_with_their_paths);
    tcase_add_test(cases, without_duplicates_there_is_no_problem);
    tcase_add_test(cases, duplicates_among_many_members_are_found_quickly);
    return cases;
}

static TCase *building_cases(void)
{
    TCase *cases = tcase_create("building");

    tcase_add_test(cases, values_are_built_and_printed);
    tcase_add_loop_test(cases, a_double_prints_as_the_shortest_text_that_reads_back, 0,
                        ARRAY_SIZE(doubles));
    tcase_add_test(cases, a_copy_shares_nothing);
    tcase_add_test(cases, text_that_is_no_utf8_still_makes_json);
    tcase_add_test(cases, number_text_is_told_from_other_text);
    return cases;
}

Suite *suite_json(void)
{
    Suite *suite = suite_create("json");

    suite_add_tcase(suite, reading_cases());
    suite_add_tcase(suite, getter_cases());
    suite_add_tcase(suite, building_cases());
    return suite;
}
