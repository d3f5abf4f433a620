/* Reads the kernel's counters of a worker's ranks.  Decides which source is the best
 * that there is; keeps nothing. */

#include "src/worker/usage.h"

#include "src/files.h"
#include "src/text.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    COUNTERS_MAX = 1 << 20,
    /* Reading one costs some 30 us: a worker with more is sampled in part. */
    PROCESSES_MAX = 4096
};

struct processes {
    pid_t *pids;
    size_t count;
    size_t room;
};

/* -1 where there is no such file. */
static int64_t read_number(int folder, const char *name)
{
    auto_free char *words = NULL;

    if (file_read_at(folder, name, COUNTERS_MAX, &words, NULL, NULL) < 0
        || !isdigit((unsigned char)*words))
        return -1;
    return strtoll(words, NULL, 10);
}

/* "NAME N" at the start of a line; -1: there is none. */
static int64_t number_of_line(const char *text, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, len) == 0)
            return strtoll(line + len, NULL, 10);
    }
    return -1;
}

int64_t usage_sum_io(const char *io_stat, const char *key)
{
    auto_free char *word = xasprintf(" %s=", key);
    int64_t sum = 0;

    for (const char *at = strstr(io_stat, word); at; at = strstr(at, word)) {
        at += strlen(word);
        sum += strtoll(at, NULL, 10);
    }
    return sum;
}

/* proc_net_dev(5): two lines of heading; then received bytes first, sent bytes ninth.
 */
void usage_sum_network(const char *dev, int64_t *rx_bytes, int64_t *tx_bytes)
{
    *rx_bytes = 0;
    *tx_bytes = 0;
    for (const char *line = dev; line; line = strchr(line, '\n')) {
        char name[64];
        int64_t rx;
        int64_t tx;

        line += *line == '\n';
        if (sscanf(line, " %63[^:]:%" SCNd64 " %*d %*d %*d %*d %*d %*d %*d %" SCNd64,
                   name, &rx, &tx)
                != 3
            || strcmp(name, "lo") == 0)
            continue;
        *rx_bytes += rx;
        *tx_bytes += tx;
    }
}

static void add_process(struct processes *processes, pid_t pid)
{
    if (processes->count >= PROCESSES_MAX)
        return;
    if (processes->count == processes->room) {
        processes->room = processes->room ? processes->room * 2 : 16;
        processes->pids = xrealloc(processes->pids, processes->room * sizeof pid);
    }
    processes->pids[processes->count++] = pid;
}

static void add_listed(struct processes *processes, const char *list)
{
    char *end;

    for (;; list = end) {
        long pid = strtol(list, &end, 10);

        if (end == list)
            return;
        add_process(processes, (pid_t)pid);
    }
}

/* The kernel lists children by thread (CONFIG_PROC_CHILDREN). */
static void add_children(struct processes *processes, pid_t pid)
{
    auto_free char *folder = xasprintf("/proc/%d/task", (int)pid);
    DIR *threads = opendir(folder);
    struct dirent *entry;

    if (!threads)
        return;
    while ((entry = readdir(threads))) {
        auto_free char *name = xasprintf("%s/children", entry->d_name);
        auto_free char *list = NULL;

        if (isdigit((unsigned char)entry->d_name[0])
            && file_read_at(dirfd(threads), name, COUNTERS_MAX, &list, NULL, NULL) == 0)
            add_listed(processes, list);
    }
    closedir(threads);
}

static void list_processes(const struct cgroup *cgroup, struct processes *out)
{
    int folder = cgroup->fd >= 0 ? cgroup->fd : cgroup->memory_fd;
    auto_free char *list = NULL;

    *out = (struct processes){ 0 };
    if (folder > 0
        && file_read_at(folder, "cgroup.procs", COUNTERS_MAX, &list, NULL, NULL) == 0) {
        add_listed(out, list);
        return;
    }
    add_children(out, getpid());
    for (size_t i = 0; i < out->count; i++)
        add_children(out, out->pids[i]);
}

static char *read_of_process(pid_t pid, const char *name)
{
    auto_free char *path = xasprintf("/proc/%d/%s", (int)pid, name);
    char *bytes = NULL;

    if (file_read(path, COUNTERS_MAX, &bytes, NULL, NULL) < 0)
        return NULL;
    return bytes;
}

/* Fields 14 to 17 of /proc/PID/stat: its own time and that of the children it has
 * waited for.  The name in field 2 may hold anything, so it is skipped from the end. */
