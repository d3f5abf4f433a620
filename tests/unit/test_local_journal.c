/* A journal that grows: whole lines alone, and no more of them at once than the
 * daemon's loop has time for. */

#include "schedulers/local_journal.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t last_seq;

static void note(void *context, const struct journal_line *line)
{
    (void)context;
    ck_assert_int_eq(line->seq, last_seq + 1);
    last_seq = line->seq;
}

static void append(const char *folder, const char *words)
{
    auto_free char *path = xasprintf("%s/journal.jsonl", folder);
    FILE *file = fopen(path, "ae");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(words, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_flood_is_read_bit_by_bit_and_whole)
{
    enum {
        LINES = 2000
    };
    char *folder = scratch_folder();
    auto_text struct text flood = { 0 };
    struct local_journal journal;
    struct err err;
    bool more = true;

    for (int i = 1; i <= LINES; i++)
        text_printf(&flood,
                    "{\"seq\":%d,\"kind\":\"heartbeat\",\"boot_us\":1,\"wall_us\":1}\n",
                    i);
    append(folder, flood.bytes);
    last_seq = 0;
    ck_assert_int_eq(local_journal_open(folder, &journal, &err), 0);
    while (more) {
        int64_t before = journal.offset;

        ck_assert_int_eq(local_journal_read(&journal, note, NULL, &more, &err), 0);
        ck_assert_int_le(journal.offset - before, LOCAL_JOURNAL_READ_MAX);
    }
    ck_assert_int_eq(last_seq, LINES);
    local_journal_close(&journal);
    scratch_remove(folder);
}
END_TEST

START_TEST(half_a_line_waits_for_its_end_and_a_torn_one_costs_no_other)
{
    char *folder = scratch_folder();
    struct local_journal journal;
    struct err err;
    bool more;

    last_seq = 0;
    ck_assert_int_eq(local_journal_open(folder, &journal, &err), 0);
    append(folder, "{\"seq\":1,\"kind\":\"heartbeat\",");
    ck_assert_int_eq(local_journal_read(&journal, note, NULL, &more, &err), 0);
    ck_assert_int_eq(last_seq, 0);
    append(folder, "\"boot_us\":1,\"wall_us\":1}\nnonsense\n"
                   "{\"seq\":2,\"kind\":\"heartbeat\",\"boot_us\":1,\"wall_us\":1}\n");
    ck_assert_int_lt(local_journal_read(&journal, note, NULL, &more, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(last_seq, 2);
    ck_assert(!more);
    local_journal_close(&journal);
    scratch_remove(folder);
}
END_TEST

Suite *suite_local_journal(void);

Suite *suite_local_journal(void)
{
    Suite *suite = suite_create("local_journal");
    TCase *tests = tcase_create("local_journal");

    tcase_add_test(tests, a_flood_is_read_bit_by_bit_and_whole);
    tcase_add_test(tests, half_a_line_waits_for_its_end_and_a_torn_one_costs_no_other);
    suite_add_tcase(suite, tests);
    return suite;
}
