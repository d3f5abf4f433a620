/* jobctl budget ls and show: what is left, and what was done. */

#include "src/cli/budget.h"
#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/cli/table.h"

#include <stdio.h>
#include <string.h>

static const struct table_column columns[] = {
    { "NAME", false },    { "OF", false },   { "PER", false },
    { "ACTION", false },  { "LIMIT", true }, { "SPENT", true },
    { "RESERVED", true }, { "LEFT", true },  { "NOTE", false },
};

/* "owner ana, project reviews", "everybody". */
static void add_scope(const struct cJSON *scope, struct text *out)
{
    json_each (part, scope) {
        const struct cJSON *tag =
            json_kind(part) == JSON_OBJECT ? json_first(part) : NULL;

        text_printf(out, "%s%s %s%s%s", out->len ? ", " : "", json_name(part),
                    tag ? json_name(tag) : "", tag ? "=" : "",
                    json_text(tag ? tag : part));
    }
    if (!out->len)
        text_puts(out, "everybody");
}

/* What the figures do not say by themselves. */
static void add_notes(const struct cJSON *budget, struct text *out)
{
    const char *emulated = json_get_text(budget, "emulated_usd");

    if (emulated && strcmp(emulated, "0") != 0)
        text_printf(out, "$%s of it emulated", emulated);
    if (json_get_bool(budget, "estimated"))
        text_printf(out, "%sestimated", out->len ? ", " : "");
    if (json_get_bool(budget, "unpriced"))
        text_printf(out, "%sunpriced time besides", out->len ? ", " : "");
    if (json_get_bool(budget, "counting"))
        text_printf(out, "%sstill counting", out->len ? ", " : "");
}

static void add_row(struct table *table, const struct cJSON *budget)
{
    auto_text struct text scope = { 0 };
    auto_text struct text notes = { 0 };

    add_scope(json_get(budget, "scope"), &scope);
    add_notes(budget, &notes);
    table_cell(table, json_get_text(budget, "name"));
    table_cell(table, scope.bytes);
    table_cell(table, json_get_text(budget, "per"));
    table_cell(table, json_get_text(budget, "action"));
    table_cellf(table, "$%s", json_get_text(budget, "limit_usd"));
    table_cellf(table, "$%s", json_get_text(budget, "spent_usd"));
    table_cellf(table, "$%s", json_get_text(budget, "reserved_usd"));
    table_cellf(table, "$%s", json_get_text(budget, "left_usd"));
    table_cell(table, notes.bytes);
}

static void print_table(const struct cJSON *list)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));
    auto_text struct text out = { 0 };

    json_each (budget, json_get(list, "items"))
        add_row(table, budget);
    table_print(table, &out);
    fputs(out.bytes, stdout);
}

static int get(struct cli *cli, const char *path, struct cJSON **answer)
{
    auto_remote struct remote *remote = NULL;
    struct err err;

    if (remote_open(cli, &remote, &err) < 0
        || remote_get(remote, path, answer, &err) < 0)
        return print_failure(&err, NULL, NULL);
    return 0;
}

static int run_ls(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    static const struct option_row rows[] = { { 0 } };
    auto_json struct cJSON *list = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, NULL);
    int code;

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    code = get(cli, "/v1/budgets", &list);
    if (code)
        return code;
    if (cli->output == OUTPUT_JSON)
        print_json(list);
    else
        print_table(list);
    return 0;
}

const struct verb verb_budget_ls = {
    .name = "budget ls",
    .help = "list budgets, what is spent and what is left",
    .arguments = "",
    .run = run_ls,
};

/* What an event has besides its time and kind. */
static void add_event(const struct cJSON *event, struct text *out)
{
    const char *by = json_get_text(event, "by");
    const char *spent = json_get_text(event, "spent_usd");
    const char *limit = json_get_text(event, "limit_usd");
    char at[32];

    text_printf(out, "%s  %s", print_time(json_get_text(event, "at"), at),
                json_get_text(event, "kind"));
    if (by)
        text_printf(out, " by %s", by);
    if (json_get(event, "percent"))
        text_printf(out, " %s %%", figure_words(json_get(event, "percent")));
    if (json_get(event, "jobs"))
        text_printf(out, " %s jobs", figure_words(json_get(event, "jobs")));
    if (spent)
        text_printf(out, ": $%s of $%s spent", spent, limit);
    else if (limit)
        text_printf(out, ": $%s per %s, %s", limit, json_get_text(event, "per"),
                    json_get_text(event, "action"));
    text_puts(out, "\n");
}

static void print_budget(const struct cJSON *budget)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));
    auto_text struct text out = { 0 };

    add_row(table, budget);
    table_print(table, &out);
    text_puts(&out, "\n");
    json_each (event, json_get(budget, "events"))
        add_event(event, &out);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
}

static int run_show(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    static const struct option_row rows[] = { { 0 } };
    auto_json struct cJSON *budget = NULL;
    auto_free char *path = NULL;
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);
    int code;

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    path = budget_path(operands[0]);
    code = get(cli, path, &budget);
    if (code)
        return code;
    if (cli->output == OUTPUT_JSON)
        print_json(budget);
    else
        print_budget(budget);
    return 0;
}

const struct verb verb_budget_show = {
    .name = "budget show",
    .help = "show a budget and what was done to it and by it",
    .arguments = "NAME",
    .run = run_show,
};
