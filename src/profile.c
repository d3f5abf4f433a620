/*
 * The catalog of instance types, from instance-profiles/ and this host.  Decides what a
 * file may say.  A type that is not there has no price and no likeness: nothing is
 * guessed from a similar name.
 */

#include "src/profile.h"

#include "src/clock.h"
#include "src/files.h"
#include "src/members.h"
#include "src/profile_host.h"
#include "src/text.h"
#include "src/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    FILES_MAX = 1000,
    INSTANCES_MAX = 1000, /* a file */
    PRICES_MAX = 1000,    /* a type */
    SOURCES_MAX = 100,
    WORDS_MAX = 1024, /* bytes of a note */
};

static const char *const kinds[] = { "none", "gpu", "neuroncore", NULL };
static const char *const bases[] = { "published", "derived", NULL };
static const char *const confidences[] = { "high", "medium", "low", NULL };

/* A file while it is read. */
struct profile_file {
    const struct cJSON *sources; /* its own, by key */
    struct catalog *catalog;
};

/* A price while it is read. */
struct price_reading {
    const struct cJSON *sources;
    struct profile_price *price;
};

/* A type while it is read. */
struct profile_reading {
    const struct cJSON *sources;
    struct profile *profile;
};

/* Words for people only; they must be text. */
static void read_words(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    const char *text;

    (void)into;
    (void)member_text(value, place, WORDS_MAX, &text);
}

/* --- prices --- */

static void read_hourly(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct price_reading *reading = into;

    (void)member_hourly(value, place, &reading->price->hourly);
}

static void read_from(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct price_reading *reading = into;
    const char *text;
    struct err err;

    if (member_text(value, place, 64, &text)
        && time_parse(text, &reading->price->from, &err) < 0)
        member_problem(place, "write a date like \"2025-06-01\"", "%s", err.text);
}

static void read_as_of(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct price_reading *reading = into;
    const char *text;

    if (member_text(value, place, 64, &text))
        reading->price->as_of = xstrdup(text);
}

static void read_basis(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct price_reading *reading = into;
    size_t index;

    if (member_choice(value, place, bases, &index))
        reading->price->basis = xstrdup(bases[index]);
}

static void read_confidence(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct price_reading *reading = into;
    size_t index;

    if (member_choice(value, place, confidences, &index))
        reading->price->confidence = xstrdup(confidences[index]);
}

static void read_price_sources(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct price_reading *reading = into;
    auto_text struct text joined = { 0 };
    size_t index = 0;

    if (!member_array(value, place, SOURCES_MAX))
        return;
    json_each (item, value) {
        struct member_place at = member_element(place, index++);
        const char *key;

        if (!member_text(item, &at, 64, &key))
            continue;
        if (!json_get(reading->sources, key))
            member_problem(&at, "describe it under sources",
                           "'%s' is not among the sources of this file", key);
        text_printf(&joined, "%s%s", joined.len ? ", " : "", key);
    }
    if (joined.len == 0)
        member_problem(place, "name who says so", "is empty");
    reading->price->source = text_steal(&joined);
}

/* clang-format off */
static const struct member price_members[] = {
    { "usd_per_hour", read_hourly,        true,  NULL },
    { "from",         read_from,          true,  "since when; \"1970-01-01\" for ever" },
    { "as_of",        read_as_of,         true,  "the date of the source" },
    { "basis",        read_basis,         true,  "published or derived" },
    { "confidence",   read_confidence,    true,  "high, medium or low" },
    { "sources",      read_price_sources, true,  NULL },
    { "note",         read_words,         false, NULL },
};
/* clang-format on */

static void check_price(const struct profile *profile, size_t index,
                        const struct member_place *place)
{
    const struct profile_price *price = &profile->prices[index];
    struct member_place from = member_below(place, "from");
    struct member_place confidence = member_below(place, "confidence");

    if (index > 0 && price->from <= profile->prices[index - 1].from)
        member_problem(&from, "write the oldest price first",
                       "is not later than the price before");
    if (price->basis && price->confidence && strcmp(price->basis, "derived") == 0
        && strcmp(price->confidence, "high") == 0)
        member_problem(&confidence, "say medium or low",
                       "a derived price cannot be of high confidence");
}

