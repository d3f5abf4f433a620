/* jobctl admin price: what instances cost, set and listed. */

#include "src/cli/admin.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/cli/table.h"

#include <stdio.h>
#include <string.h>

static struct cJSON *order_of(const struct admin_options *options, const char *type)
{
    struct cJSON *body = json_object_new();

    json_set_text(body, "instance_type", type);
    json_set_text(body, "usd_per_hour", options->usd);
    remote_set_text(body, "from", options->from);
    remote_set_text(body, "note", options->note);
    return body;
}

int admin_set_price(struct cli *cli, const struct admin_options *options,
                    char **operands)
{
    auto_remote struct remote *remote = NULL;
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *body = order_of(options, operands[2]);
    auto_json struct cJSON *price = NULL;
    struct err err;
    char from[32];

    if (!options->usd) {
        fprintf(stderr, "jobctl: admin price set: --usd is missing\n");
        return EXIT_USAGE;
    }
    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(remote,
                      &(struct remote_ask){ .method = "POST",
                                            .path = "/v1/prices",
                                            .body = body },
                      &price, &problems, &err)
               < 0)
        return print_failure(&err, NULL, &problems);
    if (cli->output == OUTPUT_JSON)
        print_json(price);
    else
        printf("%s: $%s an hour from %s%s\n", operands[2],
               json_get_text(price, "usd_per_hour"),
               print_time(json_get_text(price, "from"), from),
               json_get_bool(price, "in_force") ? ", in force" : "");
    return 0;
}

static const struct table_column columns[] = {
    { "INSTANCE TYPE", false }, { "PRICE/H", true }, { "FROM", false },
    { "IN FORCE", false },      { "BASIS", false },  { "CONFIDENCE", false },
    { "SOURCE", false },
};

static void print_table(const struct cJSON *list)
{
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));
    auto_text struct text out = { 0 };
    bool estimates = false;
    char from[32];

    json_each (price, json_get(list, "items")) {
        bool low = strcmp(json_get_text(price, "confidence"), "low") == 0;

        table_cell(table, json_get_text(price, "instance_type"));
        table_cellf(table, "%s$%s", low ? "~" : "",
                    json_get_text(price, "usd_per_hour"));
        table_cell(table, print_time(json_get_text(price, "from"), from));
        table_cell(table, json_get_bool(price, "in_force") ? "yes" : "");
        table_cell(table, json_get_text(price, "basis"));
        table_cell(table, json_get_text(price, "confidence"));
        table_cell(table, json_get_text(price, "source"));
        estimates = estimates || low;
    }
    table_print(table, &out);
    fputs(out.bytes, stdout);
    if (estimates)
        printf("~ an estimate: the price is of low confidence\n");
}

static int list_prices(struct cli *cli, const char *type)
{
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *list = NULL;
    auto_text struct text path = { 0 };
    struct err err;

    text_puts(&path, "/v1/prices");
    remote_add_query(&path, "instance_type", type);
    if (remote_open(cli, &remote, &err) < 0
        || remote_get_list(remote, path.bytes, &list, &err) < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(list);
    else
        print_table(list);
    return 0;
}

int admin_list_prices(struct cli *cli, const struct admin_options *options,
                      char **operands)
{
    (void)options;
    (void)operands;
    return list_prices(cli, NULL);
}

int admin_list_prices_of(struct cli *cli, const struct admin_options *options,
                         char **operands)
{
    (void)options;
    return list_prices(cli, operands[2]);
}
