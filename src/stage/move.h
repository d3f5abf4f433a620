#ifndef SRC_STAGE_MOVE_H
#define SRC_STAGE_MOVE_H

#include "src/stage/objects.h"
#include "src/stage/say.h"
#include "src/stage/stage.h"

/* Objects between sources (objects.h) and local files, whatever the sources are. */

/** Whether the file `path` is this object: its size and, where known, its time. */
bool object_is_at(const struct object *object, const char *path);

/** Fetches every object of an arranged and measured listing into `folder` under its
 * name; what is there stays. */
MUST_CHECK int fetch_objects(struct stage *stage, const struct objects *objects,
                             const char *folder, struct progress *progress,
                             struct err *err);

/** Fetches one object, whose size nobody knows. */
MUST_CHECK int fetch_one(struct stage *stage, const char *source, const char *to,
                         struct err *err);

/** Stores the file `from`, a settled path (files.h), at `target`, whole or not at all.
 */
MUST_CHECK int put_file(struct stage *stage, const char *from, const char *target,
                        struct progress *progress, struct err *err);

/** Removes what is at `target`; what is not there is well. */
MUST_CHECK int remove_at(struct stage *stage, const char *target, struct err *err);

/** Size and ETag of an object at S3, into a listing of one. */
MUST_CHECK int head_at_s3(struct stage *stage, const char *source,
                          struct objects *objects, struct err *err);

#endif
