#ifndef SRC_S3_H
#define SRC_S3_H

#include "src/base.h"
#include "src/err.h"
#include "src/storage.h"

/*
 * Objects at an S3-compatible endpoint: listed, fetched, stored.  One thread; every
 * function returns when its work is done, with many requests under way within it.
 *
 * What a busy or distant server does is met here: 5xx, 429, SlowDown, lost and stalled
 * connections are tried again, S3_TRIES times in all with pauses that grow and vary;
 * everything else is an error at once.  An error names bucket, key, status, S3's own
 * code and message, and what would help:
 *
 *   ERR_DENIED       401, 403
 *   ERR_NOT_FOUND    no such bucket or key
 *   ERR_CONFLICT     the object is not what it was when it was listed
 *   ERR_INVALID      other refusals
 *   ERR_UNAVAILABLE  not reached, or every try failed: try again later
 *   ERR_INTERNAL     bytes that are wrong after every try; the local disk
 */

enum {
    S3_TRIES = 5,           /* of one request, the first included */
    S3_STALL_S = 30,        /* below a byte a second for so long is a lost connection */
    S3_PARALLEL = 8,        /* requests under way at most */
    S3_PART_BYTES = 8 << 20 /* of a fetch, and of a store if 10,000 of them suffice */
};

/* --- names --- */

struct s3_uri {
    char *bucket;
    char *key; /* or prefix; "" for the whole bucket */
};

/** Takes s3://BUCKET[/KEY] apart.  The key is as it stands: s3:// URIs are not
 * percent-encoded.  ERR_INVALID names what is wrong. */
MUST_CHECK int s3_uri_parse(const char *uri, struct s3_uri *out, struct err *err);
void s3_uri_clear(struct s3_uri *uri);
#define auto_s3_uri __attribute__((cleanup(s3_uri_clear)))

/* --- the client --- */

struct s3;

/** Reaches nothing yet.  ERR_INVALID when the endpoint cannot be one.  The caller
 * frees. */
MUST_CHECK int s3_new(const struct storage *storage, struct s3 **out, struct err *err);
void s3_free(struct s3 *s3);
void s3_cleanup(struct s3 **s3);
#define auto_s3 __attribute__((cleanup(s3_cleanup)))

/* --- what is there --- */

struct s3_object {
    const char *key;
    int64_t size;
    const char *etag; /* without its quotes; "" where the server gives none */
};

/** Called for each object; texts are borrowed for the call.  -1 with `err` set ends the
 * listing. */
typedef int s3_object_t(void *context, const struct s3_object *object, struct err *err);

/**
 * Every object whose key begins with `prefix`, page by page, in the server's order (of
 * S3: that of the keys' bytes).  No object is no error; no bucket is.
 */
MUST_CHECK int s3_list(struct s3 *s3, const char *bucket, const char *prefix,
                       s3_object_t *on_object, void *context, struct err *err);

/** One object's size and ETag, into `on_object`. */
MUST_CHECK int s3_head(struct s3 *s3, const char *bucket, const char *key,
                       s3_object_t *on_object, void *context, struct err *err);

/* --- fetching --- */

/* An object, and the file that it becomes. */
struct s3_wanted {
    const char *bucket;
    const char *key;
    int64_t size;     /* as listed; another size is an error */
    const char *etag; /* as listed: another one is ERR_CONFLICT; "" or NULL: any */
    const char *path; /* of the file to write; its folder is there */
    void *tag;        /* for the caller */
};

/* Many objects at once, pulled as there is room for them: memory does not grow with
 * their number. */
struct s3_fetch {
    /** Sets *out and gives true, or false when there is none left.  What *out points at
     * stays until `on_done` of it. */
    bool (*next)(void *context, struct s3_wanted *out);
    /** The file at `path` is whole: rename it.  -1 with `err` set ends the fetch. */
    int (*on_done)(void *context, const struct s3_wanted *wanted, struct err *err);
    /** So many bytes more (fewer, where bytes turned out wrong).  NULL: nobody watches.
     */
    void (*on_bytes)(void *context, int64_t bytes);
    void *context;
};

/**
 * Fetches all that `next` gives, S3_PARALLEL requests at a time, large objects in
 * parts.
 *
 * A file that has its size is compared with the MD5 that the ETag of an object stored
 * in one piece is.  PATH may be there from an earlier call that did not end: of an
 * object above S3_PART_BYTES the parts that it has are kept, as PATH.parts tells (a
 * file beside it that goes when the object is whole).  The first error ends the fetch;
 * what is under way is left as it is.
 */
MUST_CHECK int s3_fetch(struct s3 *s3, const struct s3_fetch *fetch, struct err *err);

/** Takes bytes in their order; may block.  -1 with `err` set ends the stream. */
typedef int s3_bytes_t(void *context, const char *bytes, size_t len, struct err *err);

/**
 * One object from `offset` to its end, in order, holding no more than a network
 * buffer.  A connection that is lost or that timed out while `on_bytes` blocked is made
 * again where it was.  `wanted->path` is not used.  Checked by size, and by MD5 as in
 * s3_fetch where offset is 0: a difference is told when all bytes are handed over.
 */
MUST_CHECK int s3_stream(struct s3 *s3, const struct s3_wanted *wanted, int64_t offset,
                         s3_bytes_t *on_bytes, void *context, struct err *err);

/* --- storing --- */

/** How much of a file is stored.  NULL: nobody watches. */
typedef void s3_sent_t(void *context, int64_t sent, int64_t total);

/**
 * Stores a file: in one request up to S3_PART_BYTES, above in parts, several at a time,
 * that become one object at once at the end or are taken back.  A file that shrinks
 * meanwhile is an error.  The path is settled (files.h), and what has become a link or
 * is no file is refused.
 */
MUST_CHECK int s3_put_file(struct s3 *s3, const struct s3_uri *to, const char *path,
                           s3_sent_t *on_sent, void *context, struct err *err);

/** An object that is not there is well, as S3 has it. */
MUST_CHECK int s3_delete(struct s3 *s3, const struct s3_uri *which, struct err *err);

#endif
