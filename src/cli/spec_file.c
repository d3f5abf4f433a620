/*
 * Reads and completes a user's job spec.  Decides the form and where its source and
 * its data are; what a valid spec is, src/job_spec decides.
 */

#include "src/cli/spec_file.h"

#include "src/archive.h"
#include "src/cli/input.h"
#include "src/files.h"
#include "src/text.h"
#include "src/uri.h"
#include "src/yaml.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A request's body may be as long as this. */
#define SPEC_BYTES_MAX ((size_t)1 << 20)

static bool ends_in(const char *path, const char *ending)
{
    size_t len = strlen(path);
    size_t ending_len = strlen(ending);

    return len >= ending_len && strcmp(path + len - ending_len, ending) == 0;
}

/* What begins like a JSON object is one: its errors are then told in JSON's terms. */
static bool looks_like_json(const char *bytes)
{
    return bytes[strspn(bytes, " \t\r\n")] == '{';
}

static int parse(const char *path, const char *bytes, size_t len, struct cJSON **out,
                 struct err *err)
{
    size_t mark_len = text_mark(bytes, len);

    bytes += mark_len;
    len -= mark_len;
    if (ends_in(path, ".json"))
        return json_parse(bytes, len, out, err);
    if (ends_in(path, ".yaml") || ends_in(path, ".yml"))
        return yaml_parse(bytes, len, out, err);
    if (json_parse(bytes, len, out, err) == 0)
        return 0;
    /* A flow mapping is YAML too, but then the message about it is the worse one. */
    return yaml_parse(bytes, len, out, looks_like_json(bytes) ? NULL : err);
}

int spec_file_read(const char *path, struct spec_file *file, struct err *err)
{
    auto_free char *bytes = NULL;
    size_t len = 0;

    *file = (struct spec_file){ .path = path, .shown = input_shown(path) };
    if (input_read(path, SPEC_BYTES_MAX, &bytes, &len, err) < 0)
        return -1;
    assert(bytes);
    if (parse(path, bytes, len, &file->json, err) < 0)
        return err_wrap(err, "%s", file->shown);
    if (json_kind(file->json) != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "%s: a job spec is an object, this is %s",
                       file->shown, json_kind_name(json_kind(file->json)));
    return 0;
}

/* A copy of `object` with `value` at the dotted path. */
static struct cJSON *with_member(const struct cJSON *object, const char *path,
                                 struct cJSON *value)
{
    size_t len = strcspn(path, ".");
    auto_free char *name = xstrndup(path, len);
    struct cJSON *copy = json_object_new();

    if (path[len])
        value = with_member(json_get(object, name), path + len + 1, value);
    json_each (member, object) {
        if (strcmp(json_name(member), name) != 0)
            json_set(copy, json_name(member), json_copy(member));
        else if (value)
            json_set(copy, name, steal_ptr(&value));
    }
    if (value)
        json_set(copy, name, value);
    return copy;
}

static int set_member(struct spec_file *file, const char *path, struct cJSON *value,
                      struct err *err)
{
    struct cJSON *changed;
    size_t depth = 1;

    for (const char *at = path; *at; at++)
        depth += *at == '.';
    if (!*path || depth > JSON_DEPTH_MAX) {
        json_free(value);
        return err_set(err, ERR_INVALID, "\"%s\" is no member of a job spec", path);
    }
    changed = with_member(file->json, path, value);
    json_free(file->json);
    file->json = changed;
    return 0;
}

int spec_file_set(struct spec_file *file, const char *assignment, struct err *err)
{
    const char *equals = strchr(assignment, '=');
    auto_free char *path = NULL;
    struct cJSON *value = NULL;

    if (!equals)
        return err_set(err, ERR_INVALID, "--set %s: expected member=value", assignment);
    path = xstrndup(assignment, (size_t)(equals - assignment));
    if (!equals[1])
        value = json_text_new("");
    else if (yaml_parse(equals + 1, strlen(equals + 1), &value, err) < 0)
        return err_wrap(err, "--set %s", assignment);
    return set_member(file, path, value, err);
}

int spec_file_set_text(struct spec_file *file, const char *member, const char *value,
                       struct err *err)
{
    return set_member(file, member, json_text_new(value), err);
}

static int refuse(const struct spec_file *file, const struct problems *problems,
                  struct err *err)
{
    return err_set(err, ERR_INVALID, "%s: the job spec has %zu mistake%s", file->shown,
                   problems->count, problems->count == 1 ? "" : "s");
}

/* Relative names in a spec mean the same wherever jobctl is called from. */
static char *beside(const struct spec_file *file, const char *named)
{
    const char *slash = strrchr(file->path, '/');

    if (*named == '/' || strcmp(file->path, "-") == 0 || !slash)
        return xstrdup(named);
    return xasprintf("%.*s/%s", (int)(slash - file->path), file->path, named);
}

