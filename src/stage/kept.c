/* The file of the names that a worker keeps at its checkpoints' URI: each with a NUL
 * behind, the only byte that no name has.  What follows from a name being in it is
 * decided in verb_checkpoints.c. */

#include "src/stage/kept.h"

#include "src/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kept_path(const struct stage *stage)
{
    return xasprintf("%s/input/checkpoints-kept", stage->plan->ml_folder);
}

static void add_names(struct text *names, const struct objects *objects,
                      const struct objects *but)
{
    size_t at = 0;

    for (size_t i = 0; i < objects->count; i++) {
        const char *name = object_name(objects, i);

        if (objects->items[i].state != OBJECT_NEW
            && !objects_has_next(but, but->count, &at, name))
            text_add(names, name, strlen(name) + 1);
    }
}

int kept_write(const struct stage *stage, const struct objects *one,
               const struct objects *other, struct err *err)
{
    auto_free char *path = kept_path(stage);
    const struct objects none = { 0 };
    auto_text struct text names = { 0 };

    text_puts(&names, "");
    add_names(&names, one, &none);
    if (other)
        add_names(&names, other, one);
    return file_replace(path, names.bytes, names.len, 0644, false, err);
}

/* A name is added with the size and time of nothing: they are not known. */
static int read_names(FILE *file, struct objects *objects, struct err *err)
{
    char *name = NULL;
    size_t room = 0;
    int result = 0;

    while (result == 0 && getdelim(&name, &room, '\0', file) > 0) {
        struct object_facts facts = { .name = name, .size = -1 };

        if (object_name_is_safe(name))
            result = objects_add(objects, &facts, err);
    }
    if (result == 0 && ferror(file))
        result = err_sys(err, errno, "read");
    free(name);
    return result;
}

int kept_read(const struct stage *stage, struct objects *objects, struct err *err)
{
    auto_free char *path = kept_path(stage);
    FILE *file = file_open_regular(path);
    int result;

    if (!file)
        return errno == ENOENT ? 0 : err_sys(err, errno, "open %s", path);
    objects->base = xstrdup("");
    result = read_names(file, objects, err);
    fclose(file);
    return result < 0 ? err_wrap(err, "%s", path) : objects_sort(objects, err);
}
