/* Bodies of requests that are values. */

#include "api/body.h"

#include "src/json.h"
#include "src/yaml.h"

struct cJSON *body_parse(const struct request *request, struct reply *reply)
{
    struct cJSON *value = NULL;
    struct err err;

    switch (request_media(request->content_type)) {
    case MEDIA_JSON:
        if (json_parse(request->body, request->body_len, &value, &err) < 0)
            reply_problem(reply, PROBLEM_MALFORMED_JSON, NULL, "%s", err.text);
        break;
    case MEDIA_YAML:
        if (yaml_parse(request->body, request->body_len, &value, &err) < 0)
            reply_problem(reply, PROBLEM_MALFORMED_YAML, NULL, "%s", err.text);
        break;
    case MEDIA_OTHER:
        reply_problem(
            reply, PROBLEM_UNSUPPORTED_MEDIA_TYPE, NULL,
            "Content-Type is \"%.100s\"; send application/json or application/yaml",
            request->content_type);
        break;
    }
    return value;
}
