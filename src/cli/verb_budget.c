/* jobctl budget: what may be spent, and what is left of it.  Finds the command; what is
 * said of a budget is checked by the server. */

#include "src/cli/budget.h"

#include <stdio.h>
#include <string.h>

/* By the word behind `budget`.  Without one they are listed. */
static const struct {
    const char *word;
    const struct verb *verb;
} commands[] = {
    { "set", &verb_budget_set },
    { "ls", &verb_budget_ls },
    { "show", &verb_budget_show },
    { "rm", &verb_budget_rm },
};

/* The first word decides, so that every command has options of its own; the help of
 * none names all. */
static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    if (argc < 2 || *argv[1] == '-')
        return verb_budget_ls.run(cli, verb, argc, argv);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (strcmp(commands[i].word, argv[1]) == 0)
            return commands[i].verb->run(cli, commands[i].verb, argc - 1, argv + 1);
    fprintf(stderr, "jobctl: budget %s: expected", argv[1]);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        fprintf(stderr, "%s %s", i ? "," : "", commands[i].word);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

const struct verb verb_budget = {
    .name = "budget",
    .help = "set what may be spent, and see what is left of it",
    .arguments = "[set | ls | show | rm] [OPTION]...",
    .run = run,
};
