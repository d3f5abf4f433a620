/* Reads a worker's journal, line by line and strictly, and has the names of what is in
 * it. Reads no file and decides nothing about what a line means for a job. */

#include "src/journal.h"

#include <string.h>

static const char *const kinds[] = {
    [JOURNAL_READY] = "ready",           [JOURNAL_PROGRESS] = "progress",
    [JOURNAL_LAUNCHED] = "launched",     [JOURNAL_METRIC] = "metric",
    [JOURNAL_HEARTBEAT] = "heartbeat",   [JOURNAL_RANK_EXITED] = "rank_exited",
    [JOURNAL_RANKS_DONE] = "ranks_done", [JOURNAL_UPLOADING] = "uploading",
    [JOURNAL_ENDED] = "ended",
};

static const char *const causes[] = {
    [END_COMPLETED] = "completed",
    [END_FAILED] = "failed",
    [END_SIGNAL] = "signal",
    [END_OOM] = "oom",
    [END_MAX_RUN] = "max_run",
    [END_MAX_WAIT] = "max_wait",
    [END_USER_STOP] = "user_stop",
    [END_BUDGET] = "budget",
    [END_PEER] = "peer",
    [END_LOST] = "lost",
    [END_LAUNCH] = "launch",
    [END_INPUT] = "input",
    [END_OUTPUT] = "output",
    [END_INTERRUPTED] = "interrupted",
    [END_INFRASTRUCTURE] = "infrastructure",
};

const char *journal_kind_name(enum journal_kind kind)
{
    return kinds[kind];
}

static int read_kind(const struct cJSON *object, enum journal_kind *kind,
                     struct err *err)
{
    const char *name = json_get_text(object, "kind");

    if (!name)
        return err_set(err, ERR_INVALID, "kind: expected a name");
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i], name) == 0) {
            *kind = (enum journal_kind)i;
            return 0;
        }
    }
    return err_set(err, ERR_INVALID, "kind: \"%s\" is not a kind of line", name);
}

static int read_count(const struct cJSON *object, const char *name, int64_t least,
                      int64_t *out, struct err *err)
{
    const struct cJSON *member = json_get(object, name);
    int64_t count;

    if (!member || !json_to_int(member, &count) || count < least)
        return err_set(err, ERR_INVALID, "%s: expected a whole number from %lld on",
                       name, (long long)least);
    *out = count;
    return 0;
}

static int check_object(const struct cJSON *value, struct err *err)
{
    auto_problems struct problems problems = { 0 };

    if (json_kind(value) != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "expected an object");
    json_check_duplicates(value, &problems);
    if (problems.count > 0)
        return err_set(err, ERR_INVALID, "%s: %s", problems.items[0].path,
                       problems.items[0].message);
    return 0;
}

int journal_line_parse(const char *bytes, size_t len, struct cJSON **json,
                       struct journal_line *line, struct err *err)
{
    auto_json struct cJSON *value = NULL;
    struct journal_line read;

    if (len > JOURNAL_LINE_MAX)
        return err_set(err, ERR_INVALID, "journal line: longer than %d bytes",
                       (int)JOURNAL_LINE_MAX);
    if (json_parse(bytes, len, &value, err) < 0 || check_object(value, err) < 0
        || read_count(value, "seq", 1, &read.seq, err) < 0
        || read_kind(value, &read.kind, err) < 0
        || read_count(value, "boot_us", 0, &read.boot_us, err) < 0
        || read_count(value, "wall_us", 0, &read.wall_us, err) < 0)
        return err_wrap(err, "journal line");
    read.data = value;
    *line = read;
    *json = steal_ptr(&value);
    return 0;
}

const char *end_cause_name(enum end_cause cause)
{
    return causes[cause];
}

bool end_cause_from_name(const char *name, enum end_cause *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
        if (strcmp(causes[i], name) == 0) {
            *out = (enum end_cause)i;
            return true;
        }
    }
    return false;
}
