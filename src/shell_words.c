/*
 * Text to words, as a shell splits them, and back.  Decides what is a word; expands
 * nothing, and refuses what only a shell could do, since no shell reads the words.
 */

#include "src/shell_words.h"

#include "src/text.h"

#include <stdio.h>
#include <string.h>

struct splitter {
    const char *text; /* the whole, for places */
    const char *at;
    struct text word;
    bool in_word; /* an empty pair of quotes is a word, too */
    struct err *err;
};

static int refuse(const struct splitter *splitter, const char *at, const char *what)
{
    return err_set(splitter->err, ERR_INVALID, "byte %zu: %s",
                   (size_t)(at - splitter->text) + 1, what);
}

static int refuse_shell(const struct splitter *splitter)
{
    char what[96] = "a line end, which would end the command: put it into quotes";

    if (*splitter->at != '\n')
        snprintf(what, sizeof what,
                 "'%c' means something to a shell, and no shell reads this: put it "
                 "into single quotes",
                 *splitter->at);
    return refuse(splitter, splitter->at, what);
}

static int take_escaped(struct splitter *splitter)
{
    if (!splitter->at[1])
        return refuse(splitter, splitter->at, "'\\' has nothing behind it");
    text_add(&splitter->word, splitter->at + 1, 1);
    splitter->at += 2;
    return 0;
}

static int take_single_quoted(struct splitter *splitter)
{
    const char *start = splitter->at + 1;
    const char *end = strchr(start, '\'');

    if (!end)
        return refuse(splitter, splitter->at, "the quote ' is not closed");
    text_add(&splitter->word, start, (size_t)(end - start));
    splitter->at = end + 1;
    return 0;
}

static int take_double_quoted(struct splitter *splitter)
{
    const char *quote = splitter->at++;

    while (*splitter->at != '"') {
        if (!*splitter->at)
            return refuse(splitter, quote, "the quote \" is not closed");
        if (strchr("$`", *splitter->at))
            return refuse_shell(splitter);
        if (*splitter->at == '\\' && splitter->at[1]
            && strchr("$`\"\\", splitter->at[1]))
            splitter->at++;
        text_add(&splitter->word, splitter->at++, 1);
    }
    splitter->at++;
    return 0;
}

static int take_piece(struct splitter *splitter)
{
    splitter->in_word = true;
    switch (*splitter->at) {
    case '\\':
        return take_escaped(splitter);
    case '\'':
        return take_single_quoted(splitter);
    case '"':
        return take_double_quoted(splitter);
    default:
        if (strchr(";|&$`<>\n", *splitter->at))
            return refuse_shell(splitter);
        text_add(&splitter->word, splitter->at++, 1);
        return 0;
    }
}

static void end_word(struct splitter *splitter, char ***words)
{
    if (splitter->in_word)
        words_add(words, text_steal(&splitter->word));
    splitter->in_word = false;
}

static int split(struct splitter *splitter, char ***words)
{
    while (*splitter->at) {
        if (strchr(" \t", *splitter->at)) {
            end_word(splitter, words);
            splitter->at++;
        } else if (take_piece(splitter) < 0) {
            return -1;
        }
    }
    end_word(splitter, words);
    return 0;
}

int shell_words_split(const char *text, char ***out, struct err *err)
{
    struct splitter splitter = { .text = text, .at = text, .err = err };
    char **words = xcalloc(1, sizeof *words);
    int result = split(&splitter, &words);

    text_clear(&splitter.word);
    if (result < 0)
        words_free(words);
    else
        *out = words;
    return result;
}

void shell_word_add(struct text *out, const char *word)
{
    text_puts(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            text_puts(out, "'\\''");
        else
            text_add(out, word, 1);
    }
    text_puts(out, "'");
}
