/* Where listings come from: folders, S3, manifests. */

#include "src/stage/listing.h"

#include "src/files.h"
#include "src/json.h"
#include "src/stage/manifest.h"
#include "src/stage/move.h"
#include "src/stage/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Its JSON takes about four times as much for a moment. */
    MANIFEST_MAX = 64 << 20,
    /* Up to so many sizes are asked for one by one; above, all that is beneath the
     * prefix is listed, a thousand a request. */
    HEADS_MAX = 100
};

/* --- S3 --- */

struct s3_listing {
    const char *prefix;
    const char *source; /* s3://BUCKET/ */
    struct objects *objects;
};

static int add_key(void *context, const struct s3_object *object, struct err *err)
{
    const struct s3_listing *listing = context;
    struct objects *objects = listing->objects;
    const char *name = name_beneath_prefix(listing->prefix, object->key);
    auto_free char *source = xasprintf("%s%s", listing->source, object->key);
    auto_free char *implied = xasprintf("%s%s", objects->base, name);
    struct object_facts facts = { .name = name,
                                  .source = strcmp(source, implied) ? source : NULL,
                                  .etag = object->etag,
                                  .size = object->size };
    size_t len = strlen(object->key);

    /* Consoles keep a folder as an empty object of this name. */
    if (*name == '\0' || object->key[len - 1] == '/')
        return 0;
    return objects_add(objects, &facts, err);
}

static int list_s3(struct stage *stage, const char *source, struct objects *objects,
                   struct err *err)
{
    auto_s3_uri struct s3_uri uri = { 0 };
    auto_free char *root = NULL;
    struct s3_listing listing = { .objects = objects };
    struct s3 *s3;

    if (s3_uri_parse(source, &uri, err) < 0 || stage_s3(stage, &s3, err) < 0)
        return -1;
    root = xasprintf("s3://%s/", uri.bucket);
    objects->base = source_of_folder(source);
    listing.prefix = uri.key;
    listing.source = root;
    return s3_list(s3, uri.bucket, uri.key, add_key, &listing, err);
}

/* --- a folder or a file of this machine --- */

static int list_file(const char *path, const struct stat *status,
                     struct objects *objects, struct err *err)
{
    const char *name = strrchr(path, '/') + 1;
    struct object_facts facts = {
        .name = name,
        .size = status->st_size,
        .mtime_ns =
            (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
    };

    objects->base = xstrndup(path, (size_t)(name - path));
    return objects_add(objects, &facts, err);
}

static int list_path(const char *path, struct objects *objects, struct err *err)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return err_sys(err, errno, "%s", path);
    if (S_ISREG(status.st_mode))
        return list_file(path, &status, objects, err);
    return walk(path, WALK_FOLLOW, true, objects, err);
}

/* --- manifests --- */

char *channel_manifest_path(const struct stage *stage, const struct channel *channel)
{
    return xasprintf("%s/input/data/%s-manifest", stage->plan->ml_folder,
                     channel->name);
}

int fetch_manifest(struct stage *stage, const struct channel *channel, struct err *err)
{
    auto_free char *path = channel_manifest_path(stage, channel);
    auto_free char *source = NULL;

    if (source_of_uri(channel->uri, &source, err) < 0)
        return -1;
    if (access(path, F_OK) == 0)
        return 0;
    return fetch_one(stage, source, path, err);
}

int each_manifest_line(const char *path, manifest_line_f *on_line, void *context,
                       struct err *err)
{
    auto_free char *line = xmalloc(MANIFEST_LINE_MAX);
    FILE *file = fopen(path, "re");
    int64_t offset = 0;
    int result = 0;

    if (!file)
        return err_sys(err, errno, "read %s", path);
    while (result == 0 && fgets(line, MANIFEST_LINE_MAX, file)) {
        size_t len = strlen(line);

        if (len == MANIFEST_LINE_MAX - 1 && line[len - 1] != '\n')
            result = err_set(err, ERR_LIMIT, "%s: a line is longer than %d bytes", path,
                             MANIFEST_LINE_MAX);
        else if (line[strspn(line, " \t\r\n")] != '\0')
            result = on_line(context, line, offset, err);
        offset += (int64_t)len;
    }
    if (result == 0 && ferror(file))
        result = err_sys(err, errno, "read %s", path);
    fclose(file);
    return result;
}

struct references {
    const struct channel *channel;
    const char *source;
    struct objects *objects;
};

static int add_references(void *context, const char *line, int64_t offset,
                          struct err *err)
{
    const struct references *references = context;
    auto_json struct cJSON *json = NULL;

