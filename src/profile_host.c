/*
 * What this host is made of.  Decides where that is read, and that a tool which hangs
 * or fails means "none": a daemon must start on a machine with a broken driver, too.
 */

#include "src/profile_host.h"

#include "src/clock.h"
#include "src/files.h"
#include "src/json.h"
#include "src/process.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TOOL_SECONDS = 5,
    TOOL_OUTPUT_MAX = 1 << 20, /* neuron-ls says some 10 KiB of 16 devices */
    CPUS_MAX = 8192,           /* what Linux can be built for */
};

/* --- pure: what the tools say --- */

/* One line: "NVIDIA A100-SXM4-40GB, 40960 MiB"; memory may be "[N/A]". */
static void nvidia_line(const char *line, size_t len, struct host_devices *devices)
{
    const char *comma = memrchr(line, ',', len);
    bool has_unit = len > 3 && memcmp(line + len - 3, "MiB", 3) == 0;
    long mib;
    int gib;

    if (!comma || comma == line || (!has_unit && line[len - 1] != ']'))
        return; /* "No devices were found" and other words */
    mib = strtol(comma + 1, NULL, 10);
    gib = mib > 0 && mib < 1L << 30 ? (int)((mib + 512) / 1024) : 0;
    if (devices->count == 0)
        devices->name = xstrndup(line, (size_t)(comma - line));
    if (devices->count == 0 || gib < devices->memory_gib)
        devices->memory_gib = gib;
    devices->count++;
}

bool host_devices_from_nvidia_smi(const char *output, struct host_devices *out)
{
    struct host_devices devices = { 0 };

    while (*output) {
        size_t len = strcspn(output, "\n");

        nvidia_line(output, len, &devices);
        output += len + (output[len] == '\n');
    }
    if (devices.count > 0)
        *out = devices;
    return devices.count > 0;
}

bool host_devices_from_neuron_ls(const char *output, struct host_devices *out)
{
    struct host_devices devices = { 0 };
    auto_json struct cJSON *json = NULL;

    if (json_parse(output, strlen(output), &json, NULL) < 0
        || json_kind(json) != JSON_ARRAY)
        return false;
    json_each (device, json) {
        int64_t cores = json_get_int(device, "nc_count", 0);
        int64_t bytes = json_get_int(device, "memory_size", 0);
        int gib = (int)((bytes < 0 ? 0 : bytes) >> 30 & 0xFFFF);

        if (cores <= 0 || cores > 1024)
            continue;
        if (devices.count == 0 || gib < devices.memory_gib)
            devices.memory_gib = gib;
        devices.count++;
        devices.cores += (int)cores;
    }
    if (devices.count == 0)
        return false;
    devices.name = xstrdup("Neuron"); /* the list has no product name */
    *out = devices;
    return true;
}

int64_t host_memory_mib(const char *meminfo)
{
    const char *line = strstr(meminfo, "MemTotal:");
    long long kib = line ? strtoll(line + strlen("MemTotal:"), NULL, 10) : 0;

    return kib > 0 ? (int64_t)kib / 1024 : 0;
}

/* --- asking --- */

/* Waits until `fd` can be read or has ended; false at the deadline. */
static bool wait_readable(int fd, usec_t deadline)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };

    for (;;) {
        usec_t left = deadline - clock_boot();
        int ready = left <= 0 ? 0 : poll(&one, 1, (int)(left / USEC_PER_MSEC) + 1);

        if (ready > 0)
            return true;
        if (left <= 0 || (ready < 0 && errno != EINTR))
            return false;
    }
}

/* Everything up to the end of the output; false at the deadline or above the limit. */
static bool read_output(int fd, usec_t deadline, struct text *output)
{
    char piece[4096];

    while (output->len < TOOL_OUTPUT_MAX && wait_readable(fd, deadline)) {
        ssize_t got = read(fd, piece, sizeof piece);

        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0)
            text_add(output, piece, (size_t)got);
    }
    return false;
}

/* What a tool on PATH prints; NULL: not there, failed, too slow.  The caller frees. */
static char *tool_output(const char *command)
{
    const char *const argv[] = { "/bin/sh", "-c", command, NULL };
    usec_t deadline = clock_boot() + TOOL_SECONDS * USEC_PER_SEC;
    auto_text struct text output = { 0 };
    auto_close int pidfd = -1;
    int ends[2];
    pid_t pid;
    int status = -1;
    bool complete;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    if (process_spawn(argv, (const char *const *)environ,
                      (struct process_files){ -1, ends[1] }, &pid, &pidfd, NULL)
        < 0) {
        close(ends[0]);
        close(ends[1]);
        return NULL;
    }
    close(ends[1]);
    complete =
        read_output(ends[0], deadline, &output) && wait_readable(pidfd, deadline);
    close(ends[0]);
    if (!complete)
        process_kill(pidfd, SIGKILL);
    /* One in an uninterruptible sleep of its driver stays behind, unreaped, rather than
     * hold us. */
    (void)wait_readable(pidfd, clock_boot() + USEC_PER_SEC);
    if (!process_reap(pidfd, &status) || status != 0 || !complete)
        return NULL;
    return text_steal(&output);
}

/* By a shell, so that warnings do not get between the lines. */
static const char nvidia_smi[] =
    "exec nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null";
static const char neuron_ls[] = "exec neuron-ls -j 2>/dev/null";

static void find_accelerators(struct profile *profile)
{
    auto_free char *gpus = tool_output(nvidia_smi);
    auto_free char *neurons = NULL;
    struct host_devices devices = { 0 };
    const char *kind = "none";

    if (gpus && host_devices_from_nvidia_smi(gpus, &devices))
        kind = "gpu";
    else if ((neurons = tool_output(neuron_ls))
             && host_devices_from_neuron_ls(neurons, &devices))
        kind = "neuroncore";
    profile->accelerator_kind = xstrdup(kind);
    profile->accelerator_name = devices.name;
    profile->accelerator_count = devices.count;
    profile->accelerator_memory_gib = devices.memory_gib;
    profile->neuron_cores = devices.cores;
}

/* The CPUs that we may run on: fewer than there are within a container or a slice. */
static int count_cpus(void)
{
    const size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    int count = 0;

    if (set && sched_getaffinity(0, size, set) == 0)
        count = CPU_COUNT_S(size, set);
    CPU_FREE(set);
    return count > 0 ? count : 1;
}

void profile_of_host(struct profile *out)
{
    auto_free char *meminfo = NULL;

    *out = (struct profile){
        .name = xstrdup("local"),
        .family = xstrdup("local"),
        .vcpus = count_cpus(),
    };
    if (file_read("/proc/meminfo", 1 << 16, &meminfo, NULL, NULL) == 0)
        out->memory_mib = host_memory_mib(meminfo);
    find_accelerators(out);
}
