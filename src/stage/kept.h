#ifndef SRC_STAGE_KEPT_H
#define SRC_STAGE_KEPT_H

#include "src/stage/objects.h"
#include "src/stage/stage.h"

/*
 * The names at checkpoint_uri that are this worker's to remove: what it was given and
 * what it stored or began to.  In a file, ML/input/checkpoints-kept, for what a program
 * removes while nobody looks: before the first look, and while a helper that was killed
 * is started again.
 */

/** Replaces what is written by the names of `one`, and of `other` (or NULL) that are
 * not in `one`; OBJECT_NEW is left out.  Both are sorted. */
MUST_CHECK int kept_write(const struct stage *stage, const struct objects *one,
                          const struct objects *other, struct err *err);

/** Adds what is written, sorted; nothing where nothing was.  Names that could be none
 * in a folder are left out: a job can write the file. */
MUST_CHECK int kept_read(const struct stage *stage, struct objects *objects,
                         struct err *err);

#endif
