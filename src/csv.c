/* Writes CSV.  Which fields there are is for the caller. */

#include "src/csv.h"

#include <string.h>

/* A field ends in a comma until csv_end makes that one the line's end. */
static void add_field(struct text *line, const char *mark, const char *words)
{
    bool is_quoted = !*words || words[strcspn(words, "\",\r\n")];

    text_puts(line, is_quoted ? "\"" : "");
    text_puts(line, mark);
    for (const char *quote; is_quoted && (quote = strchr(words, '"'));
         words = quote + 1) {
        text_add(line, words, (size_t)(quote - words));
        text_puts(line, "\"\"");
    }
    text_puts(line, words);
    text_puts(line, is_quoted ? "\"," : ",");
}

void csv_add(struct text *line, const char *words)
{
    if (words)
        add_field(line, "", words);
    else
        text_puts(line, ",");
}

/* How many bytes of `words` one of these is that they begin with; 0: none is. */
static size_t start_of(const char *words, const char *const *starts)
{
    for (; *starts; starts++)
        if (text_starts_with(words, *starts))
            return strlen(*starts);
    return 0;
}

/* OWASP's list of how a formula begins, its wide forms included; behind blanks, which
 * spreadsheets pass over. */
static bool may_be_formula(const char *words)
{
    static const char *const signs[] = { "=",  "+",  "-",  "@", "＝",
                                         "＋", "－", "＠", NULL };
    static const char *const blanks[] = {
        " ", "\t", "\n", "\v", "\f", "\r", "\u00a0", "\u3000", "\ufeff", NULL,
    };
    const char *at = words;

    for (size_t len; (len = start_of(at, blanks)); at += len)
        ;
    return (*words && strchr("\t\r\n", *words)) || start_of(at, signs);
}

void csv_add_words(struct text *line, const char *words)
{
    if (words)
        add_field(line, may_be_formula(words) ? "'" : "", words);
    else
        text_puts(line, ",");
}

void csv_end(struct text *line)
{
    line->len--;
    text_puts(line, "\r\n");
}
