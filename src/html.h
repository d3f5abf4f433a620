#ifndef SRC_HTML_H
#define SRC_HTML_H

#include "src/text.h"

/** Adds words that somebody chose to HTML, SVG or an attribute in quotes: & < > " and '
 * as references, control characters that XML does not have as U+FFFD.  NULL adds
 * nothing. */
void html_add(struct text *out, const char *words);

#endif
