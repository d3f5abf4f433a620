/* JSON as text: in a person's form, in the order of names, and what is escaped. */

#include "src/json.h"
#include "src/text.h"

#include <check.h>
#include <string.h>

static struct cJSON *parsed(const char *text)
{
    struct cJSON *value = NULL;

    ck_assert_int_eq(json_parse(text, strlen(text), &value, NULL), 0);
    return value;
}

START_TEST(what_json_does_not_let_stand_in_text_is_escaped)
{
    auto_json struct cJSON *value =
        json_text_new("\x01\b\t\n\x0b\f\r\x1f \"/\\\x7f\xc3\xa9");
    auto_free char *text = json_print(value);

    ck_assert_str_eq(text,
                     "\"\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"/\\\\\x7f\xc3\xa9\"");
}
END_TEST

START_TEST(long_text_prints_whole)
{
    auto_free char *words = xasprintf("%0*d\n%0*d", 511, 0, 2000, 0);
    auto_json struct cJSON *value = json_text_new(words);
    auto_free char *text = json_print(value);
    auto_free char *expected = xasprintf("\"%0*d\\n%0*d\"", 511, 0, 2000, 0);

    ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(members_are_added_in_order_of_their_names)
{
    auto_json struct cJSON *value =
        parsed("{\"b\":[{\"z\":1,\"a\":{}},\"\\u0001\\\\\"],\"B\":2.50}");
    auto_text struct text out = { 0 };

    json_add_sorted(&out, value);
    ck_assert_str_eq(out.bytes,
                     "{\"B\":2.50,\"b\":[{\"a\":{},\"z\":1},\"\\u0001\\\\\"]}");
}
END_TEST

START_TEST(pretty_json_has_two_blanks_a_level_and_ends_in_a_line_feed)
{
    auto_json struct cJSON *value = parsed(
        "{\"a\":[1,{\"b\":\"x,{[:\\\"]}\\\\\"}],\"empty\":{},\"none\":[],\"t\":true}");
    auto_free char *pretty = json_print_pretty(value);

    ck_assert_str_eq(pretty, "{\n"
                             "  \"a\": [\n"
                             "    1,\n"
                             "    {\n"
                             "      \"b\": \"x,{[:\\\"]}\\\\\"\n"
                             "    }\n"
                             "  ],\n"
                             "  \"empty\": {},\n"
                             "  \"none\": [],\n"
                             "  \"t\": true\n"
                             "}\n");
}
END_TEST

START_TEST(a_scalar_prints_pretty_on_one_line)
{
    auto_json struct cJSON *value = parsed("\"a\"");
    auto_free char *pretty = json_print_pretty(value);

    ck_assert_str_eq(pretty, "\"a\"\n");
}
END_TEST

Suite *suite_json_print(void)
{
    Suite *suite = suite_create("json_print");
    TCase *cases = tcase_create("printing");

    tcase_add_test(cases, what_json_does_not_let_stand_in_text_is_escaped);
    tcase_add_test(cases, long_text_prints_whole);
    tcase_add_test(cases, members_are_added_in_order_of_their_names);
    tcase_add_test(cases, pretty_json_has_two_blanks_a_level_and_ends_in_a_line_feed);
    tcase_add_test(cases, a_scalar_prints_pretty_on_one_line);
    suite_add_tcase(suite, cases);
    return suite;
}
