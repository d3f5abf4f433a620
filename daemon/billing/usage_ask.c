/* Reads what a report of usage is asked for.  Decides which questions are refused, and
 * what stands for what is not said. */

#include "daemon/billing/usage.h"
#include "src/clock.h"
#include "src/zone.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
static const struct {
    const char *name;
    enum usage_key_kind kind;
    const char *tag;
} known_keys[] = {
    { "day",           USAGE_DAY,           NULL },
    { "week",          USAGE_WEEK,          NULL },
    { "month",         USAGE_MONTH,         NULL },
    { "owner",         USAGE_OWNER,         NULL },
    { "project",       USAGE_TAG,           "project" },
    { "instance_type", USAGE_INSTANCE_TYPE, NULL },
    { "pool",          USAGE_POOL,          NULL },
    { "pricing",       USAGE_PRICING,       NULL },
    { "job",           USAGE_JOB,           NULL },
    { "attempt",       USAGE_ATTEMPT,       NULL },
};
/* clang-format on */

static const char tag_start[] = "tag:";

static bool read_key(const char *name, struct usage_key *key)
{
    snprintf(key->name, sizeof key->name, "%s", name);
    if (text_starts_with(name, tag_start) && name[strlen(tag_start)]) {
        key->kind = USAGE_TAG;
        key->tag = key->name + strlen(tag_start);
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(known_keys); i++) {
        if (strcmp(known_keys[i].name, name) == 0) {
            key->kind = known_keys[i].kind;
            key->tag = known_keys[i].tag;
            return true;
        }
    }
    return false;
}

static void refuse_key(const char *name, struct problems *problems)
{
    const char *names[ARRAY_SIZE(known_keys) + 1] = { NULL };
    auto_text struct text hint = { 0 };
    const char *nearest;

    for (size_t i = 0; i < ARRAY_SIZE(known_keys); i++)
        names[i] = known_keys[i].name;
    nearest = text_nearest(name, names);
    if (nearest) {
        text_printf(&hint, "did you mean %s?", nearest);
    } else {
        text_puts(&hint, "known:");
        for (size_t i = 0; names[i]; i++)
            text_printf(&hint, " %s,", names[i]);
        text_puts(&hint, " tag:KEY");
    }
    problems_add(problems, "by", hint.bytes, "nothing is grouped by \"%.100s\"", name);
}

static bool has_key(const struct usage_ask *ask, const char *name)
{
    for (size_t i = 0; i < ask->key_count; i++)
        if (strcmp(ask->keys[i].name, name) == 0)
            return true;
    return false;
}

static void add_key(struct usage_ask *ask, const char *name, struct problems *problems)
{
    if (has_key(ask, name))
        problems_add(problems, "by", NULL, "\"%.100s\" is given twice", name);
    else if (ask->key_count == USAGE_KEYS_MAX || strlen(name) >= USAGE_KEY_SIZE)
        problems_add(problems, "by", NULL, "at most %d names of below %d bytes",
                     USAGE_KEYS_MAX, USAGE_KEY_SIZE);
    else if (read_key(name, &ask->keys[ask->key_count]))
        ask->key_count++;
    else
        refuse_key(name, problems);
}

static bool lists(const char *words, const char *name)
{
    size_t len;

    for (; *words; words += len + (words[len] == ',')) {
        len = strcspn(words, ",");
        if (len == strlen(name) && strncmp(words, name, len) == 0)
            return true;
    }
    return false;
}

/* Names with commas between.  An attempt is one of a job. */
static void read_keys(const char *words, struct usage_ask *ask,
                      struct problems *problems)
{
    bool by_job = words && lists(words, "job");

    while (words && *words) {
        size_t len = strcspn(words, ",");
        auto_free char *name = xstrndup(words, len);

        if (strcmp(name, "attempt") == 0 && !by_job)
            add_key(ask, "job", problems);
        add_key(ask, name, problems);
        words += len;
        words += *words == ',';
    }
}

/* A date is the first instant of that day in the zone. */
static void read_instant(const struct cJSON *json, const char *name, int64_t *out,
                         struct problems *problems)
{
    const char *words = json_get_text(json, name);
    struct tm date = { 0 };
    struct err err;
    usec_t at;

