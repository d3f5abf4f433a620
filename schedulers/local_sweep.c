/* The last resort against orphans: a walk over /proc, only when a worker died without
 * having cleaned up. */

#include "schedulers/local_sweep.h"

#include "src/files.h"
#include "src/process.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ENVIRONMENT_MAX = 4 << 20,
    /* A child that was born behind the walk is met by the next one. */
    PASSES_MAX = 8
};

/* The environment is a row of NAME=VALUE, each ended by NUL. */
static bool has_entry(const char *environment, size_t len, const char *entry)
{
    size_t entry_size = strlen(entry) + 1;
    size_t at = 0;

    while (at < len) {
        size_t size = strnlen(environment + at, len - at) + 1;

        if (size == entry_size && at + size <= len
            && memcmp(environment + at, entry, entry_size) == 0)
            return true;
        at += size;
    }
    return false;
}

static bool belongs_to(pid_t pid, const char *const entries[3])
{
    auto_free char *path = xasprintf("/proc/%d/environ", (int)pid);
    auto_free char *environment = NULL;
    size_t len;

    if (file_read(path, ENVIRONMENT_MAX, &environment, &len, NULL) < 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (!has_entry(environment, len, entries[i]))
            return false;
    return true;
}

/* The pidfd is taken between two looks at the same process, so that a pid that was
 * given anew is never hit. */
static bool kill_if_ours(pid_t pid, const char *const entries[3])
{
    struct process_id id = { .pid = pid };
    auto_close int pidfd = -1;

    if (process_start_ticks(pid, &id.start_ticks, NULL) < 0 || !belongs_to(pid, entries)
        || process_open(&id, &pidfd, NULL) < 0)
        return false;
    process_kill(pidfd, SIGKILL);
    return true;
}

static int sweep_once(const char *const entries[3])
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    int killed = 0;

    if (!proc)
        return 0;
    while ((entry = readdir(proc))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid > 1 && pid != getpid() && kill_if_ours(pid, entries))
            killed++;
    }
    closedir(proc);
    return killed;
}

int local_sweep(const struct worker_ref *worker)
{
    auto_free char *id = xasprintf("RAILHEAD_JOB_ID=%s", worker->job_id);
    auto_free char *attempt = xasprintf("RAILHEAD_ATTEMPT=%d", worker->attempt);
    auto_free char *number = xasprintf("RAILHEAD_WORKER=%d", worker->worker);
    const char *const entries[3] = { id, attempt, number };
    int killed = 0;
    int more = 1;

    for (int pass = 0; more && pass < PASSES_MAX; pass++) {
        more = sweep_once(entries);
        killed += more;
    }
    return killed;
}
