/* jobctl stop: asks for a job's end. */

#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/print.h"

#include <stdio.h>
#include <unistd.h>

/* A job that ended well before the stop reached it has ended: for --wait that is what
 * was asked. */
static int wait_for_end(struct cli *cli, struct remote *remote, const char *name)
{
    auto_json struct cJSON *job = NULL;
    enum follow_end how;
    struct err err;

    if (follow_job(&(struct follow){ .remote = remote,
                                     .name = name,
                                     .was_reached = true,
                                     .progress = isatty(STDERR_FILENO) },
                   &how, &job, &err)
        < 0)
        return print_failure(&err, NULL, NULL);
    if (how == FOLLOW_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (cli->output == OUTPUT_JSON) {
        print_json(job);
        return 0;
    }
    print_status(name, ": ", json_get_text(job, "secondary_status"));
    return 0;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    bool wait = false;
    const struct option_row rows[] = {
        { "wait", 'w', OPTION_FLAG, &wait, 0, 0, NULL,
          "return when the job has ended" },
        { 0 },
    };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *answer = NULL;
    auto_free char *path = NULL;
    char **operands = NULL;
    struct err err;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    path = remote_job_path(operands[0], "/stop");
    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(
               remote,
               &(struct remote_ask){ .method = "POST", .path = path, .tries = 3 },
               &answer, NULL, &err)
               < 0)
        return print_failure(&err, NULL, NULL);
    if (wait)
        return wait_for_end(cli, remote, operands[0]);
    if (cli->output == OUTPUT_JSON)
        print_json(answer);
    else
        printf("%s: asked to stop\n", operands[0]);
    return 0;
}

const struct verb verb_stop = {
    .name = "stop",
    .help = "ask a job to stop: SIGTERM, its grace, then SIGKILL",
    .arguments = "NAME [--wait]",
    .run = run,
};
