/* The doctor's look at the daemon: whether it is reached, is well, and offers what its
 * host can carry. */

#include "src/cli/doctor.h"
#include "src/cli/remote.h"
#include "src/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DISK_LEAST_MIB = 1024,
    INODES_LEAST_PART = 20 /* one in so many must be free */
};

static void check_socket(const char *path, struct findings *findings)
{
    struct stat st;

    if (stat(path, &st) < 0)
        findings_add(findings, "socket", SEVERITY_ERROR,
                     errno == EACCES
                         ? "join the group that the folder belongs to"
                         : "start railheadd, or name its socket by --socket",
                     "%s: %s", path, strerror(errno));
    else if (!S_ISSOCK(st.st_mode))
        findings_add(findings, "socket", SEVERITY_ERROR,
                     "name the socket of railheadd by --socket", "%s is no socket",
                     path);
    else if (access(path, R_OK | W_OK) < 0)
        findings_add(
            findings, "socket", SEVERITY_ERROR,
            "join the socket's group: usermod -aG GROUP USER, then log in anew",
            "%s: %s; it belongs to user %u and group %u, mode %04o", path,
            strerror(errno), st.st_uid, st.st_gid, st.st_mode & 07777U);
    else
        findings_add(findings, "socket", SEVERITY_OK, NULL, "%s may be used", path);
}

static void check_version(const struct cJSON *health, struct findings *findings)
{
    const char *status = json_get_text(health, "status");
    const char *version = json_get_text(health, "version");

    if (status && strcmp(status, "disk_full") == 0)
        findings_add(findings, "daemon", SEVERITY_ERROR,
                     "make room there: nothing needs to be started anew",
                     "the disk of railheadd's state folder is full: it takes no job");
    else if (!status || strcmp(status, "ok") != 0)
        findings_add(findings, "daemon", SEVERITY_ERROR,
                     "read its log, then start it anew",
                     "railheadd answers but is not well: %s",
                     status ? status : "no status");
    else
        findings_add(findings, "daemon", SEVERITY_OK, NULL, "railheadd answers");
    if (!version || strcmp(version, PACKAGE_VERSION) != 0)
        findings_add(findings, "version", SEVERITY_WARNING,
                     "install both from one package",
                     "railheadd is %s, jobctl is " PACKAGE_VERSION,
                     version ? version : "of an unknown version");
    else
        findings_add(findings, "version", SEVERITY_OK, NULL,
                     "railheadd and jobctl are " PACKAGE_VERSION);
}

/* Of a wall clock that is only slewed, the distance to the boot clock stays as it is.
 */
static void check_step(const struct cJSON *health, struct findings *findings)
{
    int64_t step_s = json_get_int(health, "clock_step_us", 0) / USEC_PER_SEC;

    if (step_s != 0)
        findings_add(
            findings, "step", SEVERITY_WARNING,
            "run chrony or systemd-timesyncd before railheadd",
            "the wall clock was set by %lld s while railheadd ran: dates before and behind that do not fit each other; what jobs cost is not touched by it",
            (long long)step_s);
    else
        findings_add(findings, "step", SEVERITY_OK, NULL,
                     "the wall clock was not set while railheadd ran");
}

/* Each type that is offered here as it is must fit as often as it is offered; those
 * that this host stands in for need not. */
static void check_fit(const struct cJSON *type, struct findings *findings)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t host_mib = pages / (INT64_C(1048576) / sysconf(_SC_PAGESIZE));
    int64_t mib =
        json_get_int(type, "memory_mib", 0) * json_get_int(type, "capacity", 0);
    int64_t vcpus = json_get_int(type, "vcpus", 0) * json_get_int(type, "capacity", 0);
    int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (mib > host_mib || vcpus > cpus)
        findings_add(
            findings, "fit", SEVERITY_WARNING,
            "offer fewer of them: `count` of the pool in railhead.yaml",
            "%s is offered %lld times, which is %lld vCPUs and %lld MiB; this host has %lld and %lld",
            json_get_text(type, "name"), (long long)json_get_int(type, "capacity", 0),
            (long long)vcpus, (long long)mib, (long long)cpus, (long long)host_mib);
    else
        findings_add(findings, "fit", SEVERITY_OK, NULL,
                     "%s is what this host can carry, %lld at a time",
                     json_get_text(type, "name"),
                     (long long)json_get_int(type, "capacity", 0));
}

static void check_disk(const struct cJSON *found, const char *state,
                       struct findings *findings)
{
    int64_t mib = json_get_int(found, "free_bytes", 0) >> 20;
    int64_t vacant = json_get_int(found, "free_inodes", 0);
    int64_t inodes = json_get_int(found, "inodes", 0);

