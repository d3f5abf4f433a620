/* Values in Python's words, as json.dumps and str wrote them under Python 3.11. */

#include "src/json.h"
#include "src/python_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *value;
    const char *dumped; /* json.dumps(value, sort_keys=True, separators=(",", ":")) */
    const char *text;   /* str(value) */
} rows[] = {
    { "null",                     "null",                      "None" },
    { "true",                     "true",                      "True" },
    { "false",                    "false",                     "False" },
    { "10",                       "10",                        "10" },
    { "9223372036854775807",      "9223372036854775807",       "9223372036854775807" },
    { "0.1",                      "0.1",                       "0.1" },
    { "\"a b\"",                  "\"a b\"",                   "a b" },
    { "\"\"",                     "\"\"",                      "" },
    { "\"a'b\"",                  "\"a'b\"",                   "a'b" },
    { "\"\xc3\xa9\"",             "\"\\u00e9\"",               "\xc3\xa9" },
    { "\"\xe2\x82\xac\"",         "\"\\u20ac\"",               "\xe2\x82\xac" },
    { "\"\xf0\x9f\x98\x80\"",     "\"\\ud83d\\ude00\"",        "\xf0\x9f\x98\x80" },
    { "\"\\b\\f\\n\\r\\t\\\\\\\"\\u001f\\u007f\"",
      "\"\\b\\f\\n\\r\\t\\\\\\\"\\u001f\\u007f\"",             "\b\f\n\r\t\\\"\x1f\x7f" },
    { "[]",                       "[]",                        "[]" },
    { "{}",                       "{}",                        "{}" },
    { "[1, 2]",                   "[1,2]",                     "[1, 2]" },
    { "[true, null, \"a\"]",      "[true,null,\"a\"]",         "[True, None, 'a']" },
    { "[\"it's\", \"\\\"\", \"'\\\"\"]",
      "[\"it's\",\"\\\"\",\"'\\\"\"]",                         "[\"it's\", '\"', '\\'\"']" },
    { "[\"\\n\\u0001\\u007f\\u00a0\\u00e9\"]",
      "[\"\\n\\u0001\\u007f\\u00a0\\u00e9\"]",                 "['\\n\\x01\\x7f\\xa0\xc3\xa9']" },
    { "{\"b\": 1, \"a\": [2]}",   "{\"a\":[2],\"b\":1}",       "{'b': 1, 'a': [2]}" },
    { "{\"b\": {\"d\": 1, \"c\": \"x\"}}",
      "{\"b\":{\"c\":\"x\",\"d\":1}}",                         "{'b': {'d': 1, 'c': 'x'}}" },
};
/* clang-format on */

static struct cJSON *parse(const char *text)
{
    struct cJSON *json;
    struct err err;

    ck_assert_msg(json_parse(text, strlen(text), &json, &err) == 0, "%s", err.text);
    return json;
}

START_TEST(json_is_written_as_json_dumps_does)
{
    auto_json struct cJSON *json = parse(rows[_i].value);
    auto_free char *got = python_json(json);

    ck_assert_str_eq(got, rows[_i].dumped);
}
END_TEST

START_TEST(text_is_written_as_str_does)
{
    auto_json struct cJSON *json = parse(rows[_i].value);
    auto_free char *got = python_str(json);

    ck_assert_str_eq(got, rows[_i].text);
}
END_TEST

Suite *suite_python_text(void)
{
    Suite *suite = suite_create("python_text");
    TCase *tests = tcase_create("python_text");

    tcase_add_loop_test(tests, json_is_written_as_json_dumps_does, 0, ARRAY_SIZE(rows));
    tcase_add_loop_test(tests, text_is_written_as_str_does, 0, ARRAY_SIZE(rows));
    suite_add_tcase(suite, tests);
    return suite;
}
