/* jobctl bill receipt: what a job is charged for, on one page.  Decides how it reads;
 * all that it says is the server's. */

#include "src/cli/bill.h"
#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A line of a journal is quoted so far; --output json has all of it. */
enum {
    QUOTE_WIDTH = 160
};

static const char *words_or(const struct cJSON *object, const char *name,
                            const char *absent)
{
    const char *words = figure_words(json_get(object, name));

    return words && *words ? words : absent;
}

static void add_head(const struct cJSON *receipt, struct text *out)
{
    const struct cJSON *job = json_get(receipt, "job");
    const struct cJSON *label = json_get(receipt, "charged_to");
    auto_text struct text tags = { 0 };
    char at[32], submitted[32];

    text_printf(out, "Receipt of job %s\n", words_or(job, "name", ""));
    figure_row(out, "made", "%s", print_time(json_get_text(receipt, "at"), at));
    figure_row(out, "job", "%s, %s, submitted %s", words_or(job, "id", ""),
               words_or(job, "status", ""),
               print_time(json_get_text(job, "submitted_at"), submitted));
    figure_row(out, "instances", "%s of %s%s", words_or(job, "instance_count", ""),
               words_or(job, "instance_type", ""),
               json_get_bool(job, "emulated") ? ", emulated: it ran on other hardware"
                                              : "");
    if (json_kind(label) != JSON_OBJECT)
        return;
    figure_row(out, "charged to", "%s, pool %s, %s", words_or(label, "owner", ""),
               words_or(label, "pool", ""), words_or(label, "pricing", ""));
    json_each (tag, json_get(label, "tags")) {
        auto_free char *printed = json_text(tag) ? NULL : json_print(tag);

        text_printf(&tags, "%s%s=%s", tags.len ? ", " : "", json_name(tag),
                    printed ? printed : json_text(tag));
    }
    if (tags.len)
        figure_paragraph(out, "tags", tags.bytes);
}

static void add_prices(const struct cJSON *receipt, struct text *out)
{
    if (json_count(json_get(receipt, "prices")) == 0)
        return;
    text_puts(out, "Prices\n");
    json_each (price, json_get(receipt, "prices")) {
        auto_free char *row = xasprintf("row %s", words_or(price, "seq", ""));
        const char *from = json_get_text(price, "from");
        const char *as_of = words_or(price, "as_of", NULL);
        char since[32];

        figure_row(out, row, "$%s per instance-hour of %s%s%s",
                   words_or(price, "usd_per_hour", ""),
                   words_or(price, "instance_type", ""), from ? ", since " : "",
                   from ? print_time(from, since) : "");
        figure_row(out, "", "%s, %s confidence%s%s%s; from %s",
                   words_or(price, "basis", "no basis"),
                   words_or(price, "confidence", "unknown"),
                   strcmp(words_or(price, "confidence", ""), "low") == 0
                       ? " (an estimate)"
                       : "",
                   as_of ? ", as of " : "", as_of ? as_of : "",
                   words_or(price, "source", "an unknown source"));
    }
}

static void add_charges(const struct cJSON *interval, struct text *out)
{
    json_each (charge, json_get(interval, "charges")) {
        const char *price = figure_words(json_get(charge, "price"));

        if (price)
            figure_row(out, "  share", "%s s at the price of row %s: $%s",
                       words_or(charge, "seconds", ""), price,
                       words_or(charge, "cost_usd", ""));
        else
            figure_row(out, "  share", "%s s without a price",
                       words_or(charge, "seconds", ""));
    }
}

static void add_journal(const struct cJSON *interval, struct text *out)
{
    const struct cJSON *journal = json_get(interval, "journal");

    if (journal && json_kind(journal) == JSON_NULL)
        figure_row(out, "  journal", "none is there");
    json_each (line, journal) {
        const char *words = json_text(line);
        bool is_long = strlen(words) > QUOTE_WIDTH;

        figure_row(out, "  journal", "%.*s%s", QUOTE_WIDTH, words,
                   is_long ? "..." : "");
    }
}

