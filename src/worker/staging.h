#ifndef SRC_WORKER_STAGING_H
#define SRC_WORKER_STAGING_H

#include "src/worker/helper.h"

#include <poll.h>

struct worker;

/* What is brought before the ranks run, fed and kept while they do, and stored after
 * them: by children of railhead-stage, which are the worker's own and none of the
 * ranks'. */

struct staging {
    struct helper pipe;        /* feeds FIFOs while the ranks run */
    struct helper checkpoints; /* keeps checkpoint_uri as the folder is */
    usec_t checkpoints_boot;   /* when it is to be started again, if it does not run */
    usec_t progress_boot;      /* when the next line of progress may come */
    usec_t until_boot;         /* when storing is given up */
    bool failed;               /* this is why the worker ends: input or output */
    bool retry;                /* another time it could go well */
    struct cJSON *artifacts;   /* of the "ended" line, or NULL */
};

/* How many work beside the ranks. */
enum {
    STAGING_FDS = 2
};

void staging_init(struct staging *staging);
void staging_clear(struct staging *staging);

/** Brings File and FastFile channels and checkpoints, then starts what works beside the
 * ranks.  On failure worker->ending is decided (input); also when a stop comes
 * meanwhile. Fails when the journal does. */
MUST_CHECK int staging_in(struct worker *worker, struct err *err);

/** What poll is to wait for while ranks run; -1 where there is nothing. */
void staging_poll(const struct worker *worker, struct pollfd fds[STAGING_FDS]);

/** Hears what those beside the ranks say; in every round, after children were reaped.
 * True when it decided worker->ending: a channel could not be fed (input). Does not
 * block. */
bool staging_hear(struct worker *worker, usec_t now);

/** Notes the end of a child; false when `pid` is none of staging's. */
bool staging_reaped(struct worker *worker, pid_t pid, int status);

/** Whether a process is one of a worker's (`context`) staging, to be spared when what
 * is left of the ranks is swept: a descendants_spare_t. */
bool staging_owns(const void *context, pid_t pid);

/** Whether any runs: then a worker of which no rank is left still has children. */
bool staging_runs(const struct worker *worker);

/** No rank is left: ends what works beside them, the last sync of checkpoints included,
 * and stores the outputs, after an "uploading" line when there is anything to be
 * stored.  Fails when the journal does. */
MUST_CHECK int staging_out(struct worker *worker, struct err *err);

#endif
