/* Which rank below mpirun is told of: the word, its absence, and what came before. */

#include "src/worker/mpi_ends.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define EXIT(code)     W_EXITCODE(code, 0)
#define KILLED(number) W_EXITCODE(0, number)

/* clang-format off */
static const struct {
    const char *lines[2];
    enum mpi_word word;
    int rank;
    int number;
} said[] = {
    { { "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", "with errorcode 7." }, MPI_WORD_EXIT, 3, 7 },
    { { "mpirun has exited due to process rank 1 with PID 0 on", "node vm exiting improperly. There are three reasons" },
      MPI_WORD_IMPROPER, 1, 0 },
    { { "  Process name: [[16385,1],2]", "  Exit code:    9" }, MPI_WORD_EXIT, 2, 9 },
    { { "mpirun noticed that process rank 4 with PID 0 on node vm exited on signal 9 (Killed).", "" },
      MPI_WORD_SIGNAL, 4, 9 },
    { { "MPI_ABORT was invoked on rank -3 in communicator MPI_COMM_WORLD", "with errorcode -1." }, MPI_WORD_NONE, 0, 0 },
    { { "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", "with errorcode -1." }, MPI_WORD_EXIT, 3, -1 },
    { { "  Exit code:    9", "node vm exiting improperly. There are three reasons" }, MPI_WORD_NONE, 0, 0 },
    { { "mpirun noticed that process rank -1 with PID 0 on node vm exited on signal 9 (Killed).", "" }, MPI_WORD_NONE, 0, 0 },
    { { "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 127 (x).",
        "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 0 (x)." }, MPI_WORD_NONE, 0, 0 },
    { { "Primary job  terminated normally, but 1 process returned", "a non-zero exit code." }, MPI_WORD_NONE, 0, 0 },
};
/* clang-format on */

static bool state_line(struct mpi_words *words, const char *what)
{
    auto_free char *line = xasprintf("[vm:1] [[77,0],0] ACTIVATE %s", what);

    return mpi_words_state(words, line, strlen(line));
}

START_TEST(the_words_of_mpirun_name_a_rank_and_its_end)
{
    struct mpi_words words = { 0 };

    for (size_t i = 0; i < ARRAY_SIZE(said[_i].lines); i++)
        mpi_words_scan(&words, said[_i].lines[i], strlen(said[_i].lines[i]));
    ck_assert_int_eq(words.word, said[_i].word);
    ck_assert_int_eq(words.rank, said[_i].rank);
    ck_assert_int_eq(words.number, said[_i].number);
}
END_TEST

START_TEST(a_death_that_may_be_an_abort_waits_for_the_word_and_not_for_ever)
{
    struct mpi_ends ends = { 0 };
    struct ending ending;

    ending_init(&ending);
    ck_assert(!mpi_ends_note(&ends, 1, EXIT(7), 10));
    ck_assert(!mpi_ends_note(&ends, 1, KILLED(SIGSEGV), 10));
    ck_assert(mpi_ends_note(&ends, 0, KILLED(SIGTERM), 10));
    ck_assert(mpi_ends_note(&ends, 1, EXIT(7), 20));
    ck_assert(!mpi_ends_settle(&ends, &ending, 10 + MPI_WORD_MAX - 1));
    ck_assert(mpi_ends_settle(&ends, &ending, 10 + MPI_WORD_MAX));
    ck_assert_int_eq(ending.rank, 0);
    ck_assert(!mpi_ends_open(&ends, &ending));
    ending_clear(&ending);
    mpi_ends_clear(&ends);
}
END_TEST

START_TEST(the_end_of_mpirun_tells_which_of_the_ends_it_was_for)
{
    struct mpi_ends ends = { 0 };
    struct ending ending;

    ending_init(&ending);
    mpi_ends_note(&ends, 0, KILLED(SIGTERM), 10);
    mpi_ends_note(&ends, 1, EXIT(7), 20);
    ck_assert(mpi_ends_close(&ends, EXIT(7), &ending, 30));
    ck_assert_int_eq(ending.rank, 1);
    ck_assert_int_eq(ending.exit_code, 7);
    ck_assert_int_eq(ending.boot, 20);
    ending_clear(&ending);
    mpi_ends_clear(&ends);
}
END_TEST

START_TEST(a_success_of_mpirun_that_killed_ranks_blames_none_of_them)
{
    struct mpi_ends ends = { 0 };
    struct ending ending;

    ending_init(&ending);
    mpi_ends_note(&ends, 0, KILLED(SIGTERM), 10);
    ck_assert(mpi_ends_close(&ends, EXIT(0), &ending, 30));
    ck_assert_int_eq(ending.cause, END_FAILED);
    ck_assert_int_eq(ending.rank, -1);
    ck_assert_int_eq(ending.signal_number, 0);
    ck_assert_ptr_nonnull(strstr(ending.message, "did not say which"));
    ending_clear(&ending);
    mpi_ends_clear(&ends);
}
END_TEST

