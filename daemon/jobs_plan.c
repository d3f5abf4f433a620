/*
 * The plan of a job as people see it: every rank's command line and environment.
 *
 * Decides what is not shown.  Keys of storage never are.  A variable or hyperparameter
 * is a secret when one word of its name (between underscores, hyphens and dots) ends in
 * one of the words below, and so is what a word NAME=VALUE of custom_mpi_options gives
 * to such a name; its value is masked under its own name, and where it appears in any
 * other variable or argument, unless it is too short to tell it from others.  So is a
 * password within a URL.
 */

#include "daemon/jobs_private.h"
#include "src/python_text.h"
#include "src/shell_words.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char mask[] = "***";

/* Shorter values are found everywhere. */
enum {
    SECRET_BYTES_MIN = 4
};

static bool ends_in_secret(const char *word, size_t len)
{
    static const char *const secrets[] = { "SECRET",   "SECRETS",    "TOKEN",
                                           "PASSWORD", "PASSWD",     "PASSPHRASE",
                                           "KEY",      "CREDENTIALS" };

    for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
        size_t size = strlen(secrets[i]);

        if (len >= size && strncasecmp(word + len - size, secrets[i], size) == 0)
            return true;
    }
    return false;
}

static bool name_is_secret(const char *name, size_t len)
{
    size_t start = 0;

    for (size_t i = 0; i <= len; i++) {
        if (i < len && !strchr("_-.", name[i]))
            continue;
        if (ends_in_secret(name + start, i - start))
            return true;
        start = i + 1;
    }
    return false;
}

/* As it is, and as it is within JSON. */
static void add_secret(char ***values, const char *name, size_t name_len,
                       const char *text)
{
    auto_json struct cJSON *string = NULL;
    auto_free char *json = NULL;

    if (!text || strlen(text) < SECRET_BYTES_MIN || !name_is_secret(name, name_len))
        return;
    string = json_text_new(text);
    json = python_json(string);
    words_add(values, xstrdup(text));
    words_add(values, xstrndup(json + 1, strlen(json) - 2));
}

static void add_members(char ***values, const struct cJSON *object)
{
    json_each (member, object) {
        const char *name = json_name(member);

        add_secret(values, name, strlen(name), json_text(member));
    }
}

/* As in "-x API_TOKEN=...". */
static void add_mpi_options(char ***values, const char *options)
{
    char **words = NULL;

    if (!options || shell_words_split(options, &words, NULL) < 0)
        return;
    for (char **word = words; *word; word++) {
        size_t name = strcspn(*word, "=");

        if ((*word)[name])
            add_secret(values, *word, name, *word + name + 1);
    }
    words_free(words);
}

static int longer_first(const void *a, const void *b)
{
    size_t first = strlen(*(char *const *)a), second = strlen(*(char *const *)b);

    return (first < second) - (first > second);
}

/* One may be a part of another, of which nothing must stay: the longest come first. */
static char **secret_values(const struct job_spec *spec)
{
    char **values = xcalloc(1, sizeof *values);

    add_members(&values, spec->environment);
    add_members(&values, spec->hyperparameters);
    add_mpi_options(&values, spec->custom_mpi_options);
    qsort(values, words_count(values), sizeof *values, longer_first);
    return values;
}

static char *without(const char *text, const char *value)
{
    auto_text struct text out = { 0 };
    const char *found;

    while ((found = strstr(text, value))) {
        text_add(&out, text, (size_t)(found - text));
        text_puts(&out, mask);
        text = found + strlen(value);
    }
    text_puts(&out, text);
    return text_steal(&out);
}

/* Of SCHEME://USER:PASSWORD@HOST, also where the text goes on behind it. */
static char *without_passwords(const char *text)
{
    auto_text struct text out = { 0 };
    const char *scheme;

    while ((scheme = strstr(text, "://"))) {
        const char *user = scheme + 3;
        size_t len = strcspn(user, "/?#\"'\\ \t\n");
        const char *colon = memchr(user, ':', len);
        const char *at = memrchr(user, '@', len);

        if (colon && at && colon < at) {
            text_add(&out, text, (size_t)(colon + 1 - text));
            text_puts(&out, mask);
            text = at;
        } else {
            text_add(&out, text, (size_t)(user - text));
            text = user;
        }
    }
    text_puts(&out, text);
    return text_steal(&out);
}

static char *masked(const char *word, char *const *values)
{
    char *shown = without_passwords(word);

    for (; *values; values++) {
        char *next = without(shown, *values);

        free(shown);
        shown = next;
    }
    return shown;
}

/* A secret's own name may be there without anything that could be searched for. */
static char *masked_assignment(const char *word, char *const *values)
{
    size_t name = strcspn(word, "=");

    if (word[name] && name_is_secret(word, name))
        return xasprintf("%.*s=%s", (int)name, word, mask);
    return masked(word, values);
}

static struct cJSON *command_to_json(const struct rank_plan *rank, char *const *values)
{
    struct cJSON *list = json_array_new();

    for (char *const *word = rank->argv; *word; word++) {
        auto_free char *shown = masked_assignment(*word, values);

        json_append_text(list, shown);
    }
    return list;
}

static struct cJSON *environment_to_json(const struct rank_plan *rank,
                                         char *const *values)
{
    struct cJSON *list = json_array_new();

    for (char *const *word = rank->env; *word; word++) {
        auto_free char *shown = masked_assignment(*word, values);

        json_append_text(list, shown);
    }
    return list;
}

static void add_ranks(struct cJSON *ranks, const struct worker_plan *plan,
                      char *const *values)
{
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct rank_plan *rank = &plan->ranks[i];
        struct cJSON *item = json_object_new();

        json_set_int(item, "rank", rank->rank);
        json_set_int(item, "worker", plan->worker);
        json_set_text(item, "host", plan->host_name);
        json_set_text(item, "kind", rank_kind_name(rank->kind));
        json_set(item, "command", command_to_json(rank, values));
        json_set(item, "environment", environment_to_json(rank, values));
        json_append(ranks, item);
    }
}

static const char *started_by(const struct job_spec *spec)
{
    if (spec->distribution == DISTRIBUTION_MPI)
        return "mpirun";
    if (spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED)
        return launcher_name(spec->launcher);
    return launcher_name(LAUNCHER_RAILHEAD);
}

struct cJSON *jobs_plan_to_json(const struct job_spec *spec,
                                struct worker_plan *const *plans, int count)
{
    bool servers = spec->distribution == DISTRIBUTION_PARAMETER_SERVER;
    struct cJSON *json = json_object_new();
    struct cJSON *ranks = json_array_new();
    char **values = secret_values(spec);

    json_set_int(json, "world_size",
                 count ? (plans[0]->local_processes + servers) * count : 0);
    json_set_text(json, "launcher", distribution_name(spec->distribution));
    if (spec->distribution != DISTRIBUTION_NONE)
        json_set_text(json, "started_by", started_by(spec));
    for (int i = 0; i < count; i++)
        add_ranks(ranks, plans[i], values);
    json_set(json, "ranks", ranks);
    words_free(values);
    return json;
}
