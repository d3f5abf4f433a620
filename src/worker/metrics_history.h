#ifndef SRC_WORKER_METRICS_HISTORY_H
#define SRC_WORKER_METRICS_HISTORY_H

#include "src/text.h"

/* Every value of every metric: metrics.jsonl in the worker's folder, one JSON object a
 * line:
 *
 *   {"name":"train:loss","value":0.41,"rank":0,"step":900,"wall_us":W}
 *
 * value is "NaN", "Infinity" or "-Infinity" where it is no number, step null where the
 * pattern gives none. */

struct metrics_history {
    const char *folder;
    int fd; /* -1 until there is something to be written */
    struct text pending;
    usec_t due_boot; /* when `pending` is to be written; INT64_MAX: it is empty */
    size_t pending_count;
    int64_t size;
    uint64_t dropped;  /* values that are not in it */
    int dropped_errno; /* why the last one is not */
};

void metrics_history_init(struct metrics_history *history, const char *folder);
void metrics_history_clear(struct metrics_history *history);

/** One line, without its line feed, of a value that came at `boot`. */
void metrics_history_add(struct metrics_history *history, const char *line,
                         usec_t boot);

/** Writes what is pending.  What the disk does not take is lost and counted. */
void metrics_history_write(struct metrics_history *history);

/** What is not in it and why, for the end of a job; NULL: all is. The caller frees. */
char *metrics_history_remark(const struct metrics_history *history);

#endif
