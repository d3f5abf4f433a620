/* A list of NAME=VALUE with each name once.  A linear search: a job has about eighty
 * names, and the list is made once a rank. */

#include "src/env.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **find(const struct env *env, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < env->count; i++)
        if (strncmp(env->items[i], name, len) == 0 && env->items[i][len] == '=')
            return &env->items[i];
    return NULL;
}

static void append(struct env *env, char *item)
{
    if (env->count == env->room) {
        env->room = env->room ? env->room * 2 : 64;
        env->items = xrealloc(env->items, env->room * sizeof *env->items);
    }
    env->items[env->count++] = item;
}

void env_set(struct env *env, const char *name, const char *value)
{
    char **present = find(env, name);
    char *item = xasprintf("%s=%s", name, value);

    if (!present) {
        append(env, item);
        return;
    }
    free(*present);
    *present = item;
}

void env_set_int(struct env *env, const char *name, int64_t value)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, value);
    env_set(env, name, digits);
}

void env_default(struct env *env, const char *name, const char *value)
{
    if (!find(env, name))
        env_set(env, name, value);
}

const char *env_get(const struct env *env, const char *name)
{
    char **present = find(env, name);

    return present ? *present + strlen(name) + 1 : NULL;
}

bool env_name_is_valid(const char *name)
{
    return *name && !strchr(name, '=');
}

char **env_words(const struct env *env)
{
    char **words = xcalloc(env->count + 1, sizeof *words);

    for (size_t i = 0; i < env->count; i++)
        words[i] = xstrdup(env->items[i]);
    return words;
}

struct env env_copy(const struct env *env)
{
    struct env copy = { env_words(env), env->count, env->count + 1 };

    return copy;
}

void env_clear(struct env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free(env->items[i]);
    free(env->items);
    *env = (struct env){ 0 };
}
