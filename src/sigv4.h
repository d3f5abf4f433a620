#ifndef SRC_SIGV4_H
#define SRC_SIGV4_H

#include "src/base.h"
#include "src/digest.h"

/* AWS Signature Version 4: what a request's `Authorization` says.  Pure. */

struct sigv4_request {
    const char *method;
    const char *path;  /* the canonical URI: for S3 the path as it is sent */
    const char *query; /* percent-encoded NAME=VALUE&...; in any order; "" for none */
    /* "Name: value" of all that is signed, in any order, each name once; ends in NULL.
     * Host and X-Amz-Date must be among them. */
    const char *const *headers;
    const char *payload_hash; /* SHA-256 in hexadecimal, or UNSIGNED-PAYLOAD */
};

struct sigv4_scope {
    const char *time; /* as in X-Amz-Date: 20260830T123600Z */
    const char *region;
    const char *service; /* s3, sagemaker */
};

enum {
    SIGV4_TIME_SIZE = 17
};

/** `wall` as X-Amz-Date has it. */
void sigv4_time(usec_t wall, char out[SIGV4_TIME_SIZE]);

/** SHA-256 of the canonical request. */
void sigv4_canonical_hash(const struct sigv4_request *request,
                          char hex[DIGEST_HEX_SIZE]);

/** The signature of a canonical hash by a secret key. */
void sigv4_signature(const char *canonical_hash, const struct sigv4_scope *scope,
                     const char *secret_key, char hex[DIGEST_HEX_SIZE]);

/** The value of the Authorization header; the caller frees. */
char *sigv4_authorization(const struct sigv4_request *request,
                          const struct sigv4_scope *scope, const char *access_key,
                          const char *secret_key);

#endif
