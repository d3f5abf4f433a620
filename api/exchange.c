/*
 * Takes a request in, step by step, up to its handler.  Decides which requests reach
 * one, how much of a body is taken, and which answers wait for a commit; not what is
 * answered.
 */

#include "api/exchange.h"

#include "api/auth.h"
#include "api/upload.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A body that nobody wants is read up to here; beyond it the connection is closed. */
#define DISCARD_MAX (INT64_C(16) << 20)

static void check_browser(struct exchange *exchange, const struct envelope *envelope)
{
    switch (auth_check_browser(envelope->host, envelope->origin)) {
    case AUTH_OK:
        break;
    case AUTH_HOST:
        reply_problem(&exchange->reply, PROBLEM_HOST_REFUSED, NULL,
                      "Host is \"%.200s\"; use localhost, 127.0.0.1 or [::1]",
                      envelope->host ? envelope->host : "");
        break;
    case AUTH_ORIGIN:
        reply_problem(&exchange->reply, PROBLEM_ORIGIN_REFUSED, NULL,
                      "Origin is \"%.200s\", which is not this server's own",
                      envelope->origin);
        break;
    }
}

static void find_route(struct exchange *exchange, const char *method, const char *path)
{
    struct request *request = &exchange->request;
    struct reply *reply = &exchange->reply;

    request->route = route_find(method, path, request->capture, &reply->allow);
    if (request->route)
        return;
    if (reply->allow)
        reply_problem(reply, PROBLEM_METHOD_NOT_ALLOWED, NULL, "%.20s is not among %s",
                      method, reply->allow);
    else
        reply_problem(reply, PROBLEM_UNKNOWN_PATH, NULL, "there is no path %.200s",
                      path);
}

static void check_head(struct exchange *exchange, const struct envelope *envelope)
{
    if (exchange->target_bytes <= EXCHANGE_TARGET_MAX
        && envelope->head_bytes > EXCHANGE_HEAD_MAX)
        reply_problem(&exchange->reply, PROBLEM_HEADERS_TOO_LARGE, NULL,
                      "the headers have %zu bytes, at most %d are allowed",
                      envelope->head_bytes, EXCHANGE_HEAD_MAX);
}

/* Whoever passes the request on may have understood it otherwise, and take a part of
 * the body for another request (RFC 9112, 6.1 and 6.3). */
static void check_framing(struct exchange *exchange, const struct envelope *envelope)
{
    const char *encoding = envelope->transfer_encoding;

    exchange->is_misframed =
        envelope->framings > 1 || (encoding && strcasecmp(encoding, "chunked") != 0);
    if (!exchange->is_misframed)
        return;
    exchange->reply.ends = true;
    reply_problem(&exchange->reply, PROBLEM_INVALID_HEADER, NULL,
                  "give one Content-Length, or Transfer-Encoding: chunked, and only one"
                  " of the two");
}

static int64_t announced_body(const struct envelope *envelope)
{
    if (envelope->transfer_encoding)
        return -1;
    /* What is no number was refused by the library; strtoll ends at the largest. */
    return envelope->content_length ? strtoll(envelope->content_length, NULL, 10) : 0;
}

void exchange_begin(struct exchange *exchange, struct api *api,
                    const struct envelope *envelope)
{
    exchange->api = api;
    exchange->announced = announced_body(envelope);
    exchange->waits_to_send = exchange->announced != 0 && envelope->expect;
    exchange->target_bytes = strlen(envelope->path);
    check_framing(exchange, envelope);
    if (!exchange->reply.status)
        check_head(exchange, envelope);
    /* A browser cannot reach a unix socket. */
    if (!exchange->reply.status && envelope->by_tcp)
        check_browser(exchange, envelope);
    if (!exchange->reply.status)
        find_route(exchange, envelope->method, envelope->path);
}

void exchange_parameter(struct exchange *exchange, const char *name, const char *value,
                        size_t value_len)
{
    exchange->target_bytes += strlen(name) + value_len + 2;
    if (!exchange->reply.status && exchange->target_bytes <= EXCHANGE_TARGET_MAX)
        request_add_parameter(&exchange->request, name, value, value_len,
                              &exchange->problems);
}

