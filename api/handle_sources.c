/* /v1/sources: a job's packed source, once per content.  Decides what a digest in a
 * path may look like. */

#include "api/routes.h"
#include "api/upload.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the archive is there; its size. */
static bool is_there(struct jobs *jobs, const char *hex, int64_t *size)
{
    auto_free char *path = jobs_source_path(jobs, hex);
    struct stat info;

    if (stat(path, &info) < 0)
        return false;
    *size = info.st_size;
    return true;
}

static void answer(struct reply *reply, int status, const char *hex, int64_t size)
{
    struct cJSON *body = json_object_new();
    auto_free char *source = xasprintf("sha256:%s", hex);

    json_set_text(body, "sha256", hex);
    json_set_text(body, "source_dir", source);
    json_set_int(body, "size_bytes", size);
    reply_json(reply, status, body);
}

static bool check_digest(const char *hex, struct reply *reply)
{
    if (digest_is_hex(hex))
        return true;
    reply_problem(reply, PROBLEM_INVALID, NULL,
                  "expected a SHA-256 of 64 lower-case hexadecimal digits in the path");
    return false;
}

void open_source_put(struct api *api, struct request *request, struct reply *reply)
{
    const char *hex = request->capture;
    struct err err;
    int64_t size;

    if (!check_digest(hex, reply))
        return;
    if (is_there(api->jobs, hex, &size))
        answer(reply, 200, hex, size);
    else if (jobs_need_room(api->jobs, &err) < 0)
        reply_err(reply, &err);
    else if (upload_new(api->jobs, hex, api->source_limit_bytes, &request->upload, &err)
             < 0)
        reply_err(reply, &err);
}

void handle_source_put(struct api *api, const struct request *request,
                       struct reply *reply)
{
    struct err err;
    int64_t size = 0;

    if (upload_finish(request->upload, &err) == 0) {
        if (is_there(api->jobs, request->capture, &size))
            answer(reply, 201, request->capture, size);
        else
            reply_problem(reply, PROBLEM_INTERNAL, NULL, "source %s vanished",
                          request->capture);
    } else if (err.code == ERR_INVALID) {
        reply_problem(reply, PROBLEM_DIGEST_MISMATCH, NULL, "%s", err.text);
    } else {
        reply_err(reply, &err);
    }
}

void handle_source_show(struct api *api, const struct request *request,
                        struct reply *reply)
{
    int64_t size;

    if (!check_digest(request->capture, reply))
        return;
    if (is_there(api->jobs, request->capture, &size))
        answer(reply, 200, request->capture, size);
    else
        reply_problem(reply, PROBLEM_NOT_FOUND, NULL, "there is no source %s",
                      request->capture);
}
