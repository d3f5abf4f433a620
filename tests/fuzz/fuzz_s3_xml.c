/* S3's answers: elements lie within what they are taken from and each search goes on
 * behind the last; text comes back as it was escaped, and is UTF-8 where the answer
 * is. */

#include "src/s3_xml.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_text(struct xml in, const char *name, bool is_utf8)
{
    auto_free char *text = xml_text(in, name);

    /* A reference to NUL is none, so no text has one that the answer has not. */
    assert(!text || !is_utf8 || text_is_utf8(text, strlen(text)));
}

static void check_rows(const char *bytes, size_t len)
{
    bool is_utf8 = text_is_utf8(bytes, len);
    struct xml body = { bytes, bytes + len };
    struct xml row;

    for (const char *before = bytes; xml_take(&body, "Contents", &row);
         before = body.at) {
        assert(before <= row.at && row.at <= row.end && row.end < body.at);
        assert(body.at <= body.end && body.end == bytes + len);
        check_text(row, "Key", is_utf8);
        check_text(row, "ETag", is_utf8);
    }
    check_text(body, "NextContinuationToken", is_utf8);
}

static void add_escaped(struct text *xml, const char *text)
{
    for (; *text; text++) {
        if (strchr("&<>\"'", *text))
            text_printf(xml, *text == '<' ? "&#x%x;" : "&#%u;", (unsigned)*text);
        else
            text_add(xml, text, 1);
    }
}

static void check_escaped(const char *text)
{
    auto_text struct text xml = { 0 };
    auto_free char *back = NULL;

    text_puts(&xml, "<Contents><Key>");
    add_escaped(&xml, text);
    text_puts(&xml, "</Key></Contents>");
    back = xml_text((struct xml){ xml.bytes, xml.bytes + xml.len }, "Key");
    assert(strcmp(back, text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);

    if (size > 0)
        check_rows((const char *)data, size);
    check_escaped(text);
    return 0;
}
