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

void csv_add_words(struct text *line, const char *words)
{
    if (words)
        add_field(line, *words && strchr("=+-@\t\r", *words) ? "'" : "", words);
    else
        text_puts(line, ",");
}

void csv_end(struct text *line)
{
    line->len--;
    text_puts(line, "\r\n");
}
