/* One object to its reader, in order: for what is never a file.  Decides that a lost
 * connection is made again where it was. */

#include "src/digest.h"
#include "src/s3.h"
#include "src/s3_call.h"

#include <stdlib.h>
#include <string.h>

/* After so many bytes more, a call has all its tries again: a stream of hours may lose
 * many connections, one that gets nowhere must end. */
enum {
    FORGIVE_BYTES = S3_PART_BYTES
};

struct stream {
    s3_bytes_t *on_bytes;
    void *context;
    struct digest *md5; /* or NULL */
    bool ended;         /* the reader wants no more, as `err` says */
    struct err *err;
};

static void pass_bytes(void *context, const char *bytes, size_t len)
{
    struct stream *stream = context;

    if (stream->ended)
        return;
    if (stream->md5)
        digest_add(stream->md5, bytes, len);
    stream->ended = stream->on_bytes(stream->context, bytes, len, stream->err) < 0;
}

static int run(struct s3_call *call, const struct stream *stream, struct err *err)
{
    int64_t forgiven_at = 0;

    while (!s3_call_step(call)) {
        if (stream->ended)
            return -1;
        s3_wait(call->s3, &call, 1);
        if (call->got - forgiven_at >= FORGIVE_BYTES) {
            s3_call_forgive(call);
            forgiven_at = call->got;
        }
    }
    if (stream->ended)
        return -1;
    if (call->failed)
        *err = call->err;
    return call->failed ? -1 : 0;
}

static int check_md5(struct stream *stream, const struct s3_call *call, struct err *err)
{
    char hex[DIGEST_HEX_SIZE];

    if (!stream->md5 || s3_etag_is_opaque(call->transfer))
        return 0;
    digest_free(stream->md5, hex);
    stream->md5 = NULL;
    if (strcmp(hex, call->if_match) == 0)
        return 0;
    return err_set(
        err, ERR_INTERNAL,
        "s3://%s/%s: the bytes that came have another MD5 than its ETag says",
        call->bucket, call->key);
}

int s3_stream(struct s3 *s3, const struct s3_wanted *wanted, int64_t offset,
              s3_bytes_t *on_bytes, void *context, struct err *err)
{
    struct stream stream = { .on_bytes = on_bytes, .context = context, .err = err };
    auto_call struct s3_call call = {
        .s3 = s3,
        .method = "GET",
        .bucket = wanted->bucket,
        .key = wanted->key,
        .if_match = wanted->etag,
        .offset = offset,
        .len = wanted->size - offset,
        .whole = offset == 0,
        .on_bytes = pass_bytes,
        .context = &stream,
    };
    int result;

    if (call.len <= 0)
        return 0;
    if (offset == 0 && s3_etag_is_md5(wanted->etag))
        stream.md5 = digest_md5_new();
    result = run(&call, &stream, err);
    if (result == 0)
        result = check_md5(&stream, &call, err);
    digest_free(stream.md5, NULL);
    return result;
}
