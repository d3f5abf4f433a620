/* Inputs as texts and values, and what several targets ask of results. */

#include "tests/fuzz/fuzz.h"

#include "src/files.h"
#include "src/text.h"
#include "src/yaml.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *fuzz_text(const uint8_t *data, size_t size)
{
    return size > 0 ? xstrndup((const char *)data, size) : xstrdup("");
}

char *fuzz_line(char **rest)
{
    return strsep(rest, "\n");
}

struct cJSON *fuzz_value(const uint8_t *data, size_t size)
{
    struct cJSON *value = NULL;

    if (json_parse((const char *)data, size, &value, NULL) < 0)
        (void)!yaml_parse((const char *)data, size, &value, NULL);
    return value;
}

struct cJSON *fuzz_again(const struct cJSON *value)
{
    auto_free char *words = json_print(value);
    struct cJSON *again = NULL;

    assert(json_parse(words, strlen(words), &again, NULL) == 0);
    return again;
}

bool fuzz_same(const struct cJSON *left, const struct cJSON *right)
{
    auto_text struct text ours = { 0 };
    auto_text struct text theirs = { 0 };

    json_add_sorted(&ours, left);
    json_add_sorted(&theirs, right);
    return strcmp(ours.bytes, theirs.bytes) == 0;
}

bool fuzz_is_refusal(const struct err *err)
{
    return (err->code == ERR_INVALID || err->code == ERR_LIMIT) && *err->text;
}

bool fuzz_are_told(const struct problems *problems, bool taken)
{
    for (size_t i = 0; i < problems->count; i++)
        if (!problems->items[i].path || !*problems->items[i].message)
            return false;
    return taken == (problems->count == 0) && problems->count <= PROBLEMS_MAX;
}

static char *folder;

static int remove_one(const char *path, const struct stat *info, int kind,
                      struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

const char *fuzz_folder(void)
{
    const char *above = getenv("TMPDIR");

    if (!folder) {
        folder = xasprintf("%s/railhead-fuzz-XXXXXX", above ? above : "/tmp");
        assert(mkdtemp(folder));
        atexit(remove_folder);
    }
    return folder;
}

void fuzz_write(const char *name, const void *bytes, size_t len)
{
    auto_free char *path = xasprintf("%s/%s", fuzz_folder(), name);
    struct err err;

    assert(file_replace(path, bytes, len, 0600, false, &err) == 0);
}
