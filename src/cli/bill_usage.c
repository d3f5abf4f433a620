/* jobctl bill: the report of usage.  Decides how it is asked for and how its table
 * looks; what is added up is the server's. */

#include "src/cli/bill.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/clock.h"

#include <string.h>

/* As GET /v1/usage takes them. */
struct query {
    const char *from;
    const char *to;
    const char *by;
    const char *zone;
    const char *owner;
    const char *instance_type;
    const char *pool;
    const char *tag;
    const char *job;
    const char *emulated;
    bool zero;
};

static char *path_of(const struct query *query, enum output output)
{
    struct text path = { 0 };

    text_puts(&path, "/v1/usage");
    remote_add_query(&path, "format", output_name(output));
    remote_add_query(&path, "from", query->from);
    remote_add_query(&path, "to", query->to);
    remote_add_query(&path, "by", query->by);
    remote_add_query(&path, "tz", query->zone);
    remote_add_query(&path, "owner", query->owner);
    remote_add_query(&path, "instance_type", query->instance_type);
    remote_add_query(&path, "pool", query->pool);
    remote_add_query(&path, "tag", query->tag);
    remote_add_query(&path, "job", query->job);
    remote_add_query(&path, "emulated", query->emulated);
    remote_add_query(&path, "zero", query->zero ? "true" : NULL);
    return text_steal(&path);
}

static int ask_report(struct remote *remote, const struct query *query,
                      struct cJSON **report, struct problems *problems, struct err *err)
{
    auto_free char *path = path_of(query, OUTPUT_JSON);

    return remote_ask(remote,
                      &(struct remote_ask){ .method = "GET",
                                            .path = path,
                                            .deadline_s = REMOTE_REPORT_SECONDS },
                      report, problems, err);
}

static int print_table(struct remote *remote, const struct query *query,
                       struct problems *problems, struct err *err)
{
    auto_json struct cJSON *report = NULL;
    auto_text struct text out = { 0 };

    if (ask_report(remote, query, &report, problems, err) < 0)
        return -1;
    bill_table(report, &out);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
    return 0;
}

/* Such a form has no row for time without a price, and no place to say so.  All of it
 * is rows, so the total is asked for, not the report once more. */
static int note_unpriced(struct remote *remote, const struct query *query,
                         struct problems *problems, struct err *err)
{
    auto_json struct cJSON *report = NULL;
    struct query total = *query;
    char words[TIME_TEXT_SIZE];
    int64_t seconds;

    total.by = "";
    total.zero = false;
    if (ask_report(remote, &total, &report, problems, err) < 0)
        return -1;
    seconds = json_get_int(json_get(report, "total"), "unpriced_instance_seconds", 0);
    if (seconds == 0)
        return 0;
    duration_format(seconds, words);
    print_note(
        "%s of instance time has no price and is in no row; jobctl bill shows it",
        words);
    return 0;
}

static int print_copy(struct remote *remote, const struct query *query,
                      enum output output, struct problems *problems, struct err *err)
{
    auto_free char *path = path_of(query, output);

    if (remote_copy(remote, path, stdout, problems, err) < 0)
        return -1;
    if (output != OUTPUT_FOCUS && output != OUTPUT_CUR)
        return 0;
    return note_unpriced(remote, query, problems, err);
}

static int print_report(struct cli *cli, const struct query *query)
{
    auto_remote struct remote *remote = NULL;
    auto_problems struct problems problems = { 0 };
    struct err err;

    if (remote_open(cli, &remote, &err) < 0
        || (cli->output == OUTPUT_TABLE
                ? print_table(remote, query, &problems, &err)
                : print_copy(remote, query, cli->output, &problems, &err))
               < 0)
        return print_failure(&err, NULL, &problems);
    return 0;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct query query = { .by = "instance_type" };
    const struct option_row rows[] = {
        { "from", 0, OPTION_TEXT, &query.from, 0, 0, "TIME",
          "its start: a date in the zone, or an instant (this month)" },
        { "to", 0, OPTION_TEXT, &query.to, 0, 0, "TIME",
          "its end, the first that is not within (now)" },
        { "by", 'b', OPTION_TEXT, &query.by, 0, 0, "KEYS",
          "day week month owner project tag:KEY instance_type pool pricing job attempt, "
          "with commas between (instance_type)" },
        { "tz", 0, OPTION_TEXT, &query.zone, 0, 0, "ZONE",
          "whose days they are: Europe/Berlin (UTC)" },
        { "owner", 0, OPTION_TEXT, &query.owner, 0, 0, "OWNER", "of this user alone" },
        { "instance-type", 0, OPTION_TEXT, &query.instance_type, 0, 0, "TYPE",
          "of this type alone" },
        { "pool", 0, OPTION_TEXT, &query.pool, 0, 0, "POOL", "of this pool alone" },
        { "tag", 0, OPTION_TEXT, &query.tag, 0, 0, "KEY=VALUE",
          "of what has this tag alone" },
        { "job", 0, OPTION_TEXT, &query.job, 0, 0, "NAME", "of this job alone" },
        { "emulated", 0, OPTION_TEXT, &query.emulated, 0, 0, "HOW",
          "include, exclude or only what ran on other hardware (include)" },
        { "zero", 0, OPTION_FLAG, &query.zero, 0, 0, NULL, "rows of nothing, too" },
        { 0 },
    };
    enum options_end end = options_parse(cli, verb, rows, argc, argv, NULL);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    return print_report(cli, &query);
}

const struct verb verb_bill_usage = {
    .name = "bill",
    .help = "print what was used and what it cost",
    .arguments = "[--from TIME] [--to TIME] [--by KEYS] [--tz ZONE] [--owner O] "
                 "[--instance-type T] [--pool P] [--tag KEY=VALUE] [--job NAME] "
                 "[--emulated HOW] [--zero]",
    .outputs = 1U << OUTPUT_CSV | 1U << OUTPUT_FOCUS | 1U << OUTPUT_CUR
               | 1U << OUTPUT_INTERVALS | 1U << OUTPUT_HTML,
    .run = run,
};
