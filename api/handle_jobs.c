/* /v1/training-jobs, all but logs, and /v1/estimates.  Decides how a request is put to
 * the job machine; what becomes of it is decided there. */

#include "api/body.h"
#include "api/cursor.h"
#include "api/routes.h"
#include "src/digest.h"
#include "src/job_state.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOTICE_S = 120, /* as for a spot instance */
    NOTICE_MAX_S = 86400,
    LIST_LIMIT = 100,
    LIST_LIMIT_MAX = 1000
};

static void refuse_submit(struct reply *reply, const struct err *err,
                          const struct problems *problems)
{
    if (err->code == ERR_INVALID && problems->count)
        reply_problem(reply, PROBLEM_INVALID_SPEC, problems, "%s", err->text);
    else
        reply_err(reply, err);
}

static void dry_run(struct api *api, const struct submit *submit, struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    struct cJSON *answer = NULL;
    struct err err;

    if (jobs_dry_run(api->jobs, submit, &answer, &problems, &err) < 0)
        refuse_submit(reply, &err, &problems);
    else
        reply_json(reply, 200, answer);
}

static void submit(struct api *api, const struct submit *submit, struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    struct cJSON *answer = NULL;
    struct err err;
    bool created;

    if (jobs_submit(api->jobs, submit, &answer, &created, &problems, &err) < 0) {
        refuse_submit(reply, &err, &problems);
        return;
    }
    reply->replayed = !created;
    if (created)
        reply->location =
            xasprintf("/v1/training-jobs/%s", json_get_text(answer, "name"));
    reply_json(reply, created ? 201 : 200, answer);
}

void handle_job_submit(struct api *api, const struct request *request,
                       struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *spec = NULL;
    char digest[DIGEST_HEX_SIZE];
    struct submit asked = { .owner = request->owner };
    bool only_try = false;

    request_bool(request, "dry_run", &only_try, &problems);
    if (problems.count) {
        reply_parameters(reply, &problems);
        return;
    }
    if (request->idempotency_key && !request_key_is_valid(request->idempotency_key)) {
        reply_problem(reply, PROBLEM_INVALID_HEADER, NULL,
                      "Idempotency-Key: expected 1 to 255 visible ASCII characters");
        return;
    }
    spec = body_parse(request, reply);
    if (!spec)
        return;
    asked.spec = spec;
    if (only_try) {
        dry_run(api, &asked, reply);
        return;
    }
    if (request->idempotency_key) {
        digest_bytes(request->body, request->body_len, digest);
        asked.idempotency_key = request->idempotency_key;
        asked.body_digest = digest;
    }
    submit(api, &asked, reply);
}

void handle_estimate(struct api *api, const struct request *request,
                     struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *spec = body_parse(request, reply);
    const struct submit asked = { .spec = spec, .owner = request->owner };
    struct cJSON *answer = NULL;
    struct err err;

    if (!spec)
        return;
    if (jobs_estimate(api->jobs, &asked, &answer, &problems, &err) < 0)
        refuse_submit(reply, &err, &problems);
    else
        reply_json(reply, 200, answer);
}

/* Primary states that are no secondary ones; the others have the same names. */
static bool is_status(const char *name)
{
    enum job_state state;

    return strcmp(name, "InProgress") == 0
           || (job_state_from_name(name, &state) && state != JOB_NEW);
}

static void check_status(const char *status, struct problems *problems)
{
    const char *known[JOB_STATE_COUNT + 1] = { "InProgress" };
    auto_text struct text hint = { 0 };
    const char *nearest;

    if (!status || is_status(status))
        return;
    for (int state = JOB_NEW + 1; state < JOB_STATE_COUNT; state++)
        known[state] = job_state_name((enum job_state)state);
    nearest = text_nearest(status, known);
    if (nearest)
        text_printf(&hint, "did you mean %s?", nearest);
    else
        text_puts(
            &hint,
            "InProgress, Stopping, Completed, Failed, Stopped or a secondary status");
    problems_add(problems, "status", hint.bytes, "unknown status \"%.64s\"", status);
}

static const char *read_tag(const struct request *request, struct problems *problems)
{
    const char *tag = request_parameter(request, "tag");

    if (tag && (!strchr(tag, '=') || *tag == '='))
        problems_add(problems, "tag", NULL, "expected KEY=VALUE, got \"%.64s\"", tag);
    return tag;
}

