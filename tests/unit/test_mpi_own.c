/* What mpirun says itself: what of it comes into the log, and what is heard. */

#include "src/files.h"
#include "src/worker/mpi_own.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char home[64];
static struct output log_of_rank;
static struct mpi_words heard;
static struct mpi_own own;
static int mpirun_fd;

static void set_up(void)
{
    char *const env[] = { NULL };
    struct err err;
    int child_end;

    snprintf(home, sizeof home, "/tmp/test-mpi-own-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(output_open(home, 0, 0, &log_of_rank, &child_end, &err), 0);
    close(child_end);
    heard = (struct mpi_words){ 0 };
    log_of_rank.words = &heard;
    ck_assert_int_eq(mpi_own_open(env, &own, &mpirun_fd, &err), 0);
}

static void tear_down(void)
{
    mpi_own_clear(&own);
    output_close(&log_of_rank);
    remove_tree(home);
}

static void mpirun_says(const char *words)
{
    ck_assert_int_eq(write(mpirun_fd, words, strlen(words)), (ssize_t)strlen(words));
}

static void check_log(const char *expected)
{
    auto_free char *path = xasprintf("%s/rank-0.log", home);
    auto_free char *bytes = NULL;
    struct err err;
    size_t len;

    ck_assert_int_eq(file_read(path, 4096, &bytes, &len, &err), 0);
    ck_assert_str_eq(bytes, expected);
}

START_TEST(states_are_heard_and_all_else_is_for_the_log)
{
    const struct journal_writer journal = { 0 };

    mpirun_says("one\n[vm:1] [[7,0],0] ACTIVATE PROC [[7,1],3] STATE CALLED AB");
    ck_assert(mpi_own_read(&own, &log_of_rank, NULL, &journal));
    ck_assert(!mpi_own_read(&own, &log_of_rank, NULL, &journal));
    ck_assert(!heard.aborted);
    mpirun_says("ORT AT f.c:1\ntwo\n");
    ck_assert(mpi_own_read(&own, &log_of_rank, NULL, &journal));
    ck_assert(heard.aborted);
    ck_assert_int_eq(heard.aborter, 3);
    check_log("one\ntwo\n");
    close(mpirun_fd);
}
END_TEST

START_TEST(a_word_is_heard_behind_half_a_line_of_a_rank)
{
    const struct journal_writer journal = { 0 };
    const char half[] = "[1,0]<stdout>:50 %";

    output_add(&log_of_rank, half, strlen(half), NULL, &journal);
    mpirun_says("mpirun noticed that process rank 4 with PID 0 on node vm exited on "
                "signal 9 (Killed).\n");
    ck_assert(mpi_own_read(&own, &log_of_rank, NULL, &journal));
    ck_assert_int_eq(heard.word, MPI_WORD_SIGNAL);
    ck_assert_int_eq(heard.rank, 4);
    close(mpirun_fd);
}
END_TEST

START_TEST(what_is_said_last_is_taken_though_others_have_the_pipe)
{
    const struct journal_writer journal = { 0 };

    mpirun_says("one\nhalf");
    mpi_own_finish(&own, &log_of_rank, NULL, &journal);
    check_log("one\nhalf");
    close(mpirun_fd);
}
END_TEST

START_TEST(mpirun_is_told_where_to_speak)
{
    auto_free char *expected = xasprintf("OPAL_OUTPUT_STDERR_FD=%d", mpirun_fd);

    ck_assert_uint_eq(words_count(own.env), 2);
    ck_assert_str_eq(own.env[0], "OMPI_MCA_state_base_verbose=1");
    ck_assert_str_eq(own.env[1], expected);
    close(mpirun_fd);
}
END_TEST

Suite *suite_mpi_own(void);

Suite *suite_mpi_own(void)
{
    Suite *suite = suite_create("mpi_own");
    TCase *cases = tcase_create("mpi_own");

    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, states_are_heard_and_all_else_is_for_the_log);
    tcase_add_test(cases, a_word_is_heard_behind_half_a_line_of_a_rank);
    tcase_add_test(cases, what_is_said_last_is_taken_though_others_have_the_pipe);
    tcase_add_test(cases, mpirun_is_told_where_to_speak);
    suite_add_tcase(suite, cases);
    return suite;
}
