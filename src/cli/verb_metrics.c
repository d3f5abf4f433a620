/* jobctl metrics: the values that a job printed, or with --utilization what its
 * instances used, over time. */

#include "src/cli/figure.h"
#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/series.h"
#include "src/csv.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum {
    FOLLOW_PAUSE_MS = 1000,
    FOLLOW_TRIES = 17 /* with the pauses of remote_ask, about a minute */
};

struct metrics {
    bool follow;
    bool utilization;
    const char *name;
    const char *since;
    int64_t rank;
    int64_t worker;
    enum output output;
    struct series_set *series; /* of a table that does not follow */
    bool is_begun;             /* something was printed */
};

/* One value: a line of a table or of CSV. */
struct value {
    struct series_value series;
    const struct cJSON *item; /* the answer's, which it is from */
};

static void add_number(struct text *path, const char *name, int64_t number)
{
    auto_free char *words = xasprintf("%" PRId64, number);

    if (number >= 0)
        remote_add_query(path, name, words);
}

static char *path_of(const struct metrics *metrics, const char *job, const char *cursor)
{
    auto_free char *base =
        remote_job_path(job, metrics->utilization ? "/utilization" : "/metrics");
    struct text path = { 0 };

    text_puts(&path, base);
    remote_add_query(&path, "name", metrics->name);
    add_number(&path, "rank", metrics->rank);
    add_number(&path, "worker", metrics->worker);
    remote_add_query(&path, "since", metrics->since);
    remote_add_query(&path, "cursor", cursor);
    return text_steal(&path);
}

/* --- one value --- */

static void print_csv(struct metrics *metrics, const struct value *value)
{
    auto_text struct text line = { 0 };

    if (!metrics->is_begun)
        fputs("at,attempt,worker,rank,name,value,step\r\n", stdout);
    metrics->is_begun = true;
    csv_add(&line, value->series.at);
    csv_add(&line, figure_words(json_get(value->item, "attempt")));
    csv_add(&line, figure_words(json_get(value->item, "worker")));
    csv_add(&line, figure_words(json_get(value->item, "rank")));
    csv_add_words(&line, value->series.name);
    csv_add(&line, value->series.words);
    csv_add(&line, value->series.step);
    csv_end(&line);
    fputs(line.bytes, stdout);
}

static void print_live(const struct metrics *metrics, const struct value *value)
{
    auto_text struct text line = { 0 };
    char at[32];

    text_printf(&line, "%s  %s %" PRId64 "  %-24s %s", print_time(value->series.at, at),
                metrics->utilization ? "instance" : "rank", value->series.owner,
                value->series.name, value->series.words);
    if (value->series.step)
        text_printf(&line, "  step %s", value->series.step);
    text_puts(&line, "\n");
    print_painted(stdout, PAINT_PLAIN, line.bytes);
}

static void take_value(struct metrics *metrics, const struct cJSON *item,
                       const char *name, const struct cJSON *words)
{
    struct value value = { .item = item };

    value.series.name = name;
    value.series.owner =
        json_get_int(item, metrics->utilization ? "worker" : "rank", 0);
    value.series.words = figure_words(words);
    value.series.step = figure_words(json_get(item, "step"));
    value.series.at = json_get_text(item, "at");
    if (!name || !value.series.words || !value.series.at)
        return;
    if (metrics->output == OUTPUT_CSV)
        print_csv(metrics, &value);
    else if (metrics->series)
        series_take(metrics->series, &value.series);
    else
        print_live(metrics, &value);
}

/* Of each GPU or NeuronCore: "gpus.0.percent". */
static void take_devices(struct metrics *metrics, const struct cJSON *item,
                         const struct cJSON *devices)
{
    int index = 0;

    json_each (device, devices) {
        json_each (figure, device) {
            auto_free char *name =
                xasprintf("%s.%d.%s", json_name(devices), index, json_name(figure));

            if (json_number(figure))
                take_value(metrics, item, name, figure);
        }
        index++;
    }
}

static void take_sample(struct metrics *metrics, const struct cJSON *item)
{
    json_each (member, item) {
        const char *name = json_name(member);

        if (json_kind(member) == JSON_ARRAY)
            take_devices(metrics, item, member);
        else if (json_number(member) && strcmp(name, "attempt") != 0
                 && strcmp(name, "worker") != 0)
            take_value(metrics, item, name, member);
    }
}

/* --- pages --- */

/* One document, an item a line; with --follow there is no end to it, so each line is a
 * document. */
