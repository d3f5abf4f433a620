/* jobctl benchmark: the same work on several instance types, run after run by turns,
 * and then the comparison.  One run at a time: two at once would disturb each other. */

#include "src/cli/compare.h"
#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/spec_send.h"
#include "src/clock.h"
#include "src/job_id.h"
#include "src/money.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TYPES_MAX = 20,
    RUNS_MAX = 1000,
    STEPS_MAX = 1000000000
};

/* Of run_one, beside exit codes. */
enum {
    NO_MORE = -1
};

struct benchmark {
    const char *path; /* of the spec */
    const char *types_text;
    char **types;
    size_t type_count;
    int64_t runs; /* of each type */
    const char *max_usd_text;
    nanousd_t max_usd; /* 0: no bound */
    int64_t max_steps; /* 0: as the spec has it */
    const char *baseline;
    char **sets;
    char tag[64]; /* value of the tag `benchmark` of all its runs */

    struct remote *remote;
    nanousd_t spent;
    nanousd_t *dearest; /* run of each type until now */
    bool any_failed;
};

/* --- what is run --- */

static int split_types(struct benchmark *benchmark, struct err *err)
{
    auto_free char *words = xstrdup(benchmark->types_text);
    char *rest = NULL;

    for (char *word = strtok_r(words, ", ", &rest); word;
         word = strtok_r(NULL, ", ", &rest)) {
        for (size_t i = 0; i < benchmark->type_count; i++)
            if (strcmp(benchmark->types[i], word) == 0)
                return err_set(err, ERR_INVALID, "--types: %s stands there twice",
                               word);
        words_add(&benchmark->types, xstrdup(word));
        benchmark->type_count++;
    }
    if (benchmark->type_count == 0 || benchmark->type_count > TYPES_MAX)
        return err_set(err, ERR_INVALID, "--types: expected 1 to %d types, by comma",
                       TYPES_MAX);
    benchmark->dearest = xcalloc(benchmark->type_count, sizeof *benchmark->dearest);
    return 0;
}

/* Before anything is run and paid for. */
static int check_baseline(const struct benchmark *benchmark, struct err *err)
{
    const char *baseline = benchmark->baseline;

    for (size_t i = 0; baseline && i < benchmark->type_count; i++)
        if (strcmp(benchmark->types[i], baseline) == 0)
            return 0;
    return baseline ? err_set(err, ERR_INVALID,
                              "--baseline %s: it is not among --types", baseline)
                    : 0;
}

static int check_options(struct benchmark *benchmark, struct err *err)
{
    if (strcmp(benchmark->path, "-") == 0)
        return err_set(err, ERR_INVALID,
                       "a benchmark reads its spec for every run: standard input"
                       " can be read once");
    if (!benchmark->types_text)
        return err_set(
            err, ERR_INVALID,
            "on what? --types TYPE,TYPE says it; jobctl instances lists them");
    if (split_types(benchmark, err) < 0 || check_baseline(benchmark, err) < 0)
        return -1;
    if (!benchmark->max_usd_text)
        return 0;
    if (money_parse(benchmark->max_usd_text, &benchmark->max_usd, err) < 0)
        return err_wrap(err, "--max-usd %s", benchmark->max_usd_text);
    return benchmark->max_usd
               ? 0
               : err_set(err, ERR_INVALID, "--max-usd: expected more than 0");
}

/* What a run differs in from the spec as it was written; the caller frees. */
static char **changes_of(const struct benchmark *benchmark, const char *type)
{
    auto_json struct cJSON *text = json_text_new(type);
    auto_free char *quoted = json_print(text);
    char **sets = NULL;

    for (char **set = benchmark->sets; set && *set; set++)
        words_add(&sets, xstrdup(*set));
    if (benchmark->max_steps)
        words_add(&sets, xasprintf("hyperparameters.max_steps=%" PRId64,
                                   benchmark->max_steps));
    if (benchmark->max_usd) /* a warm pool would cost more when all is counted */
        words_add(&sets, xstrdup("keep_alive=0"));
    words_add(&sets, xasprintf("instance_type=%s", quoted));
    words_add(&sets, xasprintf("tags.benchmark=\"%s\"", benchmark->tag));
    return sets;
}

