#ifndef SRC_JOURNAL_H
#define SRC_JOURNAL_H

#include "src/base.h"
#include "src/err.h"
#include "src/json.h"

/*
 * What a worker says: journal.jsonl in its folder, one JSON object a line, only ever
 * appended.
 *
 * Every line has seq, kind, boot_us and wall_us: seq counts from 1 without a gap,
 * boot_us is the boot clock, wall_us the wall clock derived from one anchor taken at
 * the start (it does not jump).  What a line has besides, by its kind:
 *
 *   ready        "boot_id":"...","pid":P,"start_ticks":"T"
 *   progress     "phase":"downloading","what":"train","bytes":N,"bytes_total":M,
 *                "objects":n,"objects_total":m
 *                while something is staged, at most one a second
 *   launched     "ranks":[{"rank":0,"pid":P}]
 *   metric       "name":"train:loss","value":0.41,"rank":0,"step":900
 *                value is "NaN", "Infinity" or "-Infinity" where it is no number
 *   heartbeat    nothing; every 5 s, followed by fsync
 *   rank_exited  "rank":1,"exit_code":17,"signal":null,"oom":false
 *   ranks_done   nothing: all ranks but servers have ended, and well
 *   uploading    as "ended", as far as it is known: no process of the job is left, what
 *                comes is storing outputs
 *   ended        "cause":"failed","exit_code":17,"signal":null,
 *                "first_failing_rank":1,"first_failure_boot_us":B,"message":"...",
 *                "metrics":{"train:loss":{"value":0.41,"rank":0,"step":900,"wall_us":W}}
 *                and, only where there is something:
 *                "failure":"first 1,024 characters of ML/output/failure"
 *                "traceback":"ValueError: bad lr"
 *                "artifacts":{"model":"s3://...","output":null}
 *                "utilization":{...}
 *                "retry":B, where the cause is input or output: whether the same could
 *                go well another time
 *
 * "ended" is the last line: every process is gone and the output is complete.
 */

enum journal_kind {
    JOURNAL_READY,
    JOURNAL_PROGRESS,
    JOURNAL_LAUNCHED,
    JOURNAL_METRIC,
    JOURNAL_HEARTBEAT,
    JOURNAL_RANK_EXITED,
    JOURNAL_RANKS_DONE,
    JOURNAL_UPLOADING,
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
    END_BUDGET, /* what it, or a budget that it falls under, may cost was used up */
    END_PEER,   /* of a worker only: stopped because another one had failed */
    END_LOST,   /* the worker or its machine vanished */
    END_LAUNCH, /* exec, source or folder failed: never ran, not billed */
    END_INPUT,  /* a channel or checkpoint could not be brought here */
    END_OUTPUT, /* outputs could not be stored; they are kept here */
    END_INTERRUPTED,    /* the machine was wanted back */
    END_INFRASTRUCTURE, /* ours: disk, scheduler */
};

const char *end_cause_name(enum end_cause cause); /* "max_run" */
bool end_cause_from_name(const char *name, enum end_cause *out);

/*
 * How a worker is told to stop: the file `stop` in its folder, replaced whole,
 *
 *   {"cause":"user_stop"}     or "budget", "peer";
 *   {"cause":"interrupted","grace_s":120}
 *
 * The worker sees it by inotify: SIGTERM to the user's processes, SIGKILL to what is
 * left after grace_s, which is the plan's where the file has none.
 *
 * An output file rank-N.log has the bytes of rank N's stdout and stderr as they came;
 * rank-N.times has one record for every line begun: two little-endian 64-bit integers,
 * the line's offset in the log and the wall time in microseconds at which its first
 * byte came.  Both lie in segments, the oldest of which may be gone (src/rank_log.h).
 */
struct log_time {
    uint64_t offset;
    int64_t wall_us;
};

#endif
