/* Columns line up, whatever is in the cells. */

#include "src/cli/table.h"

#include <check.h>

static const struct table_column columns[] = {
    { "NAME", false },
    { "COST", true },
    { "OWNER", false },
};

static void expect(const struct table *table, const char *lines)
{
    auto_text struct text out = { 0 };

    table_print(table, &out);
    ck_assert_str_eq(out.bytes, lines);
}

START_TEST(a_table_without_rows_is_its_titles)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    expect(table, "NAME  COST  OWNER\n");
}
END_TEST

START_TEST(words_stand_left_and_numbers_right)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    table_cell(table, "long-name");
    table_cell(table, "$1");
    table_cell(table, "ana");
    table_cell(table, "b");
    table_cellf(table, "$%d.50", 1234);
    table_cell(table, "bo");
    expect(table, "NAME           COST  OWNER\n"
                  "long-name        $1  ana\n"
                  "b          $1234.50  bo\n");
}
END_TEST

START_TEST(an_empty_cell_is_a_dash)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    table_cell(table, "");
    table_cell(table, NULL);
    table_cell(table, NULL);
    expect(table, "NAME  COST  OWNER\n"
                  "-        -  -\n");
}
END_TEST

START_TEST(a_character_of_several_bytes_is_one_wide)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    table_cell(table, "\xc3\xa9t\xc3\xa9s"); /* etes, with accents */
    table_cell(table, "1");
    table_cell(table, "x");
    expect(table, "NAME  COST  OWNER\n"
                  "\xc3\xa9t\xc3\xa9s     1  x\n");
}
END_TEST

START_TEST(a_cell_cannot_steer_the_terminal)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    table_cell(table, "a\033[2J");
    table_cell(table, "1\n");
    table_cell(table, "\tx");
    expect(table, "NAME   COST  OWNER\n"
                  "a?[2J    1?  ?x\n");
}
END_TEST

START_TEST(a_row_that_is_not_complete_is_not_shown)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    table_cell(table, "alone");
    expect(table, "NAME   COST  OWNER\n");
}
END_TEST

Suite *suite_table(void)
{
    Suite *suite = suite_create("table");
    TCase *tests = tcase_create("table");

    tcase_add_test(tests, a_table_without_rows_is_its_titles);
    tcase_add_test(tests, words_stand_left_and_numbers_right);
    tcase_add_test(tests, an_empty_cell_is_a_dash);
    tcase_add_test(tests, a_character_of_several_bytes_is_one_wide);
    tcase_add_test(tests, a_cell_cannot_steer_the_terminal);
    tcase_add_test(tests, a_row_that_is_not_complete_is_not_shown);
    suite_add_tcase(suite, tests);
    return suite;
}
