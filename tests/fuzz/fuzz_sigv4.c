/*
 * Signatures: the same for every order of parameters and headers and every spelling of
 * a header's name and blanks; another one for another body.  Lines of the input: METHOD
 * PATH, query, hash of the body, then headers.
 */

#include "src/sigv4.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    HEADERS_MAX = 20
};

static const struct sigv4_scope scope = { "20260830T123600Z", "us-east-1", "s3" };

struct headers {
    const char *items[HEADERS_MAX + 1];
    size_t count;
};

static bool is_there(const struct headers *headers, const char *line)
{
    size_t len = strcspn(line, ":") + 1;

    for (size_t i = 0; i < headers->count; i++)
        if (strncasecmp(headers->items[i], line, len) == 0)
            return true;
    return false;
}

/* Each name once, as the caller has to see to. */
static void read_headers(char *lines, struct headers *out)
{
    char *line;

    while ((line = fuzz_line(&lines)) && out->count < HEADERS_MAX)
        if (strchr(line, ':') && !is_there(out, line))
            out->items[out->count++] = line;
}

/* Names in capitals, a blank more around the value. */
static char *spelled(const char *line)
{
    size_t name = strcspn(line, ":");
    char *other = xasprintf("%.*s: \t%s ", (int)name, line, line + name + 1);

    for (size_t i = 0; i < name; i++)
        other[i] = (char)toupper((unsigned char)other[i]);
    return other;
}

static char *reversed_query(const char *query)
{
    auto_free char *copy = xstrdup(query);
    auto_free char *before = NULL;
    char *rest = copy;
    char *pair;

    while ((pair = strsep(&rest, "&"))) {
        char *joined = before ? xasprintf("%s&%s", pair, before) : xstrdup(pair);

        free(before);
        before = joined;
    }
    return steal_ptr(&before);
}

static char *sign(const struct sigv4_request *request)
{
    return sigv4_authorization(request, &scope, "AKID", "secret");
}

static void check_form(const char *value)
{
    static const char start[] =
        "AWS4-HMAC-SHA256 Credential=AKID/20260830/us-east-1/s3/aws4_request, "
        "SignedHeaders=";
    const char *signature = strstr(value, ", Signature=");

    assert(text_starts_with(value, start));
    while (signature && strstr(signature + 1, ", Signature="))
        signature = strstr(signature + 1, ", Signature=");
    assert(signature);
    signature += strlen(", Signature=");
    assert(strspn(signature, "0123456789abcdef") == 64 && !signature[64]);
}

static void check_order(const struct sigv4_request *request,
                        const struct headers *headers, const char *expected)
{
    auto_free char *query = reversed_query(request->query);
    char **others = NULL;
    struct sigv4_request other = *request;
    auto_free char *value = NULL;

    others = xcalloc(1, sizeof *others);
    for (size_t i = headers->count; i-- > 0;)
        words_add(&others, spelled(headers->items[i]));
    other.query = query;
    other.headers = (const char *const *)others;
    value = sign(&other);
    assert(strcmp(value, expected) == 0);
    words_free(others);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    char *lines = text;
    char *path = fuzz_line(&lines);
    struct headers headers = { 0 };
    struct sigv4_request request = { .method = strsep(&path, " "),
                                     .path = path ? path : "/",
                                     .query = fuzz_line(&lines),
                                     .payload_hash = fuzz_line(&lines),
                                     .headers = headers.items };
    auto_free char *value = NULL;
    auto_free char *of_other_body = NULL;

    if (!request.query || !request.payload_hash)
        return 0;
    read_headers(lines, &headers);
    value = sign(&request);
    check_form(value);
    check_order(&request, &headers, value);
    request.payload_hash = strcmp(request.payload_hash, "x") == 0 ? "y" : "x";
    of_other_body = sign(&request);
    assert(strcmp(value, of_other_body) != 0);
    return 0;
}