/* A run may cost what is left, or less where the spec says so. */
static int bound_cost(const struct benchmark *benchmark, struct spec_file *file,
                      struct err *err)
{
    nanousd_t left = benchmark->max_usd - benchmark->spent;
    char words[MONEY_TEXT_SIZE];

    if (!benchmark->max_usd || (file->spec->budget && file->spec->budget <= left))
        return 0;
    return spec_file_set_text(file, "budget_usd", money_format(left, words), err);
}

/* `path` is that of a submit, or of a dry run, which has no name. */
static int send_run(struct benchmark *benchmark, const char *type, const char *path,
                    const char *name, struct problems *problems, struct err *err)
{
    auto_spec_file struct spec_file file = { 0 };
    auto_json struct cJSON *answer = NULL;
    struct spec_changes changes = { .name = name, .sets = changes_of(benchmark, type) };
    /* Its name is nobody else's, and so is the key. */
    const struct spec_ask ask = { .path = path, .key = name };
    int result = spec_prepare(benchmark->path, &changes, &file, problems, err);

    words_free(changes.sets);
    if (result < 0 || bound_cost(benchmark, &file, err) < 0)
        return -1;
    return spec_send(benchmark->remote, &file, &ask, &answer, problems, err);
}

/* --- one run --- */

static void tell_run(const char *name, const char *type, const struct cJSON *job)
{
    const char *status = json_get_text(job, "status");
    char cost[40];

    print_note("%s on %s: %s, %" PRId64 " s, %s%s", name, type, status ? status : "?",
               json_get_int(job, "billable_seconds", 0),
               compare_usd(json_get(job, "cost_usd"), cost),
               json_get_bool(job, "emulated") ? ", emulated" : "");
}

static void count_cost(struct benchmark *benchmark, size_t type,
                       const struct cJSON *job)
{
    const char *words = json_get_text(job, "cost_usd");
    nanousd_t cost;

    if (!words || money_parse(words, &cost, NULL) < 0)
        return;
    benchmark->spent += cost;
    if (cost > benchmark->dearest[type])
        benchmark->dearest[type] = cost;
}

static void tell_no_more(const struct benchmark *benchmark, size_t type)
{
    char spent[MONEY_TEXT_SIZE];

    print_note(
        "--max-usd %s: $%s are spent, and another run on %s may not fit: no more runs",
        benchmark->max_usd_text, money_format_short(benchmark->spent, spent),
        benchmark->types[type]);
}

/* What is left would not even pay for the grace of a stop. */
static bool is_about_money(const struct benchmark *benchmark,
                           const struct problems *problems)
{
    return benchmark->max_usd && problems->count == 1
           && strcmp(problems->items[0].path, "budget_usd") == 0;
}

/* 0; NO_MORE; else the exit code. */
static int run_one(struct benchmark *benchmark, size_t type, int64_t number)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *job = NULL;
    auto_free char *name = xasprintf("%s-%" PRId64, benchmark->tag, number);
    enum follow_end how;
    struct err err;

    if (send_run(benchmark, benchmark->types[type], "/v1/training-jobs", name,
                 &problems, &err)
        < 0) {
        if (number == 1 || !is_about_money(benchmark, &problems))
            return print_failure(&err, benchmark->path, &problems);
        tell_no_more(benchmark, type);
        return NO_MORE;
    }
    if (follow_job(&(struct follow){ .remote = benchmark->remote,
                                     .name = name,
                                     .was_reached = true,
                                     .progress = true },
                   &how, &job, &err)
        < 0) {
        print_note("%s was submitted and goes on", name);
        return print_failure(&err, NULL, NULL);
    }
    if (how == FOLLOW_INTERRUPTED) {
        print_note(
            "%s goes on: jobctl stop %s stops it; jobctl compare --tag benchmark=%s compares what there is",
            name, name, benchmark->tag);
        return EXIT_INTERRUPTED;
    }
    tell_run(name, benchmark->types[type], job);
    count_cost(benchmark, type, job);
    benchmark->any_failed = benchmark->any_failed || follow_exit_code(job) != 0;
    return 0;
}

/* Whether a run like the dearest of its type until now would go beyond what is left. */
static bool is_too_dear(const struct benchmark *benchmark, size_t type)
{
    nanousd_t left = benchmark->max_usd - benchmark->spent;

    return benchmark->max_usd && (left <= 0 || benchmark->dearest[type] > left);
}

