/* The doctor's look at what runs out: descriptors, processes, locked memory, ports. */

#include "src/cli/doctor.h"
#include "src/files.h"
#include "src/port.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FILES_LEAST = 4096,
    PROCESSES_LEAST = 4096, /* 8 ranks with 16 loaders each, of 30 jobs */
    PORTS_LEAST = 1000,
    FILE_MAX = 4096
};

static void check_files(struct findings *findings)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    if (limit.rlim_max < FILES_LEAST)
        findings_add(
            findings, "files", SEVERITY_WARNING,
            "raise `nofile` in /etc/security/limits.conf, or LimitNOFILE= of the unit",
            "a process may open at most %llu files",
            (unsigned long long)limit.rlim_max);
    else
        findings_add(findings, "files", SEVERITY_OK, NULL,
                     "a process may open %llu files, up to %llu on request",
                     (unsigned long long)limit.rlim_cur,
                     (unsigned long long)limit.rlim_max);
}

static void check_processes(struct findings *findings)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NPROC, &limit) < 0)
        return;
    if (limit.rlim_cur < PROCESSES_LEAST)
        findings_add(
            findings, "processes", SEVERITY_WARNING,
            "raise `nproc` in /etc/security/limits.conf, or LimitNPROC= and TasksMax= of the unit",
            "a user may have %llu processes and threads at a time; ranks and their data loaders fail to start beyond",
            (unsigned long long)limit.rlim_cur);
    else
        findings_add(findings, "processes", SEVERITY_OK, NULL,
                     limit.rlim_cur == RLIM_INFINITY
                         ? "nothing limits how many processes a user has"
                         : "a user may have enough processes");
}

static void check_core(struct findings *findings)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) < 0)
        return;
    if (limit.rlim_cur == 0)
        findings_add(findings, "core", SEVERITY_NOTE,
                     "LimitCORE=infinity of the unit, or ulimit -c unlimited",
                     "a rank that crashes leaves no core file to be looked at");
    else
        findings_add(findings, "core", SEVERITY_OK, NULL,
                     "a rank that crashes may leave a core file");
}

/* What sends from memory by itself: GPUs' and NeuronCores' drivers, EFA, InfiniBand. */
static bool has_device_that_locks(void)
{
    static const char *const devices[] = { "/dev/infiniband", "/dev/neuron0",
                                           "/dev/nvidia0" };

    for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
        if (access(devices[i], F_OK) == 0)
            return true;
    return false;
}

static void check_locked(struct findings *findings)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
        return;
    if (limit.rlim_cur != RLIM_INFINITY && has_device_that_locks())
        findings_add(
            findings, "memlock", SEVERITY_WARNING,
            "`memlock unlimited` in /etc/security/limits.conf, or LimitMEMLOCK=infinity of the unit",
            "a process may lock %llu KiB of memory; accelerators and their network want all that they send from",
            (unsigned long long)limit.rlim_cur / 1024);
    else
        findings_add(findings, "memlock", SEVERITY_OK, NULL,
                     limit.rlim_cur == RLIM_INFINITY
                         ? "nothing limits how much memory a process locks"
                         : "nothing here needs to lock memory");
}

void doctor_check_limits(struct findings *findings)
{
    check_files(findings);
    check_processes(findings);
    check_core(findings);
    check_locked(findings);
}

static void check_ephemeral(struct findings *findings)
{
    static const char path[] = "/proc/sys/net/ipv4/ip_local_port_range";
    auto_free char *words = NULL;
    int first, last;

    if (file_read(path, FILE_MAX, &words, NULL, NULL) < 0
        || sscanf(words, "%d %d", &first, &last) != 2)
        return;
    if (first < PORTS_FIRST + PORTS_COUNT && last >= PORTS_FIRST)
        findings_add(
            findings, "ephemeral", SEVERITY_WARNING,
            "sysctl -w net.ipv4.ip_local_port_range=\"32768 60999\"",
            "outgoing connections take ports from %d to %d, among them the rendezvous ports of jobs, %d to %d",
            first, last, PORTS_FIRST, PORTS_FIRST + PORTS_COUNT - 1);
    else
        findings_add(findings, "ephemeral", SEVERITY_OK, NULL,
                     "outgoing connections leave the ports of jobs alone");
}

void doctor_check_ports(struct findings *findings)
{
    int vacant = 0;

    for (int i = 0; i < PORTS_COUNT; i++)
        vacant += port_is_free(PORTS_FIRST + i);
    if (vacant < PORTS_LEAST)
        findings_add(findings, "ports", SEVERITY_WARNING, "ss -ltnp tells who has them",
                     "%d of the ports %d to %d are free; a job needs one or more",
                     vacant, PORTS_FIRST, PORTS_FIRST + PORTS_COUNT - 1);
    else
        findings_add(findings, "ports", SEVERITY_OK, NULL,
                     "%d of the ports %d to %d are free", vacant, PORTS_FIRST,
                     PORTS_FIRST + PORTS_COUNT - 1);
    check_ephemeral(findings);
}
