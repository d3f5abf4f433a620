#ifndef SCHEDULERS_LOCAL_JOURNAL_H
#define SCHEDULERS_LOCAL_JOURNAL_H

#include "src/journal.h"
#include "src/text.h"

/* Reads a journal that grows. */

struct local_journal {
    int fd;
    struct text partial; /* the beginning of a line that is not complete yet */
    int64_t offset;
};

/** Opens (and makes, empty) folder/journal.jsonl. */
MUST_CHECK int local_journal_open(const char *folder, struct local_journal *journal,
                                  struct err *err);
void local_journal_close(struct local_journal *journal);

/** False when nothing was ever written. */
bool local_journal_has_begun(const struct local_journal *journal);

/** Whether a worker holds its lock: it lives, or it has just ended. */
bool local_journal_is_held(const struct local_journal *journal);

typedef void local_journal_callback_t(void *context, const struct journal_line *line);

/* A call reads no more than this: a line takes some 10 us to read and 20 to record, so
 * the 100 short ones that fit hold the daemon's loop for 3 ms, however fast a job
 * writes into its own journal. */
enum {
    LOCAL_JOURNAL_READ_MAX = 8192
};

/**
 * Calls for every complete line that came since the last call.
 *
 * @more  whether there may be more to read now
 *
 * ERR_INVALID when there was a line that is not one of ours; all others were told.
 */
MUST_CHECK int local_journal_read(struct local_journal *journal,
                                  local_journal_callback_t *callback, void *context,
                                  bool *more, struct err *err);

#endif
