/* Asks for a comparison, and decides in which form it is printed. */

#include "src/cli/compare.h"
#include "src/cli/figure.h"
#include "src/cli/print.h"
#include "src/csv.h"

#include <stdio.h>

/* Members of a run that are a column of CSV each: text that people chose, or not. */
static const struct {
    const char *name;
    bool chosen;
} columns[] = {
    { "arm", true },
    { "name", true },
    { "source", true },
    { "status", false },
    { "counted", false },
    { "why_not", true },
    { "instance_type", false },
    { "instance_count", false },
    { "emulated", false },
    { "pricing", false },
    { "started_at", false },
    { "attempts", false },
    { "billable_seconds", false },
    { "instance_seconds", false },
    { "usd_per_hour", false },
    { "estimate", false },
    { "cost_usd", false },
    { "work", false },
    { "work_unit", true },
    { "work_per_usd", false },
    { "objective", false },
    { "objective_metric", true },
    { "batch_size", true },
    { "compile_cache", false },
};

static const char *words_of(const struct cJSON *value)
{
    if (json_kind(value) == JSON_BOOL)
        return json_is_true(value) ? "true" : "false";
    return figure_words(value);
}

static void add_csv(const struct cJSON *comparison, struct text *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        csv_add(out, columns[i].name);
    csv_end(out);
    json_each (run, json_get(comparison, "runs")) {
        auto_text struct text line = { 0 };

        for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
            const char *words = words_of(json_get(run, columns[i].name));

            if (columns[i].chosen)
                csv_add_words(&line, words);
            else
                csv_add(&line, words);
        }
        csv_end(&line);
        text_add(out, line.bytes, line.len);
    }
}

static void print_comparison(const struct cli *cli, const struct cJSON *comparison)
{
    auto_text struct text out = { 0 };

    if (cli->output == OUTPUT_JSON) {
        print_json(comparison);
        return;
    }
    if (cli->output == OUTPUT_CSV)
        add_csv(comparison, &out);
    else if (cli->output == OUTPUT_SVG)
        compare_svg(comparison, &out);
    else if (cli->output == OUTPUT_HTML)
        compare_html(comparison, &out);
    else
        compare_table(comparison, &out);
    fwrite(out.bytes, 1, out.len, stdout);
}

int compare_print(const struct cli *cli, struct remote *remote,
                  const struct cJSON *request)
{
    auto_json struct cJSON *comparison = NULL;
    auto_problems struct problems problems = { 0 };
    struct err err;

    if (remote_ask(remote,
                   &(struct remote_ask){ .method = "POST",
                                         .path = "/v1/comparisons",
                                         .body = request,
                                         .tries = 3,
                                         .deadline_s = REMOTE_REPORT_SECONDS },
                   &comparison, &problems, &err)
        < 0)
        return print_failure(&err, NULL, &problems);
    print_comparison(cli, comparison);
    return 0;
}