/* Every other round the other way round, so that what changes over time is everybody's
 * alike. */
static int run_all(struct benchmark *benchmark)
{
    int64_t number = 1;

    for (int64_t round = 0; round < benchmark->runs; round++) {
        for (size_t i = 0; i < benchmark->type_count; i++) {
            size_t type = round % 2 ? benchmark->type_count - 1 - i : i;
            int code;

            if (is_too_dear(benchmark, type)) {
                tell_no_more(benchmark, type);
                return 0;
            }
            code = run_one(benchmark, type, number++);
            if (code)
                return code == NO_MORE ? 0 : code;
        }
    }
    return 0;
}

/* --- the whole --- */

static int compare_runs(struct cli *cli, struct benchmark *benchmark)
{
    auto_json struct cJSON *request = json_object_new();
    struct cJSON *tags = json_object_new();
    int code;

    json_set_text(tags, "benchmark", benchmark->tag);
    json_set(request, "tags", tags);
    remote_set_text(request, "baseline", benchmark->baseline);
    code = compare_print(cli, benchmark->remote, request);
    if (code)
        return code;
    return benchmark->any_failed ? EXIT_JOB_FAILED : 0;
}

/* A name that nobody else has: that of its first moment. */
static void make_tag(struct benchmark *benchmark)
{
    job_name_make("bench", clock_wall(), benchmark->tag);
}

/* Nothing is run before all of it could be. */
static int try_all(struct benchmark *benchmark)
{
    for (size_t i = 0; i < benchmark->type_count; i++) {
        auto_problems struct problems problems = { 0 };
        struct err err;

        if (send_run(benchmark, benchmark->types[i], "/v1/training-jobs?dry_run=true",
                     NULL, &problems, &err)
            < 0)
            return print_failure(&err, benchmark->path, &problems);
    }
    return 0;
}

static int benchmark_all(struct cli *cli, struct benchmark *benchmark)
{
    struct err err;
    int code;

    if (check_options(benchmark, &err) < 0
        || remote_open(cli, &benchmark->remote, &err) < 0)
        return print_failure(&err, NULL, NULL);
    make_tag(benchmark);
    code = try_all(benchmark);
    if (code)
        return code;
    print_note(
        "%" PRId64
        " run%s on each of %zu type%s, one after the other; the tag is benchmark=%s",
        benchmark->runs, benchmark->runs == 1 ? "" : "s", benchmark->type_count,
        benchmark->type_count == 1 ? "" : "s", benchmark->tag);
    code = run_all(benchmark);
    return code ? code : compare_runs(cli, benchmark);
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct benchmark benchmark = { .runs = 3 };
    const struct option_row rows[] = {
        { "types", 't', OPTION_TEXT, &benchmark.types_text, 0, 0, "TYPE,TYPE",
          "the instance types" },
        { "runs", 'n', OPTION_INT, &benchmark.runs, 1, RUNS_MAX, "N",
          "on each of them (3)" },
        { "max-usd", 0, OPTION_TEXT, &benchmark.max_usd_text, 0, 0, "USD",
          "for all runs together" },
        { "max-steps", 0, OPTION_INT, &benchmark.max_steps, 1, STEPS_MAX, "N",
          "hyperparameters.max_steps of every run" },
        { "baseline", 'b', OPTION_TEXT, &benchmark.baseline, 0, 0, "TYPE",
          "what the others are compared with (the first)" },
        { "set", 0, OPTION_LIST, &benchmark.sets, 0, 0, "M=VALUE",
          "instead of the spec's member M; often" },
        { 0 },
    };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);
    int code;

    if (end == OPTIONS_GO_ON) {
        benchmark.path = operands[0];
        code = benchmark_all(cli, &benchmark);
    } else {
        code = end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    }
    remote_free(benchmark.remote);
    words_free(benchmark.types);
    words_free(benchmark.sets);
    free(benchmark.dearest);
    return code;
}

const struct verb verb_benchmark = {
    .name = "benchmark",
    .help = "run a spec on several instance types by turns, and compare",
    .arguments = "SPEC [--types TYPE,TYPE] [--runs N] [--max-usd USD]",
    .outputs = 1U << OUTPUT_CSV | 1U << OUTPUT_SVG | 1U << OUTPUT_HTML,
    .run = run,
};
