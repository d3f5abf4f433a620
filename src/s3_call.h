#ifndef SRC_S3_CALL_H
#define SRC_S3_CALL_H

#include "src/base.h"
#include "src/err.h"
#include "src/http_client.h"
#include "src/s3.h"

/* One request to S3 with the tries that it takes; several go on side by side.  For the
 * files of src/s3.h alone. */

struct s3 {
    struct storage storage;
    struct http_client *http;
    char *url;        /* scheme://host[:port] of the endpoint */
    const char *host; /* within url */
    bool secure;      /* https: what is sent need not be hashed, TLS guards it */
};

/* The caller fills the upper half; it stays as it is until the call is cleared. */
struct s3_call {
    struct s3 *s3;
    const char *method;
    const char *bucket;
    const char *key;      /* NULL: the bucket itself */
    const char *query;    /* percent-encoded; NULL: none */
    const char *if_match; /* an ETag without quotes; NULL or "": any */
    /* What is wanted of an object whose size is known; len < 0 or no on_bytes: the
     * answer is collected. */
    int64_t offset;
    int64_t len;
    bool whole; /* that is all of it: asked for without a Range */
    void (*on_bytes)(void *context, const char *bytes, size_t len);
    void *context;
    struct http_range body; /* len 0: none */

    struct http_transfer *transfer; /* of the present or last try */
    char *base;
    char *target;
    char *payload_hash;
    int64_t got;          /* bytes handed to on_bytes, over all tries */
    int64_t got_at_start; /* of this try */
    bool range_wrong;     /* the answer is not the range that was asked for */
    int tries;            /* begun so far */
    usec_t due;           /* of the next try, boot clock, while there is no transfer */
    bool over;
    bool failed;
    struct http_answer answer; /* of a call that is over and has not failed */
    struct err err;            /* of one that has failed */
};

/** Moves a call on as far as it goes without waiting: begins it, takes its answer.
 * True when it is over.  Waiting is s3_wait's. */
bool s3_call_step(struct s3_call *call);

/** Waits until something may have happened to one of the calls; NULL entries are well.
 */
void s3_wait(struct s3 *s3, struct s3_call *const *calls, size_t count);

/** To its end.  The answer is in `call`, and goes with s3_call_clear. */
MUST_CHECK int s3_call_perform(struct s3_call *call, struct err *err);

/** Ends it when it is not over. */
void s3_call_clear(struct s3_call *call);
#define auto_call __attribute__((cleanup(s3_call_clear)))

/** A fresh set of tries, for a call that made good progress. */
void s3_call_forgive(struct s3_call *call);

/** "s3://BUCKET/KEY" for a message; the caller frees. */
char *s3_name(const char *bucket, const char *key);

/** An ETag header's value without its quotes; "" for NULL.  The caller frees. */
char *s3_etag(const char *header);

/** Whether an ETag has the form of an MD5, as that of an object stored in one piece;
 * and whether an answer says that its own is none all the same, for the object is
 * encrypted by a key of KMS or of a customer. */
bool s3_etag_is_md5(const char *etag);
bool s3_etag_is_opaque(const struct http_transfer *transfer);

#endif
