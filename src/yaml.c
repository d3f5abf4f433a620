/*
 * The door to libyaml: its events become a JSON value.
 *
 * Decided here: what a plain scalar is (YAML 1.2, core schema: 007 is the number 7,
 * `no` is text, True is true) and what of YAML is refused, because JSON cannot say it
 * or because it makes small files large (aliases).  Keys that appear twice are kept:
 * see json_check_duplicates.
 */

#include "src/yaml.h"

#include "src/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct builder {
    struct cJSON *root; /* owns all below */
    struct cJSON *open[JSON_DEPTH_MAX];
    int depth;
    char *key; /* waits for its value, in the innermost mapping */
    bool ended;
    struct err *err;
};

PRINTF_LIKE(3, 4)
static int wrong_at(const struct builder *builder, const yaml_mark_t *mark,
                    const char *format, ...)
{
    auto_free char *what = NULL;
    va_list args;

    va_start(args, format);
    what = xvasprintf(format, args);
    va_end(args);
    return err_set(builder->err, ERR_INVALID, "line %zu column %zu: %s", mark->line + 1,
                   mark->column + 1, what);
}

/* --- plain scalars --- */

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(text, *words))
            return true;
    return false;
}

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/*
 * [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
 *
 * as JSON writes it: no plus sign, no zeros before, digits on both sides of the point.
 * False when it is not such a number.
 */
static bool decimal_to_json(const char *text, struct text *number)
{
    const char *sign = *text == '-' ? "-" : "";
    const char *fraction = NULL;
    size_t whole_len, fraction_len = 0;
    const char *whole;

    text += *text == '-' || *text == '+';
    whole = text;
    whole_len = count_digits(whole);
    text += whole_len;
    if (*text == '.') {
        fraction = ++text;
        fraction_len = count_digits(fraction);
        text += fraction_len;
    }
    if (whole_len + fraction_len == 0)
        return false;
    if (*text) {
        const char *digits = text + 1;

        digits += *digits == '-' || *digits == '+';
        if ((*text != 'e' && *text != 'E') || !*digits || digits[count_digits(digits)])
            return false;
    }
    for (; whole_len > 1 && *whole == '0'; whole_len--)
        whole++;
    text_puts(number, sign);
    text_add(number, whole_len ? whole : "0", whole_len ? whole_len : 1);
    if (fraction) {
        text_puts(number, ".");
        text_add(number, fraction_len ? fraction : "0",
                 fraction_len ? fraction_len : 1);
    }
    text_puts(number, text);
    return true;
}

/* 0x and 0o.  1: `number` is set; 0: not in that form; -1: above 64 bits. */
static int based_to_json(const char *text, struct text *number)
{
    bool hex = text_starts_with(text, "0x");
    const char *digits = text + 2;
    unsigned long long value;

    if (!hex && !text_starts_with(text, "0o"))
        return 0;
    if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "01234567")])
        return 0;
    errno = 0;
    value = strtoull(digits, NULL, hex ? 16 : 8);
    if (errno)
        return -1;
    text_printf(number, "%llu", value);
    return 1;
}

static int plain_to_json(const struct builder *builder, const char *text,
                         const yaml_mark_t *mark, struct cJSON **out)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const trues[] = { "true", "True", "TRUE", NULL };
    static const char *const falses[] = { "false", "False", "FALSE", NULL };
    static const char *const no_numbers[] = {
        ".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
        "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL,
    };
    auto_text struct text number = { 0 };
    int based = based_to_json(text, &number);

    if (based < 0)
        return wrong_at(builder, mark, "%s does not fit 64 bits", text);
    if (is_one_of(text, no_numbers))
        return wrong_at(builder, mark, "%s is no number that JSON knows", text);
    if (based > 0 || decimal_to_json(text, &number))
        *out = json_number_new(number.bytes);
    else if (is_one_of(text, nulls))
        *out = json_null_new();
    else if (is_one_of(text, trues) || is_one_of(text, falses))
        *out = json_bool_new(is_one_of(text, trues));
    else
        *out = json_text_new(text);
    return 0;
}

/* --- events --- */

/* Refuses what every node may carry. */
static int check_node(const struct builder *builder, const yaml_mark_t *mark,
                      const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return wrong_at(builder, mark, "anchors (&%s) are not supported",
                        (const char *)anchor);
    if (tag)
        return wrong_at(builder, mark, "tags (%s) are not supported",
                        (const char *)tag);
    return 0;
}

static bool awaits_key(const struct builder *builder)
{
    return builder->depth > 0 && !builder->key
           && json_kind(builder->open[builder->depth - 1]) == JSON_OBJECT;
}

static void place(struct builder *builder, struct cJSON *item)
{
    if (builder->depth == 0) {
        builder->root = item;
    } else if (builder->key) {
        json_set(builder->open[builder->depth - 1], builder->key, item);
        free(builder->key);
        builder->key = NULL;
    } else {
        json_append(builder->open[builder->depth - 1], item);
    }
}

static int on_key(struct builder *builder, const char *text, bool plain,
                  const yaml_mark_t *mark)
{
    if (plain && !strcmp(text, "<<"))
        return wrong_at(builder, mark, "merge keys (<<) are not supported");
    if (plain && !*text)
        return wrong_at(builder, mark, "a key is missing");
    builder->key = xstrdup(text);
    return 0;
}

