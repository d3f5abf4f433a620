#ifndef API_BODY_H
#define API_BODY_H

#include "api/reply.h"
#include "api/request.h"

/** The body as a value, from JSON or YAML; NULL with the reply set when it is not one.
 * The caller frees. */
struct cJSON *body_parse(const struct request *request, struct reply *reply);

#endif
