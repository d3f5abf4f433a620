/* JSON values as text.  Decides the spelling; what a value is, json.c knows. */

#include "src/json.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    struct text *out; /* without its NUL until all is there */
    bool sorted;      /* members in the order of their names, else as they stand */
};

/* What stands behind the backslash; 0: no short form. */
static const char short_forms[] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

/* Tokens are short: what there is room for is put there without a call. */
static inline void add_bytes(struct printer *printer, const char *bytes, size_t len)
{
    struct text *out = printer->out;

    if (out->len + len >= out->room) {
        text_add(out, bytes, len);
        return;
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

static inline void add_char(struct printer *printer, char c)
{
    add_bytes(printer, &c, 1);
}

static void add_word(struct printer *printer, const char *word)
{
    add_bytes(printer, word, strlen(word));
}

static void add_escape(struct printer *printer, char c)
{
    char short_form = short_forms[(unsigned char)c];

    add_char(printer, '\\');
    if (short_form)
        add_char(printer, short_form);
    else
        text_printf(printer->out, "u%04x", (unsigned)c);
}

static bool is_plain(char c)
{
    return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

static void add_text(struct printer *printer, const char *words)
{
    add_char(printer, '"');
    while (*words) {
        const char *run = words;

        while (is_plain(*words))
            words++;
        add_bytes(printer, run, (size_t)(words - run));
        if (*words)
            add_escape(printer, *words++);
    }
    add_char(printer, '"');
}

static void add_value(struct printer *printer, const struct cJSON *value);

static void add_member(struct printer *printer, const struct cJSON *member)
{
    add_text(printer, json_name(member));
    add_char(printer, ':');
    add_value(printer, member);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(json_name(*(const struct cJSON *const *)left),
                  json_name(*(const struct cJSON *const *)right));
}

static void add_sorted_members(struct printer *printer, const struct cJSON *object)
{
    auto_free const struct cJSON **members =
        xcalloc(json_count(object), sizeof(void *));
    size_t count = 0;

    json_each (member, object)
        members[count++] = member;
    qsort(members, count, sizeof(void *), by_name);
    for (size_t i = 0; i < count; i++) {
        if (i)
            add_char(printer, ',');
        add_member(printer, members[i]);
    }
}

static void add_items(struct printer *printer, const struct cJSON *container)
{
    bool object = json_kind(container) == JSON_OBJECT;

    json_each (item, container) {
        if (item != json_first(container))
            add_char(printer, ',');
        if (object)
            add_member(printer, item);
        else
            add_value(printer, item);
    }
}

/* As deep as JSON_DEPTH_MAX. */
static void add_value(struct printer *printer, const struct cJSON *value)
{
    switch (json_kind(value)) {
    case JSON_NULL:
        add_word(printer, "null");
        break;
    case JSON_BOOL:
        add_word(printer, json_is_true(value) ? "true" : "false");
        break;
    case JSON_NUMBER:
        add_word(printer, json_number(value));
        break;
    case JSON_TEXT:
        add_text(printer, json_text(value));
        break;
    case JSON_ARRAY:
        add_char(printer, '[');
        add_items(printer, value);
        add_char(printer, ']');
        break;
    case JSON_OBJECT:
        add_char(printer, '{');
        if (printer->sorted)
            add_sorted_members(printer, value);
        else
            add_items(printer, value);
        add_char(printer, '}');
        break;
    }
}

char *json_print(const struct cJSON *value)
{
    enum {
        ROOM = 512 /* most values fit */
    };
    struct text out = { xmalloc(ROOM), 0, ROOM };
    struct printer printer = { &out, false };

    add_value(&printer, value);
    text_add(&out, "", 0);
    return xrealloc(out.bytes, out.len + 1); /* some are kept */
}

void json_add_sorted(struct text *out, const struct cJSON *value)
{
    struct printer printer = { out, true };

    add_value(&printer, value);
    text_add(out, "", 0);
}

static void new_line(struct text *text, int depth)
{
    text_printf(text, "\n%*s", 2 * depth, "");
}

/* One character outside strings: `at` stands in compact JSON, in which there are no
 * blanks. */
static void lay_out(struct text *pretty, const char *at, int *depth)
{
    bool opens = *at == '{' || *at == '[';
    bool closes = *at == '}' || *at == ']';

    /* '[' and ']', '{' and '}' are 2 apart: what is empty stays on one line. */
    if (closes && at[-1] != *at - 2)
        new_line(pretty, *depth - 1);
    text_add(pretty, at, 1);
    *depth += opens - closes;
    if (*at == ',' || (opens && at[1] != *at + 2))
        new_line(pretty, *depth);
    else if (*at == ':')
        text_puts(pretty, " ");
}

char *json_print_pretty(const struct cJSON *value)
{
    auto_free char *compact = json_print(value);
    auto_text struct text pretty = { 0 };
    bool in_string = false;
    int depth = 0;

    for (const char *at = compact; *at; at++) {
        if (in_string)
            text_add(&pretty, at, 1);
        else
            lay_out(&pretty, at, &depth);
        if (*at == '"')
            in_string = !in_string;
        else if (*at == '\\')
            text_add(&pretty, ++at, 1);
    }
    text_puts(&pretty, "\n");
    return text_steal(&pretty);
}
