/* YAML as JSON: the core schema's scalars; what is refused by name and place. */

#include "src/text.h"
#include "src/yaml.h"

#include <check.h>
#include <string.h>

static void assert_becomes(const char *yaml, const char *json)
{
    auto_json struct cJSON *value = NULL;
    auto_free char *text = NULL;
    struct err err = { 0 };

    ck_assert_msg(yaml_parse(yaml, strlen(yaml), &value, &err) == 0, "%s: %s", yaml,
                  err.text);
    text = json_print(value);
    ck_assert_str_eq(text, json);
}

static void assert_refused(const char *yaml, size_t len, const char *message)
{
    struct cJSON *value = NULL;
    struct err err = { .code = ERR_INTERNAL };

    ck_assert_msg(yaml_parse(yaml, len, &value, &err) < 0, "accepted: %s", yaml);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.text, message);
    ck_assert_ptr_null(value);
}

/* clang-format off */
static const struct {
    const char *plain;
    const char *json;
} scalars[] = {
    { "~", "null" }, { "null", "null" }, { "Null", "null" }, { "NULL", "null" },
    { "nULL", "\"nULL\"" },
    { "true", "true" }, { "True", "true" }, { "TRUE", "true" },
    { "false", "false" }, { "False", "false" }, { "FALSE", "false" },
    { "tRUE", "\"tRUE\"" }, { "y", "\"y\"" }, { "yes", "\"yes\"" },
    { "no", "\"no\"" }, { "No", "\"No\"" }, { "on", "\"on\"" }, { "off", "\"off\"" },
    { "0", "0" }, { "-0", "-0" }, { "+1", "1" }, { "-1", "-1" }, { "42", "42" },
    { "007", "7" }, { "-007", "-7" }, { "000", "0" }, { "00.50", "0.50" },
    { "9223372036854775807", "9223372036854775807" },
    { "123456789012345678901234567890", "123456789012345678901234567890" },
    { "0x1f", "31" }, { "0xFF", "255" }, { "0xffffffffffffffff", "18446744073709551615" },
    { "0o17", "15" }, { "0o0", "0" },
    { "0x", "\"0x\"" }, { "0o8", "\"0o8\"" }, { "0xg", "\"0xg\"" }, { "+0x1f", "\"+0x1f\"" },
    { "0b1", "\"0b1\"" }, { "0X1f", "\"0X1f\"" },
    { "1e-4", "1e-4" }, { "1E+4", "1E+4" }, { "1e3", "1e3" }, { "1e999", "1e999" },
    { ".5", "0.5" }, { "-.5", "-0.5" }, { "+.5", "0.5" }, { "1.", "1.0" }, { "1.e5", "1.0e5" },
    { "0.1", "0.1" }, { "0.10", "0.10" },
    { ".", "\".\"" }, { "+", "\"+\"" }, { ".e5", "\".e5\"" }, { "1e", "\"1e\"" },
    { "1e+", "\"1e+\"" }, { "1x", "\"1x\"" }, { "1.2.3", "\"1.2.3\"" }, { "1e5x", "\"1e5x\"" },
    { "1_000", "\"1_000\"" }, { "12:30:45", "\"12:30:45\"" }, { "2026-11-30", "\"2026-11-30\"" },
    { "inf", "\"inf\"" }, { "nan", "\"nan\"" },
    { "\"1\"", "\"1\"" }, { "'true'", "\"true\"" }, { "\"\"", "\"\"" }, { "'~'", "\"~\"" },
    { "'.inf'", "\".inf\"" }, { "'<<'", "\"<<\"" }, { "<<", "\"<<\"" },
    { "\"\\u00e9\\x41\\n\"", "\"\xc3\xa9" "A\\n\"" },
    { "a b  # note", "\"a b\"" },
};
/* clang-format on */

START_TEST(a_scalar_is_what_the_core_schema_says)
{
    auto_free char *yaml = xasprintf("- %s\n", scalars[_i].plain);
    auto_free char *json = xasprintf("[%s]", scalars[_i].json);

    assert_becomes(yaml, json);
}
END_TEST

