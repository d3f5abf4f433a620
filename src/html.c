/* Words inside markup. */

#include "src/html.h"

#include <string.h>

static const char *reference_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
    case '\n':
    case '\r':
        return NULL;
    default:
        return (unsigned char)byte < ' ' || byte == 0x7f ? "\357\277\275" : NULL;
    }
}

void html_add(struct text *out, const char *words)
{
    for (; words && *words; words++) {
        const char *reference = reference_of(*words);

        if (reference)
            text_puts(out, reference);
        else
            text_add(out, words, 1);
    }
}
