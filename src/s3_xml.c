/*
 * Finds elements in S3's answers.  These are flat, have no comments and no CDATA, and
 * no element contains one of its own name; so a search for tags does.  Whatever else a
 * server sends gives no element, or text that is wrong, and no harm.
 */

#include "src/s3_xml.h"

#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* Behind the next "<name" or "</name" that ends there; NULL: none. */
static const char *find_tag(const struct xml *in, const char *open, const char *name,
                            const char **begin)
{
    auto_free char *tag = xasprintf("%s%s", open, name);
    size_t len = strlen(tag);
    const char *at = in->at;

    while ((at = memmem(at, (size_t)(in->end - at), tag, len))) {
        const char *behind = at + len;
        const char *close = memchr(behind, '>', (size_t)(in->end - behind));

        if (!close)
            return NULL;
        if (*behind == '>' || *behind == ' ') {
            *begin = at;
            return close + 1;
        }
        at = behind;
    }
    return NULL;
}

bool xml_take(struct xml *in, const char *name, struct xml *inner)
{
    const char *begin;
    const char *end;
    const char *behind;
    struct xml rest = { find_tag(in, "<", name, &begin), in->end };

    if (!rest.at)
        return false;
    behind = find_tag(&rest, "</", name, &end);
    if (!behind)
        return false;
    *inner = (struct xml){ rest.at, end };
    in->at = behind;
    return true;
}

/* UTF-8 of a code point, as RFC 3629 has it. */
static void add_code_point(struct text *text, unsigned long code)
{
    unsigned char bytes[4];
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };

    for (size_t i = len - 1; i > 0; i--) {
        bytes[i] = (unsigned char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (unsigned char)(lead[len] | code);
    text_add(text, bytes, len);
}

/* What the reference at "&" stands for; behind it.  What is none stays as it is. */
static const char *add_reference(struct text *text, const char *at, const char *end)
{
    static const struct {
        const char *name;
        const char *stands_for;
    } names[] = {
        { "&amp;", "&" },   { "&lt;", "<" },    { "&gt;", ">" },
        { "&quot;", "\"" }, { "&apos;", "\'" },
    };
    size_t left = (size_t)(end - at);
    bool is_hex = left > 2 && at[1] == '#' && at[2] == 'x';
    unsigned long code;
    char *behind;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        size_t len = strlen(names[i].name);

        if (left >= len && memcmp(at, names[i].name, len) == 0) {
            text_puts(text, names[i].stands_for);
            return at + len;
        }
    }
    if (left > 3 && at[1] == '#') {
        code = strtoul(at + (is_hex ? 3 : 2), &behind, is_hex ? 16 : 10);
        if (behind < end && *behind == ';' && code > 0 && code <= 0x10ffff) {
            add_code_point(text, code);
            return behind + 1;
        }
    }
    text_puts(text, "&");
    return at + 1;
}

char *xml_text(struct xml in, const char *name)
{
    struct text text = { 0 };
    struct xml inner;

    if (!xml_take(&in, name, &inner))
        return NULL;
    while (inner.at < inner.end) {
        const char *mark = memchr(inner.at, '&', (size_t)(inner.end - inner.at));
        const char *stop = mark ? mark : inner.end;

        text_add(&text, inner.at, (size_t)(stop - inner.at));
        inner.at = mark ? add_reference(&text, mark, inner.end) : stop;
    }
    return text_steal(&text);
}
