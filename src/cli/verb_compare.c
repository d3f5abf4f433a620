/* jobctl compare: runs beside each other, by what they took and cost; or for which
 * prices a claim holds. */

#include "src/cli/compare.h"
#include "src/cli/input.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/csv_read.h"
#include "src/text.h"

#include <stdio.h>
#include <string.h>

enum {
    IMPORT_BYTES_MAX = 64 << 20
};

struct compare {
    char **tags; /* K=V */
    char **jobs;
    char **imports; /* files */
    const char *by;
    const char *baseline;
    const char *reprice;
    int64_t seed; /* -1: the server's */
    bool what_if;
    char **prices;
    struct claim_words claim;
};

static int set_tags(struct cJSON *request, char *const *tags, struct err *err)
{
    struct cJSON *object;

    if (!tags)
        return 0;
    object = json_object_new();
    json_set(request, "tags", object);
    for (; *tags; tags++)
        if (remote_set_pair(object, *tags, err) < 0)
            return err_wrap(err, "--tag");
    return 0;
}

/* A list, or an object with the list `runs`. */
static int read_json_runs(const char *bytes, size_t len, struct cJSON **rows,
                          struct err *err)
{
    auto_json struct cJSON *json = NULL;
    auto_problems struct problems problems = { 0 };
    const struct cJSON *list;

    if (json_parse(bytes, len, &json, err) < 0)
        return -1;
    json_check_duplicates(json, &problems);
    if (problems.count)
        return err_set(err, ERR_INVALID, "%s: %s", problems.items[0].path,
                       problems.items[0].message);
    list = json_kind(json) == JSON_OBJECT ? json_get(json, "runs") : json;
    if (json_kind(list) != JSON_ARRAY)
        return err_set(err, ERR_INVALID,
                       "expected a list of runs, or an object with a list `runs`");
    *rows = json_copy(list);
    return 0;
}

static int import_file(const char *path, struct cJSON *runs, struct err *err)
{
    auto_json struct cJSON *rows = NULL;
    auto_free char *bytes = NULL;
    size_t len, mark;
    char first;
    int result;

    if (input_read(path, IMPORT_BYTES_MAX, &bytes, &len, err) < 0)
        return -1;
    mark = text_mark(bytes, len);
    first = bytes[mark + strspn(bytes + mark, " \t\r\n")];
    if (first == '[' || first == '{')
        result = read_json_runs(bytes + mark, len - mark, &rows, err);
    else
        result = csv_read(bytes, len, &rows, err);
    if (result < 0)
        return err_wrap(err, "%s", input_shown(path));
    json_each (row, rows)
        json_append(runs, json_copy(row));
    return 0;
}

static int set_imports(struct cJSON *request, char *const *files, struct err *err)
{
    struct cJSON *runs;

    if (!files)
        return 0;
    runs = json_array_new();
    json_set(request, "import", runs);
    for (; *files; files++)
        if (import_file(*files, runs, err) < 0)
            return -1;
    return 0;
}

static int make_request(const struct compare *compare, struct cJSON *request,
                        struct err *err)
{
    if (!compare->tags && !compare->jobs && !compare->imports)
        return err_set(
            err, ERR_INVALID,
            "compare what? --tag KEY=VALUE, --job NAME or --import FILE say it");
    if (set_tags(request, compare->tags, err) < 0
        || set_imports(request, compare->imports, err) < 0)
        return -1;
    if (compare->jobs) {
        struct cJSON *jobs = json_array_new();

        json_set(request, "jobs", jobs);
        for (char *const *job = compare->jobs; *job; job++)
            json_append_text(jobs, *job);
    }
    remote_set_text(request, "by", compare->by);
    remote_set_text(request, "baseline", compare->baseline);
    remote_set_text(request, "reprice", compare->reprice);
    if (compare->seed >= 0)
        json_set_int(request, "seed", compare->seed);
    return 0;
}

static int ask(struct cli *cli, const struct compare *compare)
{
    auto_json struct cJSON *request = json_object_new();
    auto_remote struct remote *remote = NULL;
    struct err err;

    if (make_request(compare, request, &err) < 0 || remote_open(cli, &remote, &err) < 0)
        return print_failure(&err, NULL, NULL);
    return compare_print(cli, remote, request);
}

