/*
 * Requests to a daemon with a store, whose jobs never start: every route, with headers,
 * parameters and bodies.  Whatever is asked, the answer has a status that we have, says
 * what it is, is no failure of ours, and is the same when a GET is asked twice.
 *
 * An input is up to four requests with the byte 0x1e between, each in the form of
 * HTTP/1.1 without its version: "METHOD TARGET", header lines, an empty line, the body.
 */

#include "api/exchange.h"
#include "daemon/jobs.h"
#include "src/clock.h"
#include "src/log.h"
#include "src/loop.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define WALL (INT64_C(1790000000) * USEC_PER_SEC) /* 2026-09-21 */

enum {
    REQUESTS_MAX = 4,
    HEADERS_MAX = 16
};

static char type[] = "ml.c5.xlarge", family[] = "c5", no_accelerator[] = "none";
static char words[] = "high", basis[] = "published", fake[] = "fake", empty[] = "";
static char python[] = "/usr/bin/python3", region[] = "us-east-1";
static struct profile_price prices[] = { { 204000000, 0, words, basis, words, words } };
static struct profile profiles[] = { { .name = type,
                                       .family = family,
                                       .vcpus = 4,
                                       .memory_mib = 8192,
                                       .accelerator_kind = no_accelerator,
                                       .prices = prices,
                                       .price_count = 1 } };
static const struct catalog catalog = { profiles, 1 };
static struct pool_config pools[] = { { .instance_type = type,
                                        .scheduler = fake,
                                        .count = 4,
                                        .emulated = -1,
                                        .name = type } };
static char *no_names[] = { NULL };
static struct config config = { .python = python,
                                .pass_environment = no_names,
                                .storage = { .region = region },
                                .pools = pools,
                                .pool_count = 1,
                                .body_limit_bytes = 1 << 20,
                                .source_limit_bytes = 1 << 20,
                                .connection_limit = 16 };
static struct api api = { .body_limit_bytes = 1 << 16, .source_limit_bytes = 1 << 16 };
static struct loop *loop;

/* --- the daemon --- */

