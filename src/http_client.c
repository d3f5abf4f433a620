/*
 * Requests by libcurl's multi interface.  Decides how a request is put on the wire and
 * what counts as no answer; does not decide whether to try again or what an answer
 * means.
 */

#include "src/http_client.h"

#include "src/text.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct http_client {
    CURLM *multi;
    char *socket; /* or NULL */
    char *base;   /* scheme and host, no slash behind */
    char *where;  /* for messages: "unix:/run/railhead/railhead.sock" or the URL */
};

struct http_transfer {
    struct http_client *client;
    CURL *easy;
    struct curl_slist *headers;
    int body_file;           /* ours; or -1 */
    struct http_range range; /* what is sent of a file */
    int64_t sent;
    const char *unread; /* why it could not be read; or NULL */
    const char *where;  /* for messages */
    struct text body;
    void (*on_bytes)(void *context, const char *bytes, size_t len);
    void (*on_sent)(void *context, int64_t sent, int64_t total);
    void *context;
    bool done;
    bool too_long;
    CURLcode result;
    char detail[CURL_ERROR_SIZE];
};

/* Reaching a daemon on this host takes no time; over a network a round trip or two. */
enum {
    CONNECT_TIMEOUT_S = 5
};

/* libcurl takes what a socket has in pieces of this size: fewer calls than with its
 * 16 KiB, where an answer is long. */
enum {
    STREAM_BUFFER_BYTES = 256 << 10
};

static bool is_http_url(const char *url)
{
    return text_starts_with(url, "http://") || text_starts_with(url, "https://");
}

int http_client_new(const struct http_server *server, struct http_client **out,
                    struct err *err)
{
    struct http_client *client;
    size_t len;

    if (!server->socket && !is_http_url(server->url))
        return err_set(err, ERR_INVALID, "%s: a server is http://HOST:PORT",
                       server->url);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return err_set(err, ERR_INTERNAL, "libcurl does not start");
    client = xcalloc(1, sizeof *client);
    client->multi = curl_multi_init();
    client->socket = xstrdup(server->socket);
    client->base = xstrdup(server->socket ? "http://localhost" : server->url);
    len = strlen(client->base);
    while (len > 0 && client->base[len - 1] == '/')
        client->base[--len] = '\0';
    client->where =
        server->socket ? xasprintf("unix:%s", server->socket) : xstrdup(client->base);
    *out = client;
    return 0;
}

void http_client_free(struct http_client *client)
{
    if (!client)
        return;
    curl_multi_cleanup(client->multi);
    free(client->socket);
    free(client->base);
    free(client->where);
    free(client);
    curl_global_cleanup();
}

static size_t on_write(char *bytes, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    size_t len = size * count;
    int status = http_status(transfer);

    if (transfer->on_bytes && status >= 200 && status < 300) {
        transfer->on_bytes(transfer->context, bytes, len);
        return len;
    }
    if (transfer->body.len + len > HTTP_ANSWER_MAX) {
        transfer->too_long = true;
        return 0;
    }
    text_add(&transfer->body, bytes, len);
    return len;
}

static int on_progress(void *context, curl_off_t down_total, curl_off_t down,
                       curl_off_t up_total, curl_off_t up)
{
    const struct http_transfer *transfer = context;

    (void)down_total;
    (void)down;
    transfer->on_sent(transfer->context, up, up_total);
    return 0;
}

/* What the file no longer has ends the transfer: it shrank. */
static size_t on_read(char *bytes, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    int64_t left = transfer->range.len - transfer->sent;
    size_t room = size * count;
    ssize_t got;

    if (left == 0)
        return 0;
    if ((int64_t)room > left)
        room = (size_t)left;
    got = pread(transfer->range.fd, bytes, room,
                (off_t)(transfer->range.offset + transfer->sent));
    if (got <= 0) {
        transfer->unread = got < 0 ? strerror(errno) : "the file became shorter";
        return CURL_READFUNC_ABORT;
    }
    transfer->sent += got;
    return (size_t)got;
}

