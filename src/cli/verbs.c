/* The table of verbs: a new one is a file and a row here.  Finds the one that is meant.
 */

#include "src/cli/verbs.h"

#include "src/text.h"

#include <stdio.h>
#include <string.h>

const struct verb *const verbs[] = {
    &verb_submit,    &verb_estimate,  &verb_ls,    &verb_show,
    &verb_logs,      &verb_metrics,   &verb_stop,  &verb_wait,
    &verb_instances, &verb_doctor,    &verb_bill,  &verb_budget,
    &verb_compare,   &verb_benchmark, &verb_admin, NULL,
};

int verb_run_word(struct cli *cli, const struct verb_word *words, int argc, char **argv)
{
    for (size_t i = 0; words[i].word; i++)
        if (strcmp(words[i].word, argv[1]) == 0)
            return words[i].verb->run(cli, words[i].verb, argc - 1, argv + 1);
    fprintf(stderr, "jobctl: %s %s: expected", argv[0], argv[1]);
    for (size_t i = 0; words[i].word; i++)
        fprintf(stderr, "%s %s", i ? "," : "", words[i].word);
    fprintf(stderr, ", or an option; jobctl %s --help lists those\n", argv[0]);
    return EXIT_USAGE;
}

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

const char *verb_nearest(const char *name)
{
    const char *names[ARRAY_SIZE(verbs)] = { NULL };

    for (size_t i = 0; verbs[i]; i++)
        names[i] = verbs[i]->name;
    return text_nearest(name, names);
}
