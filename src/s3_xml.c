/*
 * Finds elements in S3's answers.  These are flat, have no comments and no CDATA, and
 * no element contains one of its own name; so a search for tags does.  Whatever else a
 * server sends gives no element, or text that is wrong, and no harm.
 */

#include "src/s3_xml.h"

#include "src/text.h"

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
static void add_code_point(struct text *text, unsigned code)
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

/* The code point of "&#65;" or "&#x41;"; 0, and *behind as it was: it is none, or one
 * that no text has (NUL, half of a surrogate pair, beyond Unicode). */
static unsigned code_point(const char *at, const char *end, const char **behind)
{
    bool is_hex = end - at > 2 && at[2] == 'x';
    int base = is_hex ? 16 : 10;
    unsigned code = 0;
    int digit;

    for (at += is_hex ? 3 : 2; at < end && code <= 0x10ffff; at++) {
        digit = text_hex_digit(*at);
        if (digit < 0 || digit >= base)
            break;
        code = code * (unsigned)base + (unsigned)digit;
    }
    if (at >= end || *at != ';' || code == 0 || code > 0x10ffff
        || (code >= 0xd800 && code < 0xe000))
        return 0;
    *behind = at + 1;
    return code;
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
    const char *behind = at + 1;
    unsigned code = left > 1 && at[1] == '#' ? code_point(at, end, &behind) : 0;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        size_t len = strlen(names[i].name);

        if (left >= len && memcmp(at, names[i].name, len) == 0) {
            text_puts(text, names[i].stands_for);
            return at + len;
        }
    }
    if (code > 0)
        add_code_point(text, code);
    else
        text_puts(text, "&");
    return behind;
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