static void open_jobs(void)
{
    static const char *const files[] = { "railhead.db", "railhead.db-wal",
                                         "railhead.db-shm" };
    struct err err;

    jobs_close(api.jobs);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        auto_free char *path = xasprintf("%s/%s", config.state, files[i]);

        unlink(path);
    }
    if (jobs_open(&config, &catalog, loop, &api.jobs, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    log_set_level(LOG_LEVEL_ERROR);
    clock_hold(WALL, USEC_PER_SEC);
    config.state = xstrdup(fuzz_folder());
    config.socket = empty;
    assert(loop_new(&loop, NULL) == 0);
    open_jobs();
    return 0;
}

/* --- a request --- */

struct asked {
    const char *method;
    char *path; /* percent-decoded */
    char *query;
    const char *headers[HEADERS_MAX];
    size_t header_count;
    const char *body;
    size_t body_len;
};

/* As libmicrohttpd: what is no code stays.  In place; the length. */
static size_t decode(char *text, bool is_query)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        if (*at == '%' && text_hex_digit(at[1]) >= 0 && text_hex_digit(at[2]) >= 0) {
            *to++ = (char)(text_hex_digit(at[1]) << 4 | text_hex_digit(at[2]));
            at += 2;
        } else {
            *to++ = is_query && *at == '+' ? ' ' : *at;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

static bool read_asked(char *text, size_t len, struct asked *out)
{
    char *body = memmem(text, len, "\n\n", 2);
    char *rest = text;
    char *line;

    *out = (struct asked){ 0 };
    if (body) {
        *body = '\0';
        out->body = body + 2;
        out->body_len = (size_t)(text + len - out->body);
    }
    line = fuzz_line(&rest);
    out->method = strsep(&line, " ");
    if (!line || *line != '/')
        return false;
    out->path = strsep(&line, "?");
    out->query = line;
    decode(out->path, false);
    while ((line = fuzz_line(&rest)) && out->header_count < HEADERS_MAX)
        out->headers[out->header_count++] = line;
    return true;
}

static const char *header(const struct asked *asked, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < asked->header_count; i++)
        if (strncasecmp(asked->headers[i], name, len) == 0
            && strncmp(asked->headers[i] + len, ": ", 2) == 0)
            return asked->headers[i] + len + 2;
    return NULL;
}

static void add_parameters(struct exchange *exchange, char *query)
{
    char *pair;

    while ((pair = strsep(&query, "&"))) {
        char *value = pair;
        char *name = strsep(&value, "=");

        decode(name, true);
        if (value)
            exchange_parameter(exchange, name, value, decode(value, true));
        else
            exchange_parameter(exchange, name, "", 0);
    }
}

/* --- its answer --- */

static bool is_status(int status)
{
    static const int ours[] = { 200, 201, 202, 400, 401, 403, 404, 405, 409,
                                413, 414, 415, 422, 429, 431, 503, 507 };

    for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
        if (ours[i] == status)
            return true;
    return false;
}

static void check_reply(const struct reply *reply)
{
    auto_json struct cJSON *body = NULL;

    assert(is_status(reply->status));
    if (!reply->body)
        return;
    if (!strstr(reply->content_type, "json"))
        return;
    assert(json_parse(reply->body, reply->len, &body, NULL) == 0);
    if (reply->status < 400)
        return;
    assert(strcmp(reply->content_type, "application/problem+json") == 0);
    assert(json_get_int(body, "status", 0) == reply->status);
    assert(json_get_text(body, "code") && *json_get_text(body, "detail"));
}

/* The caller frees: status and body. */
static char *answer(const struct asked *asked)
{
    auto_free char *query = xstrdup(asked->query);
    const struct envelope envelope = {
        .method = asked->method,
        .path = asked->path,
        .host = header(asked, "Host"),
        .origin = header(asked, "Origin"),
        .content_length = header(asked, "Content-Length"),
        .transfer_encoding = header(asked, "Transfer-Encoding"),
        .expect = header(asked, "Expect"),
        .by_tcp = asked->header_count > 0,
    };
    struct exchange exchange = { 0 };
    char *shown;

    exchange_begin(&exchange, &api, &envelope);
    add_parameters(&exchange, query);
    exchange_enter(&exchange);
    if (!exchange_answers_early(&exchange) && asked->body_len > 0)
        assert(exchange_body(&exchange, asked->body, asked->body_len));
    exchange.request.owner = "ana";
    exchange.request.content_type = header(asked, "Content-Type");
    exchange.request.idempotency_key = header(asked, "Idempotency-Key");
    (void)exchange_answer(&exchange);
    check_reply(&exchange.reply);
    shown = xasprintf("%d %.*s", exchange.reply.status, (int)exchange.reply.len,
                      exchange.reply.body ? exchange.reply.body : "");
    exchange_clear(&exchange);
    return shown;
}

static void ask(char *text, size_t len)
{
    struct asked asked;

    if (!read_asked(text, len, &asked))
        return;
    if (strcmp(asked.method, "GET") == 0) {
        auto_free char *once = answer(&asked);
        auto_free char *twice = answer(&asked);

        assert(strcmp(once, twice) == 0);
    } else {
        free(answer(&asked));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = xcalloc(size + 1, 1);
    char *at = text;
    char *end = text + size;

    memcpy(text, data, size);
    for (int i = 0; i < REQUESTS_MAX && at < end; i++) {
        char *mark = memchr(at, '\x1e', (size_t)(end - at));
        char *stop = mark ? mark : end;

        *stop = '\0';
        ask(at, (size_t)(stop - at));
        at = stop + 1;
    }
    /* The next input is to find what this one did. */
    if (jobs_is_dirty(api.jobs))
        open_jobs();
    return 0;
}