/* An option that has no use for what is asked; NULL: none. */
static const char *out_of_place(const struct compare *compare)
{
    const struct claim_words *claim = &compare->claim;

    if (!compare->what_if)
        return claim->faster     ? "faster"
               : claim->cheaper  ? "cheaper"
               : claim->baseline ? "baseline-usd"
               : compare->prices ? "usd"
                                 : NULL;
    return compare->tags        ? "tag"
           : compare->jobs      ? "job"
           : compare->imports   ? "import"
           : compare->by        ? "by"
           : compare->baseline  ? "baseline"
           : compare->reprice   ? "reprice"
           : compare->seed >= 0 ? "seed"
                                : NULL;
}

static int what_if(const struct cli *cli, struct compare *compare)
{
    if (!compare->claim.faster || !compare->claim.cheaper || !compare->claim.baseline) {
        fprintf(
            stderr,
            "jobctl: --what-if wants the claim: --faster PERCENT --cheaper PERCENT --baseline-usd PRICE\n");
        return EXIT_USAGE;
    }
    if (cli->output > OUTPUT_JSON) {
        fprintf(stderr, "jobctl: --what-if prints a table or json\n");
        return EXIT_USAGE;
    }
    compare->claim.prices = compare->prices;
    return compare_claim(cli, &compare->claim);
}

/* The table of options is long; nothing else happens here. */
static enum options_end read_options(struct cli *cli, const struct verb *verb, int argc,
                                     char **argv, struct compare *compare)
{
    const struct option_row rows[] = {
        { "tag", 't', OPTION_LIST, &compare->tags, 0, 0, "KEY=VALUE",
          "the jobs with this tag; often: with all of them" },
        { "job", 'j', OPTION_LIST, &compare->jobs, 0, 0, "NAME",
          "this job too; often" },
        { "import", 'i', OPTION_LIST, &compare->imports, 0, 0, "FILE",
          "runs that were measured elsewhere, CSV or JSON, - is standard input; often" },
        { "by", 0, OPTION_TEXT, &compare->by, 0, 0, "KEY",
          "what is compared: instance_type (the default) or tag:KEY" },
        { "baseline", 'b', OPTION_TEXT, &compare->baseline, 0, 0, "ARM",
          "what the others are compared with" },
        { "reprice", 0, OPTION_TEXT, &compare->reprice, 0, 0, "WHEN",
          "at the prices of now, or of a date" },
        { "seed", 0, OPTION_INT, &compare->seed, 0, INT64_C(1) << 53, "N",
          "of the bootstrap (1)" },
        { "what-if", 0, OPTION_FLAG, &compare->what_if, 0, 0, NULL,
          "for which prices and times a claim holds; asks no server" },
        { "faster", 0, OPTION_TEXT, &compare->claim.faster, 0, 0, "PERCENT",
          "the claim: so much faster than the baseline" },
        { "cheaper", 0, OPTION_TEXT, &compare->claim.cheaper, 0, 0, "PERCENT",
          "the claim: so much cheaper" },
        { "baseline-usd", 0, OPTION_TEXT, &compare->claim.baseline, 0, 0, "PRICE",
          "of an hour of the baseline, when it was claimed" },
        { "usd", 0, OPTION_LIST, &compare->prices, 0, 0, "PRICE",
          "of an hour of the other one, to be tried; often" },
        { 0 },
    };

    return options_parse(cli, verb, rows, argc, argv, NULL);
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct compare compare = { .seed = -1 };
    enum options_end end = read_options(cli, verb, argc, argv, &compare);
    const char *wrong = end == OPTIONS_GO_ON ? out_of_place(&compare) : NULL;
    int code;

    if (wrong) {
        fprintf(stderr, "jobctl: compare: --%s is %s --what-if\n", wrong,
                compare.what_if ? "not for" : "only for");
        code = EXIT_USAGE;
    } else if (end != OPTIONS_GO_ON) {
        code = end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    } else {
        code = compare.what_if ? what_if(cli, &compare) : ask(cli, &compare);
    }
    words_free(compare.tags);
    words_free(compare.jobs);
    words_free(compare.imports);
    words_free(compare.prices);
    return code;
}

const struct verb verb_compare = {
    .name = "compare",
    .help = "compare what runs took and cost, by instance type",
    .arguments = "[--tag KEY=VALUE]... [--job NAME]... [--import FILE]...",
    .outputs = 1U << OUTPUT_CSV | 1U << OUTPUT_SVG | 1U << OUTPUT_HTML,
    .run = run,
};
