#ifndef SRC_STAGE_OBJECTS_H
#define SRC_STAGE_OBJECTS_H

#include "src/base.h"
#include "src/err.h"
#include "src/text.h"

/*
 * A listing: the objects of a channel or a folder, by name, in little memory.
 *
 * A source is where an object is: "/ABSOLUTE/PATH", or "s3://BUCKET/KEY" with the key
 * as it stands.
 */

enum object_kind {
    OBJECT_FILE,
    OBJECT_FOLDER, /* only where a walk was asked for all there is; as are links */
    OBJECT_LINK
};

/* For who keeps listings from one look to the next (checkpoints). */
enum object_state {
    OBJECT_NEW,
    OBJECT_BEGUN,         /* storing it was begun: it may be there */
    OBJECT_STORED_BEFORE, /* an earlier version of it is stored */
    OBJECT_STORED         /* as it is */
};

struct object {
    uint32_t name;   /* where in the texts; see object_name */
    uint32_t source; /* the same; 0: the listing's base and the name */
    uint32_t etag;   /* of S3; 0: none */
    enum object_kind kind;
    int64_t size;     /* -1: not known yet */
    int64_t mtime_ns; /* 0: not known */
    enum object_state state;
    bool is_steady; /* two looks saw it the same */
};

struct objects {
    char *base; /* of sources; ends in a slash */
    struct text texts;
    struct object *items;
    size_t count;
    size_t room;
    size_t limit;    /* bytes of all; 0: STAGE_LISTING_BYTES */
    size_t left_out; /* what a walk found that is none */
};

#define auto_objects __attribute__((cleanup(objects_clear)))

void objects_clear(struct objects *objects);

/* What objects_add is told; texts are copied. */
struct object_facts {
    const char *name;
    const char *source; /* or NULL */
    const char *etag;   /* or NULL */
    enum object_kind kind;
    int64_t size;
    int64_t mtime_ns;
};

/** ERR_LIMIT when the listing gets too large to be held. */
MUST_CHECK int objects_add(struct objects *objects, const struct object_facts *facts,
                           struct err *err);

const char *object_name(const struct objects *objects, size_t index);

/** Whether a name is among the first `count`, which are sorted.  Names are asked for in
 * their order; `at`, 0 at first, is where the one before was looked for, and the name's
 * index where it is true. */
bool objects_has_next(const struct objects *objects, size_t count, size_t *at,
                      const char *name);

/** The caller frees. */
char *object_source(const struct objects *objects, size_t index);

/** Sorts by the bytes of the names.  What is listed twice, from the same source, stays
 * once; ERR_INVALID when two objects have one name. */
MUST_CHECK int objects_sort(struct objects *objects, struct err *err);

/** Sorts, for a listing whose objects are to be files of one folder: ERR_INVALID, too,
 * when one is both a file and a folder of others, or when a name would leave its
 * folder. */
MUST_CHECK int objects_arrange(struct objects *objects, struct err *err);

/** Whether `name` may be made in a folder: relative, no part of it empty, "." or "..".
 * Pure. */
bool object_name_is_safe(const char *name);

/** Bytes of memory that count against a limit. */
size_t objects_size(const struct objects *objects);

/** The sum of the sizes. */
int64_t objects_bytes(const struct objects *objects);

/** Keeps of the arranged objects those with index k where k mod `count` is `index`:
 * each of `count` instances has its own, and as many as any other or one less. */
void objects_keep_share(struct objects *objects, int index, int count);

#endif
