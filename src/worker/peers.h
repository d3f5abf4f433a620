#ifndef SRC_WORKER_PEERS_H
#define SRC_WORKER_PEERS_H

#include "src/journal.h"
#include "src/launch_plan.h"

/* What the other workers of the job say in their journals (plan.peers): for what has to
 * wait for them, whether or not the daemon is there. */

/* How far a worker is.  In order. */
enum peer_stage {
    PEER_RUNS,
    PEER_RANKS_DONE, /* all ranks but servers have ended, and well */
    PEER_UPLOADING,
    PEER_ENDED,
    PEER_GONE, /* it began, and vanished without a last line */
};

/* How often it is worth to look while something waits for them: a look is one read of
 * each journal. */
#define PEERS_INTERVAL (200 * USEC_PER_MSEC)

struct peers;

/** `plan` is borrowed for life. NULL where there are none, or none that we can read;
 * all functions take that. */
struct peers *peers_new(const struct worker_plan *plan);
void peers_free(struct peers *peers);

/** Reads what the journals have got since. */
void peers_look(struct peers *peers);

/** As of the last look. */
enum peer_stage peers_stage(const struct peers *peers, int worker);

/** Why that worker ends, from its "uploading" or "ended" line; END_LOST when it is gone
 * without; END_COMPLETED until then. */
enum end_cause peers_cause(const struct peers *peers, int worker);

/** Whether all others are at `stage` or beyond.  True when there are none. */
bool peers_all_at(const struct peers *peers, enum peer_stage stage);

#endif
