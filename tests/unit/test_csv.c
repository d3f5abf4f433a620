/* Fields of CSV: what is quoted, what is null, and what no spreadsheet may compute. */

#include "src/csv.h"

#include <check.h>

/* clang-format off */
static const struct {
    const char *words;
    const char *plain; /* by csv_add */
    const char *words_of_people; /* by csv_add_words */
} fields[] = {
    { NULL,           "",                   "" },
    { "",             "\"\"",               "\"\"" },
    { "ana",          "ana",                "ana" },
    { " a b ",        " a b ",              " a b " },
    { "a,b",          "\"a,b\"",            "\"a,b\"" },
    { "say \"hi\"",   "\"say \"\"hi\"\"\"", "\"say \"\"hi\"\"\"" },
    { "\"",           "\"\"\"\"",           "\"\"\"\"" },
    { "two\nlines",   "\"two\nlines\"",     "\"two\nlines\"" },
    { "cr\r",         "\"cr\r\"",           "\"cr\r\"" },
    { "=1+1",         "=1+1",               "'=1+1" },
    { "+1",           "+1",                 "'+1" },
    { "-1",           "-1",                 "'-1" },
    { "@sum(a1)",     "@sum(a1)",           "'@sum(a1)" },
    { "\t=1",         "\t=1",               "'\t=1" },
    { "\r=1",         "\"\r=1\"",           "\"'\r=1\"" },
    { "=a,\"b\"",     "\"=a,\"\"b\"\"\"",   "\"'=a,\"\"b\"\"\"" },
    { "a=b",          "a=b",                "a=b" },
    /* Blanks before it do not help, nor do the wide forms of East Asian keyboards. */
    { " =1",          " =1",                "' =1" },
    { "\v \t@x",      "\v \t@x",            "'\v \t@x" },
    { "\302\240+1",   "\302\240+1",         "'\302\240+1" },   /* no-break space */
    { "\343\200\200-1", "\343\200\200-1",   "'\343\200\200-1" }, /* ideographic space */
    { "\357\273\277=1", "\357\273\277=1",   "'\357\273\277=1" }, /* byte order mark */
    { "\n=1",         "\"\n=1\"",           "\"'\n=1\"" },
    { "\tx",          "\tx",                "'\tx" },
    { "\rx",          "\"\rx\"",            "\"'\rx\"" },
    { "\nx",          "\"\nx\"",            "\"'\nx\"" },
    { "＝1",           "＝1",                 "'＝1" },
    { " ＋1",          " ＋1",                "' ＋1" },
    { "－1",           "－1",                 "'－1" },
    { "＠x",           "＠x",                 "'＠x" },
    { "＜b＞",         "＜b＞",               "＜b＞" },
    { "\302",         "\302",               "\302" },
};
/* clang-format on */

START_TEST(a_field_is_quoted_where_it_must_be)
{
    auto_text struct text line = { 0 };

    csv_add(&line, fields[_i].words);
    csv_end(&line);
    ck_assert_str_eq(line.bytes + line.len - 2, "\r\n");
    line.bytes[line.len - 2] = '\0';
    ck_assert_str_eq(line.bytes, fields[_i].plain);
}
END_TEST

START_TEST(no_spreadsheet_computes_what_people_wrote)
{
    auto_text struct text line = { 0 };

    csv_add_words(&line, fields[_i].words);
    csv_end(&line);
    line.bytes[line.len - 2] = '\0';
    ck_assert_str_eq(line.bytes, fields[_i].words_of_people);
}
END_TEST

START_TEST(fields_stand_between_commas)
{
    auto_text struct text line = { 0 };

    csv_add(&line, NULL);
    csv_add(&line, "a");
    csv_add(&line, "");
    csv_add(&line, NULL);
    csv_end(&line);
    csv_add(&line, "b");
    csv_end(&line);
    ck_assert_str_eq(line.bytes, ",a,\"\",\r\nb\r\n");
}
END_TEST

Suite *suite_csv(void);

Suite *suite_csv(void)
{
    Suite *suite = suite_create("csv");
    TCase *tests = tcase_create("fields");

    tcase_add_loop_test(tests, a_field_is_quoted_where_it_must_be, 0,
                        ARRAY_SIZE(fields));
    tcase_add_loop_test(tests, no_spreadsheet_computes_what_people_wrote, 0,
                        ARRAY_SIZE(fields));
    tcase_add_test(tests, fields_stand_between_commas);
    suite_add_tcase(suite, tests);
    return suite;
}
