/* jobctl wait: until a job has ended. */

#include "src/cli/figure.h"
#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/print.h"

#include <stdio.h>
#include <unistd.h>

static int report(const struct cli *cli, const struct cJSON *job, enum follow_end how,
                  const char *name)
{
    const char *status = json_get_text(job, "secondary_status");
    const char *reason = json_get_text(job, "failure_reason");
    auto_text struct text out = { 0 };

    if (how == FOLLOW_TIMED_OUT) {
        print_note("%s: still %s; the job goes on", name,
                   status ? status : "not answering");
        return EXIT_TIMEOUT;
    }
    if (how == FOLLOW_INTERRUPTED) {
        print_note("%s: the job goes on; jobctl stop %s stops it", name, name);
        return EXIT_INTERRUPTED;
    }
    if (cli->output == OUTPUT_JSON) {
        print_json(job);
        return follow_exit_code(job);
    }
    print_status(name, ": ", status);
    if (reason)
        figure_paragraph(&out, "reason", reason);
    if (out.len)
        print_painted(stdout, PAINT_PLAIN, out.bytes);
    return follow_exit_code(job);
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    int64_t timeout_s = 0;
    const struct option_row rows[] = {
        { "timeout", 't', OPTION_DURATION, &timeout_s, 0, 0, "TIME",
          "no longer than this (90, 10m, 2h); then exit 124" },
        { 0 },
    };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *job = NULL;
    char **operands = NULL;
    enum follow_end how;
    struct err err;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    if (remote_open(cli, &remote, &err) < 0
        || follow_job(&(struct follow){ .remote = remote,
                                        .name = operands[0],
                                        .progress = isatty(STDERR_FILENO),
                                        .timeout_s = timeout_s },
                      &how, &job, &err)
               < 0)
        return print_failure(&err, NULL, NULL);
    return report(cli, job, how, operands[0]);
}

const struct verb verb_wait = {
    .name = "wait",
    .help = "wait until a job has ended",
    .arguments = "NAME [--timeout TIME]",
    .run = run,
};