    if (json_parse(line, strlen(line), &json, err) < 0
        || manifest_add_references(json, references->channel->attributes,
                                   references->source, references->objects, err)
               < 0)
        return err_wrap(err, "the line at byte %lld", (long long)offset);
    return 0;
}

static int list_manifest(struct stage *stage, const struct channel *channel,
                         const char *source, struct objects *objects, struct err *err)
{
    auto_free char *path = channel_manifest_path(stage, channel);
    struct references references = { channel, source, objects };
    auto_free char *bytes = NULL;
    size_t len;

    if (fetch_manifest(stage, channel, err) < 0)
        return -1;
    if (channel->data == CHANNEL_AUGMENTED_MANIFEST)
        return each_manifest_line(path, add_references, &references, err);
    if (file_read(path, MANIFEST_MAX, &bytes, &len, err) < 0)
        return -1;
    return manifest_parse(bytes, len, objects, err);
}

/* --- all together --- */

static int list_source(struct stage *stage, const struct channel *channel,
                       struct objects *objects, struct err *err)
{
    auto_free char *source = NULL;

    if (source_of_uri(channel->uri, &source, err) < 0)
        return -1;
    if (channel->data != CHANNEL_PREFIX)
        return list_manifest(stage, channel, source, objects, err);
    if (source_is_s3(source))
        return list_s3(stage, source, objects, err);
    return list_path(source, objects, err);
}

int list_channel(struct stage *stage, const struct channel *channel,
                 struct objects *objects, struct err *err)
{
    if (list_source(stage, channel, objects, err) < 0
        || objects_arrange(objects, err) < 0)
        return err_wrap(err, "channel %s: %s", channel->name, channel->uri);
    if (objects->count == 0)
        return err_set(err, ERR_INVALID, "channel %s: there are no objects at %s",
                       channel->name, channel->uri);
    return 0;
}

int list_folder(struct stage *stage, const char *source, struct objects *objects,
                struct err *err)
{
    auto_free char *folder = source_of_folder(source);
    auto_free char *real = NULL;

    if (source_is_s3(source)) {
        if (list_s3(stage, folder, objects, err) < 0)
            return -1;
        return objects_arrange(objects, err);
    }
    /* Links may lead to it; those in it are nobody's files. */
    real = realpath(source, NULL);
    if (!real)
        return errno == ENOENT ? 0 : err_sys(err, errno, "read %s", source);
    if (walk(real, WALK_FILES, false, objects, err) < 0)
        return -1;
    return objects_arrange(objects, err);
}

/* --- sizes --- */

/* Takes the sizes over of those that are in both; both are arranged. */
static void take_sizes(struct objects *objects, const struct objects *known)
{
    size_t at = 0;

    for (size_t i = 0; i < objects->count; i++) {
        while (at < known->count
               && strcmp(object_name(known, at), object_name(objects, i)) < 0)
            at++;
        if (at < known->count
            && strcmp(object_name(known, at), object_name(objects, i)) == 0)
            objects->items[i].size = known->items[at].size;
    }
}

/* Of a manifest with many objects at S3. */
static int list_sizes(struct stage *stage, struct objects *objects, struct err *err)
{
    auto_objects struct objects known = { 0 };

    if (list_s3(stage, objects->base, &known, err) < 0
        || objects_arrange(&known, err) < 0)
        return -1;
    take_sizes(objects, &known);
    return 0;
}

static int measure(struct stage *stage, const char *source, struct object *object,
                   struct err *err)
{
    auto_objects struct objects found = { 0 };
    struct stat status;

    if (source_is_s3(source)) {
        if (head_at_s3(stage, source, &found, err) < 0)
            return -1;
        object->size = found.items[0].size;
        return 0;
    }
    if (stat(source, &status) < 0)
        return err_sys(err, errno, "%s", source);
    if (!S_ISREG(status.st_mode))
        return err_set(err, ERR_INVALID, "%s is not a regular file", source);
    object->size = status.st_size;
    object->mtime_ns =
        (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    return 0;
}

int measure_objects(struct stage *stage, struct objects *objects, struct err *err)
{
    bool has_base = objects->base && source_is_s3(objects->base)
                    && objects->base[strlen(objects->base) - 1] == '/';
    size_t unknown = 0;

    for (size_t i = 0; i < objects->count; i++)
        unknown += objects->items[i].size < 0;
    if (unknown > HEADS_MAX && has_base && list_sizes(stage, objects, err) < 0)
        return -1;
    for (size_t i = 0; unknown > 0 && i < objects->count; i++) {
        auto_free char *source = object_source(objects, i);

        if (objects->items[i].size < 0
            && measure(stage, source, &objects->items[i], err) < 0)
            return -1;
    }
    return 0;
}
