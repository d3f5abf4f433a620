/* The verb `compare`: reads what is asked, gathers the runs, and has them compared.
 * Decides which jobs are meant; what their runs show is compare.h's. */

#include "daemon/billing/compare_runs.h"
#include "daemon/store_tag.h"
#include "src/digest.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    COMPARE_JOBS_MAX = 10000,
    COMPARE_TAGS_MAX = 64,
    COMPARE_TEXT_MAX = 1024
};

/* --- what is asked --- */

struct asked {
    struct compare_ask ask;
    const struct cJSON *tags; /* or NULL */
    const struct cJSON *jobs; /* or NULL */
    const struct cJSON *import;
    struct member_place import_place;
};

static void read_tags(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct asked *asked = into;

    if (!member_object(value, place, COMPARE_TAGS_MAX))
        return;
    json_each (tag, value) {
        struct member_place at = member_below(place, json_name(tag));

        if (!json_text(tag))
            (void)member_not_text(tag, &at);
    }
    if (json_count(value))
        asked->tags = value;
}

static void read_jobs(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct asked *asked = into;
    size_t index = 0;

    if (!member_array(value, place, COMPARE_JOBS_MAX))
        return;
    json_each (job, value) {
        struct member_place at = member_element(place, index++);

        if (!json_text(job))
            (void)member_not_text(job, &at);
    }
    asked->jobs = value;
}

/* Read when it is known what makes an arm. */
static void read_import(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct asked *asked = into;

    asked->import = value;
    asked->import_place = *place;
}

static void read_by(void *into, const struct cJSON *value,
                    const struct member_place *place)
{
    struct asked *asked = into;
    const char *text;

    if (!member_text(value, place, COMPARE_TEXT_MAX, &text))
        return;
    if (strcmp(text, "instance_type") == 0
        || (text_starts_with(text, "tag:") && text[strlen("tag:")]))
        asked->ask.by = text;
    else
        member_problem(place, "instance_type, or tag: and a key",
                       "nothing makes arms by that name");
}

static void read_baseline(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct asked *asked = into;

    (void)member_text(value, place, COMPARE_TEXT_MAX, &asked->ask.baseline);
}

/* The daemon has looked up what prices it means. */
static void read_reprice(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    const char *text;

    (void)into;
    (void)member_text(value, place, COMPARE_TEXT_MAX, &text);
}

static void read_share(const struct cJSON *value, const struct member_place *place,
                       double *out)
{
    const char *text;
    double share;

    if (!member_decimal(value, place, &text))
        return;
    share = strtod(text, NULL);
    if (share >= 0 && share <= 1)
        *out = share;
    else
        member_problem(place, "0.01 is 1 %", "expected a share from 0 to 1");
}

static void read_objective_band(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    read_share(value, place, &((struct asked *)into)->ask.objective_band);
}

static void read_work_band(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    read_share(value, place, &((struct asked *)into)->ask.work_band);
}

static void read_seed(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct asked *asked = into;

    (void)member_int(value, place, 0, INT64_MAX, &asked->ask.seed);
}

static const struct member members[] = {
    { "tags", read_tags, false, NULL },
    { "jobs", read_jobs, false, NULL },
    { "import", read_import, false, NULL },
    { "by", read_by, false, NULL },
    { "baseline", read_baseline, false, NULL },
    { "reprice", read_reprice, false, NULL },
    { "objective_band", read_objective_band, false, NULL },
    { "work_band", read_work_band, false, NULL },
    { "seed", read_seed, false, NULL },
};

/* --- the runs --- */

struct runs {
    struct compare_run *items;
    size_t count;
};

static void runs_clear(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        compare_run_clear(&runs->items[i]);
    free(runs->items);
}
#define auto_runs __attribute__((cleanup(runs_clear)))

/* Row ids without repetition. */
struct ids {
    int64_t *items;
    size_t count;
};

/* Keeps those that are in `found` too; both go up. */
static void keep_common(struct ids *ids, const int64_t *found, size_t count)
{
    size_t kept = 0, at = 0;

    for (size_t i = 0; i < ids->count; i++) {
        while (at < count && found[at] < ids->items[i])
            at++;
        if (at < count && found[at] == ids->items[i])
            ids->items[kept++] = ids->items[i];
    }
    ids->count = kept;
}

/* Those that have all the tags. */
static int find_tagged(struct store *store, const struct cJSON *tags, struct ids *ids,
                       struct err *err)
{
    json_each (tag, tags) {
        auto_free int64_t *found = NULL;
        size_t count;

        if (store_find_tagged(store, json_name(tag), json_text(tag), &found, &count,
                              err)
            < 0)
            return -1;
        if (ids->items) {
            keep_common(ids, found, count);
            continue;
        }
        ids->items = found ? steal_ptr(&found) : xcalloc(1, sizeof *ids->items);
        ids->count = count;
    }
    if (ids->count > COMPARE_JOBS_MAX)
        return err_set(err, ERR_LIMIT,
                       "%zu jobs have these tags, at most %d are compared", ids->count,
                       COMPARE_JOBS_MAX);
    return 0;
}

