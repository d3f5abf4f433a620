/* jobctl bill verify: whether the ledger is what was written.  The server computes it
 * again; here is decided how that is told, and the exit code. */

#include "src/cli/bill.h"
#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"

#include <stdio.h>

/* It does not hold. */
enum {
    EXIT_BROKEN = 1
};

static void add_broken(const struct cJSON *broken, struct text *out)
{
    const char *seq = figure_words(json_get(broken, "seq"));
    const char *table = json_get_text(broken, "table");
    const char *job = json_get_text(broken, "job");
    const char *column = json_get_text(broken, "column");
    const char *is = figure_words(json_get(broken, "is"));
    const char *should_be = figure_words(json_get(broken, "should_be"));

    if (seq && table)
        figure_row(out, "row", "%s, of %s", seq, table);
    else
        figure_row(out, "row", "%s", seq ? seq : table);
    if (job)
        figure_row(out, "job", "%s", job);
    if (column)
        figure_row(out, "column", "%s", column);
    figure_paragraph(out, "why", json_get_text(broken, "reason"));
    if (is || should_be) {
        figure_row(out, "is", "%s", is ? is : "null");
        figure_row(out, "should be", "%s", should_be ? should_be : "null");
    }
}

static void print_verdict(const struct cJSON *answer)
{
    const struct cJSON *ledger = json_get(answer, "ledger");
    const char *hash = json_get_text(ledger, "hash");
    bool holds = json_get_bool(answer, "holds");
    auto_text struct text out = { 0 };

    print_painted(stdout, holds ? PAINT_GOOD : PAINT_BAD,
                  holds ? "the ledger holds\n" : "the ledger does not hold\n");
    figure_row(&out, "rows", "%s", figure_words(json_get(answer, "rows")));
    figure_row(&out, "chain", "%s",
               json_get_bool(answer, "chain_holds") ? "holds" : "is broken");
    figure_row(&out, "figures", "%s",
               json_get_bool(answer, "figures_hold") ? "hold" : "are wrong");
    if (hash)
        figure_row(&out, "head", "%s:%s", figure_words(json_get(ledger, "seq")), hash);
    if (!holds) {
        text_puts(&out, "the first row that does not:\n");
        add_broken(json_get(answer, "broken"), &out);
    }
    print_painted(stdout, PAINT_PLAIN, out.bytes);
}

static int verify(struct cli *cli, const char *against)
{
    auto_remote struct remote *remote = NULL;
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *answer = NULL;
    auto_text struct text path = { 0 };
    struct remote_ask ask = { .method = "GET", .deadline_s = REMOTE_REPORT_SECONDS };
    struct err err;

    text_puts(&path, "/v1/ledger/verification");
    remote_add_query(&path, "against", against);
    ask.path = path.bytes;
    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(remote, &ask, &answer, &problems, &err) < 0)
        return print_failure(&err, NULL, &problems);
    if (cli->output == OUTPUT_JSON)
        print_json(answer);
    else
        print_verdict(answer);
    return json_get_bool(answer, "holds") ? 0 : EXIT_BROKEN;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    const char *against = NULL;
    const struct option_row rows[] = {
        { "against", 0, OPTION_TEXT, &against, 0, 0, "SEQ:HASH",
          "a row that was the last one: it must still be there, the same" },
        { 0 },
    };
    enum options_end end = options_parse(cli, verb, rows, argc, argv, NULL);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    return verify(cli, against);
}

const struct verb verb_bill_verify = {
    .name = "bill verify",
    .help = "recompute the ledger's chain and every figure",
    .arguments = "[--against SEQ:HASH]",
    .run = run,
};
