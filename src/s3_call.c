/*
 * One request to S3: its address, signature and tries.  Decides what is tried again,
 * when, and what an error answer means; does not know what the request is for.
 */

#include "src/s3_call.h"

#include "src/clock.h"
#include "src/digest.h"
#include "src/s3_xml.h"
#include "src/sigv4.h"
#include "src/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* The n-th pause is anything up to 0.5 s * 2^(n-1): full jitter, so that the workers of
 * a job do not come back together.  Over S3_TRIES tries at most 7.5 s. */
#define PAUSE_FIRST (USEC_PER_SEC / 2)

enum {
    WAIT_MAX_MS = 1000,
    HASH_BLOCK_BYTES = 64 << 10,
    MD5_HEX_LEN = 32
};

/* What S3 means by its codes ("Error responses"), where the status does not say it, and
 * what helps.  A row without code is any other of its status. */
/* clang-format off */
static const struct refusal {
    int status;
    const char *code;
    enum err_code means;
    bool again;
    const char *remedy;
} refusals[] = {
    { 400, "RequestTimeout",               ERR_UNAVAILABLE, true,  NULL },
    { 400, "ExpiredToken",                 ERR_DENIED,      false, "the temporary keys have ended: get new ones" },
    { 400, "InvalidToken",                 ERR_DENIED,      false, "is the session token that of the keys?" },
    { 400, "AuthorizationHeaderMalformed", ERR_INVALID,     false, "is the region of `s3` in railhead.yaml the bucket's?" },
    { 301, NULL,                           ERR_INVALID,     false, "is the region of `s3` in railhead.yaml the bucket's?" },
    { 307, NULL,                           ERR_INVALID,     false, "is the region of `s3` in railhead.yaml the bucket's?" },
    { 403, "SignatureDoesNotMatch",        ERR_DENIED,      false, "is the secret key right?" },
    { 403, "InvalidAccessKeyId",           ERR_DENIED,      false, "is the access key one of this endpoint?" },
    { 403, "RequestTimeTooSkewed",         ERR_DENIED,      false, "is this host's clock right?" },
    { 403, NULL,                           ERR_DENIED,      false, "the keys of `s3` in railhead.yaml need the right to it: "
                                                                   "s3:ListBucket, s3:GetObject or s3:PutObject" },
    { 404, "NoSuchBucket",                 ERR_NOT_FOUND,   false, "are the bucket's name and the endpoint right?" },
    { 404, NULL,                           ERR_NOT_FOUND,   false, "is its name right, or was it deleted since it was listed?" },
    { 412, NULL,                           ERR_CONFLICT,    false, "it changed since it was listed: begin again when nobody writes to it" },
    { 416, NULL,                           ERR_CONFLICT,    false, "it changed since it was listed: begin again when nobody writes to it" },
    { 408, NULL,                           ERR_UNAVAILABLE, true,  NULL },
    { 429, NULL,                           ERR_UNAVAILABLE, true,  "fewer workers at a time, or try later" },
    { 500, NULL,                           ERR_UNAVAILABLE, true,  "try later" },
    { 502, NULL,                           ERR_UNAVAILABLE, true,  "try later" },
    { 503, NULL,                           ERR_UNAVAILABLE, true,  "try later" },
    { 504, NULL,                           ERR_UNAVAILABLE, true,  "try later" },
};
/* clang-format on */

char *s3_name(const char *bucket, const char *key)
{
    return xasprintf("s3://%s/%s", bucket, key ? key : "");
}

char *s3_etag(const char *header)
{
    size_t len = header ? strlen(header) : 0;

    if (len >= 2 && header[0] == '"' && header[len - 1] == '"')
        return xstrndup(header + 1, len - 2);
    return xstrdup(header ? header : "");
}

bool s3_etag_is_md5(const char *etag)
{
    return etag && strlen(etag) == MD5_HEX_LEN
           && strspn(etag, "0123456789abcdef") == MD5_HEX_LEN;
}

/* "Checking object integrity". */
bool s3_etag_is_opaque(const struct http_transfer *transfer)
{
    const char *by = http_header(transfer, "x-amz-server-side-encryption");

    return (by && text_starts_with(by, "aws:kms"))
           || http_header(transfer, "x-amz-server-side-encryption-customer-algorithm");
}

/* --- the address --- */

/* A bucket with a dot is no name that a certificate of *.HOST covers. */
static bool is_virtual(const struct s3 *s3, const char *bucket)
{
    return s3->storage.addressing == S3_VIRTUAL && !(s3->secure && strchr(bucket, '.'));
}

/* Each byte but the unreserved ones and "/" encoded once: what is sent is what is
 * signed. */
static void add_key(struct text *path, const char *key)
{
    auto_free char *copy = xstrdup(key);
    char *rest = copy;
    const char *step;

    while ((step = strsep(&rest, "/"))) {
        text_puts(path, "/");
        http_add_encoded(path, step);
    }
}

