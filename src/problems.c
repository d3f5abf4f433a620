/* A list of what is wrong with one input.  What is wrong is decided elsewhere. */

#include "src/problems.h"

#include "src/json.h"

#include <stdlib.h>

void problems_add(struct problems *problems, const char *path, const char *hint,
                  const char *format, ...)
{
    va_list args;
    struct problem *problem;

    if (problems->count == PROBLEMS_MAX)
        return;
    problems->items =
        xrealloc(problems->items, (problems->count + 1) * sizeof *problems->items);
    problem = &problems->items[problems->count++];
    problem->path = xstrdup(path);
    problem->hint = xstrdup(hint);
    va_start(args, format);
    problem->message = xvasprintf(format, args);
    va_end(args);
}

void problems_clear(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        free(problems->items[i].path);
        free(problems->items[i].message);
        free(problems->items[i].hint);
    }
    free(problems->items);
    *problems = (struct problems){ 0 };
}

void problems_add_json(struct problems *problems, const struct cJSON *errors)
{
    json_each (item, errors) {
        const char *path = json_get_text(item, "path");
        const char *message = json_get_text(item, "message");

        problems_add(problems, path ? path : "", json_get_text(item, "hint"), "%s",
                     message ? message : "refused");
    }
}

struct cJSON *problems_to_json(const struct problems *problems)
{
    struct cJSON *array = json_array_new();

    for (size_t i = 0; i < problems->count; i++) {
        struct cJSON *item = json_object_new();

        json_set_text(item, "path", problems->items[i].path);
        json_set_text(item, "message", problems->items[i].message);
        json_set_text(item, "hint", problems->items[i].hint);
        json_append(array, item);
    }
    return array;
}
