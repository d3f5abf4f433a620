#ifndef SRC_CHANNEL_H
#define SRC_CHANNEL_H

#include "src/base.h"
#include "src/err.h"
#include "src/members.h"
#include "src/uri.h"

/* A channel: one named input of a job.  SageMaker's terms; railhead-job(5) has them in
 * words. */

enum channel_mode {
    CHANNEL_FILE,      /* copied before the launch */
    CHANNEL_FAST_FILE, /* not copied where it need not be, as of this host */
    CHANNEL_PIPE,      /* a FIFO an epoch */
};

enum channel_distribution {
    CHANNEL_FULLY_REPLICATED,
    CHANNEL_SHARDED_BY_S3_KEY, /* every object on exactly one instance */
};

enum channel_data {
    CHANNEL_PREFIX,             /* S3Prefix: all that begins with the URI */
    CHANNEL_MANIFEST,           /* ManifestFile: the URI is a list of objects */
    CHANNEL_AUGMENTED_MANIFEST, /* AugmentedManifestFile: JSON lines with NAME-ref */
};

enum channel_compression {
    CHANNEL_PLAIN,
    CHANNEL_GZIP /* Pipe only: inflated on the way */
};

enum channel_records {
    CHANNEL_UNWRAPPED,
    CHANNEL_RECORD_IO /* Pipe only: every object is one record */
};

struct channel {
    char *name;
    char *uri; /* file:///ABSOLUTE/PATH or s3://BUCKET/PREFIX; paths are made so */
    enum channel_mode mode;
    enum channel_distribution distribution;
    enum channel_data data;
    enum channel_compression compression;
    enum channel_records records;
    char *content_type; /* or NULL */
    bool shuffle;       /* in a new order every epoch, Pipe only */
    int64_t shuffle_seed;
    char **attributes; /* of an augmented manifest, ends in NULL; or NULL: all */
};

/* As a spec has them: "FastFile", "ShardedByS3Key", "ManifestFile", "Gzip",
 * "RecordIO". */
extern const char *const channel_mode_names[];         /* each ends in NULL, */
extern const char *const channel_distribution_names[]; /* by its enum */
extern const char *const channel_data_names[];
extern const char *const channel_compression_names[];
extern const char *const channel_records_names[];

void channel_clear(struct channel *channel);
void channel_copy(struct channel *to, const struct channel *from);

/** Every member, in a spec's own form (name excepted: there it is the member's name);
 * the caller owns it. */
struct cJSON *channel_to_json(const struct channel *channel);

/** Reads a channel as a spec has it: a URI alone, or an object; what is wrong becomes
 * problems, and what was read is kept.  `channel` is all zeros before; its name is
 * place->name, and checked.  Pure. */
void channel_read_member(struct channel *channel, const struct cJSON *value,
                         const struct member_place *place);

/** Reads what channel_to_json wrote. */
MUST_CHECK int channel_from_json(const char *name, const struct cJSON *json,
                                 struct channel *out, struct err *err);

#endif