/* A word with a colon before the first slash begins like a URI: it is left to
 * job_spec, which knows the two that there are. */
static bool is_path(const char *text)
{
    return *text && text[strcspn(text, ":/")] != ':';
}

/* A path becomes the file:// URI of the same place, as does the member `uri` of an
 * object; all else is copied, to be judged by job_spec. */
static struct cJSON *located(const struct spec_file *file, const struct cJSON *value)
{
    const char *text = json_text(value);
    auto_free char *path = NULL;
    auto_free char *whole = NULL;
    auto_free char *uri = NULL;
    struct cJSON *copy;

    if (text && is_path(text)) {
        while (text_starts_with(text, "./") && text[2])
            text += 2;
        path = beside(file, text);
        whole = path_absolute(path);
        uri = uri_of_path(whole);
        return json_text_new(uri);
    }
    if (json_kind(value) != JSON_OBJECT)
        return json_copy(value);
    copy = json_object_new();
    json_each (member, value) {
        bool is_uri = strcmp(json_name(member), "uri") == 0;

        json_set(copy, json_name(member),
                 is_uri ? located(file, member) : json_copy(member));
    }
    return copy;
}

static struct cJSON *located_inputs(const struct spec_file *file,
                                    const struct cJSON *inputs)
{
    struct cJSON *copy;

    if (json_kind(inputs) != JSON_OBJECT)
        return json_copy(inputs);
    copy = json_object_new();
    json_each (channel, inputs)
        json_set(copy, json_name(channel), located(file, channel));
    return copy;
}

/* Members that appear twice stay so: they are an error, which job_spec tells. */
static void locate(struct spec_file *file)
{
    struct cJSON *copy = json_object_new();

    json_each (member, file->json) {
        const char *name = json_name(member);

        if (strcmp(name, "inputs") == 0)
            json_set(copy, name, located_inputs(file, member));
        else if (strcmp(name, "output_path") == 0 || strcmp(name, "checkpoint") == 0)
            json_set(copy, name, located(file, member));
        else
            json_set(copy, name, json_copy(member));
    }
    json_free(file->json);
    file->json = copy;
}

int spec_file_check(struct spec_file *file, struct problems *problems, struct err *err)
{
    locate(file);
    file->spec = job_spec_parse(file->json, problems);
    return file->spec ? 0 : refuse(file, problems, err);
}

static void check_folder(const struct spec_file *file, const char *folder,
                         struct problems *problems)
{
    auto_free char *entry = NULL;
    struct stat st;

    if (stat(folder, &st) < 0)
        problems_add(problems, "source_dir", NULL, "%s: %s", folder, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        problems_add(problems, "source_dir", "name the folder that it is in",
                     "%s is not a folder", folder);
    else if (file->spec->entry_point) {
        entry = xasprintf("%s/%s", folder, file->spec->entry_point);
        if (stat(entry, &st) < 0)
            problems_add(problems, "entry_point", "it is named relative to source_dir",
                         "%s: %s", entry, strerror(errno));
        else if (!S_ISREG(st.st_mode))
            problems_add(problems, "entry_point", "name a file within source_dir",
                         "%s is not a file", entry);
    }
}

static char *temporary_file(struct err *err)
{
    const char *folder = getenv("TMPDIR");
    auto_free char *path =
        xasprintf("%s/jobctl-source-XXXXXX", folder && *folder ? folder : "/tmp");
    auto_close int fd = mkstemp(path);

    if (fd < 0) {
        (void)err_sys(err, errno, "make %s", path);
        return NULL;
    }
    return steal_ptr(&path);
}

int spec_file_pack(struct spec_file *file, struct problems *problems, struct err *err)
{
    auto_free char *folder = NULL;
    auto_free char *name = NULL;

    if (!file->spec->source_dir || text_starts_with(file->spec->source_dir, "sha256:"))
        return 0;
    folder = beside(file, file->spec->source_dir);
    check_folder(file, folder, problems);
    if (problems->count > 0)
        return refuse(file, problems, err);
    file->archive = temporary_file(err);
    if (!file->archive || archive_pack(folder, file->archive, file->hex, err) < 0)
        return err_wrap(err, "source_dir");
    name = xasprintf("sha256:%s", file->hex);
    return spec_file_set_text(file, "source_dir", name, err);
}

void spec_file_clear(struct spec_file *file)
{
    if (file->archive)
        unlink(file->archive);
    free(file->archive);
    json_free(file->json);
    job_spec_free(file->spec);
    *file = (struct spec_file){ 0 };
}