static int on_scalar(struct builder *builder, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const yaml_mark_t *mark = &event->start_mark;
    struct cJSON *item = NULL;

    if (check_node(builder, mark, event->data.scalar.anchor, event->data.scalar.tag)
        < 0)
        return -1;
    if (strlen(text) != event->data.scalar.length)
        return wrong_at(builder, mark, "the character NUL is not allowed in text");
    if (awaits_key(builder))
        return on_key(builder, text, plain, mark);
    if (builder->depth == 0 && plain && !*text)
        return err_set(builder->err, ERR_INVALID, "empty");
    if (!plain)
        item = json_text_new(text);
    else if (plain_to_json(builder, text, mark, &item) < 0)
        return -1;
    place(builder, item);
    return 0;
}

static int on_open(struct builder *builder, const yaml_mark_t *mark,
                   struct cJSON *container)
{
    auto_json struct cJSON *item = container;

    if (awaits_key(builder))
        return wrong_at(builder, mark, "a key is not a scalar");
    if (builder->depth == JSON_DEPTH_MAX)
        return wrong_at(builder, mark, "nested too deeply");
    place(builder, steal_ptr(&item));
    builder->open[builder->depth++] = container;
    return 0;
}

static int on_event(struct builder *builder, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;

    switch (event->type) {
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return 0;
    case YAML_STREAM_END_EVENT:
        builder->ended = true;
        return builder->root ? 0 : err_set(builder->err, ERR_INVALID, "empty");
    case YAML_DOCUMENT_START_EVENT:
        return builder->root ? wrong_at(builder, mark, "a second document") : 0;
    case YAML_ALIAS_EVENT:
        return wrong_at(builder, mark, "aliases (*%s) are not supported",
                        (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        if (check_node(builder, mark, event->data.sequence_start.anchor,
                       event->data.sequence_start.tag)
            < 0)
            return -1;
        return on_open(builder, mark, json_array_new());
    case YAML_MAPPING_START_EVENT:
        if (check_node(builder, mark, event->data.mapping_start.anchor,
                       event->data.mapping_start.tag)
            < 0)
            return -1;
        return on_open(builder, mark, json_object_new());
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        builder->depth--;
        return 0;
    }
    return 0;
}

/* Line and column of a byte, for what libyaml refuses before it counts lines. */
static yaml_mark_t mark_of(const char *bytes, size_t offset)
{
    yaml_mark_t mark = { .index = offset };

    for (size_t i = 0; i < offset; i++) {
        if (bytes[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if ((bytes[i] & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static int parser_failed(const struct builder *builder, const yaml_parser_t *parser,
                         const char *bytes)
{
    yaml_mark_t mark = parser->problem_mark;

    /* It has no other errors on memory that we hold; this one is about memory that is
     * out. */
    if (parser->error == YAML_MEMORY_ERROR)
        abort();
    if (parser->error == YAML_READER_ERROR)
        mark = mark_of(bytes, parser->problem_offset);
    return wrong_at(builder, &mark, "%s%s%s", parser->problem,
                    parser->context ? " " : "", parser->context ? parser->context : "");
}

static int build(struct builder *builder, yaml_parser_t *parser, const char *bytes)
{
    while (!builder->ended) {
        /* The parser clears it before all else, so that it may be deleted on failure
         * too. */
        __attribute__((cleanup(yaml_event_delete))) yaml_event_t event;

        if (!yaml_parser_parse(parser, &event))
            return parser_failed(builder, parser, bytes);
        if (on_event(builder, &event) < 0)
            return -1;
    }
    return 0;
}

/* The first line break of YAML 1.1 that is an ordinary character in 1.2, or `len`:
 * libyaml would fold it to a blank, or go on behind a comment. */
static size_t old_break(const char *bytes, size_t len)
{
    static const char *const breaks[] = { "\xc2\x85", "\u2028", "\u2029" };

    for (size_t i = 0; i < ARRAY_SIZE(breaks); i++) {
        const char *place = memmem(bytes, len, breaks[i], strlen(breaks[i]));

        if (place)
            len = (size_t)(place - bytes);
    }
    return len;
}

/* What libyaml would read as something else, or not at all. */
static int check_bytes(const struct builder *builder, const char *bytes, size_t len)
{
    size_t good = text_utf8_prefix(bytes, len);
    size_t plain = old_break(bytes, good);
    yaml_mark_t mark;

    if (plain == len)
        return 0;
    mark = mark_of(bytes, plain);
    if (plain < good)
        return wrong_at(builder, &mark,
                        "U+0085, U+2028 and U+2029 are line breaks to some readers of "
                        "YAML: write \\N, \\L or \\P in double quotes");
    return wrong_at(builder, &mark, bytes[good] ? "not valid UTF-8" : "a NUL byte");
}

int yaml_parse(const char *bytes, size_t len, struct cJSON **out, struct err *err)
{
    struct builder builder = { .err = err };
    size_t mark_len = text_mark(bytes, len);
    yaml_parser_t parser;
    int result;

    bytes += mark_len;
    len -= mark_len;
    if (check_bytes(&builder, bytes, len) < 0)
        return -1;
    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, len);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    result = build(&builder, &parser, bytes);
    yaml_parser_delete(&parser);
    free(builder.key);
    if (result < 0)
        json_free(builder.root);
    else
        *out = builder.root;
    return result;
}
