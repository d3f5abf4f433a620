/* Tables of CSV as others write them. */

#include "src/csv_read.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *csv;
    const char *rows; /* or what the error says */
} tables[] = {
    { "a,b\n1,2\n", "[{\"a\":\"1\",\"b\":\"2\"}]" },
    { "a,b\r\n1,2\r\n3,4", "[{\"a\":\"1\",\"b\":\"2\"},{\"a\":\"3\",\"b\":\"4\"}]" },
    { "\357\273\277a\n1\n", "[{\"a\":\"1\"}]" },
    { "a,b\n,2\n", "[{\"b\":\"2\"}]" },
    { "a,b\n\"x, \"\"y\"\"\nz\",2\n", "[{\"a\":\"x, \\\"y\\\"\\nz\",\"b\":\"2\"}]" },
    { "a,h.x,b,h.y\n1,2,3,4\n", "[{\"a\":\"1\",\"h\":{\"x\":\"2\",\"y\":\"4\"},\"b\":\"3\"}]" },
    { "h.x,h.y\n,4\n,\n", "[{\"h\":{\"y\":\"4\"}},{}]" },
    { "a\n1\n\n2\n", "[{\"a\":\"1\"},{\"a\":\"2\"}]" },
    { "a,b\n", "[]" },
    { "a,b\n1\n", "line 2: 1 fields, and 2 columns are named" },
    { "a,b\n1,2\n1,2,3\n", "line 3: 3 fields, and 2 columns are named" },
    { "a\n\"1\n2\n", "line 2: a quote is not closed" },
    { "a\n\"1\n2\"x\n", "line 3: a quoted field goes on behind its quote" },
    { "a,,b\n", "line 1: column 2 has no name" },
    { "a,b,a\n", "line 1: the column 'a' stands there twice" },
    { "a,b,a.b\n1,2,3\n", "line 1: the columns 'a' and 'a.b' exclude each other" },
    { "a.b,a\n1,2\n", "line 1: the columns 'a.b' and 'a' exclude each other" },
    { "a.,a,.a,ab.c\n1,2,3,4\n", "[{\"a.\":\"1\",\"a\":\"2\",\".a\":\"3\",\"ab\":{\"c\":\"4\"}}]" },
    { "", "line 1: column 1 has no name" },
    { "a\n\377\n", "it is not UTF-8 text" },
};
/* clang-format on */

START_TEST(a_table_is_objects_or_its_first_mistake)
{
    auto_json struct cJSON *rows = NULL;
    auto_free char *words = NULL;
    struct err err;

    if (csv_read(tables[_i].csv, strlen(tables[_i].csv), &rows, &err) < 0) {
        ck_assert_str_eq(err.text, tables[_i].rows);
        return;
    }
    words = json_print(rows);
    ck_assert_str_eq(words, tables[_i].rows);
}
END_TEST

Suite *suite_csv_read(void);

Suite *suite_csv_read(void)
{
    Suite *suite = suite_create("csv_read");
    TCase *tests = tcase_create("tables");

    tcase_add_loop_test(tests, a_table_is_objects_or_its_first_mistake, 0,
                        ARRAY_SIZE(tables));
    suite_add_tcase(suite, tests);
    return suite;
}
