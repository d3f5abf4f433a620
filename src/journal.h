#ifndef SRC_JOURNAL_H
#define SRC_JOURNAL_H

#include "src/base.h"
#include "src/err.h"
#include "src/json.h"

/*
 * What a worker says: journal.jsonl in its folder, one JSON object a line, only ever
 * appended.
 *
 *   {"seq":1,"kind":"ready","boot_us":B,"wall_us":W,"boot_id":"...","pid":P,"start_ticks":"T"}
 *   {"seq":2,"kind":"launched","boot_us":B,"wall_us":W,"ranks":[{"rank":0,"pid":P}]}
 *   {"seq":3,"kind":"metric","boot_us":B,"wall_us":W,"name":"train:loss","value":0.41,"rank":0}
 *   {"seq":4,"kind":"heartbeat",...}             every 5 s, followed by fsync
 *   {"seq":5,"kind":"rank_exited",...,"rank":1,"exit_code":17,"signal":null,"oom":false}
 *   {"seq":6,"kind":"ended",...,"cause":"failed","exit_code":17,"signal":null,"first_failing_rank":1,
 *    "first_failure_boot_us":B,"message":"...","metrics":{"train:loss":{"value":0.41,"rank":0,"wall_us":W}}}
 *
 * Every line has seq, kind, boot_us and wall_us: boot_us is the boot clock, wall_us the
 * wall clock derived from one anchor taken at the start (it does not jump).  seq counts
 * from 1 without a gap.  "ended" is the last line: every process is gone and the output
 * is complete.
 */

enum journal_kind {
    JOURNAL_READY,
    JOURNAL_LAUNCHED,
    JOURNAL_METRIC,
    JOURNAL_HEARTBEAT,
    JOURNAL_RANK_EXITED,
    JOURNAL_ENDED,
};

struct journal_line {
    int64_t seq;
    enum journal_kind kind;
    usec_t boot_us;
    usec_t wall_us;
    const struct cJSON *data; /* the whole object */
};

const char *journal_kind_name(enum journal_kind kind);

/** Reads one line (without its line feed).  `*json` owns what `line->data` points into;
 * the caller frees it. */
MUST_CHECK int journal_line_parse(const char *bytes, size_t len, struct cJSON **json,
                                  struct journal_line *line, struct err *err);

/* Longer lines are a fault of the journal. */
enum {
    JOURNAL_LINE_MAX = 65536
};

/* Why a worker, an attempt, a job ended; one true cause each. */
enum end_cause {
    END_COMPLETED,
    END_FAILED, /* a rank's exit code is not 0 */
    END_SIGNAL, /* a rank was killed by a signal that nobody here sent */
    END_OOM,    /* the kernel's out-of-memory killer */
    END_MAX_RUN,
    END_MAX_WAIT,
    END_USER_STOP,
    END_PEER,           /* of a worker only: stopped because another one had failed */
    END_LOST,           /* the worker or its machine vanished */
    END_LAUNCH,         /* exec, source or folder failed: never ran, not billed */
    END_INFRASTRUCTURE, /* ours: disk, scheduler */
};

const char *end_cause_name(enum end_cause cause); /* "max_run" */
bool end_cause_from_name(const char *name, enum end_cause *out);

/*
 * How a worker is told to stop: the file `stop` in its folder, replaced whole,
 *   {"cause":"user_stop"}     or "peer"
 * The worker sees it by inotify: SIGTERM to every rank, SIGKILL to what is left after
 * plan.grace_s. An output file rank-N.log has the bytes of rank N's stdout and stderr
 * as they came; rank-N.times has one record for every line begun: two little-endian
 * 64-bit integers, the line's offset in the log and the wall time in microseconds at
 * which its first byte came.
 */
struct log_time {
    uint64_t offset;
    int64_t wall_us;
};

#endif
