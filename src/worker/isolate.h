#ifndef SRC_WORKER_ISOLATE_H
#define SRC_WORKER_ISOLATE_H

#include "src/err.h"

struct worker;

/**
 * What scripts written for a container expect of the place where they run: W/ml at
 * /opt/ml, W/hosts at /etc/hosts, the host name of the plan, and W/ml/checkpoints at
 * the plan's checkpoint_path when that is elsewhere.  All of it in a mount and a UTS
 * namespace that this process enters; its children are born there, and the host sees
 * nothing of it.
 *
 * To be called once, before anything is prepared; does nothing when the plan does not
 * isolate.  The present folder is / after.  ERR_INVALID when the user's checkpoint path
 * cannot be shown; else the failure is the host's or ours.
 */
MUST_CHECK int isolate_enter(const struct worker *worker, struct err *err);

/**
 * Shows the folder of the host that a FastFile channel names at input/data/CHANNEL,
 * read-only: a program that clears its inputs away does not clear the user's data.
 * Channels that have no folder of their own there (files, shards, S3) are
 * railhead-stage's, and so is one whose folder cannot be shown, which worker.log says.
 *
 * Once input/data is there; does nothing when the plan does not isolate.
 */
void isolate_show_channels(const struct worker *worker);

#endif
