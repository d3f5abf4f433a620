/* Words as sh splits them, checked against sh itself, and what only a shell could do.
 */

#include "src/shell_words.h"
#include "src/text.h"

#include <check.h>

/* Each word in brackets, or the error. */
static char *split(const char *text)
{
    struct text told = { 0 };
    struct err err;
    char **words;

    if (shell_words_split(text, &words, &err) < 0) {
        ck_assert_int_eq(err.code, ERR_INVALID);
        return xstrdup(err.text);
    }
    for (char **word = words; *word; word++)
        text_printf(&told, "[%s]", *word);
    words_free(words);
    return text_steal(&told);
}

static void splits(const char *text, const char *expected)
{
    auto_free char *got = split(text);

    ck_assert_str_eq(got, expected);
}

START_TEST(words_are_those_of_sh)
{
    splits("", "");
    splits(" \t ", "");
    splits("-verbose", "[-verbose]");
    splits("  -x  NCCL_DEBUG=INFO\t--mca btl ^vader ",
           "[-x][NCCL_DEBUG=INFO][--mca][btl][^vader]");
    splits("a 'b c' \"d  e\" f\\ g", "[a][b c][d  e][f g]");
    splits("''", "[]");
    splits("a \"\" b", "[a][][b]");
    splits("x'y'\"z\"\\w", "[xyzw]");
    splits("'a\"b\\' \"it's\"", "[a\"b\\][it's]");
    splits("\"\\\"\\\\\\$\\`\\n\"", "[\"\\$`\\n]");
    splits("\\$\\;\\| ';|&$`<>'", "[$;|][;|&$`<>]");
    splits("\";|&<>\"", "[;|&<>]");
    splits("\xC3\xA9", "[\xC3\xA9]");
}
END_TEST

START_TEST(what_does_not_end_is_refused_with_its_place)
{
    splits("-x 'a b", "byte 4: the quote ' is not closed");
    splits("-x a\"b c", "byte 5: the quote \" is not closed");
    splits("\"a\\", "byte 1: the quote \" is not closed");
    splits("a \\", "byte 3: '\\' has nothing behind it");
}
END_TEST

START_TEST(what_only_a_shell_could_do_is_refused)
{
    for (const char *c = ";|&$`<>"; *c; c++) {
        auto_free char *text = xasprintf("-x a%cb", *c);
        auto_free char *expected =
            xasprintf("byte 5: '%c' means something to a shell, and no shell reads "
                      "this: put it into single quotes",
                      *c);

        splits(text, expected);
    }
    splits("\"a $b\"", "byte 4: '$' means something to a shell, and no shell reads "
                       "this: put it into single quotes");
    splits("a\nb", "byte 2: a line end, which would end the command: put it into "
                   "quotes");
}
END_TEST

START_TEST(a_word_that_is_added_is_split_as_it_was)
{
    static const char *const words[] = { "", "a b", "it's", "'", "$HOME;`x`\n\\" };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        auto_text struct text text = { 0 };
        auto_free char *expected = xasprintf("[%s]", words[i]);

        shell_word_add(&text, words[i]);
        splits(text.bytes, expected);
    }
}
END_TEST

Suite *suite_shell_words(void)
{
    Suite *suite = suite_create("shell_words");
    TCase *cases = tcase_create("shell_words");

    tcase_add_test(cases, words_are_those_of_sh);
    tcase_add_test(cases, what_does_not_end_is_refused_with_its_place);
    tcase_add_test(cases, what_only_a_shell_could_do_is_refused);
    tcase_add_test(cases, a_word_that_is_added_is_split_as_it_was);
    suite_add_tcase(suite, cases);
    return suite;
}
