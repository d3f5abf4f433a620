#ifndef SRC_STAGE_SAY_H
#define SRC_STAGE_SAY_H

#include "src/base.h"
#include "src/err.h"

/* The lines of standard output, one JSON object each, as src/stage.h has them. */

/* How far something is.  Totals below 0 are not known yet. */
struct progress {
    const char *phase; /* "downloading", "restoring", "uploading" */
    const char *what;  /* a channel, "checkpoints", an archive */
    int64_t bytes, bytes_total;
    int64_t objects, objects_total;
};

/** Tells, unless the last one was told less than half a second ago. */
void say_progress(const struct progress *progress);
/** Tells at any rate: the last one of a verb. */
void say_last_progress(const struct progress *progress);

/** Counts and tells; so many bytes (or fewer again) and objects more. */
void progress_add(struct progress *progress, int64_t bytes, int64_t objects);

void say_ready(void);
void say_warning(const char *format, ...) PRINTF_LIKE(1, 2);
/** For the job's own message: so many files of `what` ("model") are not stored, which
 * warnings have named; nothing is told of none. */
void say_left_out(const char *what, size_t count);
/** Each NULL where nothing was stored. */
void say_artifacts(const char *model, const char *output);
/** The last line. */
void say_error(const struct err *err);

#endif