    if (!words)
        return;
    if (time_parse(words, &at, &err) < 0) {
        problems_add(problems, name, NULL, "%s", err.text);
        return;
    }
    *out = at / USEC_PER_SEC;
    if (at < 0 || at % USEC_PER_SEC) {
        problems_add(problems, name, NULL,
                     "expected a whole second since 1970: \"%s\" is none", words);
    } else if (!strchr(words, ':')) {
        (void)gmtime_r(&(time_t){ (time_t)*out }, &date);
        *out = zone_day_start(date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
    }
}

static int64_t month_start(int64_t at_s)
{
    time_t day = (time_t)(zone_day_of(at_s) * INT64_C(86400));
    struct tm date = { 0 };

    (void)gmtime_r(&day, &date);
    return zone_day_start(date.tm_year + 1900, date.tm_mon + 1, 1);
}

/* Days that begin at one instant. */
static bool are_other_days(const char *from, const char *to)
{
    return from && to && !strchr(from, ':') && !strchr(to, ':') && strcmp(from, to) < 0;
}

/* A report of no time. */
static void refuse_span(const struct cJSON *json, const struct usage_ask *ask,
                        struct problems *problems)
{
    const char *from = json_get_text(json, "from");
    const char *to = json_get_text(json, "to");

    if (ask->from_s == ask->to_s && are_other_days(from, to))
        problems_add(problems, "from", NULL,
                     "the report would be empty: the clock of %s left out %s, which"
                     " begins where %s does",
                     ask->zone, from, to);
    else
        problems_add(problems, "from",
                     "the end is not within the report: name the day after",
                     "the report would be empty: it ends where it begins, or before");
}

/* Up to now from the start of the month, when nothing else is said. */
static void read_span(const struct cJSON *json, struct usage_ask *ask,
                      struct problems *problems)
{
    ask->to_s = clock_wall() / USEC_PER_SEC + 1;
    read_instant(json, "to", &ask->to_s, problems);
    ask->from_s = month_start(ask->to_s - 1);
    read_instant(json, "from", &ask->from_s, problems);
    if (problems->count == 0 && ask->from_s >= ask->to_s)
        refuse_span(json, ask, problems);
}

static void read_zone(const struct cJSON *json, struct usage_ask *ask,
                      struct problems *problems)
{
    const char *words = json_get_text(json, "tz");
    auto_text struct text hint = { 0 };
    auto_free char *nearest = NULL;
    struct err err;

    ask->zone = words ? words : "UTC";
    if (zone_use(ask->zone, &err) == 0)
        return;
    nearest = zone_nearest(ask->zone);
    if (nearest)
        text_printf(&hint, "did you mean %s?", nearest);
    else
        text_puts(&hint, "a name of the IANA database, such as Europe/Berlin");
    problems_add(problems, "tz", hint.bytes, "%s", err.text);
}

static void read_tag(const struct cJSON *json, struct usage_ask *ask,
                     struct problems *problems)
{
    const char *words = json_get_text(json, "tag");
    const char *value = words ? strchr(words, '=') : NULL;

    if (!words)
        return;
    if (!value || value == words) {
        problems_add(problems, "tag", NULL, "expected KEY=VALUE");
        return;
    }
    ask->tag_key = xstrndup(words, (size_t)(value - words));
    ask->tag_value = xstrdup(value + 1);
}

static void read_flags(const struct cJSON *json, struct usage_ask *ask,
                       struct problems *problems)
{
    static const char *const emulated[] = { "include", "exclude", "only" };
    const char *zero = json_get_text(json, "zero");
    const char *words = json_get_text(json, "emulated");
    size_t i = 0;

    ask->zero = zero && strcmp(zero, "true") == 0;
    if (zero && !ask->zero && strcmp(zero, "false") != 0)
        problems_add(problems, "zero", NULL, "expected true or false");
    while (words && i < ARRAY_SIZE(emulated) && strcmp(emulated[i], words) != 0)
        i++;
    if (i == ARRAY_SIZE(emulated))
        problems_add(problems, "emulated", NULL, "expected include, exclude or only");
    ask->emulated = (enum usage_emulated)i;
}

static int read_job(const struct bill_request *request, struct usage_ask *ask,
                    struct err *err)
{
    const char *name = json_get_text(request->json, "job");
    struct job_row row;

    if (!name)
        return 0;
    if (store_find_job(request->store, name, &row, err) < 0)
        return -1;
    ask->job_id = row.job_id;
    return 0;
}

int usage_ask_read(const struct bill_request *request, struct usage_ask *ask,
                   struct problems *problems, struct err *err)
{
    const struct cJSON *json = request->json;

    read_zone(json, ask, problems);
    read_span(json, ask, problems);
    read_keys(json_get_text(json, "by"), ask, problems);
    read_tag(json, ask, problems);
    read_flags(json, ask, problems);
    ask->owner = json_get_text(json, "owner");
    ask->instance_type = json_get_text(json, "instance_type");
    ask->pool = json_get_text(json, "pool");
    if (problems->count)
        return err_set(err, ERR_INVALID,
                       "the report cannot be made as it is asked for");
    return read_job(request, ask, err);
}

void usage_ask_clear(struct usage_ask *ask)
{
    free(ask->tag_key);
    free(ask->tag_value);
}
