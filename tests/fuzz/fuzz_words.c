/* custom_mpi_options and other words as a shell has them: words that are quoted are
 * read as the same words, and what is for mpirun and what is for NCCL is all of them.
 */

#include "src/launch_private.h"
#include "src/shell_words.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_same(char *const *left, char *const *right)
{
    assert(words_count(left) == words_count(right));
    for (size_t i = 0; left[i]; i++)
        assert(strcmp(left[i], right[i]) == 0);
}

static void check_quoted(char *const *words)
{
    auto_text struct text line = { 0 };
    char **again = NULL;

    text_puts(&line, "");
    for (char *const *word = words; *word; word++) {
        shell_word_add(&line, *word);
        text_puts(&line, " ");
    }
    assert(shell_words_split(line.bytes, &again, NULL) == 0);
    check_same(words, again);
    words_free(again);
}

static void check_options(const char *text, char *const *words)
{
    struct mpi_options options;
    size_t levels = 0;

    assert(mpi_options_read(text, &options, NULL) == 0);
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], "--NCCL_DEBUG") == 0 && words[i + 1]) {
            levels++;
            i++;
        }
    }
    assert(words_count(options.words) + 2 * levels == words_count(words));
    assert(!options.nccl_debug == (levels == 0));
    mpi_options_clear(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    char **words = NULL;
    struct mpi_options options;
    struct err err;

    if (shell_words_split(text, &words, &err) < 0) {
        assert(fuzz_is_refusal(&err) && !words);
        assert(mpi_options_read(text, &options, NULL) < 0);
        return 0;
    }
    check_quoted(words);
    check_options(text, words);
    words_free(words);
    return 0;
}
