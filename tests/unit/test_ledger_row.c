/* How rows of the ledger are hashed: as railhead-billing(7) says, so that anybody can.
 */

#include "daemon/ledger_row.h"

#include <check.h>
#include <string.h>

/* Made with Python's hashlib from the words of the manual. */
static const char first[] =
    "76a79bcc8c04b90c929cefcaf50d83ec299c8e25a87d9201c9ab4cd06a557fef";
static const char second[] =
    "0da8d2dbf1c97aaec8f4d178850b068f0cb81d4fc70fe0ba39bcc4cdbfe4bb06";

static void check_hash(const unsigned char hash[DIGEST_SIZE], const char *wanted)
{
    char hex[DIGEST_HEX_SIZE];

    digest_to_hex(hash, DIGEST_SIZE, hex);
    ck_assert_str_eq(hex, wanted);
}

START_TEST(a_row_is_chained_to_the_one_before)
{
    const struct ledger_cell cells[] = { cell_number(3), cell_text("ml.c5.xlarge"),
                                         cell_null(),    cell_number(-7),
                                         cell_text(""),  cell_text("\303\251") };
    unsigned char hash[DIGEST_SIZE] = { 0 };

    ledger_row_hash("price", cells, ARRAY_SIZE(cells), hash);
    check_hash(hash, first);
    ledger_row_hash("price", cells, ARRAY_SIZE(cells), hash);
    check_hash(hash, second);
}
END_TEST

/* Pairs of rows that a careless spelling would not tell apart. */
static const struct {
    struct ledger_cell left[2];
    struct ledger_cell right[2];
} pairs[] = {
    { { { CELL_TEXT, 0, "ab" }, { CELL_TEXT, 0, "c" } },
      { { CELL_TEXT, 0, "a" }, { CELL_TEXT, 0, "bc" } } },
    { { { CELL_NULL, 0, NULL }, { CELL_NUMBER, 1, NULL } },
      { { CELL_TEXT, 0, "" }, { CELL_NUMBER, 1, NULL } } },
    { { { CELL_NUMBER, 1, NULL }, { CELL_NUMBER, 23, NULL } },
      { { CELL_NUMBER, 12, NULL }, { CELL_NUMBER, 3, NULL } } },
    { { { CELL_TEXT, 0, "1:a," }, { CELL_NULL, 0, NULL } },
      { { CELL_TEXT, 0, "a" }, { CELL_NULL, 0, NULL } } },
};

START_TEST(what_is_not_the_same_has_another_hash)
{
    unsigned char left[DIGEST_SIZE] = { 0 }, right[DIGEST_SIZE] = { 0 };

    ledger_row_hash("price", pairs[_i].left, 2, left);
    ledger_row_hash("price", pairs[_i].right, 2, right);
    ck_assert_int_ne(memcmp(left, right, DIGEST_SIZE), 0);
}
END_TEST

START_TEST(a_row_of_another_table_has_another_hash)
{
    const struct ledger_cell cell = cell_number(1);
    unsigned char left[DIGEST_SIZE] = { 0 }, right[DIGEST_SIZE] = { 0 };

    ledger_row_hash("interval_open", &cell, 1, left);
    ledger_row_hash("interval_close", &cell, 1, right);
    ck_assert_int_ne(memcmp(left, right, DIGEST_SIZE), 0);
}
END_TEST

Suite *suite_ledger_row(void);

Suite *suite_ledger_row(void)
{
    Suite *suite = suite_create("ledger_row");
    TCase *tests = tcase_create("hashes");

    tcase_add_test(tests, a_row_is_chained_to_the_one_before);
    tcase_add_loop_test(tests, what_is_not_the_same_has_another_hash, 0,
                        ARRAY_SIZE(pairs));
    tcase_add_test(tests, a_row_of_another_table_has_another_hash);
    suite_add_tcase(suite, tests);
    return suite;
}