static bool is_source(const struct exchange *exchange)
{
    return exchange->request.route->open != NULL;
}

static int64_t size_limit(const struct exchange *exchange)
{
    return is_source(exchange) ? exchange->api->source_limit_bytes
                               : exchange->api->body_limit_bytes;
}

static void refuse_size(struct exchange *exchange)
{
    reply_problem(&exchange->reply, PROBLEM_PAYLOAD_TOO_LARGE, NULL,
                  "the body is larger than %lld bytes: send less, or have limits.%s in"
                  " the configuration of railheadd raised",
                  (long long)size_limit(exchange),
                  is_source(exchange) ? "source_bytes" : "body_bytes");
}

static void refuse_target(struct exchange *exchange)
{
    reply_clear(&exchange->reply);
    reply_problem(&exchange->reply, PROBLEM_URI_TOO_LONG, NULL,
                  "the path and the query have %zu bytes, at most %d are allowed",
                  exchange->target_bytes, EXCHANGE_TARGET_MAX);
}

void exchange_enter(struct exchange *exchange)
{
    const struct route *route = exchange->request.route;
    struct reply *reply = &exchange->reply;

    if (exchange->target_bytes > EXCHANGE_TARGET_MAX && !exchange->is_misframed)
        refuse_target(exchange);
    if (reply->status)
        return;
    if (exchange->problems.count) {
        reply_parameters(reply, &exchange->problems);
        return;
    }
    if ((route->open || route->takes_body)
        && exchange->announced > size_limit(exchange))
        refuse_size(exchange);
    else if (route->open)
        route->open(exchange->api, &exchange->request, reply);
}

bool exchange_answers_early(const struct exchange *exchange)
{
    return exchange->reply.status
           && (exchange->waits_to_send || exchange->is_misframed
               || exchange->announced > DISCARD_MAX);
}

static void keep_upload(struct exchange *exchange, const char *bytes, size_t len)
{
    struct err err;

    if (upload_add(exchange->request.upload, bytes, len, &err) == 0)
        return;
    if (err.code == ERR_LIMIT)
        refuse_size(exchange);
    else
        reply_err(&exchange->reply, &err);
}

static void keep_body(struct exchange *exchange, const char *bytes, size_t len)
{
    if (exchange->body_taken <= exchange->api->body_limit_bytes) {
        text_add(&exchange->body, bytes, len);
        return;
    }
    text_clear(&exchange->body);
    refuse_size(exchange);
}

bool exchange_body(struct exchange *exchange, const char *bytes, size_t len)
{
    const struct request *request = &exchange->request;

    if (!exchange->reply.status && request->upload) {
        keep_upload(exchange, bytes, len);
    } else if (!exchange->reply.status && request->route->takes_body) {
        exchange->body_taken += (int64_t)len;
        keep_body(exchange, bytes, len);
    } else {
        exchange->dropped += (int64_t)len;
    }
    return exchange->dropped <= DISCARD_MAX;
}

int64_t exchange_held(const struct exchange *exchange)
{
    const struct reply *reply = &exchange->reply;

    return (int64_t)exchange->body.room + (reply->has_file ? 0 : (int64_t)reply->len);
}

void exchange_refuse(struct exchange *exchange, const struct err *why)
{
    text_clear(&exchange->body);
    reply_clear(&exchange->reply);
    reply_err(&exchange->reply, why);
}

bool exchange_answer(struct exchange *exchange)
{
    struct request *request = &exchange->request;

    if (exchange->reply.status)
        return false;
    request->body = exchange->body.bytes ? exchange->body.bytes : "";
    request->body_len = exchange->body.len;
    request->route->handle(exchange->api, request, &exchange->reply);
    /* A refusal promises nothing, so it need not wait. */
    return strcmp(request->route->method, "GET") != 0 && exchange->reply.status < 400
           && jobs_is_dirty(exchange->api->jobs);
}

void exchange_clear(struct exchange *exchange)
{
    reply_clear(&exchange->reply);
    upload_free(exchange->request.upload);
    problems_clear(&exchange->problems);
    text_clear(&exchange->body);
}