static void set_address(struct s3_call *call)
{
    const struct s3 *s3 = call->s3;
    bool in_host = is_virtual(s3, call->bucket);
    struct text path = { 0 };

    if (in_host)
        call->base = xasprintf("%s://%s.%s", s3->secure ? "https" : "http",
                               call->bucket, s3->host);
    else
        call->base = xstrdup(s3->url);
    if (!in_host)
        text_printf(&path, "/%s", call->bucket);
    if (call->key)
        add_key(&path, call->key);
    else if (in_host)
        text_puts(&path, "/");
    call->target = text_steal(&path);
}

/* --- the signature --- */

/* SHA-256 of what is sent, where nothing else guards it on the way. */
static int set_payload_hash(struct s3_call *call, struct err *err)
{
    char hex[DIGEST_HEX_SIZE];
    auto_free char *block = NULL;
    struct digest *digest;
    int64_t done = 0;
    ssize_t got = 1;

    if (call->body.len == 0 || call->s3->secure) {
        call->payload_hash =
            xstrdup(call->body.len == 0 ? EMPTY_HASH : "UNSIGNED-PAYLOAD");
        return 0;
    }
    block = xmalloc(HASH_BLOCK_BYTES);
    digest = digest_new();
    while (done < call->body.len && got > 0) {
        size_t room = call->body.len - done < HASH_BLOCK_BYTES
                          ? (size_t)(call->body.len - done)
                          : HASH_BLOCK_BYTES;

        got = pread(call->body.fd, block, room, (off_t)(call->body.offset + done));
        if (got > 0) {
            digest_add(digest, block, (size_t)got);
            done += got;
        }
    }
    digest_free(digest, hex);
    if (got < 0)
        return err_sys(err, errno, "reading what is sent");
    if (got == 0)
        return err_set(err, ERR_INTERNAL,
                       "reading what is sent: the file became shorter");
    call->payload_hash = xstrdup(hex);
    return 0;
}

static void add_signature(const struct s3_call *call, char ***headers)
{
    const struct storage *storage = &call->s3->storage;
    auto_free char *authorization = NULL;
    char at[SIGV4_TIME_SIZE];
    struct sigv4_scope scope = { at, storage->region, "s3" };
    struct sigv4_request request = {
        call->method, call->target,       call->query ? call->query : "",
        NULL,         call->payload_hash,
    };

    sigv4_time(clock_wall(), at);
    words_add(headers, xasprintf("X-Amz-Date: %s", at));
    words_add(headers, xasprintf("X-Amz-Content-Sha256: %s", call->payload_hash));
    if (storage->session_token)
        words_add(headers,
                  xasprintf("X-Amz-Security-Token: %s", storage->session_token));
    request.headers = (const char *const *)*headers;
    authorization =
        sigv4_authorization(&request, &scope, storage->access_key, storage->secret_key);
    words_add(headers, xasprintf("Authorization: %s", authorization));
}

/* Host first: all that is signed comes before what is not. */
static char **make_headers(const struct s3_call *call)
{
    char **headers = NULL;

    words_add(&headers, xasprintf("Host: %s", strstr(call->base, "://") + 3));
    if (call->s3->storage.access_key)
        add_signature(call, &headers);
    if (call->if_match && *call->if_match)
        words_add(&headers, xasprintf("If-Match: \"%s\"", call->if_match));
    if (call->on_bytes && (!call->whole || call->got > 0))
        words_add(&headers, xasprintf("Range: bytes=%jd-%jd",
                                      (intmax_t)(call->offset + call->got),
                                      (intmax_t)(call->offset + call->len - 1)));
    if (call->method[0] == 'P') /* PUT, POST */
        words_add(&headers, xstrdup("Content-Type: application/octet-stream"));
    return headers;
}

/* --- a try --- */

/* Bytes go on only when they are those that were asked for. */
static void take_bytes(void *context, const char *bytes, size_t len)
{
    struct s3_call *call = context;
    bool ranged = !call->whole || call->got_at_start > 0;

    if (http_status(call->transfer) != (ranged ? 206 : 200)
        || (int64_t)len > call->len - call->got)
        call->range_wrong = true;
    if (call->range_wrong)
        return;
    call->got += (int64_t)len;
    call->on_bytes(call->context, bytes, len);
}

static int begin_try(struct s3_call *call, struct err *err)
{
    auto_free char *path = NULL;
    char **headers;
    struct http_request request = {
        .method = call->method,
        .stall_s = S3_STALL_S,
        .on_bytes = call->on_bytes ? take_bytes : NULL,
        .context = call,
    };
    int result;

    if (!call->target)
        set_address(call);
    if (!call->payload_hash && set_payload_hash(call, err) < 0)
        return -1;
    path = xasprintf("%s%s%s", call->target, call->query ? "?" : "",
                     call->query ? call->query : "");
    headers = make_headers(call);
    request.base = call->base;
    request.path = path;
    request.headers = (const char *const *)headers;
    if (call->method[0] == 'P')
        request.body_range = &call->body;
    call->tries++;
    call->got_at_start = call->got;
    result = http_start(call->s3->http, &request, &call->transfer, err);
    words_free(headers);
    return result;
}

