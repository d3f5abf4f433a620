/*
 * Makes answers: JSON, and problems as RFC 9457 has them.  Decides how an error looks,
 * and which status and stable word it has; not whether there is one.
 */

#include "api/reply.h"

#include "api/log_follow.h"
#include "daemon/bill_run.h"
#include "daemon/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const struct {
    int status;
    const char *code;
    const char *title;
} words[] = {
    [PROBLEM_INVALID]                = { 400, "invalid",                "The request is not valid" },
    [PROBLEM_INVALID_SPEC]           = { 400, "invalid_spec",           "The job spec is not valid" },
    [PROBLEM_INVALID_PARAMETER]      = { 400, "invalid_parameter",      "A parameter is not valid" },
    [PROBLEM_INVALID_HEADER]         = { 400, "invalid_header",         "A header is not valid" },
    [PROBLEM_MALFORMED_JSON]         = { 400, "malformed_json",         "The body is not JSON" },
    [PROBLEM_MALFORMED_YAML]         = { 400, "malformed_yaml",         "The body is not YAML" },
    [PROBLEM_DIGEST_MISMATCH]        = { 400, "digest_mismatch",        "The content has another digest" },
    [PROBLEM_DENIED]                 = { 403, "denied",                 "Not allowed" },
    [PROBLEM_ORIGIN_REFUSED]         = { 403, "origin_refused",         "Web pages of other origins are refused" },
    [PROBLEM_HOST_REFUSED]           = { 403, "host_refused",           "The host name is not a loopback name" },
    [PROBLEM_NOT_FOUND]              = { 404, "not_found",              "Not found" },
    [PROBLEM_UNKNOWN_PATH]           = { 404, "unknown_path",           "There is no such path" },
    [PROBLEM_METHOD_NOT_ALLOWED]     = { 405, "method_not_allowed",     "The path does not have this method" },
    [PROBLEM_REQUEST_TIMEOUT]        = { 408, "request_timeout",        "The request did not come in time" },
    [PROBLEM_CONFLICT]               = { 409, "conflict",               "Not possible as things stand" },
    [PROBLEM_PAYLOAD_TOO_LARGE]      = { 413, "payload_too_large",      "The body is too large" },
    [PROBLEM_URI_TOO_LONG]           = { 414, "uri_too_long",           "The path and the query are too long" },
    [PROBLEM_UNSUPPORTED_MEDIA_TYPE] = { 415, "unsupported_media_type", "The body's media type is not understood" },
    [PROBLEM_LIMIT]                  = { 429, "limit",                  "A limit is reached" },
    [PROBLEM_HEADERS_TOO_LARGE]      = { 431, "headers_too_large",      "The headers are too large" },
    [PROBLEM_INTERNAL]               = { 500, "internal",               "Internal error" },
    [PROBLEM_UNAVAILABLE]            = { 503, "unavailable",            "Try again later" },
    [PROBLEM_DISK_FULL]              = { 507, "disk_full",              "Try again when the disk has room" },
};

static const enum reply_problem problem_of_err[] = {
    [ERR_INVALID]     = PROBLEM_INVALID,
    [ERR_DENIED]      = PROBLEM_DENIED,
    [ERR_NOT_FOUND]   = PROBLEM_NOT_FOUND,
    [ERR_CONFLICT]    = PROBLEM_CONFLICT,
    [ERR_LIMIT]       = PROBLEM_LIMIT,
    [ERR_UNAVAILABLE] = PROBLEM_UNAVAILABLE,
    [ERR_DISK_FULL]   = PROBLEM_DISK_FULL,
    [ERR_INTERNAL]    = PROBLEM_INTERNAL,
};
/* clang-format on */

static void set_body(struct reply *reply, int status, const char *type,
                     const struct cJSON *value)
{
    char *body = json_print(value);
    size_t len = strlen(body);

    /* A line feed in the place of the NUL: terminals like it, and it needs no copy. */
    body[len] = '\n';
    reply->status = status;
    reply->content_type = type;
    free(reply->body);
    reply->body = body;
    reply->len = len + 1;
}

void reply_json(struct reply *reply, int status, struct cJSON *value)
{
    set_body(reply, status, "application/json", value);
    json_free(value);
}

void reply_problem(struct reply *reply, enum reply_problem problem,
                   const struct problems *problems, const char *format, ...)
{
    auto_json struct cJSON *body = json_object_new();
    auto_free char *type = xasprintf("urn:railhead:problem:%s", words[problem].code);
    auto_free char *detail = NULL;
    va_list args;

    va_start(args, format);
    detail = xvasprintf(format, args);
    va_end(args);
    json_set_text(body, "type", type);
    json_set_text(body, "title", words[problem].title);
    json_set_int(body, "status", words[problem].status);
    json_set_text(body, "code", words[problem].code);
    json_set_text(body, "detail", detail);
    json_set(body, "errors", problems ? problems_to_json(problems) : json_array_new());
    set_body(reply, words[problem].status, "application/problem+json", body);
}

void reply_parameters(struct reply *reply, const struct problems *problems)
{
    const struct problem *first = &problems->items[0];

    reply_problem(reply, PROBLEM_INVALID_PARAMETER, problems, "%s%s%s", first->path,
                  *first->path ? ": " : "", first->message);
}

void reply_err(struct reply *reply, const struct err *err)
{
    reply_problem(reply, problem_of_err[err->code], NULL, "%s", err->text);
}

void reply_question(struct reply *reply, const char *content_type,
                    struct cJSON *question)
{
    reply->status = 200;
    reply->content_type = content_type;
    reply->question = question;
}

static int take_facts(struct reply *reply, struct err *err)
{
    size_t count = reply->facts_bytes;
    auto_free char *bytes = xcalloc(1, count + 1);

    if (reply->len < count
        || pread(reply->fd, bytes, count, (off_t)(reply->len - count))
               != (ssize_t)count)
        return err_set(err, ERR_INTERNAL, "the answer cannot be read");
    reply->len -= count;
    reply->facts = xstrndup(bytes, strcspn(bytes, "\n"));
    return 0;
}

static int take_file(struct reply *reply, struct cJSON **errors, struct err *err)
{
    int64_t size;

    if (bill_run_take(reply->bill, &reply->fd, &size, errors, err) < 0)
        return -1;
    reply->has_file = true;
    reply->len = (size_t)size;
    return reply->facts_bytes ? take_facts(reply, err) : 0;
}

void reply_take_bill(struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *errors = NULL;
    struct err err;

    if (take_file(reply, &errors, &err) == 0)
        return;
    problems_add_json(&problems, errors);
    reply_clear(reply);
    if (problems.count)
        reply_parameters(reply, &problems);
    else
        reply_err(reply, &err);
}

void reply_clear(struct reply *reply)
{
    json_free(reply->question);
    bill_run_free(reply->bill);
    job_page_free(reply->page);
    if (reply->has_file)
        close(reply->fd);
    free(reply->body);
    log_follow_free(reply->log);
    free(reply->location);
    free(reply->allow);
    free(reply->facts);
    *reply = (struct reply){ 0 };
}