static void add_interval(const struct cJSON *interval, struct text *out)
{
    auto_free char *name = xasprintf("instance %s", words_or(interval, "worker", ""));
    bool is_open = json_kind(json_get(interval, "close_boot_us")) == JSON_NULL;
    int64_t length = json_get_int(interval, "length_us", 0);
    char from[32], to[32];

    print_time(json_get_text(interval, "started_at"), from);
    if (is_open)
        figure_row(out, name, "from %s on: %s s so far", from,
                   words_or(interval, "seconds", ""));
    else
        figure_row(out, name, "%s to %s: %" PRId64 ".%06" PRId64 " s, billed %s s",
                   from, print_time(json_get_text(interval, "ended_at"), to),
                   length / USEC_PER_SEC, length % USEC_PER_SEC,
                   words_or(interval, "seconds", ""));
    figure_paragraph(out, "  began", words_or(interval, "start_evidence", ""));
    figure_paragraph(out, "  ended", words_or(interval, "end_evidence", "not yet"));
    figure_row(out, "  clock", "boot %s, from %s us to %s%s",
               words_or(interval, "boot_id", ""),
               words_or(interval, "open_boot_us", ""),
               words_or(interval, "close_boot_us", "now"), is_open ? "" : " us");
    figure_row(out, "  reprice", "%s, as it was configured when it opened",
               words_or(interval, "reprice", ""));
    add_charges(interval, out);
    add_journal(interval, out);
}

/* Seconds and cost of an attempt, a pool or the job. */
static void add_sum(const struct cJSON *sum, const char *label, struct text *out)
{
    const char *cost = json_get_text(sum, "cost_usd");
    int64_t unpriced = json_get_int(sum, "unpriced_instance_seconds", 0);

    figure_row(out, label, "%s s on each instance, %s instance-seconds: %s%s%s%s",
               words_or(sum, "billable_seconds", ""),
               words_or(sum, "instance_seconds", ""), cost ? "$" : "no price",
               cost ? cost : "", json_get_bool(sum, "estimate") ? " (an estimate)" : "",
               json_get_bool(sum, "open") ? ", still running" : "");
    if (cost && unpriced)
        figure_row(out, "", "and %" PRId64 " instance-seconds without a price",
                   unpriced);
}

static void add_attempts(const struct cJSON *attempts, const char *what,
                         struct text *out)
{
    json_each (attempt, attempts) {
        text_printf(out, "%s %s\n", what, words_or(attempt, "attempt", ""));
        json_each (interval, json_get(attempt, "intervals"))
            add_interval(interval, out);
        json_each (amount, json_get(attempt, "amounts")) {
            const char *arithmetic = json_get_text(amount, "arithmetic");

            if (arithmetic)
                figure_row(out, "cost", "%s", arithmetic);
        }
        add_sum(attempt, "sum", out);
    }
}

static void print_receipt(const struct cJSON *receipt)
{
    const struct cJSON *ledger = json_get(receipt, "ledger");
    const struct cJSON *warm = json_get(receipt, "warm_pool");
    auto_text struct text out = { 0 };

    add_head(receipt, &out);
    add_prices(receipt, &out);
    add_attempts(json_get(receipt, "attempts"), "Attempt", &out);
    add_attempts(json_get(warm, "attempts"), "Warm pool of attempt", &out);
    text_puts(&out, "Total\n");
    add_sum(receipt, "job", &out);
    if (json_count(json_get(warm, "attempts")) > 0)
        add_sum(warm, "warm pool", &out);
    figure_row(&out, "rule",
               "price * instance-seconds / 3600, rounded once for an "
               "attempt, half to even");
    figure_row(&out, "ledger", "its last row is %s:%s", words_or(ledger, "seq", ""),
               words_or(ledger, "hash", ""));
    figure_row(&out, "", "to be checked by jobctl bill verify --against SEQ:HASH");
    print_painted(stdout, PAINT_PLAIN, out.bytes);
}

static int receive(struct cli *cli, const char *job)
{
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *receipt = NULL;
    auto_free char *path = remote_job_path(job, "/receipt");
    struct err err;

    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(remote,
                      &(struct remote_ask){ .method = "GET",
                                            .path = path,
                                            .deadline_s = REMOTE_REPORT_SECONDS },
                      &receipt, NULL, &err)
               < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(receipt);
    else
        print_receipt(receipt);
    return 0;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    static const struct option_row rows[] = { { 0 } };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    return receive(cli, operands[0]);
}

const struct verb verb_bill_receipt = {
    .name = "bill receipt",
    .help = "print what a job is charged for, on what evidence, and the arithmetic",
    .arguments = "JOB",
    .run = run,
};