static void print_item(struct metrics *metrics, const struct cJSON *item)
{
    auto_free char *words = json_print(item);

    if (!metrics->follow)
        fputs(metrics->is_begun ? ",\n" : "{\"items\":[\n", stdout);
    metrics->is_begun = true;
    fputs(words, stdout);
    if (metrics->follow)
        fputc('\n', stdout);
}

static void take_page(struct metrics *metrics, const struct cJSON *page)
{
    json_each (item, json_get(page, "items")) {
        if (metrics->output == OUTPUT_JSON)
            print_item(metrics, item);
        else if (metrics->utilization)
            take_sample(metrics, item);
        else
            take_value(metrics, item, json_get_text(item, "name"),
                       json_get(item, "value"));
    }
    fflush(stdout);
}

/* Where to go on; NULL at the end. */
static char *next_of(const struct metrics *metrics, const struct cJSON *page)
{
    const char *next = json_get_text(page, "next_cursor");

    if (!next && metrics->follow) {
        next = json_get_text(page, "resume_cursor");
        if (next)
            poll(NULL, 0, FOLLOW_PAUSE_MS);
    }
    return next ? xstrdup(next) : NULL;
}

static int read_pages(struct remote *remote, struct metrics *metrics, const char *job,
                      struct err *err)
{
    auto_free char *cursor = NULL;
    int tries = 1;

    do {
        auto_json struct cJSON *page = NULL;
        auto_free char *path = path_of(metrics, job, cursor);

        if (remote_ask(
                remote,
                &(struct remote_ask){ .method = "GET", .path = path, .tries = tries },
                &page, NULL, err)
            < 0)
            return -1;
        if (metrics->follow)
            tries = FOLLOW_TRIES;
        take_page(metrics, page);
        base_free(&cursor);
        cursor = next_of(metrics, page);
    } while (cursor);
    return 0;
}

static void print_end(const struct metrics *metrics, const char *job)
{
    auto_text struct text out = { 0 };

    if (metrics->output == OUTPUT_JSON && !metrics->follow) {
        fputs(metrics->is_begun ? "\n]" : "{\"items\":[]", stdout);
        fputs(",\"next_cursor\":null}\n", stdout);
    }
    if (!metrics->series)
        return;
    if (series_set_is_empty(metrics->series)) {
        print_note(metrics->utilization ? "%s has no samples (so far)"
                                        : "%s has no such values (so far)",
                   job);
        return;
    }
    series_print(metrics->series, metrics->utilization ? "INSTANCE" : "RANK", &out);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
}

static int print_metrics(struct cli *cli, struct metrics *metrics, const char *job)
{
    auto_remote struct remote *remote = NULL;
    auto_series struct series_set *series = series_set_new();
    struct err err;

    metrics->output = cli->output;
    if (metrics->utilization && (metrics->name || metrics->rank >= 0)) {
        print_note("--name and --rank are of metrics, not of --utilization");
        return EXIT_USAGE;
    }
    if (cli->output == OUTPUT_TABLE && !metrics->follow)
        metrics->series = series;
    if (remote_open(cli, &remote, &err) < 0
        || read_pages(remote, metrics, job, &err) < 0)
        return print_failure(&err, NULL, NULL);
    print_end(metrics, job);
    return 0;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct metrics metrics = { .rank = -1, .worker = -1 };
    const struct option_row rows[] = {
        { "name", 'n', OPTION_TEXT, &metrics.name, 0, 0, "M", "of this metric alone" },
        { "rank", 'r', OPTION_INT, &metrics.rank, 0, INT32_MAX, "R",
          "of this rank alone" },
        { "worker", 'w', OPTION_INT, &metrics.worker, 0, INT32_MAX, "W",
          "of this instance alone, from 0" },
        { "since", 0, OPTION_TEXT, &metrics.since, 0, 0, "TIME",
          "of this time or later (2026-11-30T10:15:00Z)" },
        { "follow", 'f', OPTION_FLAG, &metrics.follow, 0, 0, NULL,
          "print values as they come, until the job has ended" },
        { "utilization", 'u', OPTION_FLAG, &metrics.utilization, 0, 0, NULL,
          "CPU, memory, I/O, network and accelerators instead" },
        { 0 },
    };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    return print_metrics(cli, &metrics, operands[0]);
}

const struct verb verb_metrics = {
    .name = "metrics",
    .help = "print the values of a job's metrics, or what it used",
    .arguments = "NAME [--name M] [--rank R] [--worker W] [--since TIME] [--follow] "
                 "[--utilization]",
    .outputs = 1U << OUTPUT_CSV,
    .run = run,
};
