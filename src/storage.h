#ifndef SRC_STORAGE_H
#define SRC_STORAGE_H

#include "src/base.h"
#include "src/err.h"

/* Where s3:// URIs are served, and by whose keys: `s3` of etc/railhead.yaml. */

enum s3_addressing {
    S3_PATH,    /* http://ENDPOINT/BUCKET/KEY */
    S3_VIRTUAL, /* http://BUCKET.ENDPOINT/KEY */
};

struct storage {
    char *
        endpoint; /* http://HOST[:PORT] or https://...; NULL: AWS's own of the region */
    char *region; /* us-east-1 */
    enum s3_addressing addressing;
    char *access_key; /* NULL: requests are not signed (a public bucket) */
    char *secret_key;
    char *session_token; /* or NULL */
};

struct cJSON;

void storage_clear(struct storage *storage);
void storage_copy(struct storage *to, const struct storage *from);

/** To and from JSON, secrets included: for a worker's stdin, never for a log, a file or
 * an answer. */
struct cJSON *storage_to_json(const struct storage *storage);
MUST_CHECK int storage_from_json(const struct cJSON *json, struct storage *out,
                                 struct err *err);

/**
 * The keys of one profile in a file of the form of ~/.aws/credentials, into the key
 * members of `storage`.
 *
 * ERR_NOT_FOUND when the file or the profile is not there; ERR_INVALID when a key is
 * missing, or when others than its owner may read the file.
 */
MUST_CHECK int storage_read_keys(const char *path, const char *profile,
                                 struct storage *storage, struct err *err);

#endif
