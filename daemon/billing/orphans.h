#ifndef DAEMON_BILLING_ORPHANS_H
#define DAEMON_BILLING_ORPHANS_H

#include "daemon/store.h"
#include "src/json.h"

/**
 * What is there of jobs that no job accounts for: {"folders": [names beneath jobs/ of
 * jobs that the database does not know], "folder_count": N, "processes": [{"pid",
 * "job"}: of jobs that are over, or that it does not know and whose folder is there],
 * "process_count": N}.  20 of each are named.  The caller owns it.
 */
MUST_CHECK int orphans_find(struct store *store, const char *state, struct cJSON **out,
                            struct err *err);

#endif
