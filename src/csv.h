#ifndef SRC_CSV_H
#define SRC_CSV_H

#include "src/text.h"

/* Lines of CSV as RFC 4180 has it: fields between commas, quoted where they must be. */

/** Adds a field behind those that the line has.  NULL is an empty field, which readers
 * take for null; the empty text is one of two quotes. */
void csv_add(struct text *line, const char *words);

/**
 * The same for words that people chose.
 *
 * Spreadsheets run a field as a formula when it begins with = + - or @, also in their
 * wide forms and behind blanks, and some when it begins with a tab or a line's end.
 * Such words get an apostrophe before them, which shows them as text (CWE-1236).
 */
void csv_add_words(struct text *line, const char *words);

/** Ends the line, which has a field or more. */
void csv_end(struct text *line);

#endif
