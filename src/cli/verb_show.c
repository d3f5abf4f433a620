/* jobctl show: all about one job, for people. */

#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/cli/table.h"

#include <stdio.h>
#include <string.h>

static const struct table_column transition_columns[] = {
    { "STATUS", false },
    { "START", false },
    { "END", false },
    { "MESSAGE", false },
};

static const struct table_column worker_columns[] = {
    { "ATTEMPT", true },
    { "WORKER", true },
    { "HOST", false },
    { "ADDRESS", false },
};

static void add_text(struct text *out, const char *label, const struct cJSON *value)
{
    const char *words = figure_words(value);

    if (words && *words)
        figure_row(out, label, "%s", words);
}

static void add_time(struct text *out, const char *label, const struct cJSON *value)
{
    char words[32];

    if (json_text(value))
        figure_row(out, label, "%s", print_time(json_text(value), words));
}

static void add_tags(struct text *out, const struct cJSON *tags)
{
    auto_text struct text words = { 0 };

    json_each (tag, tags) {
        const char *value = figure_words(tag);

        text_printf(&words, "%s%s=%s", words.len ? " " : "", json_name(tag),
                    value ? value : "");
    }
    if (words.len)
        figure_row(out, "tags", "%s", words.bytes);
}

static void add_end(struct text *out, const struct cJSON *job)
{
    const struct cJSON *end = json_get(job, "end");

    add_text(out, "end", json_get(end, "cause"));
    add_text(out, "exit code", json_get(end, "exit_code"));
    add_text(out, "signal", json_get(end, "signal"));
    add_text(out, "failing rank", json_get(end, "first_failing_rank"));
    add_text(out, "reason", json_get(job, "failure_reason"));
    if (!json_text(json_get(job, "failure_reason")))
        add_text(out, "message", json_get(end, "message"));
}

static void add_facts(struct text *out, const struct cJSON *job)
{
    const struct cJSON *plan = json_get(job, "plan");
    const struct cJSON *queue = json_get(job, "queue");

    add_text(out, "id", json_get(job, "id"));
    add_text(out, "owner", json_get(job, "owner"));
    add_text(out, "scheduler", json_get(job, "scheduler"));
    add_text(out, "ranks", json_get(plan, "world_size"));
    add_text(out, "launched by", json_get(plan, "launcher"));
    add_tags(out, json_get(job, "tags"));
    add_time(out, "created", json_get(job, "created_at"));
    add_time(out, "started", json_get(job, "training_start_time"));
    add_time(out, "ended", json_get(job, "training_end_time"));
    add_text(out, "queue position", json_get(queue, "position"));
    add_text(out, "waits for", json_get(queue, "reason"));
    add_end(out, job);
}

static void add_metrics(struct text *out, const struct cJSON *metrics)
{
    json_each (metric, metrics)
        add_text(out, json_name(metric), json_get(metric, "last"));
}

static void add_workers(struct text *out, const struct cJSON *attempts)
{
    auto_table struct table *table =
        table_new(worker_columns, ARRAY_SIZE(worker_columns));
    bool any = false;

    json_each (attempt, attempts) {
        json_each (worker, json_get(attempt, "workers")) {
            table_cell(table, figure_words(json_get(attempt, "attempt")));
            table_cell(table, figure_words(json_get(worker, "rank")));
            table_cell(table, json_get_text(worker, "host"));
            table_cell(table, json_get_text(worker, "address"));
            any = true;
        }
    }
    if (!any)
        return;
    text_puts(out, "\n");
    table_print(table, out);
}

static void add_transitions(struct text *out, const struct cJSON *transitions)
{
    auto_table struct table *table =
        table_new(transition_columns, ARRAY_SIZE(transition_columns));
    char time[32];

    if (json_count(transitions) == 0)
        return;
    json_each (row, transitions) {
        table_cell(table, json_get_text(row, "status"));
        table_cell(table, print_time(json_get_text(row, "start"), time));
        table_cell(table, print_time(json_get_text(row, "end"), time));
        table_cell(table, json_get_text(row, "message"));
    }
    text_puts(out, "\n");
    table_print(table, out);
}

static void print_job(const struct cJSON *job)
{
    auto_text struct text out = { 0 };

    print_status(json_get_text(job, "name"), "  ",
                 json_get_text(job, "secondary_status"));
    add_facts(&out, job);
    add_metrics(&out, json_get(job, "metrics"));
    add_workers(&out, json_get(job, "attempts"));
    add_transitions(&out, json_get(job, "transitions"));
    text_puts(&out, "\n");
    figure_add(job, &out);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *job = NULL;
    auto_free char *path = NULL;
    char **operands = NULL;
    struct err err;
    enum options_end end = options_parse(cli, verb, NULL, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    path = remote_job_path(operands[0], "");
    if (remote_open(cli, &remote, &err) < 0 || remote_get(remote, path, &job, &err) < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(job);
    else
        print_job(job);
    return 0;
}

const struct verb verb_show = {
    .name = "show",
    .help = "show a job: its state, its history, what it cost and did",
    .arguments = "NAME",
    .run = run,
};