/* clang-format off */
static const struct {
    const char *yaml;
    const char *json;
} documents[] = {
    { "a: 1\nb:\n  - x\n  - {c: [], d: {}}\ne:\n", "{\"a\":1,\"b\":[\"x\",{\"c\":[],\"d\":{}}],\"e\":null}" },
    { "--- # spec\na: 1\n...\n", "{\"a\":1}" },
    { "%YAML 1.2\n---\na: 1\n", "{\"a\":1}" },
    { "{a, b: 2}", "{\"a\":null,\"b\":2}" },
    { "[a: 1, b: 2]", "[{\"a\":1},{\"b\":2}]" },
    { "- - 1\n  - 2\n- 3\n", "[[1,2],3]" },
    { "1: a\ntrue: b\n~: c\n\"\": d\n", "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\",\"\":\"d\"}" },
    { "'<<': 1\n", "{\"<<\":1}" },
    { "a: 1\na: 2\n", "{\"a\":1,\"a\":2}" },
    { "a: \"\\N\\L\\P\"\n", "{\"a\":\"\xc2\x85\u2028\u2029\"}" },
    { "a: |\n  one\n  1\nb: >\n  2\n", "{\"a\":\"one\\n1\\n\",\"b\":\"2\\n\"}" },
    { "? a\n: b\n", "{\"a\":\"b\"}" },
    { "a:\n- 1\nb: {c: {d: [{e: f}]}}\ng: h\n", "{\"a\":[1],\"b\":{\"c\":{\"d\":[{\"e\":\"f\"}]}},\"g\":\"h\"}" },
    { "just text", "\"just text\"" },
    { "~", "null" },
    { "\"\"", "\"\"" },
    { "\xef\xbb\xbf" "a: 1\n", "{\"a\":1}" },
    { "{\"a\": [1, \"x\", null, true]}", "{\"a\":[1,\"x\",null,true]}" },
};
/* clang-format on */

START_TEST(a_document_becomes_json)
{
    assert_becomes(documents[_i].yaml, documents[_i].json);
}
END_TEST

#define OLD_BREAK(line, column)                                                        \
    "line " #line " column " #column ": U+0085, U+2028 and U+2029 are line breaks to " \
    "some readers of YAML: write \\N, \\L or \\P in double quotes"

/* clang-format off */
static const struct {
    const char *yaml;
    const char *message;
} refused[] = {
    { "", "empty" },
    { "\n  \n", "empty" },
    { "# only a note\n", "empty" },
    { "---\n", "empty" },
    { "a: &x 1\nb: *x\n", "line 1 column 4: anchors (&x) are not supported" },
    { "a: 1\nb: &list [1]\n", "line 2 column 4: anchors (&list) are not supported" },
    { "a: &map {b: 1}\n", "line 1 column 4: anchors (&map) are not supported" },
    { "&key a: 1\n", "line 1 column 1: anchors (&key) are not supported" },
    { "a: \"x\xc2\x85y\"\n", OLD_BREAK(1, 6) },
    { "b: 1 # note\u2028a: 2\n", OLD_BREAK(1, 12) },
    { "b:\n- \u2029\n", OLD_BREAK(2, 3) },
    { "a: *x\n", "line 1 column 4: aliases (*x) are not supported" },
    { "- *x\n", "line 1 column 3: aliases (*x) are not supported" },
    { "a: 1\n<<: {b: 2}\n", "line 2 column 1: merge keys (<<) are not supported" },
    { "a: !!int \"1\"\n", "line 1 column 4: tags (tag:yaml.org,2002:int) are not supported" },
    { "a: !mine [1]\n", "line 1 column 4: tags (!mine) are not supported" },
    { "!mine {a: 1}\n", "line 1 column 1: tags (!mine) are not supported" },
    { "! a\n", "line 1 column 1: tags (!) are not supported" },
    { "a: 1\n---\nb: 2\n", "line 2 column 1: a second document" },
    { "a: 1\n...\n---\n", "line 3 column 1: a second document" },
    { "? [a]\n: 1\n", "line 1 column 3: a key is not a scalar" },
    { "{{a: 1}: 2}\n", "line 1 column 2: a key is not a scalar" },
    { "a: 1\n? \n: 1\n", "line 2 column 2: a key is missing" },
    { "a: .inf\n", "line 1 column 4: .inf is no number that JSON knows" },
    { "a: +.INF\n", "line 1 column 4: +.INF is no number that JSON knows" },
    { "- 1\n- -.Inf\n", "line 2 column 3: -.Inf is no number that JSON knows" },
    { "a: .nan\n", "line 1 column 4: .nan is no number that JSON knows" },
    { "a: .NaN\n", "line 1 column 4: .NaN is no number that JSON knows" },
    { "a: 0x10000000000000000\n", "line 1 column 4: 0x10000000000000000 does not fit 64 bits" },
    { "a: 0o7777777777777777777777\n", "line 1 column 4: 0o7777777777777777777777 does not fit 64 bits" },
    { "a: \"x\\0y\"\n", "line 1 column 4: the character NUL is not allowed in text" },
    { "\"\\0\": 1\n", "line 1 column 1: the character NUL is not allowed in text" },
    { "a: 1\nb: \xc3\x28\n", "line 2 column 4: not valid UTF-8" },
    { "\xc3\xa9: \xff\n", "line 1 column 4: not valid UTF-8" },
    { "a: 1\nb: \x01\n", "line 2 column 4: control characters are not allowed" },
    { "a: [1, 2\nb: 3\n", "line 2 column 2: did not find expected ',' or ']' while parsing a flow sequence" },
    { "a: \"x\n", "line 2 column 1: found unexpected end of stream while scanning a quoted scalar" },
    { "a: 1\n b: 2\n", "line 2 column 3: mapping values are not allowed in this context" },
    { "a:\n\t- 1\n", "line 2 column 1: found character that cannot start any token while scanning for the next token" },
    { "a: @x\n", "line 1 column 4: found character that cannot start any token while scanning for the next token" },
};
/* clang-format on */

