/* jobctl ls: which jobs there are. */

#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/cli/table.h"

#include <stdio.h>

static const struct table_column columns[] = {
    { "NAME", false },  { "STATUS", false },  { "INSTANCES", false },
    { "OWNER", false }, { "CREATED", false }, { "BILLABLE", true },
    { "COST", true },
};

enum {
    PAGE_MAX = 1000, /* the server gives no more at a time */
    LIMIT_DEFAULT = 50
};

struct ls {
    const char *status;
    const char *owner;
    const char *tag;
    const char *instance_type;
    const char *name;
    const char *after;
    const char *before;
    int64_t limit;
    bool all;
};

static int get_page(struct remote *remote, const struct ls *ls, int64_t limit,
                    const char *cursor, struct cJSON **page, struct err *err)
{
    auto_text struct text path = { 0 };
    auto_free char *words =
        xasprintf("%lld", (long long)(limit < PAGE_MAX ? limit : PAGE_MAX));

    text_puts(&path, "/v1/training-jobs");
    remote_add_query(&path, "limit", words);
    remote_add_query(&path, "status", ls->status);
    remote_add_query(&path, "owner", ls->owner);
    remote_add_query(&path, "tag", ls->tag);
    remote_add_query(&path, "instance_type", ls->instance_type);
    remote_add_query(&path, "name", ls->name);
    remote_add_query(&path, "created_after", ls->after);
    remote_add_query(&path, "created_before", ls->before);
    remote_add_query(&path, "cursor", cursor);
    return remote_get(remote, path.bytes, page, err);
}

/* A page may have less than it could: the next ones are asked for. */
static int get(struct remote *remote, const struct ls *ls, struct cJSON **list,
               struct err *err)
{
    auto_json struct cJSON *whole = json_object_new();
    struct cJSON *items = json_array_new();
    auto_free char *cursor = NULL;
    int64_t left = ls->all ? INT64_MAX : ls->limit;

    json_set(whole, "items", items);
    do {
        auto_json struct cJSON *page = NULL;

        if (get_page(remote, ls, left, cursor, &page, err) < 0)
            return -1;
        json_each (item, json_get(page, "items")) {
            json_append(items, json_copy(item));
            left--;
        }
        base_free(&cursor);
        cursor = xstrdup(json_get_text(page, "next_cursor"));
    } while (cursor && left > 0);
    json_set_text(whole, "next_cursor", cursor);
    *list = steal_ptr(&whole);
    return 0;
}

static void add_row(struct table *table, const struct cJSON *job)
{
    const char *seconds = figure_words(json_get(job, "billable_seconds"));
    const char *cost = figure_words(json_get(job, "cost_usd"));
    const char *type = json_get_text(job, "instance_type");
    const char *status = json_get_text(job, "secondary_status");
    char created[32];

    table_cell(table, json_get_text(job, "name"));
    table_cell(table, status ? status : json_get_text(job, "status"));
    table_cellf(table, "%lld x %s%s", (long long)json_get_int(job, "instance_count", 1),
                type ? type : "?", json_get_bool(job, "emulated") ? " (emulated)" : "");
    table_cell(table, json_get_text(job, "owner"));
    table_cell(table, print_time(json_get_text(job, "created_at"), created));
    if (seconds)
        table_cellf(table, "%s s", seconds);
    else
        table_cell(table, NULL);
    table_cellf(table, "%s%s%s", cost ? "$" : "-", cost ? cost : "",
                cost && json_get_int(job, "unpriced_instance_seconds", 0)
                    ? " + unpriced"
                    : "");
}

static void print_table(const struct cJSON *list)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));
    auto_text struct text out = { 0 };

    json_each (job, json_get(list, "items"))
        add_row(table, job);
    table_print(table, &out);
    fputs(out.bytes, stdout);
    if (json_get_text(list, "next_cursor"))
        print_note("there are more: --limit N or --all shows them");
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct ls ls = { .limit = LIMIT_DEFAULT };
    const struct option_row rows[] = {
        { "status", 's', OPTION_TEXT, &ls.status, 0, 0, "STATUS",
          "only these: InProgress, Completed, Failed, Stopped, Training, ..." },
        { "owner", 0, OPTION_TEXT, &ls.owner, 0, 0, "OWNER", "only jobs of this user" },
        { "tag", 't', OPTION_TEXT, &ls.tag, 0, 0, "KEY=VALUE",
          "only jobs with this tag" },
        { "instance-type", 0, OPTION_TEXT, &ls.instance_type, 0, 0, "T",
          "only jobs on this type" },
        { "name", 'n', OPTION_TEXT, &ls.name, 0, 0, "PART",
          "only names with this in them" },
        { "created-after", 0, OPTION_TEXT, &ls.after, 0, 0, "TIME",
          "only jobs submitted then or later" },
        { "created-before", 0, OPTION_TEXT, &ls.before, 0, 0, "TIME",
          "only jobs submitted before" },
        { "limit", 'l', OPTION_INT, &ls.limit, 1, PAGE_MAX, "N",
          "at most so many (50)" },
        { "all", 'a', OPTION_FLAG, &ls.all, 0, 0, NULL, "every one, however many" },
        { 0 },
    };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *list = NULL;
    struct err err;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, NULL);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    if (remote_open(cli, &remote, &err) < 0 || get(remote, &ls, &list, &err) < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(list);
    else
        print_table(list);
    return 0;
}

const struct verb verb_ls = {
    .name = "ls",
    .help = "list jobs, newest first",
    .arguments = "[--status S] [--owner O] [--tag KEY=VALUE] [--instance-type T] "
                 "[--name PART] [--created-after TIME] [--created-before TIME] "
                 "[--limit N] [--all]",
    .run = run,
};
