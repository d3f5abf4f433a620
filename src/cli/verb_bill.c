/* jobctl bill: what the ledger says.  Finds the question; each is a file of its own. */

#include "src/cli/bill.h"

/* By the word behind `bill`.  Without one it is the report of usage. */
static const struct verb_word questions[] = {
    { "usage", &verb_bill_usage },
    { "verify", &verb_bill_verify },
    { "receipt", &verb_bill_receipt },
    { 0 },
};

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    if (argc < 2 || *argv[1] == '-')
        return verb_bill_usage.run(cli, verb, argc, argv);
    return verb_run_word(cli, questions, argc, argv);
}

const struct verb verb_bill = {
    .name = "bill",
    .help = "print what was used and what it cost",
    .arguments = "[usage | verify | receipt JOB] [OPTION]...",
    .outputs = 1U << OUTPUT_CSV | 1U << OUTPUT_FOCUS | 1U << OUTPUT_CUR
               | 1U << OUTPUT_INTERVALS | 1U << OUTPUT_HTML,
    .run = run,
};
