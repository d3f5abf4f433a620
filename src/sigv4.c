/*
 * AWS Signature Version 4, as AWS's "Signature Version 4 for API requests" has it.
 * Decides the canonical form of query and headers; does not encode the path, which for
 * S3 is signed as it is sent.
 */

#include "src/sigv4.h"

#include "src/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALGORITHM "AWS4-HMAC-SHA256"

enum {
    DATE_LEN = 8 /* of 20260830T123600Z */
};

void sigv4_time(usec_t wall, char out[SIGV4_TIME_SIZE])
{
    time_t seconds = (time_t)(wall / USEC_PER_SEC);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    strftime(out, SIGV4_TIME_SIZE, "%Y%m%dT%H%M%SZ", &parts);
}

/* By name, then value.  As plain text "a-b=" would come before "a=". */
static int compare_pairs(const void *left, const void *right)
{
    const char *a = *(char *const *)left;
    const char *b = *(char *const *)right;
    size_t a_len = strcspn(a, "=");
    size_t b_len = strcspn(b, "=");
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    if (order == 0 && a_len != b_len)
        order = a_len < b_len ? -1 : 1;
    return order ? order : strcmp(a + a_len, b + b_len);
}

/* Header names are told apart without regard to case. */
static int compare_headers(const void *left, const void *right)
{
    const char *a = *(const char *const *)left;
    const char *b = *(const char *const *)right;

    while (*a != ':' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    /* A name that ends comes first. */
    return (*a == ':' ? 0 : tolower((unsigned char)*a))
           - (*b == ':' ? 0 : tolower((unsigned char)*b));
}

static void add_query(struct text *canonical, const char *query)
{
    auto_free char *copy = xstrdup(query);
    char **pairs = NULL;
    char *rest = copy;
    char *pair;
    size_t count;

    while ((pair = strsep(&rest, "&")))
        if (*pair)
            words_add(&pairs,
                      strchr(pair, '=') ? xstrdup(pair) : xasprintf("%s=", pair));
    if (!pairs)
        return;
    count = words_count(pairs);
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++)
        text_printf(canonical, "%s%s", i > 0 ? "&" : "", pairs[i]);
    words_free(pairs);
}

static void add_name(struct text *text, const char *header)
{
    for (; *header != ':'; header++) {
        char lower = (char)tolower((unsigned char)*header);

        text_add(text, &lower, 1);
    }
}

/* Without blanks around it, and one for any run of blanks within. */
static void add_value(struct text *text, const char *header)
{
    const char *at = strchr(header, ':') + 1;

    at += strspn(at, " \t");
    while (*at) {
        size_t len = strcspn(at, " \t");

        text_add(text, at, len);
        at += len;
        at += strspn(at, " \t");
        if (*at)
            text_puts(text, " ");
    }
}

/* In their order; the caller frees the list. */
static const char **sorted_headers(const char *const *headers, size_t *count)
{
    const char **sorted;

    *count = 0;
    while (headers[*count])
        ++*count;
    sorted = xcalloc(*count + 1, sizeof *sorted);
    memcpy(sorted, headers, *count * sizeof *sorted);
    qsort(sorted, *count, sizeof *sorted, compare_headers);
    return sorted;
}

/* "host;x-amz-date" */
static void add_signed_names(struct text *text, const char *const *headers)
{
    size_t count;
    auto_free const char **sorted = sorted_headers(headers, &count);

    for (size_t i = 0; i < count; i++) {
        text_puts(text, i > 0 ? ";" : "");
        add_name(text, sorted[i]);
    }
}

static void add_headers(struct text *text, const char *const *headers)
{
    size_t count;
    auto_free const char **sorted = sorted_headers(headers, &count);

    for (size_t i = 0; i < count; i++) {
        add_name(text, sorted[i]);
        text_puts(text, ":");
        add_value(text, sorted[i]);
        text_puts(text, "\n");
    }
}

void sigv4_canonical_hash(const struct sigv4_request *request,
                          char hex[DIGEST_HEX_SIZE])
{
    auto_text struct text canonical = { 0 };

    text_printf(&canonical, "%s\n%s\n", request->method, request->path);
    add_query(&canonical, request->query);
    text_puts(&canonical, "\n");
    add_headers(&canonical, request->headers);
    text_puts(&canonical, "\n");
    add_signed_names(&canonical, request->headers);
    text_printf(&canonical, "\n%s", request->payload_hash);
    digest_bytes(canonical.bytes, canonical.len, hex);
}

/* 20260830/us-east-1/s3/aws4_request */
static char *scope_text(const struct sigv4_scope *scope)
{
    return xasprintf("%.*s/%s/%s/aws4_request", DATE_LEN, scope->time, scope->region,
                     scope->service);
}

void sigv4_signature(const char *canonical_hash, const struct sigv4_scope *scope,
                     const char *secret_key, char hex[DIGEST_HEX_SIZE])
{
    auto_free char *words = scope_text(scope);
    auto_free char *to_sign =
        xasprintf(ALGORITHM "\n%s\n%s\n%s", scope->time, words, canonical_hash);
    auto_free char *first = xasprintf("AWS4%s", secret_key);
    auto_free char *date = xstrndup(scope->time, DATE_LEN);
    unsigned char key[DIGEST_SIZE];

    digest_hmac(first, strlen(first), date, key);
    digest_hmac(key, sizeof key, scope->region, key);
    digest_hmac(key, sizeof key, scope->service, key);
    digest_hmac(key, sizeof key, "aws4_request", key);
    digest_hmac(key, sizeof key, to_sign, key);
    digest_to_hex(key, sizeof key, hex);
    explicit_bzero(first, strlen(first));
}

char *sigv4_authorization(const struct sigv4_request *request,
                          const struct sigv4_scope *scope, const char *access_key,
                          const char *secret_key)
{
    auto_free char *words = scope_text(scope);
    struct text value = { 0 };
    char hex[DIGEST_HEX_SIZE];

    text_printf(&value, ALGORITHM " Credential=%s/%s, SignedHeaders=", access_key,
                words);
    add_signed_names(&value, request->headers);
    sigv4_canonical_hash(request, hex);
    sigv4_signature(hex, scope, secret_key, hex);
    text_printf(&value, ", Signature=%s", hex);
    return text_steal(&value);
}