static void read_prices(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct profile_reading *reading = into;
    struct profile *profile = reading->profile;

    if (!member_array(value, place, PRICES_MAX))
        return;
    profile->prices = xcalloc(json_count(value), sizeof *profile->prices);
    json_each (item, value) {
        size_t index = profile->price_count++;
        struct member_place at = member_element(place, index);
        struct price_reading price = { reading->sources, &profile->prices[index] };

        members_read(&price, item, &at, price_members, ARRAY_SIZE(price_members));
        check_price(profile, index, &at);
    }
}

/* --- accelerator --- */

static void read_kind(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct profile *profile = into;
    size_t index;

    if (member_choice(value, place, kinds, &index))
        profile->accelerator_kind = xstrdup(kinds[index]);
}

static void read_accelerator_name(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct profile *profile = into;
    const char *text;

    if (member_text(value, place, 64, &text))
        profile->accelerator_name = xstrdup(text);
}

static void take_int(const struct cJSON *value, const struct member_place *place,
                     int min, int *out)
{
    int64_t number;

    if (member_int(value, place, min, 1000000, &number))
        *out = (int)number;
}

static void read_accelerator_count(void *into, const struct cJSON *value,
                                   const struct member_place *place)
{
    struct profile *profile = into;

    take_int(value, place, 1, &profile->accelerator_count);
}

static void read_accelerator_memory(void *into, const struct cJSON *value,
                                    const struct member_place *place)
{
    struct profile *profile = into;

    take_int(value, place, 1, &profile->accelerator_memory_gib);
}

static void read_neuron_cores(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct profile *profile = into;

    take_int(value, place, 1, &profile->neuron_cores);
}

/* clang-format off */
static const struct member accelerator_members[] = {
    { "kind",            read_kind,               true,  "gpu, neuroncore or none" },
    { "name",            read_accelerator_name,   false, NULL },
    { "count",           read_accelerator_count,  false, NULL },
    { "memory_gib_each", read_accelerator_memory, false, NULL },
    { "neuron_cores",    read_neuron_cores,       false, NULL },
};
/* clang-format on */

static void read_accelerator(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct profile_reading *reading = into;
    struct profile *profile = reading->profile;
    bool none;

    members_read(profile, value, place, accelerator_members,
                 ARRAY_SIZE(accelerator_members));
    if (!profile->accelerator_kind)
        return;
    none = strcmp(profile->accelerator_kind, "none") == 0;
    if (none != (profile->accelerator_count == 0))
        member_problem(place, NULL, "a kind other than none goes with a count");
    if ((strcmp(profile->accelerator_kind, "neuroncore") == 0)
        != (profile->neuron_cores > 0))
        member_problem(place, NULL, "neuroncore goes with neuron_cores, and only it");
}

/* --- a type --- */

/* The family is the middle of ml.FAMILY.SIZE, as SageMaker's tools take it. */
static void read_name(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct profile_reading *reading = into;
    const char *text;
    const char *dot;

    if (!member_text(value, place, 64, &text))
        return;
    dot = text_starts_with(text, "ml.") ? strchr(text + 3, '.') : NULL;
    if (!dot || dot == text + 3 || !dot[1]
        || text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-")]) {
        member_problem(place, "name it ml.FAMILY.SIZE, in lower case",
                       "'%s' is not a name for an instance type", text);
        return;
    }
    reading->profile->name = xstrdup(text);
    reading->profile->family = xstrndup(text + 3, (size_t)(dot - text - 3));
}

static void read_vcpus(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct profile_reading *reading = into;

    take_int(value, place, 1, &reading->profile->vcpus);
}

