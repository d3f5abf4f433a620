/* jobctl budget: what may be spent, and what is left of it.  Finds the command; what is
 * said of a budget is checked by the server. */

#include "src/cli/budget.h"

/* By the word behind `budget`.  Without one they are listed. */
static const struct verb_word commands[] = {
    { "set", &verb_budget_set },
    { "ls", &verb_budget_ls },
    { "show", &verb_budget_show },
    { "rm", &verb_budget_rm },
    { 0 },
};

/* The help of none of them names all. */
static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    if (argc < 2 || *argv[1] == '-')
        return verb_budget_ls.run(cli, verb, argc, argv);
    return verb_run_word(cli, commands, argc, argv);
}

const struct verb verb_budget = {
    .name = "budget",
    .help = "set what may be spent, and see what is left of it",
    .arguments = "[set | ls | show | rm] [OPTION]...",
    .run = run,
};