static void add_id(struct ids *ids, int64_t id)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->items[i] == id)
            return;
    ids->items = xrealloc(ids->items, (ids->count + 1) * sizeof *ids->items);
    ids->items[ids->count++] = id;
}

static int find_named(struct store *store, const struct cJSON *names, struct ids *ids,
                      struct err *err)
{
    json_each (name, names) {
        struct job_row row;

        if (store_find_job(store, json_text(name), &row, err) < 0)
            return -1;
        add_id(ids, row.job_id);
    }
    return 0;
}

static int compare_ids(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;

    return (*a > *b) - (*a < *b);
}

static int read_ledger(const struct run_reader *reader, const struct ids *ids,
                       struct runs *runs, struct err *err)
{
    runs->items = xcalloc(ids->count + 1, sizeof *runs->items);
    for (size_t i = 0; i < ids->count; i++)
        if (run_read(reader, ids->items[i], &runs->items[runs->count++], err) < 0)
            return -1;
    return 0;
}

static int read_jobs_of(const struct run_reader *reader, const struct asked *asked,
                        struct runs *runs, struct err *err)
{
    struct ids ids = { 0 };
    int result;

    result = find_tagged(reader->usage->store, asked->tags, &ids, err);
    if (result == 0)
        result = find_named(reader->usage->store, asked->jobs, &ids, err);
    /* In order of submission. */
    if (ids.count)
        qsort(ids.items, ids.count, sizeof *ids.items, compare_ids);
    if (result == 0)
        result = read_ledger(reader, &ids, runs, err);
    free(ids.items);
    return result;
}

static int reprice_imports(const struct run_reader *reader, const struct runs *runs,
                           struct err *err)
{
    for (size_t i = 0; reader->reprice && i < runs->count; i++)
        if (runs->items[i].imported && run_reprice(reader, &runs->items[i], err) < 0)
            return -1;
    return 0;
}

/* --- the answer --- */

static int answer(const struct run_reader *reader, const struct asked *asked,
                  struct runs *runs, FILE *out, struct err *err)
{
    auto_comparison struct comparison comparison = { 0 };
    auto_json struct cJSON *json = NULL;
    auto_free char *words = NULL;
    size_t count = runs->count;

    runs->count = 0; /* they are compare_make's now */
    if (compare_make(&asked->ask, steal_ptr(&runs->items), count, &comparison, err) < 0)
        return -1;
    json = compare_to_json(&comparison);
    json_set(json, "ledger", bill_last_head(reader->usage->store));
    words = json_print(json);
    fputs(words, out);
    return 0;
}

static int compare(const struct bill_request *request, struct asked *asked,
                   struct usage *usage, FILE *out, struct err *err)
{
    const struct run_reader reader = {
        .usage = usage,
        .types = json_get(request->json, "types"),
        .by = asked->ask.by,
        .reprice = asked->ask.repriced_at != NULL,
    };
    struct problems *problems = asked->import_place.problems;
    auto_runs struct runs runs = { 0 };

    if (usage_book_open(usage, err) < 0 || read_jobs_of(&reader, asked, &runs, err) < 0)
        return -1;
    if (asked->import)
        compare_import(asked->import, &asked->import_place, asked->ask.by, &runs.items,
                       &runs.count);
    if (problems->count)
        return members_fail(problems, err);
    if (reprice_imports(&reader, &runs, err) < 0)
        return -1;
    return answer(&reader, asked, &runs, out, err);
}

int bill_compare(const struct bill_request *request, FILE *out,
                 struct problems *problems, struct err *err)
{
    const struct member_place place = { .problems = problems, .name = "" };
    struct asked asked = { .ask = { .by = "instance_type",
                                    .objective_band = 0.01,
                                    .work_band = 0.01,
                                    .seed = 1,
                                    .repriced_at =
                                        json_get_text(request->json, "repriced_at") },
                           .import_place = { .problems = problems } };
    const struct usage_ask everything = { 0 };
    struct usage usage = { .ask = &everything,
                           .store = request->store,
                           .state = request->state };
    int result;

    json_check_duplicates(json_get(request->json, "ask"), problems);
    members_read(&asked, json_get(request->json, "ask"), &place, members,
                 ARRAY_SIZE(members));
    if (problems->count)
        return members_fail(problems, err);
    result = compare(request, &asked, &usage, out, err);
    usage_book_clear(&usage.book);
    return result;
}