/* False: the reply says why. */
static bool begin_list(struct api *api, const struct request *request,
                       struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_free char *cursor = cursor_open(&api->cursor_key, request, &problems);
    int64_t limit = LIST_LIMIT;
    struct err err;
    struct job_filter filter = {
        .status = request_parameter(request, "status"),
        .owner = request_parameter(request, "owner"),
        .instance_type = request_parameter(request, "instance_type"),
        .tag = read_tag(request, &problems),
        .name_part = request_parameter(request, "name"),
    };

    check_status(filter.status, &problems);
    request_time(request, "created_after", &filter.created_from, &problems);
    request_time(request, "created_before", &filter.created_until, &problems);
    request_int(request, "limit", 1, LIST_LIMIT_MAX, &limit, &problems);
    if (problems.count)
        reply_parameters(reply, &problems);
    else if (job_page_new(api->jobs, &filter, (int)limit, cursor, &reply->page, &err)
             < 0)
        reply_err(reply, &err);
    return reply->page != NULL;
}

/* Called again, in later rounds, until the page is there. */
void handle_job_list(struct api *api, const struct request *request,
                     struct reply *reply)
{
    struct cJSON *page;
    struct err err;
    bool done;

    if (!reply->page && !begin_list(api, request, reply))
        return;
    if (job_page_look(reply->page, &done, &err) < 0) {
        reply_err(reply, &err);
        return;
    }
    if (!done)
        return;
    page = job_page_take(reply->page);
    cursor_seal_page(&api->cursor_key, request, page);
    reply_json(reply, 200, page);
}

/* Answers with what one of the job machine's questions about a job gives. */
static void answer_from(int (*ask)(struct jobs *, const char *, struct cJSON **,
                                   struct err *),
                        struct api *api, const struct request *request,
                        struct reply *reply)
{
    struct cJSON *answer = NULL;
    struct err err;

    if (ask(api->jobs, request->capture, &answer, &err) < 0)
        reply_err(reply, &err);
    else
        reply_json(reply, 200, answer);
}

void handle_job_show(struct api *api, const struct request *request,
                     struct reply *reply)
{
    answer_from(jobs_show, api, request, reply);
}

void handle_job_transitions(struct api *api, const struct request *request,
                            struct reply *reply)
{
    answer_from(jobs_transitions, api, request, reply);
}

void handle_job_plan(struct api *api, const struct request *request,
                     struct reply *reply)
{
    answer_from(jobs_plan, api, request, reply);
}

/* A stop takes nothing: an empty body, or an empty object from clients that always send
 * one. */
static bool check_empty(const struct request *request, struct reply *reply)
{
    auto_json struct cJSON *body = NULL;

    if (request->body_len == 0)
        return true;
    body = body_parse(request, reply);
    if (!body)
        return false;
    if (json_kind(body) == JSON_OBJECT && json_count(body) == 0)
        return true;
    reply_problem(reply, PROBLEM_INVALID, NULL, "a stop takes no body");
    return false;
}

void handle_job_stop(struct api *api, const struct request *request,
                     struct reply *reply)
{
    struct cJSON *answer = NULL;
    struct err err;

    if (!check_empty(request, reply))
        return;
    if (jobs_stop(api->jobs, request->capture, request->owner, &err) < 0
        || jobs_show(api->jobs, request->capture, &answer, &err) < 0)
        reply_err(reply, &err);
    else
        reply_json(reply, 202, answer);
}

/* The notice of an interruption, from a body that may be empty. */
static bool read_notice(const struct request *request, int64_t *notice_s,
                        struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *body = NULL;

    *notice_s = NOTICE_S;
    if (request->body_len == 0)
        return true;
    body = body_parse(request, reply);
    if (!body)
        return false;
    if (json_kind(body) != JSON_OBJECT)
        problems_add(&problems, "", NULL, "expected an object");
    json_each (member, body) {
        if (strcmp(json_name(member), "notice_s") != 0)
            problems_add(&problems, json_name(member), "did you mean notice_s?",
                         "unknown member");
        else if (!json_to_int(member, notice_s) || *notice_s < 0
                 || *notice_s > NOTICE_MAX_S)
            problems_add(&problems, "notice_s", NULL,
                         "expected whole seconds from 0 to %d", NOTICE_MAX_S);
    }
    if (problems.count)
        reply_problem(reply, PROBLEM_INVALID, &problems,
                      "an interruption takes {\"notice_s\": SECONDS}");
    return problems.count == 0;
}

void handle_job_interrupt(struct api *api, const struct request *request,
                          struct reply *reply)
{
    struct cJSON *answer = NULL;
    int64_t notice_s;
    struct err err;

    if (!read_notice(request, &notice_s, reply))
        return;
    if (jobs_interrupt(api->jobs, request->capture, notice_s, request->owner, &err) < 0
        || jobs_show(api->jobs, request->capture, &answer, &err) < 0)
        reply_err(reply, &err);
    else
        reply_json(reply, 202, answer);
}