/* For a request that is sent once more, on a connection that is not stale. */
static int on_seek(void *context, curl_off_t offset, int origin)
{
    struct http_transfer *transfer = context;

    if (origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    transfer->sent = offset;
    return CURL_SEEKFUNC_OK;
}

static void set_upload(struct http_transfer *transfer)
{
    CURL *easy = transfer->easy;

    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, (void *)transfer);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, (void *)transfer);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->range.len);
    if (transfer->on_sent) {
        curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
        curl_easy_setopt(easy, CURLOPT_XFERINFODATA, (void *)transfer);
        curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    }
}

static int open_body_file(struct http_transfer *transfer, const char *path,
                          struct err *err)
{
    struct stat st;

    transfer->body_file = open(path, O_RDONLY | O_CLOEXEC);
    if (transfer->body_file < 0 || fstat(transfer->body_file, &st) < 0)
        return err_sys(err, errno, "open %s", path);
    transfer->range =
        (struct http_range){ .fd = transfer->body_file, .len = st.st_size };
    return 0;
}

static void set_address(struct http_transfer *transfer,
                        const struct http_request *request)
{
    const struct http_client *client = transfer->client;
    auto_free char *url =
        xasprintf("%s%s", request->base ? request->base : client->base, request->path);

    curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
    /* "/../" is a part of a key in S3, and elsewhere the server's to judge. */
    curl_easy_setopt(transfer->easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(transfer->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(transfer->easy, CURLOPT_USERAGENT, "railhead/" PACKAGE_VERSION);
    if (client->socket)
        curl_easy_setopt(transfer->easy, CURLOPT_UNIX_SOCKET_PATH, client->socket);
}

static void set_headers(struct http_transfer *transfer, const char *const *headers)
{
    /* Without this a long body waits a second for a "100 Continue". */
    transfer->headers = curl_slist_append(NULL, "Expect:");
    for (size_t i = 0; headers && headers[i]; i++)
        transfer->headers = curl_slist_append(transfer->headers, headers[i]);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

/* Its size first: of a text of its own length libcurl takes 8 MB, and else nothing of
 * it. */
static void set_body(struct http_transfer *transfer, const char *body)
{
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)strlen(body));
    curl_easy_setopt(transfer->easy, CURLOPT_COPYPOSTFIELDS, body);
}

static int set_all(struct http_transfer *transfer, const struct http_request *request,
                   struct err *err)
{
    CURL *easy = transfer->easy;

    set_address(transfer, request);
    set_headers(transfer, request->headers);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, (void *)transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->detail);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)request->deadline_s);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, request->stall_s > 0 ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)request->stall_s);
    if (request->on_bytes)
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)STREAM_BUFFER_BYTES);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, (void *)transfer);
    if (strcmp(request->method, "HEAD") == 0)
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    else if (request->body)
        set_body(transfer, request->body);
    else if (strcmp(request->method, "POST") == 0)
        set_body(transfer, "");
    if (request->body_file && open_body_file(transfer, request->body_file, err) < 0)
        return -1;
    if (request->body_range)
        transfer->range = *request->body_range;
    if (request->body_file || request->body_range)
        set_upload(transfer);
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
    return 0;
}

int http_start(struct http_client *client, const struct http_request *request,
               struct http_transfer **out, struct err *err)
{
    auto_transfer struct http_transfer *transfer = xcalloc(1, sizeof *transfer);

    transfer->client = client;
    transfer->body_file = -1;
    transfer->where = request->base ? request->base : client->where;
    transfer->on_bytes = request->on_bytes;
    transfer->on_sent = request->on_sent;
    transfer->context = request->context;
    transfer->easy = curl_easy_init();
    if (!transfer->easy)
        return err_set(err, ERR_INTERNAL, "libcurl does not start");
    if (set_all(transfer, request, err) < 0)
        return -1;
    if (curl_multi_add_handle(client->multi, transfer->easy) != CURLM_OK)
        return err_set(err, ERR_INTERNAL, "libcurl takes no further request");
    *out = steal_ptr(&transfer);
    return 0;
}

