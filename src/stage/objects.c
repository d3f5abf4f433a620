/* Listings: how names and facts are held, ordered and dealt out.  Where they come from
 * is listing.c's. */

#include "src/stage/objects.h"

#include "src/stage/stage.h"

#include <stdlib.h>
#include <string.h>

void objects_clear(struct objects *objects)
{
    free(objects->base);
    text_clear(&objects->texts);
    free(objects->items);
    *objects = (struct objects){ 0 };
}

static uint32_t keep_text(struct objects *objects, const char *words)
{
    size_t at = objects->texts.len;

    text_add(&objects->texts, words, strlen(words) + 1);
    return (uint32_t)at;
}

static size_t size_of(const char *words)
{
    return words ? strlen(words) + 1 : 0;
}

int objects_add(struct objects *objects, const struct object_facts *facts,
                struct err *err)
{
    size_t limit = objects->limit ? objects->limit : STAGE_LISTING_BYTES;
    size_t size = objects->texts.len + size_of(facts->name) + size_of(facts->source)
                  + size_of(facts->etag) + (objects->count + 1) * sizeof(struct object);
    struct object *object;

    if (size > limit)
        return err_set(
            err, ERR_LIMIT,
            "more than %zu objects, whose names take %zu MiB: pack them into "
            "fewer, larger ones, which are faster, too",
            objects->count, limit >> 20);
    if (objects->texts.len == 0)
        text_add(&objects->texts, "", 1); /* place 0 stands for no text */
    if (objects->count == objects->room) {
        objects->room = objects->room ? 2 * objects->room : 64;
        objects->items = xrealloc(objects->items, objects->room * sizeof *object);
    }
    object = &objects->items[objects->count++];
    *object = (struct object){ .name = keep_text(objects, facts->name),
                               .kind = facts->kind,
                               .size = facts->size,
                               .mtime_ns = facts->mtime_ns };
    if (facts->source)
        object->source = keep_text(objects, facts->source);
    if (facts->etag && *facts->etag)
        object->etag = keep_text(objects, facts->etag);
    return 0;
}

const char *object_name(const struct objects *objects, size_t index)
{
    return objects->texts.bytes + objects->items[index].name;
}

bool objects_has_next(const struct objects *objects, size_t count, size_t *at,
                      const char *name)
{
    while (*at < count && strcmp(object_name(objects, *at), name) < 0)
        ++*at;
    return *at < count && strcmp(object_name(objects, *at), name) == 0;
}

char *object_source(const struct objects *objects, size_t index)
{
    const struct object *object = &objects->items[index];

    if (object->source)
        return xstrdup(objects->texts.bytes + object->source);
    return xasprintf("%s%s", objects->base, object_name(objects, index));
}

bool object_name_is_safe(const char *name)
{
    for (;;) {
        size_t len = strcspn(name, "/");

        if (len == 0 || (len == 1 && name[0] == '.')
            || (len == 2 && memcmp(name, "..", 2) == 0))
            return false;
        if (name[len] == '\0')
            return true;
        name += len + 1;
    }
}

static int by_name(const void *one, const void *other, void *texts)
{
    const struct object *left = one;
    const struct object *right = other;
    const char *bytes = texts;

    return strcmp(bytes + left->name, bytes + right->name);
}

static void order(struct objects *objects)
{
    /* A server's answers are sorted already. */
    for (size_t i = 1; i < objects->count; i++)
        if (strcmp(object_name(objects, i - 1), object_name(objects, i)) > 0) {
            qsort_r(objects->items, objects->count, sizeof *objects->items, by_name,
                    objects->texts.bytes);
            return;
        }
}

/* Those that are named twice and are the same stay once. */
static int drop_repeated(struct objects *objects, struct err *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < objects->count; i++) {
        if (kept > 0
            && strcmp(object_name(objects, kept - 1), object_name(objects, i)) == 0) {
            auto_free char *one = object_source(objects, kept - 1);
            auto_free char *other = object_source(objects, i);

            if (strcmp(one, other) != 0)
                return err_set(err, ERR_INVALID, "%s and %s would both become %s", one,
                               other, object_name(objects, i));
            continue;
        }
        objects->items[kept++] = objects->items[i];
    }
    objects->count = kept;
    return 0;
}

int objects_sort(struct objects *objects, struct err *err)
{
    order(objects);
    return drop_repeated(objects, err);
}

/* Whether something that is no folder has exactly these bytes as its name. */
static bool has_name(const struct objects *objects, const char *name, size_t len)
{
    size_t low = 0;
    size_t high = objects->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *found = object_name(objects, middle);
        int order = strncmp(found, name, len);

        if (order == 0 && found[len] == '\0')
            return objects->items[middle].kind != OBJECT_FOLDER;
        if (order >= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* In the order of names those of one folder may be far from a file of its name
 * ("a", "a.txt", "a/b"), so every folder is looked up, once. */
static int check_folders(const struct objects *objects, struct err *err)
{
    const char *before = "";

    for (size_t i = 0; i < objects->count; i++) {
        const char *name = object_name(objects, i);

        for (const char *slash = strchr(name, '/'); slash;
             slash = strchr(slash + 1, '/')) {
            size_t len = (size_t)(slash - name);

            if (strncmp(before, name, len + 1) != 0 && has_name(objects, name, len))
                return err_set(err, ERR_INVALID,
                               "%.*s is both an object and the folder of %s, which no "
                               "file system can hold",
                               (int)len, name, name);
        }
        before = name;
    }
    return 0;
}

int objects_arrange(struct objects *objects, struct err *err)
{
    for (size_t i = 0; i < objects->count; i++)
        if (!object_name_is_safe(object_name(objects, i)))
            return err_set(err, ERR_INVALID,
                           "\"%s\" can be no name in a folder: it is absolute, or a "
                           "part of it is empty, \".\" or \"..\"",
                           object_name(objects, i));
    if (objects_sort(objects, err) < 0)
        return -1;
    return check_folders(objects, err);
}

size_t objects_size(const struct objects *objects)
{
    return objects->texts.len + objects->count * sizeof(struct object);
}

int64_t objects_bytes(const struct objects *objects)
{
    int64_t sum = 0;

    for (size_t i = 0; i < objects->count; i++)
        if (objects->items[i].size > 0
            && __builtin_add_overflow(sum, objects->items[i].size, &sum))
            return INT64_MAX;
    return sum;
}

void objects_keep_share(struct objects *objects, int index, int count)
{
    size_t kept = 0;

    for (size_t i = (size_t)index; i < objects->count; i += (size_t)count)
        objects->items[kept++] = objects->items[i];
    objects->count = kept;
}
