#ifndef SRC_URI_H
#define SRC_URI_H

#include "src/base.h"
#include "src/members.h"

/* Where data is: file:///ABSOLUTE/PATH (RFC 8089, percent-encoded) or
 * s3://BUCKET[/KEY] (as S3's own tools have it: the key is not encoded). */

/** The path of a file:// URI, decoded (no host but localhost, no query); NULL: it is
 * none.  The caller frees. */
char *uri_to_path(const char *uri);

/** file:// URI of an absolute path, percent-encoded; the caller frees. */
char *uri_of_path(const char *path);

/** Whether a part of a path is "." or "..".  Pure. */
bool path_has_dots(const char *path);

/** Reads a member that is one of the two, or an absolute path, of which it makes a
 * file:// URI; "." and ".." in either are resolved by the words alone.  True and *out,
 * which the caller frees; or a problem and false. */
bool member_uri(const struct cJSON *value, const struct member_place *place,
                char **out);

#endif
