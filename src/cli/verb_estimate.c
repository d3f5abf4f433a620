/* jobctl estimate: what a job would cost; submits nothing. */

#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/outlook.h"
#include "src/cli/print.h"
#include "src/cli/spec_send.h"

static void print_estimate(const struct cJSON *estimate)
{
    auto_text struct text out = { 0 };
    auto_text struct text price = { 0 };
    const char *count = figure_words(json_get(estimate, "instance_count"));
    const char *type = json_get_text(estimate, "instance_type");

    if (!type)
        type = "its instance type";
    figure_row(&out, "instances", "%s x %s", count ? count : "?", type);
    figure_price(json_get(estimate, "price"), &price);
    figure_row(&out, "price", "%s", price.bytes);
    outlook_add_bounds(estimate, json_get(estimate, "price"), &out);
    outlook_add_likely(json_get(estimate, "likely"), &out);
    if (json_get_bool(estimate, "emulated"))
        figure_row(&out, "emulated",
                   "this host stands in for %s: the seconds would be this host's, the "
                   "price is that type's",
                   type);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
}

static int estimate_file(const struct cli *cli, const struct spec_changes *changes,
                         const char *path)
{
    const struct spec_ask ask = { .path = "/v1/estimates" };
    auto_spec_file struct spec_file file = { 0 };
    auto_problems struct problems problems = { 0 };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *estimate = NULL;
    struct err err;

    if (spec_prepare(path, changes, &file, &problems, &err) < 0
        || remote_open(cli, &remote, &err) < 0
        || spec_send(remote, &file, &ask, &estimate, &problems, &err) < 0)
        return print_failure(&err, file.shown, &problems);
    if (cli->output == OUTPUT_JSON)
        print_json(estimate);
    else
        print_estimate(estimate);
    return 0;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct spec_changes changes = { 0 };
    const struct option_row rows[] = {
        { "set", 0, OPTION_LIST, &changes.sets, 0, 0, "M=VALUE",
          "instead of the spec's member M (hyperparameters.lr=0.1); often" },
        { 0 },
    };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);
    int code;

    if (end == OPTIONS_GO_ON)
        code = estimate_file(cli, &changes, operands[0]);
    else
        code = end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    words_free(changes.sets);
    return code;
}

const struct verb verb_estimate = {
    .name = "estimate",
    .help = "print what a job would cost, at most and likely",
    .arguments = "SPEC [--set M=VALUE]...",
    .run = run,
};
