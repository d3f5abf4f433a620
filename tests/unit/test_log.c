/* A fact is one line, whatever is in it. */

#include "src/clock.h"
#include "src/log.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int pipe_end;
static int old_stderr;

static void catch_stderr(void)
{
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    old_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
    close(ends[1]);
    pipe_end = ends[0];
    unsetenv("JOURNAL_STREAM");
    clock_hold(0, 0);
    log_set_level(LOG_LEVEL_INFO);
}

static void release_stderr(void)
{
    dup2(old_stderr, STDERR_FILENO);
    close(old_stderr);
    close(pipe_end);
    clock_release();
}

/* What was logged since the last call; "" when nothing was. */
static const char *caught(void)
{
    static char bytes[16384];
    ssize_t len = read(pipe_end, bytes, sizeof bytes - 1);

    bytes[len > 0 ? len : 0] = '\0';
    return bytes;
}

/* clang-format off */
static const struct {
    enum log_level level;
    const char *plain;
    const char *journal;
} levels[] = {
    { LOG_LEVEL_DEBUG,   "1970-01-01T00:00:00.000000Z debug x.y a=1\n",   "<7>x.y a=1\n" },
    { LOG_LEVEL_INFO,    "1970-01-01T00:00:00.000000Z info x.y a=1\n",    "<6>x.y a=1\n" },
    { LOG_LEVEL_WARNING, "1970-01-01T00:00:00.000000Z warning x.y a=1\n", "<4>x.y a=1\n" },
    { LOG_LEVEL_ERROR,   "1970-01-01T00:00:00.000000Z error x.y a=1\n",   "<3>x.y a=1\n" },
};
/* clang-format on */

START_TEST(a_line_has_time_level_and_fact)
{
    log_set_level(LOG_LEVEL_DEBUG);
    log_line(levels[_i].level, "x.%s a=%d", "y", 1);
    ck_assert_str_eq(caught(), levels[_i].plain);
}
END_TEST

START_TEST(the_journal_gets_the_priority_and_no_time)
{
    struct stat status;
    char stream[64];

    ck_assert_int_eq(fstat(STDERR_FILENO, &status), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)status.st_dev,
             (uintmax_t)status.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    log_set_level(LOG_LEVEL_DEBUG);
    log_line(levels[_i].level, "x.%s a=%d", "y", 1);
    ck_assert_str_eq(caught(), levels[_i].journal);
}
END_TEST

START_TEST(a_stream_that_is_not_stderr_is_not_the_journal)
{
    static const char *const streams[] = { "", "8:1", "8", "8:1x", "x", ":" };

    for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
        setenv("JOURNAL_STREAM", streams[i], 1);
        log_info("x.y a=1");
        ck_assert_str_eq(caught(), levels[LOG_LEVEL_INFO].plain);
    }
}
END_TEST

START_TEST(lines_below_the_level_are_not_written)
{
    log_debug("x");
    ck_assert_str_eq(caught(), "");
    log_set_level(LOG_LEVEL_ERROR);
    log_warning("x");
    ck_assert_str_eq(caught(), "");
    log_error("x");
    ck_assert_str_ne(caught(), "");
}
END_TEST

START_TEST(nobody_forges_a_line_or_talks_to_the_terminal)
{
    log_info("a name=%s", "x\nerror\r\t\x1b[2J\x7f\xc2\x9b.\xc3\xa9\xc2\xa0");
    ck_assert_str_eq(caught(), "1970-01-01T00:00:00.000000Z info a "
                               "name=x?error???[2J???.\xc3\xa9\xc2\xa0\n");
}
END_TEST

START_TEST(a_long_line_is_cut_and_says_so)
{
    auto_free char *words = xmalloc(10000);
    const char *line;
    size_t len;

    memset(words, 'w', 9999);
    words[9999] = '\0';
    log_info("a words=%s", words);
    line = caught();
    len = strlen(line);
    ck_assert_uint_eq(len, 4096);
    ck_assert_str_eq(line + len - 5, "w...\n");
    ck_assert_ptr_eq(strchr(line, '\n'), line + len - 1);
}
END_TEST

Suite *suite_log(void);

Suite *suite_log(void)
{
    Suite *suite = suite_create("log");
    TCase *tests = tcase_create("log");

    tcase_add_checked_fixture(tests, catch_stderr, release_stderr);
    tcase_add_loop_test(tests, a_line_has_time_level_and_fact, 0, ARRAY_SIZE(levels));
    tcase_add_loop_test(tests, the_journal_gets_the_priority_and_no_time, 0,
                        ARRAY_SIZE(levels));
    tcase_add_test(tests, a_stream_that_is_not_stderr_is_not_the_journal);
    tcase_add_test(tests, lines_below_the_level_are_not_written);
    tcase_add_test(tests, nobody_forges_a_line_or_talks_to_the_terminal);
    tcase_add_test(tests, a_long_line_is_cut_and_says_so);
    suite_add_tcase(suite, tests);
    return suite;
}
