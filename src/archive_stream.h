#ifndef SRC_ARCHIVE_STREAM_H
#define SRC_ARCHIVE_STREAM_H

#include "src/base.h"
#include "src/err.h"

/* A tar.gz that is written as it is made, of whatever size, and gzip that is inflated
 * as it is read.  Memory does not grow with either. */

/** Takes bytes; -1 with `err` set ends what is going on. */
typedef int archive_sink_f(void *context, const void *bytes, size_t len,
                           struct err *err);

struct archive_writer;

/** ERR_UNAVAILABLE when memory is out.  The caller frees. */
MUST_CHECK int archive_writer_new(archive_sink_f *sink, void *context,
                                  struct archive_writer **out, struct err *err);
void archive_writer_free(struct archive_writer *writer);

/**
 * Adds the regular file, folder or link at `path` as `name`, with its time and as
 * 0644 or 0755, owned by root.  `on_packed` (NULL: nobody watches) hears how many bytes
 * of a file more are packed.
 *
 * ERR_INVALID for what is none of the three and for a link that leads out of the
 * archive: nothing was added, and more may be.  Others end the archive.
 */
MUST_CHECK int archive_writer_add(struct archive_writer *writer, const char *path,
                                  const char *name,
                                  void (*on_packed)(void *context, int64_t bytes),
                                  struct err *err);

/** Writes the end.  No more may be added. */
MUST_CHECK int archive_writer_finish(struct archive_writer *writer, struct err *err);

/** Inflates all that `fd` gives, members behind one another included; nothing at all
 * inflates to nothing.  ERR_INVALID when it is not gzip, is damaged or cut short. */
MUST_CHECK int archive_inflate(int fd, archive_sink_f *sink, void *context,
                               struct err *err);

#endif
