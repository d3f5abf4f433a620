#ifndef API_EXCHANGE_H
#define API_EXCHANGE_H

#include "api/reply.h"
#include "api/request.h"
#include "api/routes.h"
#include "src/text.h"

/*
 * One request and its answer, from the headers on, without the HTTP library: begin,
 * parameters, enter, body, answer, in this order.  As soon as `reply.status` is set the
 * answer is decided, and what still comes of the request is of no weight.
 */

/* What the headers say that decides whether a request is taken in. */
struct envelope {
    const char *method;
    const char *path; /* percent-decoded, without the query */
    const char *host; /* or NULL, as the next ones */
    const char *origin;
    const char *content_length;
    const char *transfer_encoding;
    const char *expect;
    int framings;      /* headers that say how long the body is */
    size_t head_bytes; /* the request line and the headers */
    bool by_tcp;
};

/* Of the request line and the headers, and of what the path and the query may have of
 * it: twice and as much as the 8000 bytes that RFC 9110, 4.1 wants taken. */
enum {
    EXCHANGE_HEAD_MAX = 16384,
    EXCHANGE_TARGET_MAX = 8192
};

struct exchange {
    struct api *api;
    struct request request;
    struct reply reply;
    struct problems problems; /* of the query parameters */
    struct text body;
    int64_t announced;   /* bytes of body; -1: some, unknown how many */
    int64_t body_taken;  /* bytes that came for `body` */
    int64_t dropped;     /* bytes that came and were of no use */
    size_t target_bytes; /* of path and query */
    bool waits_to_send;  /* the client sends its body only when it is told to */
    bool is_misframed;   /* nobody can tell where the body ends */
};

/** Refuses web pages and finds the route. */
void exchange_begin(struct exchange *exchange, struct api *api,
                    const struct envelope *envelope);

void exchange_parameter(struct exchange *exchange, const char *name, const char *value,
                        size_t value_len);

/** The last that can be decided before any of the body has come. */
void exchange_enter(struct exchange *exchange);

/** Whether the answer, which is decided, goes out now and the connection is closed;
 * else the rest of the body is taken and dropped first, so that a client that sends
 * first and listens later hears why. */
bool exchange_answers_early(const struct exchange *exchange);

/** Takes a piece of the body.  False: there is too much of it to be taken and dropped;
 * cut the connection. */
bool exchange_body(struct exchange *exchange, const char *bytes, size_t len);

/** How much memory its body and its answer take. */
int64_t exchange_held(const struct exchange *exchange);

/** Refuses the request for what others hold; its own body is dropped. */
void exchange_refuse(struct exchange *exchange, const struct err *why);

/** The request is in, whole: has it answered unless it is.  The caller has set the
 * request's owner and headers.  True when the answer must wait for the next commit.
 * While reply.status is 0 after, it is to be called again in the next round. */
bool exchange_answer(struct exchange *exchange);

/** Frees what it holds. */
void exchange_clear(struct exchange *exchange);

#endif
