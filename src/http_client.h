#ifndef SRC_HTTP_CLIENT_H
#define SRC_HTTP_CLIENT_H

#include "src/base.h"
#include "src/err.h"

/*
 * The door to libcurl: HTTP requests to one server, several at a time, driven by
 * whoever waits (http_drive).  No redirects, no proxy: the server that was named is the
 * one that is asked.
 */

struct http_client;
struct http_transfer;

/* Exactly one of the two is set. */
struct http_server {
    const char *socket; /* path of a unix socket */
    const char *url;    /* http://HOST:PORT or https://HOST:PORT */
};

/* A collected answer above this is refused. */
enum {
    HTTP_ANSWER_MAX = 64 << 20
};

/* Bytes of an open file, read as they are sent. */
struct http_range {
    int fd; /* the caller's; stays open as long as the transfer */
    int64_t offset;
    int64_t len;
};

struct http_request {
    const char *method; /* GET, HEAD, POST, PUT, ... */
    const char *base; /* another server than the client's, a URL that stays; or NULL */
    const char *path; /* from the first slash on, with its query, encoded */
    const char *const *headers; /* "Name: value", ends in NULL; or NULL */
    const char *body;           /* NUL-terminated text, copied; or NULL */
    const char *body_file;      /* path of a file to send as the body; or NULL */
    const struct http_range *body_range; /* what of a file to send; or NULL */
    int deadline_s;                      /* of the whole transfer; 0: none (a stream) */
    int stall_s; /* below a byte a second for so long ends it; 0: never */
    /* The bytes of a 2xx answer as they come; NULL: they are collected. */
    void (*on_bytes)(void *context, const char *bytes, size_t len);
    /* How much of the file is sent; NULL: nobody watches. */
    void (*on_sent)(void *context, int64_t sent, int64_t total);
    void *context;
};

struct http_answer {
    int status;
    const char *body; /* NUL behind; "" when there is none or on_bytes took it */
    size_t len;
};

/** ERR_INVALID when the server's address cannot be one.  The caller frees, after its
 * transfers. */
MUST_CHECK int http_client_new(const struct http_server *server,
                               struct http_client **out, struct err *err);
void http_client_free(struct http_client *client);

/** Begins a request; it goes on in http_drive.  The caller frees the transfer. */
MUST_CHECK int http_start(struct http_client *client,
                          const struct http_request *request,
                          struct http_transfer **out, struct err *err);

/** Moves every transfer on, waiting up to `timeout_ms` for something to happen.  A
 * signal may end the wait early. */
void http_drive(struct http_client *client, int timeout_ms);

bool http_is_done(const struct http_transfer *transfer);

/** Of an answer that has begun, within on_bytes too: its status, and a header by name,
 * or NULL; borrowed until the transfer goes on. */
int http_status(const struct http_transfer *transfer);
const char *http_header(const struct http_transfer *transfer, const char *name);

/**
 * What a done transfer brought; `answer` points into it.  An answer with an error
 * status is an answer.
 *
 * ERR_UNAVAILABLE when no complete answer came: not reached, lost on the way, deadline
 * over. ERR_LIMIT above HTTP_ANSWER_MAX. ERR_INTERNAL when what is sent could not be
 * read.
 */
MUST_CHECK int http_result(const struct http_transfer *transfer,
                           struct http_answer *answer, struct err *err);

/** Ends the transfer when it is not done.  NULL is well. */
void http_transfer_free(struct http_transfer *transfer);
void http_transfer_cleanup(struct http_transfer **transfer);
#define auto_transfer __attribute__((cleanup(http_transfer_cleanup)))

/** http_start and http_drive until it is done; http_result is set in `answer`.  The
 * caller frees the transfer, which is set whenever 0 is returned. */
MUST_CHECK int http_perform(struct http_client *client,
                            const struct http_request *request,
                            struct http_transfer **out, struct http_answer *answer,
                            struct err *err);

struct text;

/** Adds `words` percent-encoded (RFC 3986: all but letters, digits and -._~). */
void http_add_encoded(struct text *text, const char *words);

#endif