START_TEST(who_aborts_is_known_by_its_state_where_the_message_is_lost)
{
    static const int codes[] = { 0, 7 };
    struct mpi_ends ends = { 0 };
    struct ending ending;

    ending_init(&ending);
    mpi_ends_note(&ends, 0, KILLED(SIGTERM), 10);
    mpi_ends_note(&ends, 1, KILLED(SIGTERM), 20);
    ck_assert(state_line(&ends.words, "PROC [[77,1],1] STATE CALLED ABORT AT f.c:198"));
    ck_assert(state_line(&ends.words, "PROC [[77,1],0] STATE CALLED ABORT AT f.c:198"));
    ck_assert(!mpi_ends_settle(&ends, &ending, 30));
    ck_assert(mpi_ends_close(&ends, EXIT(codes[_i]), &ending, 30));
    ck_assert_int_eq(ending.cause, END_FAILED);
    ck_assert_int_eq(ending.rank, 1);
    ck_assert_int_eq(ending.exit_code, codes[_i]);
    ck_assert_int_eq(ending.boot, 20);
    ending_clear(&ending);
    mpi_ends_clear(&ends);
}
END_TEST

START_TEST(a_lone_rank_that_aborts_with_0_has_failed)
{
    struct mpi_ends ends = { 0 };
    struct ending ending;

    ending_init(&ending);
    ck_assert(!mpi_ends_note(&ends, 0, EXIT(0), 10));
    ck_assert(state_line(&ends.words, "PROC [[77,1],0] STATE CALLED ABORT AT f.c:198"));
    ck_assert(mpi_ends_close(&ends, EXIT(0), &ending, 20));
    ck_assert_int_eq(ending.cause, END_FAILED);
    ck_assert_int_eq(ending.rank, 0);
    ending_clear(&ending);
    mpi_ends_clear(&ends);
}
END_TEST

START_TEST(who_aborts_is_told_of_when_mpirun_does_not_end)
{
    struct mpi_ends ends = { 0 };
    struct ending ending;

    ending_init(&ending);
    mpi_ends_note(&ends, 0, KILLED(SIGTERM), 10);
    mpi_ends_note(&ends, 1, EXIT(7), 20);
    ck_assert(state_line(&ends.words, "PROC [[77,1],1] STATE CALLED ABORT AT f.c:198"));
    ck_assert(mpi_ends_settle(&ends, &ending, 10 + MPI_WORD_MAX));
    ck_assert_int_eq(ending.rank, 1);
    ck_assert_int_eq(ending.exit_code, 7);
    ending_clear(&ending);
    mpi_ends_clear(&ends);
}
END_TEST

START_TEST(states_are_told_from_what_mpirun_prints_for_a_reader)
{
    static const char printed[] = "[vm:1] [[77,0],0] ORTE_ERROR_LOG: Out of resource";
    struct mpi_words words = { 0 };

    ck_assert(state_line(&words, "JOB [77,1] STATE RUNNING AT f.c:692"));
    ck_assert(state_line(&words, "PROC [[77,1],1] STATE RUNNING AT f.c:352"));
    ck_assert(!mpi_words_state(&words, printed, strlen(printed)));
    ck_assert(!words.aborted);
}
END_TEST

Suite *suite_mpi_ends(void)
{
    Suite *suite = suite_create("mpi_ends");
    TCase *cases = tcase_create("mpi_ends");

    tcase_add_loop_test(cases, the_words_of_mpirun_name_a_rank_and_its_end, 0,
                        ARRAY_SIZE(said));
    tcase_add_test(cases,
                   a_death_that_may_be_an_abort_waits_for_the_word_and_not_for_ever);
    tcase_add_test(cases, the_end_of_mpirun_tells_which_of_the_ends_it_was_for);
    tcase_add_test(cases, a_success_of_mpirun_that_killed_ranks_blames_none_of_them);
    tcase_add_loop_test(cases,
                        who_aborts_is_known_by_its_state_where_the_message_is_lost, 0,
                        2);
    tcase_add_test(cases, a_lone_rank_that_aborts_with_0_has_failed);
    tcase_add_test(cases, who_aborts_is_told_of_when_mpirun_does_not_end);
    tcase_add_test(cases, states_are_told_from_what_mpirun_prints_for_a_reader);
    suite_add_tcase(suite, cases);
    return suite;
}
