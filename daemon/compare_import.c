/*
 * Runs that were measured elsewhere.  Decides what such a run must say and that its
 * cost is computed from what was billed, as that of our own; what it is worth is
 * decided by the comparison.
 */

#include "daemon/compare.h"
#include "src/clock.h"
#include "src/members.h"
#include "src/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMPORT_RUNS_MAX = 10000,
    IMPORT_TEXT_MAX = 1024,
    IMPORT_MEMBERS_MAX = 256,
    IMPORT_SECONDS_MAX = 1000000000, /* 31 years */
    IMPORT_INSTANCES_MAX = 100000
};

/* --- as a row of a table has it: all text --- */

/* Members that are numbers when they are not text. */
static const char *const number_members[] = {
    "billable_seconds", "instance_count",    "objective",
    "startup_seconds",  "steady_per_second", NULL,
};

static bool is_number_member(const char *name)
{
    for (size_t i = 0; number_members[i]; i++)
        if (strcmp(number_members[i], name) == 0)
            return true;
    return false;
}

/* The member without quotes where it means a number or a truth. */
static struct cJSON *unquoted(const struct cJSON *member)
{
    const char *text = json_text(member);

    if (text && is_number_member(json_name(member)) && json_is_number_text(text))
        return json_number_new(text);
    if (text && strcmp(json_name(member), "emulated") == 0
        && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
        return json_bool_new(text[0] == 't');
    return json_copy(member);
}

static const char *const grouped[] = { "hyperparameters.", "tags." };

/* The part behind the dot, and the member before it; NULL: the name has no such parts.
 */
static const char *group_of(const char *name, char group[16])
{
    for (size_t i = 0; i < ARRAY_SIZE(grouped); i++) {
        size_t len = strlen(grouped[i]);

        if (strncmp(name, grouped[i], len) != 0 || !name[len])
            continue;
        memcpy(group, grouped[i], len - 1);
        group[len - 1] = '\0';
        return name + len;
    }
    return NULL;
}

/* What is empty is absent; hyperparameters.NAME and tags.KEY are put together.  The
 * caller owns it. */
static struct cJSON *plain_run(const struct cJSON *given)
{
    struct cJSON *run = json_object_new();
    struct cJSON *groups[ARRAY_SIZE(grouped)] = { NULL };
    const char *text;

    json_each (member, given) {
        char group[16];
        const char *part = group_of(json_name(member), group);
        size_t index = part && group[0] == 't';

        text = json_text(member);
        if (text && !*text)
            continue;
        if (!part) {
            json_set(run, json_name(member), unquoted(member));
            continue;
        }
        if (!groups[index])
            groups[index] = json_object_new();
        json_set(groups[index], part, json_copy(member));
    }
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        if (groups[i])
            json_set(run, i ? "tags" : "hyperparameters", groups[i]);
    return run;
}

/* --- members --- */

struct import {
    struct compare_run run;
    struct cJSON *tags;
    bool has_hourly;
};

/* Which field a member fills, where several are read alike. */
static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    { "name", offsetof(struct import, run.name) },
    { "instance_type", offsetof(struct import, run.instance_type) },
    { "code", offsetof(struct import, run.code) },
    { "data", offsetof(struct import, run.data) },
    { "batch_size", offsetof(struct import, run.batch_size) },
    { "work_unit", offsetof(struct import, run.work_unit) },
    { "objective_metric", offsetof(struct import, run.objective_metric) },
    { "source", offsetof(struct import, run.source) },
    { "objective", offsetof(struct import, run.objective) },
    { "startup_seconds", offsetof(struct import, run.startup) },
    { "steady_per_second", offsetof(struct import, run.rate) },
};

static void *field_of(void *import, const char *name)
{
    size_t i = 0;

    while (strcmp(fields[i].name, name) != 0)
        i++;
    return (char *)import + fields[i].offset;
}

static void read_words(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    char **field = field_of(into, place->name);
    const char *text;

    if (!member_text(value, place, IMPORT_TEXT_MAX, &text))
        return;
    free(*field);
    *field = xstrdup(text);
}

static void read_value(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct compare_value *field = field_of(into, place->name);
    double number;

    if (json_to_double(value, &number))
        *field = (struct compare_value){ number, NULL };
    else
        member_problem(place, NULL, "expected a finite number");
}

static void read_seconds(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct import *import = into;

    (void)member_int(value, place, 0, IMPORT_SECONDS_MAX, &import->run.billable);
}

static void read_count(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct import *import = into;
    int64_t count;

    if (member_int(value, place, 1, IMPORT_INSTANCES_MAX, &count))
        import->run.instance_count = (int)count;
}

static void read_price(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct import *import = into;
    const char *text;
    struct err err;

    if (!member_decimal(value, place, &text))
        return;
    import->has_hourly = money_parse(text, &import->run.hourly, &err) == 0;
    if (!import->has_hourly)
        member_problem(place, "US dollars of an hour, like 3.825", "%s", err.text);
}

