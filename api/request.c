/*
 * Reads the parts of a request: query parameters against what the route knows, media
 * types, keys.  Decides which requests are ill-formed; not what they do, nor how a
 * refusal looks.
 */

#include "api/request.h"

#include "api/routes.h"
#include "src/clock.h"
#include "src/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_known(const struct route *route, const char *name)
{
    for (const char *const *known = route->parameters; *known; known++)
        if (strcmp(*known, name) == 0)
            return true;
    return false;
}

static void add_unknown(const struct route *route, const char *name,
                        struct problems *problems)
{
    const char *nearest = text_nearest(name, route->parameters);
    auto_text struct text hint = { 0 };

    if (nearest) {
        text_printf(&hint, "did you mean %s?", nearest);
    } else if (!*route->parameters) {
        text_puts(&hint, "this path takes no parameters");
    } else {
        text_puts(&hint, "known here:");
        for (const char *const *known = route->parameters; *known; known++)
            text_printf(&hint, " %s", *known);
    }
    problems_add(problems, name, hint.bytes, "unknown parameter");
}

void request_add_parameter(struct request *request, const char *name, const char *value,
                           size_t value_len, struct problems *problems)
{
    if (!is_known(request->route, name)) {
        add_unknown(request->route, name, problems);
        return;
    }
    if (!text_is_utf8(value, value_len)) {
        problems_add(problems, name, NULL, "the value is not UTF-8 text");
        return;
    }
    if (request_parameter(request, name)) {
        problems_add(problems, name, "give it once", "given twice");
        return;
    }
    /* A route that knows more names than there is room for is our bug. */
    if (request->parameter_count == REQUEST_PARAMETERS_MAX)
        abort();
    request->parameters[request->parameter_count++] =
        (struct parameter){ .name = name, .value = value };
}

const char *request_parameter(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->parameter_count; i++)
        if (strcmp(request->parameters[i].name, name) == 0)
            return request->parameters[i].value;
    return NULL;
}

/* strtoll takes blanks and a plus sign, which nobody means to send. */
static bool parse_int(const char *text, int64_t *out)
{
    const char *digits = *text == '-' ? text + 1 : text;
    char *rest;
    long long number;

    if (!*digits || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    number = strtoll(text, &rest, 10);
    if (errno || *rest)
        return false;
    *out = number;
    return true;
}

void request_int(const struct request *request, const char *name, int64_t min,
                 int64_t max, int64_t *out, struct problems *problems)
{
    const char *text = request_parameter(request, name);
    int64_t number;

    if (!text)
        return;
    if (!parse_int(text, &number) || number < min || number > max) {
        problems_add(problems, name, NULL,
                     "expected a whole number from %lld to %lld, got \"%.64s\"",
                     (long long)min, (long long)max, text);
        return;
    }
    *out = number;
}

void request_bool(const struct request *request, const char *name, bool *out,
                  struct problems *problems)
{
    const char *text = request_parameter(request, name);

    if (!text)
        return;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
        problems_add(problems, name, NULL, "expected true or false, got \"%.64s\"",
                     text);
        return;
    }
    *out = strcmp(text, "true") == 0;
}

/* "1764497700" or "1764497700.25"; digits beyond microseconds are cut. */
static bool parse_epoch(const char *text, usec_t *out)
{
    size_t whole = strspn(text, "0123456789");
    const char *fraction = text[whole] == '.' ? text + whole + 1 : text + whole;
    size_t places = strspn(fraction, "0123456789");
    usec_t unit = USEC_PER_SEC;
    usec_t time = 0;

    /* Eleven digits reach the year 5138 and stay far from overflow. */
    if (whole == 0 || whole > 11 || fraction[places])
        return false;
    for (size_t i = 0; i < whole; i++)
        time = time * 10 + (text[i] - '0');
    time *= USEC_PER_SEC;
    for (size_t i = 0; i < places && unit > 1; i++) {
        unit /= 10;
        time += unit * (fraction[i] - '0');
    }
    *out = time;
    return true;
}

void request_time(const struct request *request, const char *name, usec_t *out,
                  struct problems *problems)
{
    const char *text = request_parameter(request, name);
    struct err err;

    if (!text || parse_epoch(text, out))
        return;
    if (time_parse(text, out, &err) < 0)
        problems_add(
            problems, name,
            "RFC 3339 (a plus sign is written %2B in a URL) or seconds since 1970",
            "%s", err.text);
}

enum media request_media(const char *content_type)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum media media;
    } types[] = {
        { "application/json",   MEDIA_JSON },
        { "application/yaml",   MEDIA_YAML },
        { "application/x-yaml", MEDIA_YAML },
        { "text/yaml",          MEDIA_YAML },
    };
    /* clang-format on */
    size_t len;

    if (!content_type)
        return MEDIA_JSON;
    len = strcspn(content_type, "; \t");
    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (strlen(types[i].name) == len
            && strncasecmp(types[i].name, content_type, len) == 0)
            return types[i].media;
    return MEDIA_OTHER;
}

bool request_key_is_valid(const char *key)
{
    size_t len = strlen(key);

    if (len < 1 || len > 255)
        return false;
    for (size_t i = 0; i < len; i++)
        if (key[i] < 0x21 || key[i] > 0x7e)
            return false;
    return true;
}