START_TEST(what_json_cannot_say_is_refused_by_name_with_its_place)
{
    assert_refused(refused[_i].yaml, strlen(refused[_i].yaml), refused[_i].message);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    assert_refused("a: 1\n\0b", 7, "line 2 column 1: a NUL byte");
}
END_TEST

START_TEST(utf16_is_refused)
{
    assert_refused("\xff\xfe"
                   "a\0",
                   4, "line 1 column 1: not valid UTF-8");
}
END_TEST

START_TEST(a_byte_order_mark_is_passed_over)
{
    assert_becomes("\xef\xbb\xbf"
                   "a: 1\nb: 2",
                   "{\"a\":1,\"b\":2}");
    assert_refused("\xef\xbb\xbf"
                   "a: *b",
                   8, "line 1 column 4: aliases (*b) are not supported");
}
END_TEST

START_TEST(an_alias_bomb_is_refused_at_its_first_anchor)
{
    auto_text struct text bomb = { 0 };

    text_puts(&bomb, "a0: &a0 [x]\n");
    for (int i = 1; i < 40; i++)
        text_printf(&bomb, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1);
    assert_refused(bomb.bytes, bomb.len,
                   "line 1 column 5: anchors (&a0) are not supported");
}
END_TEST

START_TEST(depth_64_passes_and_65_fails)
{
    auto_text struct text yaml = { 0 };
    auto_text struct text json = { 0 };
    char deep[JSON_DEPTH_MAX + 1];

    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        text_puts(&json, "[");
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        text_puts(&json, "]");
    text_add(&yaml, json.bytes, json.len);
    assert_becomes(yaml.bytes, json.bytes);
    memset(deep, '[', sizeof deep);
    assert_refused(deep, sizeof deep, "line 1 column 65: nested too deeply");
}
END_TEST

START_TEST(deep_mappings_are_refused_too)
{
    auto_text struct text yaml = { 0 };

    for (int i = 0; i <= JSON_DEPTH_MAX; i++)
        text_printf(&yaml, "%*sa:\n", i, "");
    assert_refused(yaml.bytes, yaml.len, "line 65 column 65: nested too deeply");
}
END_TEST

START_TEST(a_hundred_thousand_open_brackets_are_refused_at_once)
{
    size_t len = 100000;
    auto_free char *yaml = xmalloc(len);

    memset(yaml, '[', len);
    assert_refused(yaml, len, "line 1 column 65: nested too deeply");
}
END_TEST

START_TEST(bytes_behind_the_length_are_not_read)
{
    auto_json struct cJSON *value = NULL;
    struct err err;

    ck_assert_int_eq(yaml_parse("a: 123456", 6, &value, &err), 0);
    ck_assert_str_eq(json_number(json_get(value, "a")), "123");
}
END_TEST

Suite *suite_yaml(void)
{
    Suite *suite = suite_create("yaml");
    TCase *cases = tcase_create("yaml");

    tcase_add_loop_test(cases, a_scalar_is_what_the_core_schema_says, 0,
                        ARRAY_SIZE(scalars));
    tcase_add_loop_test(cases, a_document_becomes_json, 0, ARRAY_SIZE(documents));
    tcase_add_loop_test(cases, what_json_cannot_say_is_refused_by_name_with_its_place,
                        0, ARRAY_SIZE(refused));
    tcase_add_test(cases, a_nul_byte_is_refused);
    tcase_add_test(cases, utf16_is_refused);
    tcase_add_test(cases, a_byte_order_mark_is_passed_over);
    tcase_add_test(cases, an_alias_bomb_is_refused_at_its_first_anchor);
    tcase_add_test(cases, depth_64_passes_and_65_fails);
    tcase_add_test(cases, deep_mappings_are_refused_too);
    tcase_add_test(cases, a_hundred_thousand_open_brackets_are_refused_at_once);
    tcase_add_test(cases, bytes_behind_the_length_are_not_read);
    suite_add_tcase(suite, cases);
    return suite;
}