static void read_confidence(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    static const char *const known[] = { "high", "medium", "low", NULL };
    struct import *import = into;
    size_t index;

    if (member_choice(value, place, known, &index))
        import->run.estimate = index == 2;
}

static void read_pricing(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    static const char *const known[] = { "standard", "spot", "reserved", "free", NULL };
    struct import *import = into;
    size_t index;

    if (!member_choice(value, place, known, &index))
        return;
    free(import->run.pricing);
    import->run.pricing = xstrdup(known[index]);
}

static void read_status(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    static const char *const known[] = { "Completed", "Failed", "Stopped", NULL };
    struct import *import = into;
    size_t index;

    if (!member_choice(value, place, known, &index))
        return;
    free(import->run.status);
    import->run.status = xstrdup(known[index]);
    import->run.outcome = index == 0 ? COMPARE_COMPLETED : COMPARE_FAILED;
}

static void read_emulated(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct import *import = into;

    (void)member_bool(value, place, &import->run.emulated);
}

static void read_started(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct import *import = into;
    const char *text;
    struct err err;

    if (member_text(value, place, IMPORT_TEXT_MAX, &text)
        && time_parse(text, &import->run.started, &err) < 0)
        member_problem(place, NULL, "%s", err.text);
}

static void read_hyperparameters(void *into, const struct cJSON *value,
                                 const struct member_place *place)
{
    struct import *import = into;

    if (!member_object(value, place, IMPORT_MEMBERS_MAX))
        return;
    json_free(import->run.hyperparameters);
    import->run.hyperparameters = json_copy(value);
    json_sort(import->run.hyperparameters);
}

static void read_tags(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct import *import = into;

    if (!member_object(value, place, IMPORT_MEMBERS_MAX))
        return;
    json_each (tag, value) {
        struct member_place at = member_below(place, json_name(tag));

        if (!json_text(tag))
            (void)member_not_text(tag, &at);
    }
    json_free(import->tags);
    import->tags = json_copy(value);
}

static void read_cache(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    static const char *const known[] = { "cold", "warm", NULL };
    struct import *import = into;
    size_t index;

    if (member_choice(value, place, known, &index))
        import->run.cache = index == 0 ? CACHE_COLD : CACHE_WARM;
}

static void read_work(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct import *import = into;
    const char *text;
    struct err err;
    micro_t work;

    if (!member_decimal(value, place, &text))
        return;
    if (micro_parse(text, &work, &err) < 0) {
        member_problem(place, NULL, "%s", err.text);
        return;
    }
    free(import->run.work);
    import->run.work = xstrdup(text);
}

static void read_goal(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    static const char *const known[] = { "maximize", "minimize", NULL };
    struct import *import = into;
    size_t index;

    if (member_choice(value, place, known, &index))
        import->run.goal = index == 0 ? GOAL_MAXIMIZE : GOAL_MINIMIZE;
}

/* clang-format off */
static const struct member members[] = {
    { "name",              read_words,           false, NULL },
    { "instance_type",     read_words,           true,  "what it ran on, like ml.p4d.24xlarge" },
    { "instance_count",    read_count,           false, NULL },
    { "billable_seconds",  read_seconds,         true,  "what one instance was billed for, not the trainer's runtime" },
    { "usd_per_hour",      read_price,           false, NULL },
    { "price_confidence",  read_confidence,      false, NULL },
    { "pricing",           read_pricing,         false, NULL },
    { "status",            read_status,          false, NULL },
    { "emulated",          read_emulated,        false, NULL },
    { "started_at",        read_started,         false, NULL },
    { "code",              read_words,           false, NULL },
    { "data",              read_words,           false, NULL },
    { "hyperparameters",   read_hyperparameters, false, NULL },
    { "batch_size",        read_words,           false, NULL },
    { "compile_cache",     read_cache,           false, NULL },
    { "work",              read_work,            false, NULL },
    { "work_unit",         read_words,           false, NULL },
    { "objective_metric",  read_words,           false, NULL },
    { "objective_goal",    read_goal,            false, NULL },
    { "objective",         read_value,           false, NULL },
    { "steady_per_second", read_value,           false, NULL },
    { "startup_seconds",   read_value,           false, NULL },
    { "tags",              read_tags,            false, NULL },
    { "source",            read_words,           false, NULL },
};
/* clang-format on */

/* --- a run of it --- */

