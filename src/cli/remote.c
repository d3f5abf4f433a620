/*
 * Talks to railheadd.  Decides where it is, what to repeat, and how its refusals become
 * errors; does not decide what to ask.
 */

#include "src/cli/remote.h"

#include "src/cli/print.h"
#include "src/cli/progress.h"
#include "src/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char system_socket[] = "/run/railhead/railhead.sock";

/* Nothing that a verb asks takes the daemon longer, but a busy host may. */
enum {
    ASK_DEADLINE_S = 30,
    RETRY_PAUSE_MS = 400,
    SOURCE_TRIES = 3
};

struct remote {
    struct http_client *client;
};

char *remote_default_socket(void)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    if (access(system_socket, F_OK) == 0)
        return xstrdup(system_socket);
    if (geteuid() == 0)
        return xstrdup("/var/lib/railhead/railhead.sock");
    if (state && *state == '/')
        return xasprintf("%s/railhead/railhead.sock", state);
    return xasprintf("%s/.local/state/railhead/railhead.sock", home ? home : "");
}

int remote_open(const struct cli *cli, struct remote **out, struct err *err)
{
    auto_free char *by_default = NULL;
    struct http_server server = { .socket = cli->socket, .url = cli->server };
    struct http_client *client;

    if (!cli->socket && !cli->server) {
        by_default = remote_default_socket();
        server.socket = by_default;
    }
    if (http_client_new(&server, &client, err) < 0)
        return -1;
    *out = xcalloc(1, sizeof **out);
    (*out)->client = client;
    return 0;
}

void remote_free(struct remote *remote)
{
    if (!remote)
        return;
    http_client_free(remote->client);
    free(remote);
}

void remote_cleanup(struct remote **remote)
{
    remote_free(*remote);
}

struct http_client *remote_client(struct remote *remote)
{
    return remote->client;
}

static enum err_code code_of(const struct cJSON *problem, int status)
{
    enum err_code code = err_code_of_http(status);

    (void)err_code_from_name(json_get_text(problem, "code"), &code);
    return code;
}

/* The remedy of the first error, for a caller who does not show them all. */
static const char *first_hint(const struct cJSON *problem)
{
    return json_get_text(json_first(json_get(problem, "errors")), "hint");
}

static int read_refusal(const struct http_answer *http, struct problems *problems,
                        struct err *err)
{
    auto_json struct cJSON *problem = NULL;
    const char *hint = NULL;
    const char *words;

    if (json_parse(http->body, http->len, &problem, NULL) < 0)
        return err_set(err, err_code_of_http(http->status),
                       "the server answered %d without a reason", http->status);
    if (problems)
        problems_add_json(problems, json_get(problem, "errors"));
    else
        hint = first_hint(problem);
    words = json_get_text(problem, "detail");
    if (!words)
        words = json_get_text(problem, "title");
    if (!words)
        words = "refused";
    return err_set(err, code_of(problem, http->status), "%s%s%s%s", words,
                   hint ? " (" : "", hint ? hint : "", hint ? ")" : "");
}

int remote_read(const struct http_answer *http, struct cJSON **answer,
                struct problems *problems, struct err *err)
{
    if (http->status < 200 || http->status > 299)
        return read_refusal(http, problems, err);
    if (json_parse(http->body, http->len, answer, err) < 0) {
        err->code = ERR_INTERNAL;
        return err_wrap(err, "the server's answer");
    }
    return 0;
}

/* Only what got no answer is asked again: an answer, even a bad one, is the answer. */
static int ask_until_answered(struct remote *remote, const struct http_request *request,
                              int tries, struct http_transfer **transfer,
                              struct http_answer *http, struct err *err)
{
    for (int i = 1;; i++) {
        if (http_perform(remote->client, request, transfer, http, err) == 0)
            return 0;
        if (i >= tries || err->code != ERR_UNAVAILABLE)
            return -1;
        poll(NULL, 0, i * RETRY_PAUSE_MS);
    }
}

int remote_ask(struct remote *remote, const struct remote_ask *ask,
               struct cJSON **answer, struct problems *problems, struct err *err)
{
    auto_transfer struct http_transfer *transfer = NULL;
    auto_free char *body = ask->body ? json_print(ask->body) : NULL;
    auto_free char *key = ask->idempotency_key
                              ? xasprintf("Idempotency-Key: %s", ask->idempotency_key)
                              : NULL;
    const char *headers[3] = { NULL };
    size_t count = 0;
    struct http_answer http;

    if (body)
        headers[count++] = "Content-Type: application/json";
    if (key)
        headers[count++] = key;
    if (ask_until_answered(remote,
                           &(struct http_request){ .method = ask->method,
                                                   .path = ask->path,
                                                   .headers = headers,
                                                   .body = body,
                                                   .deadline_s = ask->deadline_s
                                                                     ? ask->deadline_s
                                                                     : ASK_DEADLINE_S },
                           ask->tries, &transfer, &http, err)
        < 0)
        return -1;
    return remote_read(&http, answer, problems, err);
}

