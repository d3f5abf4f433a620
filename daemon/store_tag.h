#ifndef DAEMON_STORE_TAG_H
#define DAEMON_STORE_TAG_H

#include "daemon/store.h"

/** Row ids of the jobs that have this tag, oldest first; the caller frees. */
MUST_CHECK int store_find_tagged(struct store *store, const char *key,
                                 const char *value, int64_t **ids, size_t *count,
                                 struct err *err);

#endif
