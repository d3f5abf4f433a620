#ifndef SRC_STAGE_STAGE_H
#define SRC_STAGE_STAGE_H

#include "src/base.h"
#include "src/err.h"
#include "src/launch_plan.h"
#include "src/s3.h"

/* What every verb of railhead-stage is given; src/stage.h says what the verbs do. */

struct stage {
    const struct worker_plan *plan;
    struct s3 *s3; /* NULL until stage_s3 was asked for it */
};

/** The client, made when it is first asked for.  It is the stage's. */
MUST_CHECK int stage_s3(struct stage *stage, struct s3 **out, struct err *err);

/** Closes the client: before a fork, for a connection cannot have two owners. */
void stage_close_s3(struct stage *stage);

/** A file whose time says when all checkpoints were restored; the caller frees. */
char *restored_marker_path(const struct stage *stage);

/* Memory that listings may take: 2.8 million objects with names of 40 bytes.  It is
 * taken as they are listed; the program itself stays below 32 MiB. */
enum {
    STAGE_LISTING_BYTES = 256 << 20
};

MUST_CHECK int stage_in(struct stage *stage, struct err *err);
MUST_CHECK int stage_pipe(struct stage *stage, struct err *err);
MUST_CHECK int stage_checkpoints(struct stage *stage, struct err *err);
MUST_CHECK int stage_out(struct stage *stage, struct err *err);

#endif
