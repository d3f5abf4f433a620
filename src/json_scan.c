/*
 * Checks a text against RFC 8259 and says where it is wrong; without recursion, so that
 * no input can exhaust the stack.  It builds nothing: the tree is cJSON's work, on the
 * copy made here.
 */

#include "src/json_scan.h"

#include "src/json.h"
#include "src/text.h"

#include <string.h>

/* What may come next. */
enum expected {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_CLOSE, /* behind '[' */
    EXPECT_NAME,
    EXPECT_NAME_OR_CLOSE, /* behind '{' */
    EXPECT_COLON,
    EXPECT_COMMA_OR_CLOSE,
    EXPECT_END,
};

struct scan {
    const char *start;
    const char *at;
    const char *end;
    const char *copied; /* up to here the text is in `copy` */
    char *copy;
    size_t copy_len;
    enum expected expected;
    int depth;
    uint64_t objects; /* a bit a level, the innermost lowest: 1 object, 0 array */
    struct err *err;
};

_Static_assert(JSON_DEPTH_MAX <= 64, "the levels fit the bits of scan.objects");

/* Line and column, in characters and from 1, of `place`; the text before it is valid
 * UTF-8. */
static int wrong_at(const struct scan *scan, const char *place, const char *what)
{
    size_t line = 1;
    size_t column = 1;

    for (const char *at = scan->start; at < place; at++) {
        if (*at == '\n') {
            line++;
            column = 1;
        } else if ((*at & 0xc0) != 0x80) {
            column++;
        }
    }
    return err_set(scan->err, ERR_INVALID, "line %zu column %zu: %s", line, column,
                   what);
}

static int expected_at(const struct scan *scan, const char *what)
{
    auto_free char *words = NULL;

    if (scan->at == scan->end)
        words = xasprintf("the text ends where %s is expected", what);
    else if (*scan->at > ' ' && *scan->at < 0x7f)
        words = xasprintf("expected %s, not \"%c\"", what, *scan->at);
    else
        words = xasprintf("expected %s", what);
    return wrong_at(scan, scan->at, words);
}

/* NUL, which is nowhere in the text, at its end. */
static char peek(const struct scan *scan)
{
    static const char nothing = '\0';

    return *(scan->at < scan->end ? scan->at : &nothing);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

const char *json_number_end(const char *at, const char *end)
{
    const char *digits;

    if (at < end && *at == '-')
        at++;
    digits = at;
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1))
        return NULL;
    if (at < end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        digits = at;
        at = skip_digits(at, end);
        if (at == digits)
            return NULL;
    }
    return at;
}

static void copy_bytes(struct scan *scan, const char *bytes, size_t len)
{
    memcpy(scan->copy + scan->copy_len, bytes, len);
    scan->copy_len += len;
}

static int scan_number(struct scan *scan)
{
    static const char before[] = { '"', JSON_NUMBER_MARK };
    const char *end = json_number_end(scan->at, scan->end);

    if (!end)
        return wrong_at(scan, scan->at, "not a number as JSON writes it");
    copy_bytes(scan, scan->copied, (size_t)(scan->at - scan->copied));
    copy_bytes(scan, before, sizeof before);
    copy_bytes(scan, scan->at, (size_t)(end - scan->at));
    copy_bytes(scan, "\"", 1);
    scan->at = scan->copied = end;
    return 0;
}

