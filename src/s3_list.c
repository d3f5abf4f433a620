/* Lists a bucket by ListObjectsV2, page after page. */

#include "src/http_client.h"
#include "src/s3.h"
#include "src/s3_call.h"
#include "src/s3_xml.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* As S3 encodes keys under encoding-type=url: a blank is "+".  In place. */
static void decode_key(char *key)
{
    char *to = key;

    for (const char *at = key; *at; at++) {
        if (*at == '%' && text_hex_digit(at[1]) >= 0 && text_hex_digit(at[2]) >= 0) {
            *to++ = (char)(text_hex_digit(at[1]) << 4 | text_hex_digit(at[2]));
            at += 2;
        } else {
            *to++ = *at == '+' ? ' ' : *at;
        }
    }
    *to = '\0';
}

static int take_object(struct xml row, bool encoded, s3_object_t *on_object,
                       void *context, struct err *err)
{
    auto_free char *key = xml_text(row, "Key");
    auto_free char *size = xml_text(row, "Size");
    auto_free char *quoted = xml_text(row, "ETag");
    auto_free char *etag = s3_etag(quoted);
    char *end = NULL;
    struct s3_object object = { .key = key, .etag = etag };

    if (key && encoded)
        decode_key(key);
    if (size && *size)
        object.size = strtoll(size, &end, 10);
    if (!key || !*key || !end || *end || object.size < 0)
        return err_set(err, ERR_UNAVAILABLE,
                       "the server's listing has an object without key or size");
    return on_object(context, &object, err);
}

/* Hands on one page; *next is the token of the next one, or NULL: it was the last. */
static int take_page(const struct http_answer *answer, s3_object_t *on_object,
                     void *context, char **next, struct err *err)
{
    struct xml body = { answer->body, answer->body + answer->len };
    auto_free char *encoding = xml_text(body, "EncodingType");
    auto_free char *truncated = xml_text(body, "IsTruncated");
    bool encoded = encoding && strcmp(encoding, "url") == 0;
    struct xml row;

    if (!truncated)
        return err_set(err, ERR_UNAVAILABLE,
                       "the server's answer is no listing: is the endpoint S3's?");
    *next = NULL;
    if (strcmp(truncated, "true") == 0) {
        *next = xml_text(body, "NextContinuationToken");
        if (!*next)
            return err_set(err, ERR_UNAVAILABLE,
                           "the server's listing has no token for the rest");
    }
    while (xml_take(&body, "Contents", &row))
        if (take_object(row, encoded, on_object, context, err) < 0)
            return -1;
    return 0;
}

static char *page_query(const char *prefix, const char *token)
{
    struct text query = { 0 };

    if (token) {
        text_puts(&query, "continuation-token=");
        http_add_encoded(&query, token);
        text_puts(&query, "&");
    }
    text_puts(&query, "encoding-type=url&list-type=2&prefix=");
    http_add_encoded(&query, prefix);
    return text_steal(&query);
}

int s3_list(struct s3 *s3, const char *bucket, const char *prefix,
            s3_object_t *on_object, void *context, struct err *err)
{
    auto_free char *token = NULL;

    do {
        auto_free char *query = page_query(prefix, token);
        auto_call struct s3_call call = { .s3 = s3,
                                          .method = "GET",
                                          .bucket = bucket,
                                          .query = query };

        free(token);
        token = NULL;
        if (s3_call_perform(&call, err) < 0)
            return err_wrap(err, "listing s3://%s/%s", bucket, prefix);
        if (take_page(&call.answer, on_object, context, &token, err) < 0)
            return err_wrap(err, "listing s3://%s/%s", bucket, prefix);
    } while (token);
    return 0;
}
