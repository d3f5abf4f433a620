#ifndef SRC_ENV_H
#define SRC_ENV_H

#include "src/base.h"

/* An environment in the making: NAME=VALUE, each name once. */

struct env {
    char **items;
    size_t count;
    size_t room;
};

#define auto_env __attribute__((cleanup(env_clear)))

/** Sets a variable, in the place of one of this name. */
void env_set(struct env *env, const char *name, const char *value);
void env_set_int(struct env *env, const char *name, int64_t value);
/** Sets a variable unless there is one of this name. */
void env_default(struct env *env, const char *name, const char *value);
/** The value, or NULL. */
const char *env_get(const struct env *env, const char *name);
/** Whether a program can be given a variable of this name. */
bool env_name_is_valid(const char *name);

/** A copy that ends in NULL; the caller frees by words_free. */
char **env_words(const struct env *env);
struct env env_copy(const struct env *env);
void env_clear(struct env *env);

#endif
