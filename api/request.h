#ifndef API_REQUEST_H
#define API_REQUEST_H

#include "src/base.h"
#include "src/problems.h"

/* What a client asks, in our words: nothing of the HTTP library is in here. */

struct route;
struct upload;

enum {
    REQUEST_PARAMETERS_MAX = 16,
    REQUEST_CAPTURE_SIZE = 128
};

struct parameter {
    const char *name;
    const char *value;
};

/* All texts are borrowed: they live as long as the exchange. */
struct request {
    const struct route *route;
    char capture[REQUEST_CAPTURE_SIZE]; /* what {name} or {sha256} stood for; else "" */
    struct parameter parameters[REQUEST_PARAMETERS_MAX];
    size_t parameter_count;
    const char *owner;           /* who asks */
    const char *content_type;    /* or NULL */
    const char *idempotency_key; /* or NULL */
    const char *body;
    size_t body_len;
    struct upload *upload; /* of a route that takes a file; or NULL */
};

/** Takes a query parameter when the route knows its name and has not got it yet; else
 * adds a problem, with the nearest right name as hint.  `value` has `value_len` bytes
 * and a NUL behind. */
void request_add_parameter(struct request *request, const char *name, const char *value,
                           size_t value_len, struct problems *problems);

/** Value of a parameter, or NULL. */
const char *request_parameter(const struct request *request, const char *name);

/* Typed parameters: an absent one leaves *out as it is, a wrong one adds a problem. */
void request_int(const struct request *request, const char *name, int64_t min,
                 int64_t max, int64_t *out, struct problems *problems);
void request_bool(const struct request *request, const char *name, bool *out,
                  struct problems *problems);
/** RFC 3339, a date, or seconds since 1970, which may have a fraction; *out in us. */
void request_time(const struct request *request, const char *name, usec_t *out,
                  struct problems *problems);

/* How a body is written. */
enum media {
    MEDIA_JSON,
    MEDIA_YAML,
    MEDIA_OTHER
};

/** Parameters of the type (charset) are of no weight; none at all is JSON.  Pure. */
enum media request_media(const char *content_type);

/** 1 to 255 visible ASCII characters.  Pure. */
bool request_key_is_valid(const char *key);

#endif
