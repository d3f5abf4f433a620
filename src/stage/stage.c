/* What the verbs share: one client of S3, for who needs it, and when checkpoints were
 * restored. */

#include "src/stage/stage.h"

int stage_s3(struct stage *stage, struct s3 **out, struct err *err)
{
    if (!stage->s3 && s3_new(&stage->plan->storage, &stage->s3, err) < 0)
        return -1;
    *out = stage->s3;
    return 0;
}

void stage_close_s3(struct stage *stage)
{
    s3_free(stage->s3);
    stage->s3 = NULL;
}

char *restored_marker_path(const struct stage *stage)
{
    return xasprintf("%s/input/checkpoints-restored", stage->plan->ml_folder);
}