/* --- its answer --- */

static const struct refusal *find_refusal(int status, const char *code)
{
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        if (refusals[i].status == status
            && (!refusals[i].code || (code && strcmp(refusals[i].code, code) == 0)))
            return &refusals[i];
    return NULL;
}

/* S3's own words for an error answer, into call->err; true: try again. */
static bool refuse(struct s3_call *call)
{
    struct xml body = { call->answer.body, call->answer.body + call->answer.len };
    auto_free char *code = xml_text(body, "Code");
    auto_free char *message = xml_text(body, "Message");
    const char *region = http_header(call->transfer, "x-amz-bucket-region");
    int status = call->answer.status;
    const struct refusal *row;

    /* An upload is completed with status 200 and then the error. */
    if (status == 200)
        status = code && strcmp(code, "InternalError") == 0 ? 500 : 503;
    row = find_refusal(status, code);
    err_set(&call->err, row ? row->means : err_code_of_http(status), "%d%s%s%s%s%s%s",
            status, code ? " " : "", code ? code : "", message ? ": " : "",
            message ? message : "", row && row->remedy ? "; " : "",
            row && row->remedy ? row->remedy : "");
    if (region && (status == 301 || status == 307 || status == 400))
        err_set(&call->err, ERR_INVALID,
                "%d: the bucket is in region %s, and `s3` in railhead.yaml says %s",
                status, region, call->s3->storage.region);
    return row && row->again;
}

static bool is_error_in_200(const struct s3_call *call)
{
    struct xml body = { call->answer.body, call->answer.body + call->answer.len };
    struct xml inner;

    return call->answer.len > 0 && xml_take(&body, "Error", &inner);
}

/* What came, into call->answer or call->err; 1: it is to be tried again. */
static int judge(struct s3_call *call)
{
    if (http_result(call->transfer, &call->answer, &call->err) < 0)
        return call->err.code == ERR_UNAVAILABLE ? 1 : -1;
    if (call->answer.status < 200 || call->answer.status > 299 || is_error_in_200(call))
        return refuse(call) ? 1 : -1;
    if (call->range_wrong || (call->on_bytes && call->got != call->len))
        return err_set(&call->err, ERR_CONFLICT,
                       "the answer is not the %jd bytes at %jd that were asked for: it "
                       "changed since it was listed, or the server does not serve "
                       "ranges",
                       (intmax_t)call->len, (intmax_t)call->offset);
    return 0;
}

static void end(struct s3_call *call, int result)
{
    auto_free char *name = s3_name(call->bucket, call->key);

    call->over = true;
    call->failed = result != 0;
    if (call->failed && call->tries > 1)
        err_wrap(&call->err, "%s %s (tried %d times)", call->method, name, call->tries);
    else if (call->failed)
        err_wrap(&call->err, "%s %s", call->method, name);
}

static usec_t pause_after(int tries)
{
    usec_t most = PAUSE_FIRST << (tries - 1);
    uint32_t random;

    random_bytes(&random, sizeof random);
    return (usec_t)(random % (uint32_t)most);
}

bool s3_call_step(struct s3_call *call)
{
    int result;

    if (call->over)
        return true;
    if (!call->transfer) {
        if (clock_boot() < call->due)
            return false;
        if (begin_try(call, &call->err) < 0)
            end(call, -1);
        return call->over;
    }
    if (!http_is_done(call->transfer))
        return false;
    result = judge(call);
    if (result <= 0 || call->tries >= S3_TRIES) {
        end(call, result);
        return true;
    }
    http_transfer_free(call->transfer);
    call->transfer = NULL;
    call->due = clock_boot() + pause_after(call->tries);
    return false;
}

void s3_call_forgive(struct s3_call *call)
{
    call->tries = 1;
}

void s3_wait(struct s3 *s3, struct s3_call *const *calls, size_t count)
{
    usec_t now = clock_boot();
    int wait_ms = WAIT_MAX_MS;

    for (size_t i = 0; i < count; i++) {
        const struct s3_call *call = calls[i];
        usec_t left;

        if (!call || call->over || call->transfer)
            continue;
        left = call->due > now ? (call->due - now) / USEC_PER_MSEC + 1 : 0;
        if (left < wait_ms)
            wait_ms = (int)left;
    }
    http_drive(s3->http, wait_ms);
}

int s3_call_perform(struct s3_call *call, struct err *err)
{
    while (!s3_call_step(call))
        s3_wait(call->s3, &call, 1);
    if (!call->failed)
        return 0;
    *err = call->err;
    return -1;
}

void s3_call_clear(struct s3_call *call)
{
    http_transfer_free(call->transfer);
    call->transfer = NULL;
    free(call->base);
    free(call->target);
    free(call->payload_hash);
    call->base = call->target = call->payload_hash = NULL;
}
