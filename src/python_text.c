/* JSON values as Python's json.dumps and str write them.  Decides the spelling only;
 * which values become arguments or variables is launch_plan's and launch_env's
 * business. */

#include "src/python_text.h"

#include "src/json.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
    const struct cJSON *const *a = left;
    const struct cJSON *const *b = right;

    return strcmp(json_name(*a), json_name(*b));
}

const struct cJSON **python_sorted(const struct cJSON *object, size_t *count)
{
    const struct cJSON **members = xcalloc(json_count(object), sizeof(void *));
    size_t used = 0;

    json_each (member, object)
        members[used++] = member;
    qsort(members, used, sizeof(void *), by_name);
    *count = used;
    return members;
}

/* One character of valid UTF-8; moves `*at` behind it. */
static uint32_t next_char(const unsigned char **at)
{
    const unsigned char *byte = *at;
    uint32_t code = *byte++;
    int more = code < 0x80 ? 0 : code < 0xe0 ? 1 : code < 0xf0 ? 2 : 3;

    if (more)
        code &= (uint32_t)(0x3f >> more);
    for (; more && *byte; more--)
        code = code << 6 | (*byte++ & 0x3fU);
    *at = byte;
    return code;
}

static const char *short_escape(uint32_t code)
{
    switch (code) {
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

static void add_json_char(struct text *out, uint32_t code)
{
    const char *escape = short_escape(code);

    if (escape)
        text_puts(out, escape);
    else if (code == '"')
        text_puts(out, "\\\"");
    else if (code == '\b')
        text_puts(out, "\\b");
    else if (code == '\f')
        text_puts(out, "\\f");
    else if (code < 0x10000)
        text_printf(out, "\\u%04x", code);
    else
        text_printf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                    0xdc00 + ((code - 0x10000) & 0x3ff));
}

static bool is_plain(unsigned char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* What is plain by runs: a plan names each host of a job a dozen times. */
static void add_json_text(struct text *out, const char *words)
{
    const unsigned char *at = (const unsigned char *)words;

    text_puts(out, "\"");
    while (*at) {
        const unsigned char *run = at;

        while (is_plain(*at))
            at++;
        text_add(out, run, (size_t)(at - run));
        if (*at)
            add_json_char(out, next_char(&at));
    }
    text_puts(out, "\"");
}

static void add_json(struct text *out, const struct cJSON *value);

static void add_json_object(struct text *out, const struct cJSON *object)
{
    size_t count;
    auto_free const struct cJSON **members = python_sorted(object, &count);

    text_puts(out, "{");
    for (size_t i = 0; i < count; i++) {
        text_puts(out, i ? "," : "");
        add_json_text(out, json_name(members[i]));
        text_puts(out, ":");
        add_json(out, members[i]);
    }
    text_puts(out, "}");
}

static void add_json_array(struct text *out, const struct cJSON *array)
{
    const char *between = "";

    text_puts(out, "[");
    json_each (item, array) {
        text_puts(out, between);
        add_json(out, item);
        between = ",";
    }
    text_puts(out, "]");
}

/* Recursion ends: json_parse bounds the depth (JSON_DEPTH_MAX). */
static void add_json(struct text *out, const struct cJSON *value)
{
    switch (json_kind(value)) {
    case JSON_NULL:
        text_puts(out, "null");
        break;
    case JSON_BOOL:
        text_puts(out, json_is_true(value) ? "true" : "false");
        break;
    case JSON_NUMBER:
        text_puts(out, json_number(value));
        break;
    case JSON_TEXT:
        add_json_text(out, json_text(value));
        break;
    case JSON_ARRAY:
        add_json_array(out, value);
        break;
    case JSON_OBJECT:
        add_json_object(out, value);
        break;
    }
}

char *python_json(const struct cJSON *value)
{
    auto_text struct text out = { 0 };

    add_json(&out, value);
    return text_steal(&out);
}

/* repr(): in single quotes, or in double ones when that saves an escape. */
static void add_repr_text(struct text *out, const char *words)
{
    const char quote = strchr(words, '\'') && !strchr(words, '"') ? '"' : '\'';
    const unsigned char *at = (const unsigned char *)words;

    text_add(out, &quote, 1);
    while (*at) {
        const unsigned char *start = at;
        uint32_t code = next_char(&at);
        const char *escape = short_escape(code);

        if (escape)
            text_puts(out, escape);
        else if (code == (unsigned char)quote)
            text_printf(out, "\\%c", quote);
        else if (code < ' ' || (code >= 0x7f && code <= 0xa0) || code == 0xad)
            text_printf(out, "\\x%02x", code);
        else
            text_add(out, start, (size_t)(at - start));
    }
    text_add(out, &quote, 1);
}

static void add_repr(struct text *out, const struct cJSON *value);

static void add_repr_items(struct text *out, const struct cJSON *container, bool named)
{
    const char *between = "";

    json_each (item, container) {
        text_puts(out, between);
        if (named) {
            add_repr_text(out, json_name(item));
            text_puts(out, ": ");
        }
        add_repr(out, item);
        between = ", ";
    }
}

static void add_repr(struct text *out, const struct cJSON *value)
{
    switch (json_kind(value)) {
    case JSON_NULL:
        text_puts(out, "None");
        break;
    case JSON_BOOL:
        text_puts(out, json_is_true(value) ? "True" : "False");
        break;
    case JSON_NUMBER:
        text_puts(out, json_number(value));
        break;
    case JSON_TEXT:
        add_repr_text(out, json_text(value));
        break;
    case JSON_ARRAY:
        text_puts(out, "[");
        add_repr_items(out, value, false);
        text_puts(out, "]");
        break;
    case JSON_OBJECT:
        text_puts(out, "{");
        add_repr_items(out, value, true);
        text_puts(out, "}");
        break;
    }
}

char *python_str(const struct cJSON *value)
{
    auto_text struct text out = { 0 };

    if (json_kind(value) == JSON_TEXT)
        text_puts(&out, json_text(value));
    else
        add_repr(&out, value);
    return text_steal(&out);
}
