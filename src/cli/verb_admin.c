/* jobctl admin: what those do who look after the machines. */

#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"

#include <stdio.h>
#include <string.h>

enum {
    NOTICE_S = 120, /* as for a spot instance */
    NOTICE_MAX_S = 86400
};

static int interrupt_job(struct cli *cli, const char *name, int64_t notice_s)
{
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *body = json_object_new();
    auto_json struct cJSON *answer = NULL;
    auto_free char *path = remote_job_path(name, "/interrupt");
    struct err err;

    json_set_int(body, "notice_s", notice_s);
    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(remote,
                      &(struct remote_ask){ .method = "POST",
                                            .path = path,
                                            .body = body,
                                            .tries = 3 },
                      &answer, NULL, &err)
               < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(answer);
    else
        printf("%s: told to end within %lld s\n", name, (long long)notice_s);
    return 0;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    int64_t notice_s = NOTICE_S;
    const struct option_row rows[] = {
        { "notice", 'n', OPTION_DURATION, &notice_s, 0, NOTICE_MAX_S, "TIME",
          "how long its program has to save its work (2m)" },
        { 0 },
    };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    if (strcmp(operands[0], "interrupt") != 0) {
        fprintf(stderr, "jobctl: admin %s: expected interrupt\n", operands[0]);
        return EXIT_USAGE;
    }
    return interrupt_job(cli, operands[1], notice_s);
}

const struct verb verb_admin = {
    .name = "admin",
    .help = "interrupt a job, as if its machine was wanted back",
    .arguments = "interrupt NAME [--notice TIME]",
    .run = run,
};
