/* What a program says of its failure: which line of its tracebacks, and what of its
 * file. */

#include "src/files.h"
#include "src/text.h"
#include "src/worker/failure.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER "Traceback (most recent call last):\n"
#define RAISED "  File \"train.py\", line 3, in <module>\n    step(lr)\n"

/* clang-format off */
static const struct {
    const char *output; /* lines; each "N|..." is of rank N */
    const char *first;
    const char *last;
} logs[] = {
    { "fine\n", NULL, NULL },
    { HEADER RAISED "ValueError: bad lr\n", "ValueError: bad lr", "ValueError: bad lr" },
    { HEADER RAISED "KeyboardInterrupt\nlater\n", "KeyboardInterrupt", "KeyboardInterrupt" },
    { HEADER RAISED, NULL, NULL },
    { "10%|# | 1/10" HEADER RAISED "A: 1\n", "A: 1", "A: 1" },
    { "Traceback (most recent call last):\r\n  File x\nA: 1\r\n", "A: 1", "A: 1" },
    { HEADER RAISED "A: 1\nwords\n" HEADER RAISED "B: 2\n", "A: 1", "B: 2" },
    { HEADER RAISED "A: 1\n\nDuring handling of the above exception, another exception occurred:\n\n"
      HEADER RAISED "B: 2\n", "A: 1", "A: 1" },
    { HEADER RAISED "A: 1\n\nThe above exception was the direct cause of the following exception:\n\n"
      HEADER RAISED "B: 2\n" HEADER RAISED "C: 3\n", "A: 1", "C: 3" },
    { "  + Exception Group Traceback (most recent call last):\n  |   File x\n  | ExceptionGroup: two\n",
      "ExceptionGroup: two", "ExceptionGroup: two" },
    { HEADER "\tFile x\nSyntaxError: invalid syntax\n", "SyntaxError: invalid syntax",
      "SyntaxError: invalid syntax" },
    { "2|" HEADER "1|words\n2|  File x\n1|B: 2\n2|A: 1\n", "A: 1", "A: 1" },
    { "a talk of Traceback (most recent call last): in a line\nA: 1\n", NULL, NULL },
};
/* clang-format on */

static void scan(struct traceback *traceback, const char *output)
{
    while (*output) {
        const char *end = strchr(output, '\n');
        bool tagged = output[1] == '|';

        traceback_scan(traceback, tagged ? output[0] - '0' : 0,
                       output + (tagged ? 2 : 0),
                       (size_t)(end - output) - (tagged ? 2 : 0));
        output = end + 1;
    }
}

static void check_words(const char *got, const char *wanted)
{
    ck_assert_int_eq(got != NULL, wanted != NULL);
    if (wanted)
        ck_assert_str_eq(got, wanted);
}

START_TEST(the_exception_of_a_traceback_is_its_first_line_that_is_not_indented)
{
    struct traceback traceback = { 0 };

    scan(&traceback, logs[_i].output);
    check_words(traceback.first, logs[_i].first);
    check_words(traceback.last, logs[_i].last);
    traceback_clear(&traceback);
}
END_TEST

START_TEST(a_long_exception_is_cut_between_characters)
{
    struct traceback traceback = { 0 };
    char line[3001];

    for (size_t i = 0; i < 1000; i++)
        memcpy(line + 3 * i, "\xe2\x82\xac", 3); /* the euro sign */
    line[3000] = '\0';
    scan(&traceback, HEADER);
    traceback_scan(&traceback, 0, line, 3000);
    ck_assert_uint_eq(strlen(traceback.first), 1023);
    ck_assert(text_is_utf8(traceback.first, 1023));
    traceback_clear(&traceback);
}
END_TEST

static char home[64];
static char *failure_path;

static void make_home(void)
{
    auto_free char *folder = NULL;
    struct err err;

    snprintf(home, sizeof home, "/tmp/test-failure-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
    folder = xasprintf("%s/output", home);
    ck_assert_int_eq(folder_make(folder, 0755, &err), 0);
    failure_path = xasprintf("%s/failure", folder);
}

static void remove_home(void)
{
    free(failure_path);
    remove_tree(home);
}

static void write_failure(const char *bytes, size_t len)
{
    struct err err;

    ck_assert_int_eq(file_replace(failure_path, bytes, len, 0644, false, &err), 0);
}

START_TEST(a_failure_is_read_to_its_1024th_character)
{
    auto_free char *words = NULL;
    char bytes[6000];

    for (size_t i = 0; i < sizeof bytes; i += 2)
        memcpy(bytes + i, "\xc3\xa9", 2); /* e with an acute accent */
    write_failure(bytes, sizeof bytes);
    words = failure_read(home);
    ck_assert_uint_eq(strlen(words), 2048);
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_replaced)
{
    auto_free char *words = NULL;

    write_failure("a\xff\0b\xe2\x82", 6);
    words = failure_read(home);
    ck_assert_str_eq(words, "a\xef\xbf\xbd\xef\xbf\xbd"
                            "b\xef\xbf\xbd\xef\xbf\xbd");
}
END_TEST

START_TEST(no_failure_is_none)
{
    ck_assert_ptr_null(failure_read(home));
    write_failure("", 0);
    ck_assert_ptr_null(failure_read(home));
    ck_assert_int_eq(remove(failure_path), 0);
    ck_assert_int_eq(mkfifo(failure_path, 0600), 0);
    ck_assert_ptr_null(failure_read(home));
}
END_TEST

Suite *suite_failure(void);

Suite *suite_failure(void)
{
    Suite *suite = suite_create("failure");
    TCase *lines = tcase_create("tracebacks");
    TCase *file = tcase_create("file");

    tcase_add_loop_test(
        lines, the_exception_of_a_traceback_is_its_first_line_that_is_not_indented, 0,
        ARRAY_SIZE(logs));
    tcase_add_test(lines, a_long_exception_is_cut_between_characters);
    suite_add_tcase(suite, lines);
    tcase_add_checked_fixture(file, make_home, remove_home);
    tcase_add_test(file, a_failure_is_read_to_its_1024th_character);
    tcase_add_test(file, bytes_that_are_no_utf8_are_replaced);
    tcase_add_test(file, no_failure_is_none);
    suite_add_tcase(suite, file);
    return suite;
}