/* 10.5 is exact here: 10.5 * 1024 MiB. */
static void read_memory(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct profile_reading *reading = into;
    const char *number;
    micro_t micro;

    if (!member_decimal(value, place, &number))
        return;
    if (micro_parse(number, &micro, NULL) < 0 || micro == 0
        || micro > (micro_t)1000000 * 1000000)
        member_problem(place, NULL, "expected 0.001 to 1000000, got %s", number);
    else if (micro * 1024 % 1000000 != 0)
        member_problem(place, NULL, "%s is not a whole number of MiB", number);
    else
        reading->profile->memory_mib = (int64_t)(micro * 1024 / 1000000);
}

static void read_network(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct profile_reading *reading = into;
    const char *number;
    micro_t micro;

    if (!member_decimal(value, place, &number))
        return;
    if (micro_parse(number, &micro, NULL) < 0 || micro == 0)
        member_problem(place, "leave it out when it is not known",
                       "expected a number above 0, got %s", number);
    else
        reading->profile->network_gbps = xstrdup(number);
}

static void read_efa_interfaces(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct profile_reading *reading = into;

    take_int(value, place, 0, &reading->profile->efa_interfaces);
    reading->profile->efa = reading->profile->efa_interfaces > 0;
}

static void read_nvme(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct profile_reading *reading = into;

    (void)member_int(value, place, 0, 1000000000, &reading->profile->nvme_gb);
}

/* clang-format off */
static const struct member instance_members[] = {
    { "name",           read_name,           true,  NULL },
    { "vcpus",          read_vcpus,          true,  NULL },
    { "memory_gib",     read_memory,         true,  NULL },
    { "accelerator",    read_accelerator,    false, NULL },
    { "network_gbps",   read_network,        false, NULL },
    { "efa_interfaces", read_efa_interfaces, false, NULL },
    { "nvme_gb",        read_nvme,           false, NULL },
    { "prices",         read_prices,         false, NULL },
    { "note",           read_words,          false, NULL },
};
/* clang-format on */

static void read_instances(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct profile_file *file = into;
    struct catalog *catalog = file->catalog;
    size_t index = 0;

    if (!member_array(value, place, INSTANCES_MAX))
        return;
    catalog->profiles = xrealloc(catalog->profiles, (catalog->count + json_count(value))
                                                        * sizeof *catalog->profiles);
    json_each (item, value) {
        struct member_place at = member_element(place, index++);
        struct profile *profile = &catalog->profiles[catalog->count++];
        struct profile_reading reading = { file->sources, profile };

        *profile = (struct profile){ 0 };
        members_read(&reading, item, &at, instance_members,
                     ARRAY_SIZE(instance_members));
        if (!profile->accelerator_kind)
            profile->accelerator_kind = xstrdup("none");
    }
}

/* --- a file --- */

/* clang-format off */
static const struct member source_members[] = {
    { "what", read_words, true,  "what the source is" },
    { "url",  read_words, true,  "where it is" },
    { "date", read_words, true,  "when it was written" },
    { "note", read_words, false, NULL },
};
/* clang-format on */

static void read_sources(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    if (!member_object(value, place, SOURCES_MAX))
        return;
    json_each (source, value) {
        struct member_place at = member_below(place, json_name(source));

        members_read(into, source, &at, source_members, ARRAY_SIZE(source_members));
    }
}

/* clang-format off */
static const struct member file_members[] = {
    { "sources",   read_sources,   false, NULL },
    { "instances", read_instances, true,  NULL },
};
/* clang-format on */

static int load_file(const char *path, struct catalog *catalog, struct err *err)
{
    auto_problems struct problems problems = { 0 };
    const struct member_place whole = { .problems = &problems };
    auto_free char *bytes = NULL;
    auto_json struct cJSON *json = NULL;
    struct profile_file file;
    size_t len;

    if (file_read(path, FILE_BYTES_MAX, &bytes, &len, err) < 0)
        return -1;
    if (yaml_parse(bytes, len, &json, err) < 0)
        return -1;
    /* Sources first, wherever they stand: prices refer to them. */
    file = (struct profile_file){ json_get(json, "sources"), catalog };
    json_check_duplicates(json, &problems);
    members_read(&file, json, &whole, file_members, ARRAY_SIZE(file_members));
    return problems.count > 0 ? members_fail(&problems, err) : 0;
}

