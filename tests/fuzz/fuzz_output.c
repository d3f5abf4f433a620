/*
 * What a rank or mpirun prints: it is in the log byte for byte, with a time for every
 * line begun, and what is read in it (tracebacks, metrics, mpirun's words) is the same
 * in whatever pieces it comes.
 *
 * The first byte of the input is the size of the pieces.
 */

#include "src/clock.h"
#include "src/files.h"
#include "src/worker/output.h"
#include "tests/fuzz/fuzz.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char loss[] = "loss", any[] = "any";
static char loss_pattern[] = "loss=(\\S+)(?: step=(?<step>[0-9]+))?";
static char any_pattern[] = "^(.*)$";
static struct metric_definition definitions[] = { { loss, loss_pattern },
                                                  { any, any_pattern } };
static const struct worker_plan plan = { .metrics = definitions,
                                         .metric_count = ARRAY_SIZE(definitions) };
static const struct journal_writer journal = { .fd = -1, .anchor_wall = USEC_PER_SEC };

/* What was read. */
struct reading {
    struct mpi_words words;
    char *first;
    char *last;
    struct cJSON *metrics;
    size_t line_count; /* that have a time */
};

static char *path_of(const char *name)
{
    return xasprintf("%s/%s", fuzz_folder(), name);
}

static void check_log(const char *bytes, size_t len)
{
    auto_free char *path = path_of("rank-0.log");
    auto_free char *log = NULL;
    size_t log_len;

    if (file_read(path, len, &log, &log_len, NULL) < 0)
        assert(len == 0 && access(path, F_OK) < 0);
    else
        assert(log_len == len && memcmp(log, bytes, len) == 0);
    unlink(path);
}

/* How many there are. */
static size_t check_times(const char *bytes, size_t len)
{
    auto_free char *path = path_of("rank-0.times");
    auto_free char *times = NULL;
    size_t size = 0;
    size_t at = 0;

    if (file_read(path, (len + 1) * sizeof(struct log_time), &times, &size, NULL) < 0)
        size = 0;
    unlink(path);
    for (size_t i = 0; i < size / sizeof(struct log_time); i++) {
        struct log_time one;
        const char *feed;

        memcpy(&one, times + i * sizeof one, sizeof one);
        assert(le64toh(one.offset) == at && at < len);
        feed = memchr(bytes + at, '\n', len - at);
        at = feed ? (size_t)(feed - bytes) + 1 : len;
    }
    assert(at == len && size % sizeof(struct log_time) == 0);
    return size / sizeof(struct log_time);
}

static struct reading read_output(const char *bytes, size_t len, size_t piece)
{
    struct reading reading = { 0 };
    struct output output;
    struct metrics *metrics = NULL;
    int child_end;

    assert(output_open(fuzz_folder(), 0, 0, &output, &child_end, NULL) == 0);
    close(child_end);
    output.words = &reading.words;
    assert(metrics_new(&plan, fuzz_folder(), &journal, &metrics, NULL) == 0);
    for (size_t at = 0; at < len; at += piece)
        output_add(&output, bytes + at, len - at < piece ? len - at : piece, metrics,
                   &journal);
    output_finish(&output, metrics, &journal);
    assert(output.dropped == 0);
    reading.first = xstrdup(output.traceback.first);
    reading.last = xstrdup(output.traceback.last);
    reading.metrics = metrics_last(metrics, &journal);
    output_close(&output);
    metrics_free(metrics);
    check_log(bytes, len);
    reading.line_count = check_times(bytes, len);
    return reading;
}

static void reading_clear(struct reading *reading)
{
    free(reading->first);
    free(reading->last);
    json_free(reading->metrics);
}

static void check_same(const struct reading *left, const struct reading *right)
{
    auto_json struct cJSON *again = fuzz_again(left->metrics);

    assert(text_is_same(left->first, right->first));
    assert(text_is_same(left->last, right->last));
    assert(fuzz_same(left->metrics, right->metrics));
    assert(fuzz_same(left->metrics, again));
    assert(left->line_count == right->line_count);
    assert(left->words.word == right->words.word
           && left->words.rank == right->words.rank
           && left->words.number == right->words.number);
}

/* What mpirun said decides, and names a rank and an end that there can be. */
static void check_words(const struct mpi_words *words)
{
    struct mpi_ends ends = { .words = *words };
    struct ending ending;

    ending_init(&ending);
    assert(mpi_ends_settle(&ends, &ending, USEC_PER_SEC)
           == (words->word != MPI_WORD_NONE));
    if (ending.decided) {
        assert(ending.rank >= 0 && *ending.message);
        assert(ending.cause == (ending.signal_number ? END_SIGNAL : END_FAILED));
        assert(ending.signal_number
               || (ending.exit_code >= 0 && ending.exit_code <= 255));
    }
    ending_clear(&ending);
}

/* Its lines on a descriptor of its own. */
static void check_states(const char *bytes, size_t len)
{
    struct mpi_words words = { 0 };
    const char *end = bytes + len;

    for (const char *feed; bytes < end; bytes = feed) {
        feed = memchr(bytes, '\n', (size_t)(end - bytes));
        feed = feed ? feed + 1 : end;
        if (!mpi_words_state(&words, bytes, (size_t)(feed - bytes)))
            mpi_words_scan(&words, bytes, (size_t)(feed - bytes));
    }
    assert(!words.aborted || words.aborter >= 0);
    check_words(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data + 1;
    size_t len = size > 0 ? size - 1 : 0;
    struct reading whole, cut;

    if (size == 0)
        return 0;
    clock_hold(USEC_PER_SEC, USEC_PER_SEC);
    whole = read_output(bytes, len, len + 1);
    cut = read_output(bytes, len, 1 + data[0]);
    check_same(&whole, &cut);
    check_words(&whole.words);
    check_states(bytes, len);
    reading_clear(&whole);
    reading_clear(&cut);
    return 0;
}
