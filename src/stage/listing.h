#ifndef SRC_STAGE_LISTING_H
#define SRC_STAGE_LISTING_H

#include "src/stage/objects.h"
#include "src/stage/stage.h"

/**
 * The objects of a channel, arranged; those of a manifest have no sizes yet.  A
 * manifest is fetched to channel_manifest_path first.
 *
 * ERR_INVALID names a channel's URI when there is nothing, or nothing that can be used.
 */
MUST_CHECK int list_channel(struct stage *stage, const struct channel *channel,
                            struct objects *objects, struct err *err);

/** All that is beneath the folder `source`, arranged; one that is not there is empty.
 */
MUST_CHECK int list_folder(struct stage *stage, const char *source,
                           struct objects *objects, struct err *err);

/** Finds out the sizes that are not known. */
MUST_CHECK int measure_objects(struct stage *stage, struct objects *objects,
                               struct err *err);

/** ML/input/data/CHANNEL-manifest; the caller frees. */
char *channel_manifest_path(const struct stage *stage, const struct channel *channel);

/** Fetches the manifest where it is not there yet. */
MUST_CHECK int fetch_manifest(struct stage *stage, const struct channel *channel,
                              struct err *err);

/* A line of an augmented manifest, its JSON included, is held in memory. */
enum {
    MANIFEST_LINE_MAX = 256 * 1024
};

/** Calls for each line that is not empty, with where it begins. -1 with `err` set ends
 * it. */
typedef int manifest_line_f(void *context, const char *line, int64_t offset,
                            struct err *err);
MUST_CHECK int each_manifest_line(const char *path, manifest_line_f *on_line,
                                  void *context, struct err *err);

#endif
