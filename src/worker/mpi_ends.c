/* Decides which rank below mpirun is told to have failed, and how.  Hears of ends and
 * reads lines; signals nobody. */

#include "src/worker/mpi_ends.h"

#include "src/base.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* mpirun breaks its lines before that, save for the name of a host. */
enum {
    LINE_MAX_BYTES = 512
};

static void say(struct mpi_words *words, enum mpi_word word, int rank, int number)
{
    *words = (struct mpi_words){ .word = word, .rank = rank, .number = number };
}

static void name_rank(struct mpi_words *words, int rank)
{
    words->named = rank >= 0;
    words->open_rank = rank;
}

/* A rank's output can stand behind half a line of mpirun's: what names no rank, or no
 * signal that there is, is not mpirun's.
 *
 * orte/tools/orterun/help-orterun.txt, orte/mca/errmgr/base and
 * ompi/mpi/help-mpi-api.txt of Open MPI 4.1. */
void mpi_words_scan(struct mpi_words *words, const char *line, size_t len)
{
    auto_free char *text = xstrndup(line, len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES);
    int rank = -1;
    int number;

    if (words->word != MPI_WORD_NONE)
        return;
    if (sscanf(text, "MPI_ABORT was invoked on rank %d in", &rank) == 1
        || sscanf(text, "%*s has exited due to process rank %d with", &rank) == 1
        || sscanf(text, " Process name: [[%*d,%*d],%d]", &rank) == 1)
        name_rank(words, rank);
    else if (sscanf(text,
                    "%*s noticed that process rank %d with PID %*d on node %*s "
                    "exited on signal %d",
                    &rank, &number)
                 == 2
             && rank >= 0 && number > 0 && number < NSIG)
        say(words, MPI_WORD_SIGNAL, rank, number);
    else if (!words->named)
        return;
    else if (sscanf(text, "with errorcode %d", &number) == 1
             || sscanf(text, " Exit code: %d", &number) == 1)
        say(words, MPI_WORD_EXIT, words->open_rank, number);
    else if (strncmp(text, "node ", 5) == 0 && strstr(text, " exiting improperly"))
        say(words, MPI_WORD_IMPROPER, words->open_rank, 0);
}

/* orte/mca/state/state.h of Open MPI 4.1.  An abort is said before any rank is killed
 * for it. */
bool mpi_words_state(struct mpi_words *words, const char *line, size_t len)
{
    auto_free char *text = xstrndup(line, len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES);
    int state = 0;
    int end = 0;
    int rank = -1;

    (void)sscanf(text, "[%*[^]]] [[%*d,%*d],%*d] ACTIVATE %n", &state);
    if (state == 0)
        return false;
    (void)sscanf(text + state, "PROC [[%*d,%*d],%d] STATE CALLED ABORT%n", &rank, &end);
    if (end > 0 && rank >= 0 && !words->aborted) {
        words->aborted = true;
        words->aborter = rank;
    }
    return true;
}

/* As a shell and mpirun give it. */
static int code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool mpi_ends_note(struct mpi_ends *ends, int rank, int status, usec_t boot)
{
    int code = code_of(status);
    bool by_mpirun = code == 128 + SIGTERM || code == 128 + SIGKILL;

    if (!by_mpirun && (ends->count == 0 || code == 0))
        return false;
    ends->items = xrealloc(ends->items, (ends->count + 1) * sizeof *ends->items);
    ends->items[ends->count++] =
        (struct mpi_end){ .rank = rank, .status = status, .boot = boot };
    return true;
}

static bool decide(struct ending *ending, const struct mpi_end *end)
{
    return ending_rank(ending, end->rank, end->status, false, end->boot);
}

/* mpirun ended them all, calls it a success, and did not say for whom: one that could
 * not be asked to (src/worker/mpi_own.h). */
static bool decide_unnamed(struct ending *ending)
{
    return ending_because(ending, END_FAILED,
                          "a rank called MPI_Abort(0) or ended without MPI_Finalize: "
                          "mpirun ended the others and did not say which it was");
}

/* An end that is a failure to mpirun alone. */
static bool decide_improper(struct ending *ending, int rank, usec_t now)
{
    if (!ending_because(ending, END_FAILED,
                        "rank %d ended without MPI_Finalize, which is a failure to "
                        "mpirun",
                        rank))
        return false;
    ending->rank = rank;
    ending->exit_code = 0;
    ending->boot = now;
    return true;
}

static bool decide_word(const struct mpi_ends *ends, struct ending *ending, usec_t now)
{
    const struct mpi_words *words = &ends->words;
    struct mpi_end end = { .rank = words->rank, .boot = now };
    int code = words->number & 0xFF; /* what mpirun exits with, too */

    for (size_t i = ends->count; i-- > 0;)
        if (ends->items[i].rank == words->rank)
            end.boot = ends->items[i].boot;
    end.status = words->word == MPI_WORD_SIGNAL ? W_EXITCODE(0, words->number)
                                                : W_EXITCODE(code, 0);
    if (words->word == MPI_WORD_IMPROPER || end.status == 0)
        return decide_improper(ending, words->rank, end.boot);
    return decide(ending, &end);
}

/* The end that is told of when mpirun's word does not come. */
static const struct mpi_end *likeliest(const struct mpi_ends *ends)
{
    for (size_t i = 0; i < ends->count; i++)
        if (ends->words.aborted && ends->items[i].rank == ends->words.aborter)
            return &ends->items[i];
    return &ends->items[0];
}

bool mpi_ends_settle(struct mpi_ends *ends, struct ending *ending, usec_t now)
{
    if (ending->decided)
        return false;
    if (ends->words.word != MPI_WORD_NONE)
        return decide_word(ends, ending, now);
    return now >= mpi_ends_due(ends, ending) && decide(ending, likeliest(ends));
}

bool mpi_ends_close(struct mpi_ends *ends, int status, struct ending *ending,
                    usec_t now)
{
    if (mpi_ends_settle(ends, ending, now))
        return true;
    if (ends->words.aborted && WIFEXITED(status)) {
        /* mpirun exits with the code of the first that aborts. */
        say(&ends->words, MPI_WORD_EXIT, ends->words.aborter, WEXITSTATUS(status));
        return mpi_ends_settle(ends, ending, now);
    }
    if (!mpi_ends_open(ends, ending))
        return false;
    for (size_t i = 0; i < ends->count; i++)
        if (code_of(ends->items[i].status) == code_of(status))
            return decide(ending, &ends->items[i]);
    return status == 0 && decide_unnamed(ending);
}

bool mpi_ends_open(const struct mpi_ends *ends, const struct ending *ending)
{
    return !ending->decided && ends->count > 0;
}

usec_t mpi_ends_due(const struct mpi_ends *ends, const struct ending *ending)
{
    return mpi_ends_open(ends, ending) ? ends->items[0].boot + MPI_WORD_MAX : INT64_MAX;
}

void mpi_ends_clear(struct mpi_ends *ends)
{
    free(ends->items);
    *ends = (struct mpi_ends){ 0 };
}
