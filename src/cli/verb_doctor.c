/* jobctl doctor: what stands in the way, from here. */

#include "src/cli/doctor.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
static const struct {
    const char *name;
    enum paint paint;
} severities[] = {
    [SEVERITY_OK]      = { "ok",      PAINT_GOOD },
    [SEVERITY_NOTE]    = { "note",    PAINT_PLAIN },
    [SEVERITY_WARNING] = { "warning", PAINT_BUSY },
    [SEVERITY_ERROR]   = { "error",   PAINT_BAD },
};
/* clang-format on */

const char *severity_name(enum severity severity)
{
    return severities[severity].name;
}

void findings_add(struct findings *findings, const char *check, enum severity severity,
                  const char *remedy, const char *format, ...)
{
    struct cJSON *item = json_object_new();
    auto_free char *words = NULL;
    va_list args;

    va_start(args, format);
    words = xvasprintf(format, args);
    va_end(args);
    json_set_text(item, "check", check);
    json_set_text(item, "severity", severity_name(severity));
    json_set_text(item, "text", words);
    json_set_text(item, "remedy", remedy);
    json_append(findings->items, item);
    if (severity == SEVERITY_ERROR)
        findings->has_error = true;
}

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

    if (!status || strcmp(status, "ok") != 0)
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
        || remote_get(remote, "/healthz", &health, &err) < 0)
        findings_add(findings, "daemon", SEVERITY_ERROR,
                     "start it: systemctl start railheadd, or railheadd in a terminal",
                     "%s", err.text);
    else
        check_version(health, findings);
}

static enum paint paint_of(const char *severity)
{
    for (size_t i = 0; i < ARRAY_SIZE(severities); i++)
        if (strcmp(severities[i].name, severity) == 0)
            return severities[i].paint;
    return PAINT_PLAIN;
}

static void print_findings(const struct findings *findings)
{
    json_each (item, findings->items) {
        const char *severity = json_get_text(item, "severity");
        const char *remedy = json_get_text(item, "remedy");
        auto_free char *first = xasprintf("%-8s", severity);
        auto_free char *words = xasprintf("%-9s %s\n", json_get_text(item, "check"),
                                          json_get_text(item, "text"));

        print_painted(stdout, paint_of(severity), first);
        print_painted(stdout, PAINT_PLAIN, words);
        if (remedy)
            printf("%18s-> %s\n", "", remedy);
    }
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    auto_json struct cJSON *answer = json_object_new();
    struct findings findings = { 0 };
    enum options_end end = options_parse(cli, verb, NULL, argc, argv, NULL);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    findings.items = json_array_new();
    json_set(answer, "findings", findings.items);
    doctor_check_daemon(cli, &findings);
    doctor_check_python(&findings);
    doctor_check_cgroup(&findings);
    doctor_check_isolation(&findings);
    doctor_check_memory(&findings);
    doctor_check_monitors(&findings);
    doctor_check_shm(&findings);
    doctor_check_files(&findings);
    doctor_check_clock(&findings);
    if (cli->output == OUTPUT_JSON)
        print_json(answer);
    else
        print_findings(&findings);
    return findings.has_error ? EXIT_JOB_FAILED : 0;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .help = "look for what stands in the way on this host",
    .arguments = "",
    .run = run,
};