int remote_get(struct remote *remote, const char *path, struct cJSON **answer,
               struct err *err)
{
    return remote_ask(remote, &(struct remote_ask){ .method = "GET", .path = path },
                      answer, NULL, err);
}

int remote_get_list(struct remote *remote, const char *path, struct cJSON **out,
                    struct err *err)
{
    auto_json struct cJSON *whole = json_object_new();
    struct cJSON *items = json_array_new();
    auto_free char *cursor = NULL;

    json_set(whole, "items", items);
    json_set_null(whole, "next_cursor");
    do {
        auto_json struct cJSON *page = NULL;
        auto_text struct text at = { 0 };

        text_puts(&at, path);
        remote_add_query(&at, "cursor", cursor);
        if (remote_get(remote, at.bytes, &page, err) < 0)
            return -1;
        json_each (item, json_get(page, "items"))
            json_append(items, json_copy(item));
        base_free(&cursor);
        cursor = xstrdup(json_get_text(page, "next_cursor"));
    } while (cursor);
    *out = steal_ptr(&whole);
    return 0;
}

static void copy_bytes(void *context, const char *bytes, size_t len)
{
    (void)fwrite(bytes, 1, len, context); /* main looks at ferror */
}

int remote_copy(struct remote *remote, const char *path, FILE *out,
                struct problems *problems, struct err *err)
{
    auto_transfer struct http_transfer *transfer = NULL;
    struct http_answer http;

    if (http_perform(remote->client,
                     &(struct http_request){ .method = "GET",
                                             .path = path,
                                             .deadline_s = REMOTE_REPORT_SECONDS,
                                             .on_bytes = copy_bytes,
                                             .context = out },
                     &transfer, &http, err)
        < 0)
        return -1;
    if (http.status < 200 || http.status > 299)
        return read_refusal(&http, problems, err);
    return 0;
}

static void show_upload(void *context, int64_t sent, int64_t total)
{
    struct progress_display *display = context;
    auto_text struct text line = { 0 };

    if (total == 0)
        return;
    progress_upload(sent, total, progress_width(), &line);
    progress_display_draw(display, line.bytes ? line.bytes : "");
}

static int source_is_there(struct remote *remote, const char *path, bool *there,
                           struct err *err)
{
    auto_transfer struct http_transfer *transfer = NULL;
    struct http_answer http;

    if (ask_until_answered(remote,
                           &(struct http_request){ .method = "HEAD",
                                                   .path = path,
                                                   .deadline_s = ASK_DEADLINE_S },
                           SOURCE_TRIES, &transfer, &http, err)
        < 0)
        return -1;
    *there = http.status >= 200 && http.status < 300;
    if (*there || http.status == 404)
        return 0;
    return read_refusal(&http, NULL, err); /* an answer to HEAD has no body */
}

int remote_put_source(struct remote *remote, const char *hex, const char *path,
                      bool progress, struct err *err)
{
    static const char *const headers[] = { "Content-Type: application/gzip", NULL };
    auto_transfer struct http_transfer *transfer = NULL;
    auto_free char *url = xasprintf("/v1/sources/%s", hex);
    struct progress_display display = { 0 };
    struct http_answer http;
    bool there;
    int rc;

    if (source_is_there(remote, url, &there, err) < 0)
        return err_wrap(err, "source");
    if (there)
        return 0;
    rc = ask_until_answered(remote,
                            &(struct http_request){ .method = "PUT",
                                                    .path = url,
                                                    .headers = headers,
                                                    .body_file = path,
                                                    .on_sent =
                                                        progress ? show_upload : NULL,
                                                    .context = &display },
                            SOURCE_TRIES, &transfer, &http, err);
    progress_display_clear(&display);
    if (rc == 0 && (http.status < 200 || http.status > 299))
        rc = read_refusal(&http, NULL, err);
    return rc < 0 ? err_wrap(err, "source") : 0;
}

char *remote_job_path(const char *name, const char *rest)
{
    struct text path = { 0 };

    text_puts(&path, "/v1/training-jobs/");
    http_add_encoded(&path, name);
    text_puts(&path, rest);
    return text_steal(&path);
}

void remote_add_query(struct text *path, const char *name, const char *value)
{
    if (!value)
        return;
    text_puts(path, strchr(path->bytes, '?') ? "&" : "?");
    text_puts(path, name);
    text_puts(path, "=");
    http_add_encoded(path, value);
}

void remote_set_text(struct cJSON *body, const char *name, const char *value)
{
    if (value)
        json_set_text(body, name, value);
}

int remote_set_pair(struct cJSON *body, const char *words, struct err *err)
{
    const char *equals = strchr(words, '=');
    auto_free char *key = NULL;

    if (!equals || equals == words)
        return err_set(err, ERR_INVALID, "%s: expected KEY=VALUE", words);
    key = xstrndup(words, (size_t)(equals - words));
    if (json_get(body, key))
        return err_set(err, ERR_INVALID, "%s: %s has a value already", words, key);
    json_set_text(body, key, equals + 1);
    return 0;
}
