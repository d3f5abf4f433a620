#ifndef SRC_SHELL_WORDS_H
#define SRC_SHELL_WORDS_H

#include "src/base.h"
#include "src/err.h"

/**
 * Splits text into words as sh(1) does, and does nothing else that a shell would:
 * blanks and tabs separate, '...' is literal, "..." keeps blanks, \ takes the next
 * character as it is (within "..." only before $ ` " and \).
 *
 * *out ends in NULL and may have no word; the caller frees it with words_free.
 * ERR_INVALID, with the place counted from 1 in bytes: a quote that is not closed, a \
 * at the end, and what a shell would act on: ; | & $ ` < > and line ends unquoted, $
 * and ` also within "...".  Pure.
 */
MUST_CHECK int shell_words_split(const char *text, char ***out, struct err *err);

struct text;

/** Adds a word in the one form that sh(1) takes as it is: '...', and a quote as '\''.
 */
void shell_word_add(struct text *out, const char *word);

#endif