/* Marks what has ended; false when nothing has. */
static bool collect(struct http_client *client)
{
    CURLMsg *message;
    bool any = false;
    int left;

    while ((message = curl_multi_info_read(client->multi, &left))) {
        struct http_transfer *transfer = NULL;
        char *owner = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
        transfer = (void *)owner;
        assert(transfer);
        transfer->result = message->data.result;
        transfer->done = true;
        any = true;
    }
    return any;
}

void http_drive(struct http_client *client, int timeout_ms)
{
    int running;

    curl_multi_perform(client->multi, &running);
    if (collect(client))
        return;
    curl_multi_poll(client->multi, NULL, 0, timeout_ms, NULL);
    curl_multi_perform(client->multi, &running);
    collect(client);
}

bool http_is_done(const struct http_transfer *transfer)
{
    return transfer->done;
}

int http_status(const struct http_transfer *transfer)
{
    long status = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

const char *http_header(const struct http_transfer *transfer, const char *name)
{
    struct curl_header *header;

    if (curl_easy_header(transfer->easy, name, 0, CURLH_HEADER, -1, &header)
        != CURLHE_OK)
        return NULL;
    return header->value;
}

static int no_answer(const struct http_transfer *transfer, struct err *err)
{
    const char *where = transfer->where;
    long os_errno = 0;

    if (transfer->unread)
        return err_set(err, ERR_INTERNAL, "%s: reading what is sent: %s", where,
                       transfer->unread);

    if (curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &os_errno) == CURLE_OK
        && os_errno != 0 && transfer->result == CURLE_COULDNT_CONNECT)
        return err_set(err, ERR_UNAVAILABLE, "%s: cannot connect: %s", where,
                       strerror((int)os_errno));
    return err_set(err, ERR_UNAVAILABLE, "%s: %s", where,
                   *transfer->detail ? transfer->detail
                                     : curl_easy_strerror(transfer->result));
}

int http_result(const struct http_transfer *transfer, struct http_answer *answer,
                struct err *err)
{
    if (transfer->too_long)
        return err_set(err, ERR_LIMIT, "%s: the answer is longer than %d bytes",
                       transfer->where, HTTP_ANSWER_MAX);
    if (transfer->result != CURLE_OK)
        return no_answer(transfer, err);
    answer->status = http_status(transfer);
    answer->body = transfer->body.bytes ? transfer->body.bytes : "";
    answer->len = transfer->body.len;
    return 0;
}

void http_transfer_free(struct http_transfer *transfer)
{
    if (!transfer)
        return;
    if (transfer->easy) {
        curl_multi_remove_handle(transfer->client->multi, transfer->easy);
        curl_easy_cleanup(transfer->easy);
    }
    curl_slist_free_all(transfer->headers);
    base_close(&transfer->body_file);
    text_clear(&transfer->body);
    free(transfer);
}

void http_transfer_cleanup(struct http_transfer **transfer)
{
    http_transfer_free(*transfer);
}

int http_perform(struct http_client *client, const struct http_request *request,
                 struct http_transfer **out, struct http_answer *answer,
                 struct err *err)
{
    auto_transfer struct http_transfer *transfer = NULL;

    if (http_start(client, request, &transfer, err) < 0)
        return -1;
    while (!http_is_done(transfer))
        http_drive(client, 1000);
    if (http_result(transfer, answer, err) < 0)
        return -1;
    *out = steal_ptr(&transfer);
    return 0;
}

void http_add_encoded(struct text *text, const char *words)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~";

    for (; *words; words++) {
        if (strchr(plain, *words))
            text_add(text, words, 1);
        else
            text_printf(text, "%%%02X", (unsigned int)(unsigned char)*words);
    }
}
