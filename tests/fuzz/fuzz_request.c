/*
 * Request lines, query parameters and media types.  Lines of the input: METHOD PATH,
 * then NAME=VALUE of each parameter.
 */

#include "api/request.h"
#include "api/routes.h"
#include "src/clock.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* The pattern with what was captured in the place of its part. */
static char *path_of(const char *pattern, const char *capture)
{
    const char *open = strchr(pattern, '{');

    return open ? xasprintf("%.*s%s%s", (int)(open - pattern), pattern, capture,
                            strchr(open, '}') + 1)
                : xstrdup(pattern);
}

/* Each method of an Allow header is a way in. */
static void check_allow(const char *allow, const char *path)
{
    auto_free char *methods = xstrdup(allow);
    char *rest = methods;
    char *method;

    while ((method = strsep(&rest, ","))) {
        char capture[REQUEST_CAPTURE_SIZE];
        char *none = NULL;

        assert(route_find(method + strspn(method, " "), path, capture, &none));
        assert(!none);
    }
}

static const struct route *check_route(const char *method, const char *path,
                                       char capture[REQUEST_CAPTURE_SIZE])
{
    auto_free char *allow = NULL;
    auto_free char *same = NULL;
    const struct route *route = route_find(method, path, capture, &allow);

    if (!route) {
        if (allow)
            check_allow(allow, path);
        return NULL;
    }
    same = path_of(route->pattern, capture);
    assert(!allow && strcmp(same, path) == 0);
    assert(strcmp(route->method, strcmp(method, "HEAD") == 0 ? "GET" : method) == 0);
    return route;
}

static void check_time(const struct request *request, const char *name)
{
    auto_problems struct problems problems = { 0 };
    char text[TIME_TEXT_SIZE];
    usec_t wall = INT64_MIN;
    usec_t again;

    request_time(request, name, &wall, &problems);
    assert(fuzz_are_told(&problems, wall != INT64_MIN));
    if (problems.count == 0) {
        assert(time_parse(time_format(wall, text), &again, NULL) == 0);
        assert(again == wall);
    }
}

static void check_typed(const struct request *request, const char *name)
{
    auto_problems struct problems of_int = { 0 };
    auto_problems struct problems of_bool = { 0 };
    bool truth = false;
    int64_t number = 0;

    request_int(request, name, 1, 1000, &number, &of_int);
    assert(fuzz_are_told(&of_int, number >= 1 && number <= 1000));
    request_bool(request, name, &truth, &of_bool);
    assert(!truth || of_bool.count == 0);
    assert(!of_bool.count || !of_int.count || fuzz_are_told(&of_bool, false));
    check_time(request, name);
}

static void check_parameters(struct request *request, char *lines)
{
    auto_problems struct problems problems = { 0 };

    for (char *line; (line = fuzz_line(&lines));) {
        char *value = line;
        const char *name = strsep(&value, "=");

        value = value ? value : line + strlen(line);
        request_add_parameter(request, name, value, strlen(value), &problems);
        assert(request_media(value) <= MEDIA_OTHER);
        assert(!request_key_is_valid(value) || (*value && !strchr(value, ' ')));
    }
    assert(fuzz_are_told(&problems, problems.count == 0));
    for (size_t i = 0; i < request->parameter_count; i++) {
        const struct parameter *given = &request->parameters[i];

        assert(request_parameter(request, given->name) == given->value);
        check_typed(request, given->name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    char *lines = text;
    char *path = fuzz_line(&lines);
    const char *method = strsep(&path, " ");
    struct request request = { 0 };

    if (!path)
        return 0;
    request.route = check_route(method, path, request.capture);
    if (request.route)
        check_parameters(&request, lines);
    return 0;
}
