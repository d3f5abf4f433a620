/* `s3` of the configuration: where s3:// is served, and whose keys are used.  The keys
 * themselves stand in a file of their own, which is read once, at the start. */

#include "daemon/config_private.h"
#include "src/files.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENDPOINT_BYTES_MAX = 256,
    REGION_BYTES_MAX = 64,
    PROFILE_BYTES_MAX = 128,
    PATH_BYTES_MAX = 1024
};

/* What is read; its keys come after, by two of its members. */
struct s3_section {
    struct storage *storage;
    char *credentials_file;
    char *profile;
};

static void replace(char **old, char *with)
{
    free(*old);
    *old = with;
}

/* Scheme and host alone: buckets and keys are all that may follow. */
static bool is_endpoint(const char *text)
{
    const char *host = strstr(text, "://");

    return (text_starts_with(text, "http://") || text_starts_with(text, "https://"))
           && host[3] && !strpbrk(host + 3, "/?#@ ");
}

static void read_endpoint(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct s3_section *section = into;
    const char *text;

    if (!member_text(value, place, ENDPOINT_BYTES_MAX, &text))
        return;
    if (!is_endpoint(text))
        member_problem(place, "write scheme and host, like http://127.0.0.1:9000",
                       "'%s' is not an endpoint", text);
    else
        replace(&section->storage->endpoint, xstrdup(text));
}

static void read_region(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct s3_section *section = into;
    const char *text;

    if (member_text(value, place, REGION_BYTES_MAX, &text))
        replace(&section->storage->region, xstrdup(text));
}

static void read_addressing(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    static const char *const choices[] = { "path", "virtual", NULL };
    struct s3_section *section = into;
    size_t choice;

    if (member_choice(value, place, choices, &choice))
        section->storage->addressing = choice == 0 ? S3_PATH : S3_VIRTUAL;
}

static void read_credentials_file(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct s3_section *section = into;
    const char *text;

    if (member_text(value, place, PATH_BYTES_MAX, &text))
        replace(&section->credentials_file, path_absolute(text));
}

static void read_profile(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct s3_section *section = into;
    const char *text;

    if (member_text(value, place, PROFILE_BYTES_MAX, &text))
        replace(&section->profile, xstrdup(text));
}

/* clang-format off */
static const struct member s3_members[] = {
    { "endpoint",         read_endpoint,         false, NULL },
    { "region",           read_region,           false, NULL },
    { "addressing",       read_addressing,       false, NULL },
    { "credentials_file", read_credentials_file, false, NULL },
    { "profile",          read_profile,          false, NULL },
};
/* clang-format on */

void config_read_s3(void *into, const struct cJSON *value,
                    const struct member_place *place)
{
    struct config *config = into;
    struct s3_section section = { .storage = &config->storage };
    struct member_place file = member_below(place, "credentials_file");
    struct member_place profile = member_below(place, "profile");
    struct err err;

    members_read(&section, value, place, s3_members, ARRAY_SIZE(s3_members));
    if (section.credentials_file) {
        if (storage_read_keys(section.credentials_file,
                              section.profile ? section.profile : "default",
                              &config->storage, &err)
            < 0)
            member_problem(&file, NULL, "%s", err.text);
    } else if (section.profile) {
        member_problem(&profile, "give credentials_file, too",
                       "says nothing without a file of keys");
    }
    free(section.credentials_file);
    free(section.profile);
}
