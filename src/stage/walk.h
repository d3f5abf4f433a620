#ifndef SRC_STAGE_WALK_H
#define SRC_STAGE_WALK_H

#include "src/stage/objects.h"

enum walk_how {
    WALK_FOLLOW, /* the files, through links too: a user's own folder */
    WALK_FILES,  /* the files; links and what is no file are left out: a job's folder,
                    in which files come and go meanwhile */
    WALK_ALL,    /* folders (but the first) and links as well */
};

/**
 * Adds what is beneath `folder`, in no order, and sets the listing's base.  Our own
 * half-written files are not there.  With `warn` what is left out is told.
 *
 * ERR_NOT_FOUND when the folder is not there.  Of a job's folder the path is settled
 * (files.h): ERR_INVALID when a part of it has become a link.
 */
MUST_CHECK int walk(const char *folder, enum walk_how how, bool warn,
                    struct objects *objects, struct err *err);

#endif