/* The value of the four digits behind "\u", or -1. */
static int hex4(const struct scan *scan, const char *at)
{
    int value = 0;

    if (scan->end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        int digit = text_hex_digit(at[i]);

        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* `at` is on a backslash. */
static int scan_escape(struct scan *scan)
{
    int code;

    if (scan->end - scan->at < 2 || scan->at[1] != 'u') {
        if (scan->end - scan->at < 2 || !strchr("\"\\/bfnrt", scan->at[1]))
            return wrong_at(scan, scan->at, "not an escape that JSON knows");
        scan->at += 2;
        return 0;
    }
    code = hex4(scan, scan->at);
    if (code < 0)
        return wrong_at(scan, scan->at, "\"\\u\" without four hexadecimal digits");
    if (code == 0)
        return wrong_at(scan, scan->at, "the character NUL is not allowed in text");
    if (code >= 0xd800 && code <= 0xdfff) {
        int low = hex4(scan, scan->at + 6);

        if (code >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
            return wrong_at(scan, scan->at, "half of a surrogate pair");
        scan->at += 6;
    }
    scan->at += 6;
    return 0;
}

/* `at` is on the opening quote. */
static int scan_string(struct scan *scan)
{
    const char *open = scan->at++;

    for (;;) {
        while (scan->at < scan->end && (unsigned char)*scan->at >= ' '
               && *scan->at != '"' && *scan->at != '\\')
            scan->at++;
        if (scan->at == scan->end)
            return wrong_at(scan, open, "text without its closing quote");
        if (*scan->at == '"')
            break;
        if (*scan->at != '\\')
            return wrong_at(scan, scan->at,
                            "a control character in text is not escaped");
        if (scan_escape(scan) < 0)
            return -1;
    }
    scan->at++;
    return 0;
}

static int scan_open(struct scan *scan, bool object)
{
    if (scan->depth == JSON_DEPTH_MAX)
        return wrong_at(scan, scan->at, "nested too deeply");
    scan->depth++;
    scan->objects = scan->objects << 1 | object;
    scan->expected = object ? EXPECT_NAME_OR_CLOSE : EXPECT_VALUE_OR_CLOSE;
    scan->at++;
    return 0;
}

static void value_done(struct scan *scan)
{
    scan->expected = scan->depth ? EXPECT_COMMA_OR_CLOSE : EXPECT_END;
}

static void scan_close(struct scan *scan)
{
    scan->at++;
    scan->depth--;
    scan->objects >>= 1;
    value_done(scan);
}

static int scan_word(struct scan *scan)
{
    static const char *const words[] = { "true", "false", "null" };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        size_t len = strlen(words[i]);

        if ((size_t)(scan->end - scan->at) >= len && !memcmp(scan->at, words[i], len)) {
            scan->at += len;
            return 0;
        }
    }
    return expected_at(scan, "a value");
}

static int scan_value(struct scan *scan)
{
    char c = peek(scan);
    int result;

    if (c == '{' || c == '[')
        return scan_open(scan, c == '{');
    if (c == '"')
        result = scan_string(scan);
    else if (c == '-' || is_digit(c))
        result = scan_number(scan);
    else
        result = scan_word(scan);
    value_done(scan);
    return result;
}

static int scan_name(struct scan *scan)
{
    if (peek(scan) != '"')
        return expected_at(scan, "a name in double quotes");
    scan->expected = EXPECT_COLON;
    return scan_string(scan);
}

static int scan_comma(struct scan *scan)
{
    bool object = scan->objects & 1;

    if (peek(scan) == (object ? '}' : ']')) {
        scan_close(scan);
        return 0;
    }
    if (peek(scan) != ',')
        return expected_at(scan, object ? "\",\" or \"}\"" : "\",\" or \"]\"");
    scan->at++;
    scan->expected = object ? EXPECT_NAME : EXPECT_VALUE;
    return 0;
}

/* One token, which begins at `at`. */
static int scan_token(struct scan *scan)
{
    switch (scan->expected) {
    case EXPECT_VALUE_OR_CLOSE:
        if (peek(scan) != ']')
            return scan_value(scan);
        scan_close(scan);
        return 0;
    case EXPECT_VALUE:
        return scan_value(scan);
    case EXPECT_NAME_OR_CLOSE:
        if (peek(scan) != '}')
            return scan_name(scan);
        scan_close(scan);
        return 0;
    case EXPECT_NAME:
        return scan_name(scan);
    case EXPECT_COLON:
        if (peek(scan) != ':')
            return expected_at(scan, "\":\"");
        scan->at++;
        scan->expected = EXPECT_VALUE;
        return 0;
    case EXPECT_COMMA_OR_CLOSE:
        return scan_comma(scan);
    case EXPECT_END:
        break;
    }
    return expected_at(scan, "the end");
}

static int scan_all(struct scan *scan)
{
    size_t good = text_utf8_prefix(scan->start, (size_t)(scan->end - scan->start));
    const char *stop = scan->start + good;

    if (stop < scan->end)
        return wrong_at(scan, stop, *stop ? "not valid UTF-8" : "a NUL byte");
    for (;;) {
        while (peek(scan) == ' ' || peek(scan) == '\n' || peek(scan) == '\t'
               || peek(scan) == '\r')
            scan->at++;
        if (scan->at == scan->end && scan->expected == EXPECT_END)
            break;
        if (scan_token(scan) < 0)
            return -1;
    }
    copy_bytes(scan, scan->copied, (size_t)(scan->end - scan->copied));
    return 0;
}

size_t json_scan_room(size_t len)
{
    return len + (len + 1) / 2 * 3;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written through the struct. */
int json_scan(const char *bytes, size_t len, char *copy, size_t *copy_len,
              struct err *err)
{
    struct scan scan = {
        .start = bytes,
        .at = bytes,
        .end = bytes + len,
        .copied = bytes,
        .copy = copy,
        .err = err,
    };

    if (scan_all(&scan) < 0)
        return -1;
    *copy_len = scan.copy_len;
    return 0;
}