static int64_t process_cpu_usec(pid_t pid)
{
    auto_free char *stat = read_of_process(pid, "stat");
    const char *after = stat ? strrchr(stat, ')') : NULL;
    int64_t ticks[4];

    if (!after
        || sscanf(after,
                  ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNd64 " %" SCNd64
                  " %" SCNd64 " %" SCNd64,
                  &ticks[0], &ticks[1], &ticks[2], &ticks[3])
               != 4)
        return 0;
    return (ticks[0] + ticks[1] + ticks[2] + ticks[3]) * USEC_PER_SEC
           / sysconf(_SC_CLK_TCK);
}

/* Field 2 of /proc/PID/statm. */
static int64_t process_memory(pid_t pid)
{
    auto_free char *statm = read_of_process(pid, "statm");
    int64_t pages = 0;

    if (!statm || sscanf(statm, "%*d %" SCNd64, &pages) != 1)
        return 0;
    return pages * sysconf(_SC_PAGESIZE);
}

/* /proc/PID/io counts what waited-for children did as well. */
static void add_process_io(pid_t pid, struct usage *usage)
{
    auto_free char *io = read_of_process(pid, "io");

    if (!io)
        return;
    usage->read_bytes += number_of_line(io, "read_bytes: ");
    usage->write_bytes += number_of_line(io, "write_bytes: ");
}

static void sum_cpu(const struct processes *processes, struct usage *usage)
{
    struct rusage waited;

    if (getrusage(RUSAGE_CHILDREN, &waited) < 0)
        return;
    usage->cpu_usec = (waited.ru_utime.tv_sec + waited.ru_stime.tv_sec) * USEC_PER_SEC
                      + waited.ru_utime.tv_usec + waited.ru_stime.tv_usec;
    for (size_t i = 0; i < processes->count; i++)
        usage->cpu_usec += process_cpu_usec(processes->pids[i]);
}

static void sum_memory(const struct processes *processes, struct usage *usage)
{
    struct rusage waited;

    usage->memory_bytes = 0;
    for (size_t i = 0; i < processes->count; i++)
        usage->memory_bytes += process_memory(processes->pids[i]);
    if (getrusage(RUSAGE_CHILDREN, &waited) == 0)
        usage->peak_bytes = waited.ru_maxrss * 1024; /* given in KiB */
}

static void sum_io(const struct processes *processes, struct usage *usage)
{
    usage->read_bytes = 0;
    usage->write_bytes = 0;
    add_process_io(getpid(), usage); /* and the ranks that it has waited for */
    for (size_t i = 0; i < processes->count; i++)
        add_process_io(processes->pids[i], usage);
}

static void read_second_version(int folder, struct usage *usage)
{
    auto_free char *cpu = NULL;
    auto_free char *io = NULL;

    if (file_read_at(folder, "cpu.stat", COUNTERS_MAX, &cpu, NULL, NULL) == 0)
        usage->cpu_usec = number_of_line(cpu, "usage_usec ");
    usage->cpu_of_cgroup = usage->cpu_usec >= 0;
    if (file_read_at(folder, "io.stat", COUNTERS_MAX, &io, NULL, NULL) == 0) {
        usage->read_bytes = usage_sum_io(io, "rbytes");
        usage->write_bytes = usage_sum_io(io, "wbytes");
        usage->io_of_cgroup = true;
    }
    usage->memory_bytes = read_number(folder, "memory.current");
    usage->peak_bytes = read_number(folder, "memory.peak"); /* from Linux 5.19 on */
}

static void read_cgroup(const struct cgroup *cgroup, struct usage *usage)
{
    if (cgroup->fd >= 0)
        read_second_version(cgroup->fd, usage);
    if (usage->memory_bytes < 0 && cgroup->memory_fd > 0) {
        usage->memory_bytes = read_number(cgroup->memory_fd, "memory.usage_in_bytes");
        usage->peak_bytes = read_number(cgroup->memory_fd, "memory.max_usage_in_bytes");
    }
}

static void read_processes(const struct cgroup *cgroup, struct usage *usage)
{
    struct processes processes;

    list_processes(cgroup, &processes);
    if (usage->cpu_usec < 0)
        sum_cpu(&processes, usage);
    if (usage->memory_bytes < 0)
        sum_memory(&processes, usage);
    if (usage->read_bytes < 0)
        sum_io(&processes, usage);
    free(processes.pids);
}

void usage_read(const struct cgroup *cgroup, struct usage *out)
{
    struct usage usage = { -1, -1, -1, -1, -1, -1, -1, false, false };
    auto_free char *dev = NULL;

    read_cgroup(cgroup, &usage);
    if (usage.cpu_usec < 0 || usage.memory_bytes < 0 || usage.read_bytes < 0)
        read_processes(cgroup, &usage);
    if (file_read("/proc/net/dev", COUNTERS_MAX, &dev, NULL, NULL) == 0)
        usage_sum_network(dev, &usage.rx_bytes, &usage.tx_bytes);
    *out = usage;
}
