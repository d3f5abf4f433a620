/* Manifests and the names that they lead to. */

#include "src/stage/manifest.h"

#include "src/channel.h"
#include "src/json.h"
#include "src/s3.h"

#include <stdlib.h>
#include <string.h>

#define S3_SCHEME "s3://"

bool source_is_s3(const char *source)
{
    return text_starts_with(source, S3_SCHEME);
}

char *source_of_folder(const char *source)
{
    size_t len = strlen(source);

    return xasprintf("%s%s", source, len > 0 && source[len - 1] == '/' ? "" : "/");
}

char *uri_of_source(const char *source)
{
    return source_is_s3(source) ? xstrdup(source) : uri_of_path(source);
}

int source_of_uri(const char *uri, char **out, struct err *err)
{
    auto_s3_uri struct s3_uri s3 = { 0 };

    if (source_is_s3(uri)) {
        if (s3_uri_parse(uri, &s3, err) < 0)
            return -1;
        *out = xasprintf(S3_SCHEME "%s/%s", s3.bucket, s3.key);
        return 0;
    }
    *out = *uri == '/' ? xstrdup(uri) : uri_to_path(uri);
    if (!*out)
        return err_set(err, ERR_INVALID,
                       "%s is neither file:///PATH nor s3://BUCKET/KEY", uri);
    return 0;
}

int manifest_parse(const char *bytes, size_t len, struct objects *objects,
                   struct err *err)
{
    auto_json struct cJSON *json = NULL;
    const char *prefix;
    size_t place = 0;

    if (json_parse(bytes, len, &json, err) < 0)
        return -1;
    if (json_kind(json) != JSON_ARRAY)
        return err_set(err, ERR_INVALID, "a list was expected");
    prefix = json_get_text(json_first(json), "prefix");
    if (!prefix)
        return err_set(err, ERR_INVALID,
                       "{\"prefix\": URI} was expected as the first of the list");
    if (source_of_uri(prefix, &objects->base, err) < 0)
        return err_wrap(err, "prefix");
    json_each (item, json) {
        const char *name = json_text(item);
        struct object_facts facts = { .name = name, .size = -1 };

        if (place++ == 0)
            continue;
        if (!name)
            return err_set(err, ERR_INVALID, "[%zu]: a text was expected", place - 1);
        if (objects_add(objects, &facts, err) < 0)
            return -1;
    }
    return 0;
}

bool attribute_is_reference(const char *name)
{
    size_t len = strlen(name);

    return len > 4 && strcmp(name + len - 4, "-ref") == 0;
}

static bool is_wanted(const char *name, char *const *attributes)
{
    if (!attribute_is_reference(name))
        return false;
    if (!attributes)
        return true;
    for (; *attributes; attributes++)
        if (strcmp(*attributes, name) == 0)
            return true;
    return false;
}

/* Points into `source`. */
static const char *name_of_source(const char *source, const char *manifest_source)
{
    size_t folder = (size_t)(strrchr(manifest_source, '/') + 1 - manifest_source);

    if (strncmp(source, manifest_source, folder) == 0)
        return source + folder;
    if (source_is_s3(source))
        source = strchr(source + strlen(S3_SCHEME), '/');
    return source + 1;
}

int manifest_add_references(const struct cJSON *line, char *const *attributes,
                            const char *manifest_source, struct objects *objects,
                            struct err *err)
{
    json_each (item, line) {
        auto_free char *source = NULL;
        struct object_facts facts = { .size = -1 };

        if (!is_wanted(json_name(item), attributes))
            continue;
        if (!json_text(item))
            return err_set(err, ERR_INVALID, "%s: a URI was expected", json_name(item));
        if (source_of_uri(json_text(item), &source, err) < 0)
            return err_wrap(err, "%s", json_name(item));
        facts.source = source;
        facts.name = name_of_source(source, manifest_source);
        if (objects_add(objects, &facts, err) < 0)
            return -1;
    }
    return 0;
}

const char *name_beneath_prefix(const char *prefix, const char *key)
{
    size_t len = strlen(prefix);
    const char *slash;

    if (len == 0 || prefix[len - 1] == '/')
        return key + len;
    if (key[len] == '/')
        return key + len + 1;
    slash = strrchr(prefix, '/');
    return slash ? key + (slash + 1 - prefix) : key;
}