    if (mib < DISK_LEAST_MIB)
        findings_add(
            findings, "disk", SEVERITY_WARNING,
            "make room, or move the state folder; railheadd takes no job when less than 4 MiB are free",
            "%s has %lld MiB free", state, (long long)mib);
    else
        findings_add(findings, "disk", SEVERITY_OK, NULL, "%s has %lld MiB free", state,
                     (long long)mib);
    if (vacant < inodes / INODES_LEAST_PART)
        findings_add(
            findings, "inodes", SEVERITY_WARNING,
            "remove folders of old jobs, or make a file system with more inodes",
            "%s can have %lld more files, of %lld", state, (long long)vacant,
            (long long)inodes);
    else
        findings_add(findings, "inodes", SEVERITY_OK, NULL,
                     "%s has room for more files", state);
}

static void check_database(const struct cJSON *found, struct findings *findings)
{
    static const char remedy[] =
        "end railheadd, move railhead.db, -wal and -shm away, and restore a backup: railheadd --restore FILE";
    const char *fault = json_get_text(found, "fault");
    int64_t broken = json_get_int(found, "broken_seq", 0);

    if (fault)
        findings_add(findings, "database", SEVERITY_ERROR, remedy, "%s", fault);
    else
        findings_add(findings, "database", SEVERITY_OK, NULL,
                     "every page is whole: %lld jobs, %lld events",
                     (long long)json_get_int(found, "jobs", 0),
                     (long long)json_get_int(found, "events", 0));
    if (!fault && broken)
        findings_add(findings, "ledger", SEVERITY_ERROR,
                     "jobctl bill verify tells what was changed",
                     "row %lld is not chained to the one before it", (long long)broken);
    else if (!fault)
        findings_add(findings, "ledger", SEVERITY_OK, NULL,
                     "its chain of %lld rows holds",
                     (long long)json_get_int(found, "ledger_rows", 0));
}

static void check_orphans(const struct cJSON *found, const char *state,
                          struct findings *findings)
{
    int64_t folders = json_get_int(found, "folder_count", 0);
    int64_t processes = json_get_int(found, "process_count", 0);
    const struct cJSON *process = json_first(json_get(found, "processes"));
    const struct cJSON *folder = json_first(json_get(found, "folders"));

    if (processes)
        findings_add(
            findings, "orphans", SEVERITY_WARNING,
            "look at them (ps -fp PID), then end them: kill PID",
            "%lld processes belong to no job that runs; the first is %lld of job %s",
            (long long)processes, (long long)json_get_int(process, "pid", 0),
            json_get_text(process, "job"));
    if (folders)
        findings_add(
            findings, "orphans", SEVERITY_NOTE,
            "they are of jobs from behind a backup that was restored; remove them when nothing in them is wanted",
            "%lld folders belong to no job; the first is %s/jobs/%s",
            (long long)folders, state, json_text(folder));
    if (!processes && !folders)
        findings_add(findings, "orphans", SEVERITY_OK, NULL,
                     "every process and folder of a job belongs to one");
}

static void check_diagnosis(struct remote *remote, struct findings *findings)
{
    const struct remote_ask ask = { .method = "GET",
                                    .path = "/v1/diagnosis",
                                    .deadline_s = REMOTE_REPORT_SECONDS };
    auto_json struct cJSON *found = NULL;
    const char *state;
    struct err err;

    if (remote_ask(remote, &ask, &found, NULL, &err) < 0) {
        findings_add(findings, "database", SEVERITY_ERROR, "read the log of railheadd",
                     "%s", err.text);
        return;
    }
    state = json_get_text(found, "state");
    check_disk(json_get(found, "disk"), state ? state : "the state folder", findings);
    check_database(json_get(found, "database"), findings);
    check_orphans(json_get(found, "orphans"), state ? state : "STATE", findings);
}

static void check_types(struct remote *remote, struct findings *findings)
{
    auto_json struct cJSON *types = NULL;
    int emulated = 0;
    struct err err;

    if (remote_get_list(remote, "/v1/instance-types", &types, &err) < 0) {
        findings_add(findings, "fit", SEVERITY_ERROR, NULL, "%s", err.text);
        return;
    }
    json_each (type, json_get(types, "items")) {
        const char *scheduler = json_get_text(type, "scheduler");

        if (json_get_bool(type, "emulated"))
            emulated++;
        else if (scheduler && strcmp(scheduler, "local") == 0)
            check_fit(type, findings);
    }
    if (emulated)
        findings_add(
            findings, "emulated", SEVERITY_NOTE,
            "`emulate: false` in railhead.yaml, to offer only what is here",
            "this host stands in for %d instance types that it is not: their figures say so",
            emulated);
}

void doctor_check_daemon(struct cli *cli, struct findings *findings)
{
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *health = NULL;
    auto_free char *path = cli->socket ? xstrdup(cli->socket) : NULL;
    struct err err;

    if (!path && !cli->server)
        path = remote_default_socket();
    if (path)
        check_socket(path, findings);
    if (remote_open(cli, &remote, &err) < 0
        || remote_get(remote, "/healthz", &health, &err) < 0) {
        findings_add(findings, "daemon", SEVERITY_ERROR,
                     "start it: systemctl start railheadd, or railheadd in a terminal",
                     "%s", err.text);
    } else {
        check_version(health, findings);
        check_step(health, findings);
        check_types(remote, findings);
        check_diagnosis(remote, findings);
    }
}
