/* The names of S3, its client, and the verbs that take one request. */

#include "src/s3.h"

#include "src/s3_call.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* S3's rules for names of buckets, with what older buckets may have besides. */
enum {
    BUCKET_LEN_MIN = 3,
    BUCKET_LEN_MAX = 63,
    KEY_LEN_MAX = 1024
};

int s3_uri_parse(const char *uri, struct s3_uri *out, struct err *err)
{
    static const char scheme[] = "s3://";
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    const char *bucket;
    const char *slash;
    size_t len;

    if (!text_starts_with(uri, scheme))
        return err_set(err, ERR_INVALID, "%s: expected s3://BUCKET/KEY", uri);
    bucket = uri + strlen(scheme);
    len = strcspn(bucket, "/");
    if (len < BUCKET_LEN_MIN || len > BUCKET_LEN_MAX || strspn(bucket, letters) < len)
        return err_set(err, ERR_INVALID,
                       "%s: a bucket's name is %d to %d letters, digits, dots and "
                       "hyphens",
                       uri, BUCKET_LEN_MIN, BUCKET_LEN_MAX);
    slash = bucket + len;
    if (*slash == '/')
        slash++;
    if (strlen(slash) > KEY_LEN_MAX)
        return err_set(err, ERR_INVALID, "%.80s...: a key has at most %d bytes", uri,
                       KEY_LEN_MAX);
    if (!text_is_utf8(slash, strlen(slash)))
        return err_set(err, ERR_INVALID, "%s: a key is UTF-8", uri);
    out->bucket = xstrndup(bucket, len);
    out->key = xstrdup(slash);
    return 0;
}

void s3_uri_clear(struct s3_uri *uri)
{
    free(uri->bucket);
    free(uri->key);
    *uri = (struct s3_uri){ 0 };
}

/* Where AWS serves a region: "Amazon S3 endpoints and quotas". */
static char *aws_endpoint(const char *region)
{
    return xasprintf("https://s3.%s.amazonaws.com%s", region,
                     text_starts_with(region, "cn-") ? ".cn" : "");
}

int s3_new(const struct storage *storage, struct s3 **out, struct err *err)
{
    auto_s3 struct s3 *s3 = xcalloc(1, sizeof *s3);
    struct http_server server = { 0 };
    size_t len;

    storage_copy(&s3->storage, storage);
    if (!s3->storage.region)
        s3->storage.region = xstrdup("us-east-1");
    s3->url = storage->endpoint ? xstrdup(storage->endpoint)
                                : aws_endpoint(s3->storage.region);
    len = strlen(s3->url);
    while (len > 0 && s3->url[len - 1] == '/')
        s3->url[--len] = '\0';
    server.url = s3->url;
    if (http_client_new(&server, &s3->http, err) < 0)
        return err_wrap(err, "s3 endpoint");
    s3->secure = text_starts_with(s3->url, "https://");
    s3->host = strstr(s3->url, "://") + strlen("://");
    if (!*s3->host || strpbrk(s3->host, "/?#@ "))
        return err_set(err, ERR_INVALID,
                       "s3 endpoint: %s: expected http://HOST[:PORT] or https://...",
                       s3->url);
    *out = steal_ptr(&s3);
    return 0;
}

void s3_free(struct s3 *s3)
{
    if (!s3)
        return;
    http_client_free(s3->http);
    storage_clear(&s3->storage);
    free(s3->url);
    free(s3);
}

void s3_cleanup(struct s3 **s3)
{
    s3_free(*s3);
}

int s3_head(struct s3 *s3, const char *bucket, const char *key, s3_object_t *on_object,
            void *context, struct err *err)
{
    auto_call struct s3_call call = { .s3 = s3,
                                      .method = "HEAD",
                                      .bucket = bucket,
                                      .key = key };
    struct s3_object object = { .key = key };
    auto_free char *etag = NULL;
    const char *size;

    if (s3_call_perform(&call, err) < 0)
        return -1;
    size = http_header(call.transfer, "Content-Length");
    object.size = size ? strtoll(size, NULL, 10) : -1;
    etag = s3_etag(http_header(call.transfer, "ETag"));
    object.etag = etag;
    if (object.size < 0) {
        auto_free char *name = s3_name(bucket, key);

        return err_set(err, ERR_UNAVAILABLE, "%s: the server does not say its size",
                       name);
    }
    return on_object(context, &object, err);
}

int s3_delete(struct s3 *s3, const struct s3_uri *which, struct err *err)
{
    auto_call struct s3_call call = { .s3 = s3,
                                      .method = "DELETE",
                                      .bucket = which->bucket,
                                      .key = which->key };

    return s3_call_perform(&call, err);
}
