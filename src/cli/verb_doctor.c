/* jobctl doctor: what stands in the way, from here. */

#include "src/cli/doctor.h"
#include "src/cli/options.h"
#include "src/cli/print.h"

#include <stdio.h>
#include <string.h>

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
    doctor_check_mpirun(&findings);
    doctor_check_cgroup(&findings);
    doctor_check_isolation(&findings);
    doctor_check_memory(&findings);
    doctor_check_monitors(&findings);
    doctor_check_shm(&findings);
    doctor_check_limits(&findings);
    doctor_check_ports(&findings);
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