/* --- the catalog --- */

static int compare_profiles(const void *a, const void *b)
{
    const struct profile *left = a;
    const struct profile *right = b;

    return strcmp(left->name, right->name);
}

static int is_profile_file(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return entry->d_name[0] != '.' && len > 5
           && strcmp(entry->d_name + len - 5, ".yaml") == 0;
}

static int load_files(const char *folder, struct catalog *catalog, struct err *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_profile_file, alphasort);
    int result = 0;

    if (count < 0)
        return err_sys(err, errno, "read the instance profiles in %s", folder);
    if (count == 0)
        result =
            err_set(err, ERR_NOT_FOUND, "%s has no instance profiles (*.yaml)", folder);
    else if (count > FILES_MAX)
        result =
            err_set(err, ERR_LIMIT, "%s has %d instance profiles, at most %d are read",
                    folder, count, (int)FILES_MAX);
    for (int i = 0; i < count; i++) {
        auto_free char *path = xasprintf("%s/%s", folder, entries[i]->d_name);

        if (result == 0 && load_file(path, catalog, err) < 0)
            result = err_wrap(err, "%s", path);
        free(entries[i]);
    }
    free(entries);
    return result;
}

static void add_host(struct catalog *catalog)
{
    catalog->profiles =
        xrealloc(catalog->profiles, (catalog->count + 1) * sizeof *catalog->profiles);
    profile_of_host(&catalog->profiles[catalog->count++]);
}

int catalog_load(const char *folder, struct catalog *out, struct err *err)
{
    struct catalog catalog = { 0 };
    int result = load_files(folder, &catalog, err);

    if (result == 0) {
        add_host(&catalog);
        qsort(catalog.profiles, catalog.count, sizeof *catalog.profiles,
              compare_profiles);
    }
    for (size_t i = 1; result == 0 && i < catalog.count; i++)
        if (compare_profiles(&catalog.profiles[i - 1], &catalog.profiles[i]) == 0)
            result = err_set(err, ERR_INVALID, "%s: instance type %s is defined twice",
                             folder, catalog.profiles[i].name);
    if (result < 0)
        catalog_clear(&catalog);
    else
        *out = catalog;
    return result;
}

void profile_clear(struct profile *profile)
{
    free(profile->name);
    free(profile->family);
    free(profile->accelerator_kind);
    free(profile->accelerator_name);
    free(profile->network_gbps);
    for (size_t i = 0; i < profile->price_count; i++) {
        free(profile->prices[i].as_of);
        free(profile->prices[i].basis);
        free(profile->prices[i].confidence);
        free(profile->prices[i].source);
    }
    free(profile->prices);
    *profile = (struct profile){ 0 };
}

void catalog_clear(struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->count; i++)
        profile_clear(&catalog->profiles[i]);
    free(catalog->profiles);
    *catalog = (struct catalog){ 0 };
}

static int compare_name(const void *name, const void *profile)
{
    return strcmp(name, ((const struct profile *)profile)->name);
}

const struct profile *catalog_find(const struct catalog *catalog, const char *name)
{
    if (catalog->count == 0)
        return NULL;
    return bsearch(name, catalog->profiles, catalog->count, sizeof *catalog->profiles,
                   compare_name);
}

const struct profile_price *profile_price_at(const struct profile *profile, usec_t wall)
{
    const struct profile_price *found = NULL;

    for (size_t i = 0; i < profile->price_count && profile->prices[i].from <= wall; i++)
        found = &profile->prices[i];
    return found;
}

int profile_default_processes(const struct profile *profile)
{
    if (profile->neuron_cores > 0)
        return profile->neuron_cores;
    return profile->accelerator_count > 0 ? profile->accelerator_count : 1;
}
