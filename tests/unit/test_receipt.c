/* Arithmetic of receipts, written out, and what is quoted of journals. */

#include "daemon/billing/receipt.h"
#include "src/files.h"
#include "src/json.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
static const struct {
    nanousd_t hourly;
    int64_t seconds;
    const char *words;
} rows[] = {
    { 204000000, 82, "0.204 * 82 / 3600 = 0.004646666666... = 0.004646667" },
    { 1515000000, 7836, "1.515 * 7836 / 3600 = 3.29765" },
    { 1, 1800, "0.000000001 * 1800 / 3600 = 0.000000000500 = 0" },
    { 3, 1800, "0.000000003 * 1800 / 3600 = 0.000000001500 = 0.000000002" },
    { 0, 60, "0 * 60 / 3600 = 0" },
    { 24725000000, 1382384, "24.725 * 1382384 / 3600 = 9494.290111111111... = 9494.290111111" },
};
/* clang-format on */

START_TEST(what_was_rounded_away_is_shown)
{
    char words[RECEIPT_ARITHMETIC_SIZE];

    ck_assert_str_eq(receipt_arithmetic(rows[_i].hourly, rows[_i].seconds, words),
                     rows[_i].words);
}
END_TEST

static char *state;
static char *journal;

static void make_state(void)
{
    auto_free char *jobs = NULL, *worker = NULL;
    struct err err;

    state = scratch_folder();
    jobs = xasprintf("%s/jobs", state);
    worker = xasprintf("%s/j-1-0", jobs);
    journal = xasprintf("%s/journal.jsonl", worker);
    ck_assert_int_eq(folder_make(jobs, 0700, &err), 0);
    ck_assert_int_eq(folder_make(worker, 0700, &err), 0);
}

static void free_state(void)
{
    scratch_remove(state);
    free(journal);
}

/* Of the only worker's interval, which is closed. */
static struct cJSON *quoted(void)
{
    return receipt_journal(state, "j",
                           &(struct interval){ .attempt = 1, .closed = true });
}

#define READY                                                                                \
    "{\"seq\":1,\"kind\":\"ready\",\"boot_us\":1,\"wall_us\":1,\"boot_id\":\"b\",\"pid\":2," \
    "\"start_ticks\":\"3\"}"
#define LAST \
    "{\"seq\":2,\"kind\":\"launched\",\"boot_us\":2,\"wall_us\":2,\"ranks\":[]}"

START_TEST(a_receipt_quotes_that_a_worker_was_ready_and_its_last_whole_line)
{
    auto_json struct cJSON *lines = NULL;
    const char *wanted[] = { READY, LAST };
    size_t count = 0;

    scratch_write(state, "jobs/j-1-0/journal.jsonl", READY "\n" LAST "\n{\"seq\":3,");
    lines = quoted();
    json_each (line, lines)
        ck_assert_str_eq(json_text(line), wanted[count++]);
    ck_assert_uint_eq(count, ARRAY_SIZE(wanted));
}
END_TEST

START_TEST(a_journal_that_is_gone_is_not_quoted)
{
    auto_json struct cJSON *lines = quoted();

    ck_assert_int_eq(json_kind(lines), JSON_NULL);
}
END_TEST

/* What a job could put in its place: nobody would ever write to the pipe. */
START_TEST(what_is_no_file_is_not_read)
{
    auto_json struct cJSON *pipe = NULL, *link = NULL;

    ck_assert_int_eq(mkfifo(journal, 0600), 0);
    pipe = quoted();
    ck_assert_int_eq(json_kind(pipe), JSON_NULL);
    ck_assert_int_eq(unlink(journal), 0);
    scratch_write(state, "other", READY "\n");
    ck_assert_int_eq(symlink("../../other", journal), 0);
    link = quoted();
    ck_assert_int_eq(json_kind(link), JSON_NULL);
}
END_TEST

Suite *suite_receipt(void)
{
    Suite *suite = suite_create("receipt");
    TCase *words = tcase_create("words");
    TCase *journals = tcase_create("journals");

    tcase_add_loop_test(words, what_was_rounded_away_is_shown, 0, ARRAY_SIZE(rows));
    suite_add_tcase(suite, words);
    tcase_add_checked_fixture(journals, make_state, free_state);
    tcase_add_test(journals,
                   a_receipt_quotes_that_a_worker_was_ready_and_its_last_whole_line);
    tcase_add_test(journals, a_journal_that_is_gone_is_not_quoted);
    tcase_add_test(journals, what_is_no_file_is_not_read);
    suite_add_tcase(suite, journals);
    return suite;
}
