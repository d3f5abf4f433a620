/* The S3 endpoint of an installation and its keys: copies, JSON, and the file that the
 * keys come from.  Does not decide which profile a job uses. */

#include "src/storage.h"

#include "src/files.h"
#include "src/json.h"
#include "src/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const addressing_names[] = { "path", "virtual" };

/* A file of keys is a screenful. */
enum {
    KEYS_FILE_MAX = 1 << 20
};

void storage_clear(struct storage *storage)
{
    free(storage->endpoint);
    free(storage->region);
    free(storage->access_key);
    free(storage->secret_key);
    free(storage->session_token);
    *storage = (struct storage){ 0 };
}

void storage_copy(struct storage *to, const struct storage *from)
{
    *to = (struct storage){
        .endpoint = xstrdup(from->endpoint),
        .region = xstrdup(from->region),
        .addressing = from->addressing,
        .access_key = xstrdup(from->access_key),
        .secret_key = xstrdup(from->secret_key),
        .session_token = xstrdup(from->session_token),
    };
}

struct cJSON *storage_to_json(const struct storage *storage)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "endpoint", storage->endpoint);
    json_set_text(json, "region", storage->region);
    json_set_text(json, "addressing", addressing_names[storage->addressing]);
    json_set_text(json, "access_key", storage->access_key);
    json_set_text(json, "secret_key", storage->secret_key);
    json_set_text(json, "session_token", storage->session_token);
    return json;
}

int storage_from_json(const struct cJSON *json, struct storage *out, struct err *err)
{
    const char *addressing = json_get_text(json, "addressing");
    bool is_virtual = addressing && strcmp(addressing, addressing_names[1]) == 0;

    if (!addressing || (!is_virtual && strcmp(addressing, addressing_names[0]) != 0))
        return err_set(err, ERR_INVALID, "addressing: expected path or virtual");
    *out = (struct storage){
        .endpoint = xstrdup(json_get_text(json, "endpoint")),
        .region = xstrdup(json_get_text(json, "region")),
        .addressing = is_virtual ? S3_VIRTUAL : S3_PATH,
        .access_key = xstrdup(json_get_text(json, "access_key")),
        .secret_key = xstrdup(json_get_text(json, "secret_key")),
        .session_token = xstrdup(json_get_text(json, "session_token")),
    };
    return 0;
}

/* Without the blanks around it; cuts `line` at its end. */
static char *trim(char *line)
{
    size_t len;

    line += strspn(line, " \t");
    len = strlen(line);
    while (len > 0 && strchr(" \t\r", line[len - 1]))
        len--;
    line[len] = '\0';
    return line;
}

static void take(char **member, const char *value)
{
    free(*member);
    *member = xstrdup(value);
}

/* "name = value" of a section into its member; other names (region, output, ...) say
 * nothing about keys. */
static void read_setting(char *line, struct storage *keys)
{
    char *equals = strchr(line, '=');
    const char *name;
    const char *value;

    if (!equals)
        return;
    *equals = '\0';
    name = trim(line);
    value = trim(equals + 1);
    if (strcmp(name, "aws_access_key_id") == 0)
        take(&keys->access_key, value);
    else if (strcmp(name, "aws_secret_access_key") == 0)
        take(&keys->secret_key, value);
    else if (strcmp(name, "aws_session_token") == 0)
        take(&keys->session_token, value);
}

/* "[NAME]" or, as in ~/.aws/config, "[profile NAME]". */
static bool opens_profile(char *line, const char *profile)
{
    char *end = strchr(line, ']');
    const char *name;

    if (!end)
        return false;
    *end = '\0';
    name = trim(line + 1);
    if (text_starts_with(name, "profile "))
        name += strlen("profile ");
    return strcmp(name, profile) == 0;
}

/* Whether the profile is there at all. */
static bool read_profile(char *bytes, const char *profile, struct storage *keys)
{
    bool found = false;
    bool inside = false;
    char *rest = bytes;
    char *line;

    while ((line = strsep(&rest, "\n"))) {
        line = trim(line);
        if (*line == '[') {
            inside = opens_profile(line, profile);
            found = found || inside;
        } else if (inside && *line != '#' && *line != ';') {
            read_setting(line, keys);
        }
    }
    return found;
}

static bool has_text(const char *text)
{
    return text && *text;
}

int storage_read_keys(const char *path, const char *profile, struct storage *storage,
                      struct err *err)
{
    struct storage keys = { 0 };
    auto_free char *bytes = NULL;
    struct stat st;
    size_t len;
    bool found;

    if (stat(path, &st) < 0)
        return err_sys(err, errno, "%s", path);
    if (st.st_mode & (S_IRWXG | S_IRWXO))
        return err_set(err, ERR_INVALID,
                       "%s: others than its owner have rights to it (mode %03o): chmod "
                       "600 it",
                       path, (unsigned int)(st.st_mode & 0777));
    if (file_read(path, KEYS_FILE_MAX, &bytes, &len, err) < 0)
        return -1;
    found = read_profile(bytes, profile, &keys);
    explicit_bzero(bytes, len); /* secrets of other profiles among them */
    if (!found)
        return err_set(err, ERR_NOT_FOUND, "%s: no profile [%s]", path, profile);
    if (!has_text(keys.access_key) || !has_text(keys.secret_key)) {
        const char *missing =
            has_text(keys.access_key) ? "aws_secret_access_key" : "aws_access_key_id";

        storage_clear(&keys);
        return err_set(err, ERR_INVALID, "%s: profile [%s] has no %s", path, profile,
                       missing);
    }
    take(&storage->access_key, keys.access_key);
    take(&storage->secret_key, keys.secret_key);
    free(storage->session_token);
    storage->session_token = steal_ptr(&keys.session_token);
    storage_clear(&keys);
    return 0;
}
