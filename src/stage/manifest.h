#ifndef SRC_STAGE_MANIFEST_H
#define SRC_STAGE_MANIFEST_H

#include "src/stage/objects.h"

/* The two kinds of lists of objects.  All pure. */

/** Where a URI leads, as a source (objects.h): file:///PATH, a plain absolute path,
 * s3://BUCKET/KEY.  ERR_INVALID for others.  The caller frees. */
MUST_CHECK int source_of_uri(const char *uri, char **out, struct err *err);

bool source_is_s3(const char *source);

/** With a slash at its end; the caller frees. */
char *source_of_folder(const char *source);

/** A source as it is told to people, and what source_of_uri reads.  The caller frees.
 */
char *uri_of_source(const char *source);

/** A ManifestFile: [{"prefix": URI}, "RELATIVE", ...], the prefix put before each as it
 * stands.  Sets the base and adds the names, sizes unknown. */
MUST_CHECK int manifest_parse(const char *bytes, size_t len, struct objects *objects,
                              struct err *err);

struct cJSON;

/** Adds the objects that one line of an AugmentedManifestFile refers to: its members
 * named NAME-ref, all or those among `attributes` (ends in NULL).  An object beneath
 * the folder of the manifest (`manifest_source`) has its name from there, another one
 * its whole key or path. */
MUST_CHECK int manifest_add_references(const struct cJSON *line,
                                       char *const *attributes,
                                       const char *manifest_source,
                                       struct objects *objects, struct err *err);

/** Whether an attribute's value is where an object is: NAME-ref. */
bool attribute_is_reference(const char *name);

/** The name that a key of an S3Prefix channel has in the channel: without the prefix
 * and the slash behind it.  Where the prefix is the beginning of names ("p/part" of
 * "p/part-0"), those stay whole.  Points into `key`. */
const char *name_beneath_prefix(const char *prefix, const char *key);

#endif
