/* jobctl show: all about one job, for people. */

#include "src/cli/figure.h"
#include "src/cli/options.h"
#include "src/cli/outlook.h"
#include "src/cli/print.h"
#include "src/cli/progress.h"
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

static const struct table_column attempt_columns[] = {
    { "ATTEMPT", true }, { "BILLABLE", true },       { "END", false },
    { "RANK", true },    { "EXIT OR SIGNAL", true }, { "MESSAGE", false },
};

static const struct table_column worker_columns[] = {
    { "ATTEMPT", true },    { "WORKER", true },     { "HOST", false },
    { "ADDRESS", false },   { "CPU", true },        { "MOST MEMORY", true },
    { "READ", true },       { "WRITTEN", true },    { "GPU", true },
    { "GPU MEMORY", true }, { "NEURONCORE", true },
};

/* The last of them are of accelerators, which most jobs have not. */
enum {
    WORKER_COLUMNS_PLAIN = 8
};

static void add_text(struct text *out, const char *label, const struct cJSON *value)
{
    const char *words = figure_words(value);

    if (words && *words)
        figure_row(out, label, "%s", words);
}

static void add_long(struct text *out, const char *label, const struct cJSON *value)
{
    const char *words = json_text(value);

    if (words && *words)
        figure_paragraph(out, label, words);
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
    add_long(out, "reason", json_get(job, "failure_reason"));
    if (!json_text(json_get(job, "failure_reason")))
        add_long(out, "message", json_get(end, "message"));
}

/* What is moved in or out just now. */
static void add_progress(struct text *out, const struct cJSON *job)
{
    auto_text struct text words = { 0 };
    struct progress_haul haul;

    progress_haul_read(json_get(job, "progress"), &haul);
    if (!haul.what)
        return;
    progress_haul_line(&haul, 0, &words);
    figure_row(out, "moves", "%s", words.bytes);
}

static void add_outputs(struct text *out, const struct cJSON *job)
{
    const struct cJSON *artifacts = json_get(job, "artifacts");
    const struct cJSON *pool = json_get(job, "warm_pool");
    const char *status = json_get_text(pool, "status");
    const char *seconds = figure_words(json_get(pool, "retained_billable_seconds"));
    const char *cost = figure_words(json_get(pool, "cost_usd"));
    const char *reused_by = json_get_text(pool, "reused_by");

    add_text(out, "model", json_get(artifacts, "model"));
    add_text(out, "output", json_get(artifacts, "output"));
    if (status)
        figure_row(out, "warm pool", "%s%s%s, %s s on each instance%s%s", status,
                   reused_by ? " by " : "", reused_by ? reused_by : "",
                   seconds ? seconds : "0", cost ? ", $" : "", cost ? cost : "");
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
    add_progress(out, job);
    add_outputs(out, job);
}

static void add_metrics(struct text *out, const struct cJSON *metrics)
{
    json_each (metric, metrics) {
        const char *last = figure_words(json_get(metric, "last"));
        const char *step = figure_words(json_get(metric, "step"));

        if (last)
            figure_row(out, json_name(metric), "%s%s%s", last, step ? "  step " : "",
                       step ? step : "");
    }
}

static void add_attempts(struct text *out, const struct cJSON *attempts)
{
    auto_table struct table *table =
        table_new(attempt_columns, ARRAY_SIZE(attempt_columns));

    if (json_count(attempts) == 0)
        return;
    json_each (attempt, attempts) {
        const struct cJSON *end = json_get(attempt, "end");
        const char *exit_code = figure_words(json_get(end, "exit_code"));
        const char *signal = figure_words(json_get(end, "signal"));
        const char *message = json_get_text(end, "message");
        const char *seconds = figure_words(json_get(attempt, "billable_seconds"));

        table_cell(table, figure_words(json_get(attempt, "attempt")));
        table_cellf(table, "%s%s", seconds ? seconds : "-", seconds ? " s" : "");
        table_cell(table, json_get_text(end, "cause"));
        table_cell(table, figure_words(json_get(end, "first_failing_rank")));
        table_cellf(table, "%s%s",
                    signal      ? "signal "
                    : exit_code ? "exit "
                                : "-",
                    signal      ? signal
                    : exit_code ? exit_code
                                : "");
        table_cell(table, message);
    }
    text_puts(out, "\n");
    table_print(table, out);
}

/* The mean and the most. */
static void add_percent(struct table *table, const struct cJSON *figures)
{
    const char *mean = figure_words(json_get(figures, "mean"));
    const char *most = figure_words(json_get(figures, "max"));

    if (mean && most)
        table_cellf(table, "%s%%, most %s%%", mean, most);
    else
        table_cell(table, NULL);
}

static void add_bytes(struct table *table, const struct cJSON *value)
{
    char words[PRINT_BYTES_SIZE];
    double bytes;

    table_cell(table, value && json_to_double(value, &bytes) ? print_bytes(bytes, words)
                                                             : NULL);
}

static bool has_accelerators(const struct cJSON *attempts)
{
    json_each (attempt, attempts) {
        json_each (worker, json_get(attempt, "workers")) {
            const struct cJSON *used = json_get(worker, "utilization");

            if (json_get(used, "gpu_percent") || json_get(used, "neuron_core_percent"))
                return true;
        }
    }
    return false;
}

static void add_worker(struct table *table, const struct cJSON *attempt,
                       const struct cJSON *worker, bool accelerators)
{
    const struct cJSON *used = json_get(worker, "utilization");

    table_cell(table, figure_words(json_get(attempt, "attempt")));
    table_cell(table, figure_words(json_get(worker, "rank")));
    table_cell(table, json_get_text(worker, "host"));
    table_cell(table, json_get_text(worker, "address"));
    add_percent(table, json_get(used, "cpu_percent"));
    add_bytes(table, json_get(json_get(used, "memory_bytes"), "max"));
    add_bytes(table, json_get(used, "read_bytes"));
    add_bytes(table, json_get(used, "write_bytes"));
    if (!accelerators)
        return;
    add_percent(table, json_get(used, "gpu_percent"));
    add_bytes(table, json_get(json_get(used, "gpu_memory_bytes"), "max"));
    add_percent(table, json_get(used, "neuron_core_percent"));
}

static void add_workers(struct text *out, const struct cJSON *attempts)
{
    bool accelerators = has_accelerators(attempts);
    auto_table struct table *table =
        table_new(worker_columns,
                  accelerators ? ARRAY_SIZE(worker_columns) : WORKER_COLUMNS_PLAIN);
    bool any = false;

    json_each (attempt, attempts) {
        json_each (worker, json_get(attempt, "workers")) {
            add_worker(table, attempt, worker, accelerators);
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
    add_attempts(&out, json_get(job, "attempts"));
    add_workers(&out, json_get(job, "attempts"));
    add_transitions(&out, json_get(job, "transitions"));
    text_puts(&out, "\n");
    figure_add(job, &out);
    outlook_add_forecast(json_get(job, "forecast"), &out);
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
