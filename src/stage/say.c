/* The lines of standard output.  A reader that is gone is no reason to stop: the
 * worker's end is seen otherwise. */

#include "src/stage/say.h"

#include "src/clock.h"
#include "src/files.h"
#include "src/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two a second. */
#define PROGRESS_EVERY (USEC_PER_SEC / 2)

/* In one write, so that lines of several processes do not mix. */
static void say(struct cJSON *json)
{
    auto_json struct cJSON *owned = json;
    auto_free char *words = json_print(owned);
    auto_free char *line = xasprintf("%s\n", words);

    (void)!write_all(STDOUT_FILENO, line, strlen(line), NULL);
}

static void set_count(struct cJSON *json, const char *name, int64_t count)
{
    if (count < 0)
        json_set_null(json, name);
    else
        json_set_int(json, name, count);
}

void say_last_progress(const struct progress *progress)
{
    struct cJSON *json = json_object_new();
    struct cJSON *inner = json_object_new();

    json_set_text(inner, "phase", progress->phase);
    json_set_text(inner, "what", progress->what);
    json_set_int(inner, "bytes", progress->bytes);
    set_count(inner, "bytes_total", progress->bytes_total);
    json_set_int(inner, "objects", progress->objects);
    set_count(inner, "objects_total", progress->objects_total);
    json_set(json, "progress", inner);
    say(json);
}

void say_progress(const struct progress *progress)
{
    static usec_t due;
    usec_t now = clock_boot();

    if (now < due)
        return;
    due = now + PROGRESS_EVERY;
    say_last_progress(progress);
}

void progress_add(struct progress *progress, int64_t bytes, int64_t objects)
{
    progress->bytes += bytes;
    progress->objects += objects;
    say_progress(progress);
}

void say_ready(void)
{
    struct cJSON *json = json_object_new();

    json_set_bool(json, "ready", true);
    say(json);
}

void say_warning(const char *format, ...)
{
    struct cJSON *json = json_object_new();
    auto_free char *words = NULL;
    va_list args;

    va_start(args, format);
    words = xvasprintf(format, args);
    va_end(args);
    json_set_text(json, "warning", words);
    say(json);
}

void say_left_out(const char *what, size_t count)
{
    auto_free char *words = NULL;
    struct cJSON *json;

    if (count == 0)
        return;
    words = xasprintf("%zu %s of the %s left out, being links or no regular files; "
                      "worker.log names %s",
                      count, count == 1 ? "file" : "files", what,
                      count == 1 ? "it" : "them");
    json = json_object_new();
    json_set_text(json, "remark", words);
    say(json);
}

void say_artifacts(const char *model, const char *output)
{
    struct cJSON *json = json_object_new();
    struct cJSON *inner = json_object_new();

    json_set_text(inner, "model", model);
    json_set_text(inner, "output", output);
    json_set(json, "artifacts", inner);
    say(json);
}

void say_error(const struct err *err)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "error", err->text);
    /* What changed while it was copied is at rest another time. */
    json_set_bool(json, "retry",
                  err->code == ERR_UNAVAILABLE || err->code == ERR_DISK_FULL
                      || err->code == ERR_INTERNAL || err->code == ERR_CONFLICT);
    say(json);
}
