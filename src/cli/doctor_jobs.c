/* The doctor's look at what this host lets a job have: a place of its own, a limit of
 * memory, figures of accelerators.  Tries what a daemon of this user would try. */

#include "src/cgroup_folder.h"
#include "src/cli/doctor.h"
#include "src/files.h"
#include "src/namespaces.h"
#include "src/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WORDS_MAX = 65536
};

/* --- isolation --- */

static const char *isolation_remedy(const struct err *why)
{
    if (access("/opt", F_OK) < 0)
        return "mkdir /opt";
    if (why->code == ERR_DENIED || why->code == ERR_LIMIT)
        return "run railheadd as root, or permit user namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0";
    return "run railheadd as root";
}

void doctor_check_isolation(struct findings *findings)
{
    struct stat folder;
    struct err why;

    if (namespaces_probe(&why) < 0) {
        findings_add(
            findings, "isolation", SEVERITY_WARNING, isolation_remedy(&why),
            "jobs get no namespaces: %s; they find their folders by the SM_ variables alone",
            why.text);
        findings_add(findings, "hosts", SEVERITY_NOTE,
                     "name the addresses 127.x.y.z by hand, or permit namespaces",
                     "algo-1 and on do not resolve in jobs");
        return;
    }
    findings_add(findings, "isolation", SEVERITY_OK, NULL,
                 "jobs get mount and host name namespaces%s",
                 geteuid() == 0 ? "" : ", in a user namespace");
    findings_add(
        findings, "/opt/ml", SEVERITY_OK, NULL,
        stat(ML_FOLDER, &folder) == 0 && S_ISDIR(folder.st_mode)
            ? "jobs see their own in the place of this host's"
            : "jobs see their own; this host has none, so to them /opt is read-only");
    findings_add(findings, "hosts", SEVERITY_OK, NULL,
                 "algo-1 and on resolve in jobs, by an /etc/hosts of their own");
}

/* --- memory --- */

static bool file_has_word(const char *folder, const char *name, const char *word)
{
    auto_free char *path = xasprintf("%s/%s", folder, name);
    auto_free char *words = NULL;
    char *rest = NULL;

    if (file_read(path, WORDS_MAX, &words, NULL, NULL) < 0)
        return false;
    for (char *at = strtok_r(words, " \n", &rest); at;
         at = strtok_r(NULL, " \n", &rest))
        if (strcmp(at, word) == 0)
            return true;
    return false;
}

/* A cgroup with processes of its own passes no controller on, save the root, and the
 * one that the unit's DelegateSubgroup= leaves empty. */
static void check_second_version(const char *own, struct findings *findings)
{
    auto_free char *events = xasprintf("%s/cgroup.events", own);

    if (file_has_word(own, "cgroup.subtree_control", "memory")
        || strcmp(basename(own), "daemon") == 0 || access(events, F_OK) < 0)
        findings_add(findings, "memory", SEVERITY_OK, NULL,
                     "the memory of jobs is limited by cgroup version 2");
    else
        findings_add(
            findings, "memory", SEVERITY_WARNING,
            "add DelegateSubgroup=daemon to railheadd's unit (systemd 254)",
            "nothing limits the memory of jobs: %s has the controller and does not pass it on",
            own);
}

static bool first_version_permits(const char *own)
{
    auto_free char *probe = xasprintf("%s/jobctl-doctor.%d", own, (int)getpid());
    auto_free char *limit = xasprintf("%s/memory.limit_in_bytes", probe);
    bool permitted;

    if (mkdir(probe, 0755) < 0)
        return false;
    permitted = access(limit, W_OK) == 0;
    rmdir(probe);
    return permitted;
}

void doctor_check_memory(struct findings *findings)
{
    auto_free char *second = cgroup_folder(NULL);
    auto_free char *first = cgroup_folder("memory");

    if (second && file_has_word(second, "cgroup.controllers", "memory"))
        check_second_version(second, findings);
    else if (first && first_version_permits(first))
        findings_add(findings, "memory", SEVERITY_OK, NULL,
                     "the memory of jobs is limited by cgroup version 1");
    else
        findings_add(
            findings, "memory", SEVERITY_WARNING,
            "run railheadd by its systemd unit (Delegate=yes), or as root",
            "nothing limits the memory of jobs: there is no memory controller that may be used");
}

/* --- accelerators --- */

static void check_monitor(struct findings *findings, const char *check,
                          const char *program, const char *what)
{
    auto_free char *path = program_find(program, getenv("PATH"));

    if (path)
        findings_add(findings, check, SEVERITY_OK, NULL, "%s tells what %s do", path,
                     what);
    else
        findings_add(
            findings, check, SEVERITY_NOTE,
            "where there are such devices, install what comes with their driver",
            "there is no %s here: nothing tells what %s do", program, what);
}

void doctor_check_monitors(struct findings *findings)
{
    check_monitor(findings, "gpus", "nvidia-smi", "GPUs");
    check_monitor(findings, "neuron", "neuron-monitor", "NeuronCores");
}
