/* jobctl bill: what the ledger says.  Finds the question; each is a file of its own. */

#include "src/cli/bill.h"
#include "src/text.h"

#include <stdio.h>
#include <string.h>

/* By the word behind `bill`.  Without one it is the report of usage. */
static const struct {
    const char *word;
    const struct verb *verb;
} questions[] = {
    { "usage", &verb_bill_usage },
    { "verify", &verb_bill_verify },
    { "receipt", &verb_bill_receipt },
};

/* The first word decides, so that every question has options of its own. */
static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    if (argc < 2 || *argv[1] == '-')
        return verb_bill_usage.run(cli, verb, argc, argv);
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
        if (strcmp(questions[i].word, argv[1]) == 0)
            return questions[i].verb->run(cli, questions[i].verb, argc - 1, argv + 1);
    fprintf(stderr, "jobctl: bill %s: expected", argv[1]);
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
        fprintf(stderr, "%s %s", i ? "," : "", questions[i].word);
    fprintf(stderr, ", or an option; jobctl bill --help lists those\n");
    return EXIT_USAGE;
}

const struct verb verb_bill = {
    .name = "bill",
    .help = "print what was used and what it cost",
    .arguments = "[usage | verify | receipt JOB] [OPTION]...",
    .outputs = 1U << OUTPUT_CSV | 1U << OUTPUT_FOCUS | 1U << OUTPUT_CUR
               | 1U << OUTPUT_INTERVALS | 1U << OUTPUT_HTML,
    .run = run,
};