static void begin(struct import *import)
{
    static const struct compare_value not_told = { STATS_NONE,
                                                   "the import does not tell it" };

    *import = (struct import){
        .run = {
            .imported = true,
            .status = xstrdup("Completed"),
            .outcome = COMPARE_COMPLETED,
            .instance_count = 1,
            .pricing = xstrdup("standard"),
            .objective = not_told,
            .phases = { STATS_NONE, STATS_NONE, STATS_NONE, STATS_NONE, STATS_NONE },
            .phases_missing = not_told.missing,
            .startup = not_told,
            .rate = not_told,
            .target_seconds = not_told,
            .target_cost = not_told,
        },
    };
}

/* What follows from the members. */
static void complete(struct import *import, size_t number,
                     const struct member_place *place)
{
    struct compare_run *run = &import->run;
    struct err err;

    if (!run->name)
        run->name = xasprintf("import %zu", number);
    run->instance_seconds = run->billable * run->instance_count;
    run->has_price = run->has_hourly = import->has_hourly;
    if (run->has_price
        && money_for_seconds(run->hourly, run->instance_seconds, &run->cost, &err) < 0)
        member_problem(place, NULL, "%s", err.text);
    if (!run->batch_size && run->hyperparameters)
        run->batch_size = compare_batch_size(run->hyperparameters);
    if (!run->rate.missing && run->work_unit)
        run->rate_unit = xstrdup(run->work_unit);
}

/* The arm that it belongs to. */
static void set_arm(struct import *import, const char *by,
                    const struct member_place *place)
{
    const char *key = strcmp(by, "instance_type") == 0 ? NULL : by + strlen("tag:");
    const char *value =
        key ? json_get_text(import->tags, key) : import->run.instance_type;

    if (value)
        import->run.arm = xstrdup(value);
    else if (key)
        member_problem(place, "give every run the tag that makes the arms",
                       "has no tag '%.100s'", key);
}

/* --- a run counts once --- */

struct words_of_run {
    char *words;
    size_t index;
};

static int by_words(const void *left, const void *right)
{
    const struct words_of_run *a = left, *b = right;
    int order = strcmp(a->words, b->words);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static void tell_twice(const struct words_of_run *runs, size_t count,
                       const struct member_place *place)
{
    for (size_t i = 1; i < count; i++) {
        const struct member_place at = member_element(place, runs[i].index);

        if (strcmp(runs[i].words, runs[i - 1].words) == 0)
            member_problem(&at, "give each of several runs a name of its own",
                           "is the same run as import[%zu], and a run counts once",
                           runs[i - 1].index);
    }
}

/* A file that is given twice would make two runs of each, and an interval of nothing.
 */
static void refuse_twice(const struct cJSON *array, const struct member_place *place)
{
    struct words_of_run *runs = xcalloc(json_count(array) + 1, sizeof *runs);
    size_t count = 0;

    json_each (given, array) {
        auto_json struct cJSON *sorted = json_copy(given);

        json_sort(sorted);
        runs[count] = (struct words_of_run){ json_print(sorted), count };
        count++;
    }
    qsort(runs, count, sizeof *runs, by_words);
    tell_twice(runs, count, place);
    while (count > 0)
        free(runs[--count].words);
    free(runs);
}

void compare_import(const struct cJSON *array, const struct member_place *place,
                    const char *by, struct compare_run **runs, size_t *count)
{
    size_t index = 0;

    if (!member_array(array, place, IMPORT_RUNS_MAX))
        return;
    refuse_twice(array, place);
    *runs = xrealloc(*runs, (*count + json_count(array) + 1) * sizeof **runs);
    json_each (given, array) {
        const struct member_place at = member_element(place, index++);
        auto_json struct cJSON *plain =
            json_kind(given) == JSON_OBJECT ? plain_run(given) : json_copy(given);
        struct import import;

        begin(&import);
        members_read(&import, plain, &at, members, ARRAY_SIZE(members));
        complete(&import, index, &at);
        set_arm(&import, by, &at);
        json_free(import.tags);
        (*runs)[(*count)++] = import.run;
    }
}

/* --- what all runs have --- */

bool compare_is_batch_size(const char *name)
{
    return strstr(name, "batch") && strstr(name, "size");
}

char *compare_batch_size(const struct cJSON *hyperparameters)
{
    struct text words = { 0 };

    json_each (member, hyperparameters) {
        auto_free char *value =
            json_text(member) ? xstrdup(json_text(member)) : json_print(member);

        if (compare_is_batch_size(json_name(member)))
            text_printf(&words, "%s%s=%s", words.len ? ", " : "", json_name(member),
                        value);
    }
    return words.len ? text_steal(&words) : NULL;
}

void compare_run_clear(struct compare_run *run)
{
    char *const texts[] = {
        run->name,      run->arm,           run->source,
        run->status,    run->instance_type, run->pricing,
        run->work,      run->work_unit,     run->objective_metric,
        run->code,      run->data,          run->batch_size,
        run->rate_unit,
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        free(texts[i]);
    json_free(run->hyperparameters);
    json_free(run->setup);
    *run = (struct compare_run){ 0 };
}
