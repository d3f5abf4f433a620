/* jobctl: finds the verb and runs it; every decision is the verb's. */

#include "src/cli/options.h"
#include "src/cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *env_or_null(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* An answer that did not reach its file is not an answer. */
static int flush_stdout(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "jobctl: write to standard output: %s\n", strerror(errno));
    return 8;
}

static int run(struct cli *cli, int argc, char **argv)
{
    const struct verb *verb;
    const char *nearest;
    int first;

    switch (options_parse_global(cli, argc, argv, &first)) {
    case OPTIONS_DONE:
        return 0;
    case OPTIONS_BAD:
        return EXIT_USAGE;
    case OPTIONS_GO_ON:
        break;
    }
    if (first == argc) {
        fprintf(stderr, "jobctl: which verb?  jobctl --help lists them\n");
        return EXIT_USAGE;
    }
    verb = verb_find(argv[first]);
    if (verb)
        return verb->run(cli, verb, argc - first, argv + first);
    nearest = verb_nearest(argv[first]);
    fprintf(stderr, "jobctl: there is no verb \"%s\"%s%s%s; jobctl --help lists them\n",
            argv[first], nearest ? ": did you mean \"" : "", nearest ? nearest : "",
            nearest ? "\"?" : "");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct cli cli = { .output = OUTPUT_TABLE };

    cli.socket = env_or_null("RAILHEAD_SOCKET");
    if (!cli.socket)
        cli.server = env_or_null("RAILHEAD_SERVER");
    return flush_stdout(run(&cli, argc, argv));
}
