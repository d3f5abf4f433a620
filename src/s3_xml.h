#ifndef SRC_S3_XML_H
#define SRC_S3_XML_H

#include "src/base.h"

/* As much of XML as S3's answers are made of: elements with text or elements in them.
 * Pure. */

struct xml {
    const char *at;
    const char *end;
};

/** The first element `name` in `in`: what is between its tags.  `in` then begins behind
 * it.  False when there is none; `in` is as it was then. */
bool xml_take(struct xml *in, const char *name, struct xml *inner);

/** As xml_take, without moving; the text, its references resolved, or NULL.  The caller
 * frees. */
char *xml_text(struct xml in, const char *name);

#endif
