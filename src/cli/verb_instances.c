/* jobctl instances: what jobs can ask for here, and what it costs. */

#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/cli/table.h"

#include <stdio.h>
#include <string.h>

/* The last column is for --all alone. */
static const struct table_column columns[] = {
    { "NAME", false },   { "VCPUS", true },
    { "MEMORY", true },  { "ACCELERATOR", false },
    { "PRICE/H", true }, { "OFFERED", true },
    { "IN-USE", true },  { "WHY NOT OFFERED", false },
};

static void add_accelerator(struct table *table, const struct cJSON *accelerator)
{
    int64_t count = json_get_int(accelerator, "count", 0);
    int64_t memory = json_get_int(accelerator, "memory_gib_each", 0);
    int64_t cores = json_get_int(accelerator, "neuron_cores", 0);
    const char *name = json_get_text(accelerator, "name");
    auto_text struct text words = { 0 };

    if (count > 0)
        text_printf(&words, "%lld x %s", (long long)count,
                    name ? name : json_get_text(accelerator, "kind"));
    if (count > 0 && memory > 0)
        text_printf(&words, " %lld GiB", (long long)memory);
    if (cores > 0)
        text_printf(&words, ", %lld NeuronCores", (long long)cores);
    table_cell(table, words.bytes);
}

static void add_price(struct table *table, const struct cJSON *price)
{
    const char *hourly = figure_words(json_get(price, "usd_per_hour"));
    const char *confidence = json_get_text(price, "confidence");

    if (hourly)
        table_cellf(table, "%s$%s",
                    confidence && strcmp(confidence, "low") == 0 ? "~" : "", hourly);
    else
        table_cell(table, "unpriced");
}

/* What a warm pool holds is not in use, and not free for all. */
static void add_use(struct table *table, const struct cJSON *type)
{
    long long in_use = json_get_int(type, "in_use", 0);
    long long warm = json_get_int(type, "warm", 0);

    if (warm)
        table_cellf(table, "%lld, %lld warm", in_use, warm);
    else
        table_cellf(table, "%lld", in_use);
}

static void add_row(struct table *table, const struct cJSON *type, bool all)
{
    bool offered = json_get_bool(type, "offered");
    long long mib = json_get_int(type, "memory_mib", 0);

    table_cell(table, json_get_text(type, "name"));
    table_cell(table, figure_words(json_get(type, "vcpus")));
    table_cellf(table, "%lld.%lld GiB", mib / 1024, mib % 1024 * 10 / 1024);
    add_accelerator(table, json_get(type, "accelerator"));
    add_price(table, json_get(type, "price"));
    if (offered) {
        table_cellf(table, "%s%s", json_get_bool(type, "emulated") ? "emulated " : "",
                    figure_words(json_get(type, "capacity")));
        add_use(table, type);
    } else {
        table_cell(table, NULL);
        table_cell(table, NULL);
    }
    if (all)
        table_cell(table, json_get_text(type, "reason"));
}

static void print_table(const struct cJSON *list, bool all)
{
    auto_table struct table *table =
        table_new(columns, ARRAY_SIZE(columns) - (all ? 0 : 1));
    auto_text struct text out = { 0 };
    bool estimates = false;

    json_each (type, json_get(list, "items")) {
        const char *confidence = json_get_text(json_get(type, "price"), "confidence");

        if (!all && !json_get_bool(type, "offered"))
            continue;
        add_row(table, type, all);
        estimates = estimates || (confidence && strcmp(confidence, "low") == 0);
    }
    table_print(table, &out);
    fputs(out.bytes, stdout);
    if (estimates)
        printf("~ an estimate: the price is of low confidence\n");
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    bool all = false;
    const struct option_row rows[] = {
        { "all", 'a', OPTION_FLAG, &all, 0, 0, NULL,
          "also the types that are not offered here, and why" },
        { 0 },
    };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *list = NULL;
    struct err err;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, NULL);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    if (remote_open(cli, &remote, &err) < 0
        || remote_get(remote, "/v1/instance-types", &list, &err) < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(list);
    else
        print_table(list, all);
    return 0;
}

const struct verb verb_instances = {
    .name = "instances",
    .help = "list the instance types that jobs can ask for",
    .arguments = "[--all]",
    .run = run,
};
