/*
 * A channel as a value, and as a spec has it.  Decides what a channel may say and what
 * its members must not say together; what a spec's channels must not say together is
 * job_spec_data.c's.
 */

#include "src/channel.h"

#include "src/json.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_BYTES = 64,
    CONTENT_TYPE_MAX = 256, /* as SageMaker's */
    ATTRIBUTES_MAX = 16,
    ATTRIBUTE_MAX = 256
};

const char *const channel_mode_names[] = {
    [CHANNEL_FILE] = "File",
    [CHANNEL_FAST_FILE] = "FastFile",
    [CHANNEL_PIPE] = "Pipe",
    NULL,
};

const char *const channel_distribution_names[] = {
    [CHANNEL_FULLY_REPLICATED] = "FullyReplicated",
    [CHANNEL_SHARDED_BY_S3_KEY] = "ShardedByS3Key",
    NULL,
};

const char *const channel_data_names[] = {
    [CHANNEL_PREFIX] = "S3Prefix",
    [CHANNEL_MANIFEST] = "ManifestFile",
    [CHANNEL_AUGMENTED_MANIFEST] = "AugmentedManifestFile",
    NULL,
};

const char *const channel_compression_names[] = {
    [CHANNEL_PLAIN] = "None",
    [CHANNEL_GZIP] = "Gzip",
    NULL,
};

const char *const channel_records_names[] = {
    [CHANNEL_UNWRAPPED] = "None",
    [CHANNEL_RECORD_IO] = "RecordIO",
    NULL,
};

void channel_clear(struct channel *channel)
{
    free(channel->name);
    free(channel->uri);
    free(channel->content_type);
    words_free(channel->attributes);
    *channel = (struct channel){ 0 };
}

void channel_copy(struct channel *to, const struct channel *from)
{
    *to = *from;
    to->name = xstrdup(from->name);
    to->uri = xstrdup(from->uri);
    to->content_type = xstrdup(from->content_type);
    to->attributes = NULL;
    for (char *const *word = from->attributes; word && *word; word++)
        words_add(&to->attributes, xstrdup(*word));
}

struct cJSON *channel_to_json(const struct channel *channel)
{
    struct cJSON *json = json_object_new();
    struct cJSON *part;

    json_set_text(json, "uri", channel->uri);
    json_set_text(json, "mode", channel_mode_names[channel->mode]);
    json_set_text(json, "distribution",
                  channel_distribution_names[channel->distribution]);
    json_set_text(json, "data_type", channel_data_names[channel->data]);
    json_set_text(json, "compression", channel_compression_names[channel->compression]);
    json_set_text(json, "record_wrapper", channel_records_names[channel->records]);
    if (channel->content_type)
        json_set_text(json, "content_type", channel->content_type);
    if (channel->shuffle) {
        part = json_object_new();
        json_set_int(part, "seed", channel->shuffle_seed);
        json_set(json, "shuffle", part);
    }
    if (channel->attributes) {
        part = json_array_new();
        for (char *const *word = channel->attributes; *word; word++)
            json_append_text(part, *word);
        json_set(json, "attribute_names", part);
    }
    return json;
}

/* --- the members --- */

static void read_uri(void *into, const struct cJSON *value,
                     const struct member_place *place)
{
    struct channel *channel = into;

    (void)member_uri(value, place, &channel->uri);
}

static void read_mode(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct channel *channel = into;
    size_t index;

    if (member_choice(value, place, channel_mode_names, &index))
        channel->mode = (enum channel_mode)index;
}

static void read_distribution(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct channel *channel = into;
    size_t index;

    if (member_choice(value, place, channel_distribution_names, &index))
        channel->distribution = (enum channel_distribution)index;
}

static void read_data_type(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct channel *channel = into;
    size_t index;

    if (member_choice(value, place, channel_data_names, &index))
        channel->data = (enum channel_data)index;
}

static void read_compression(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct channel *channel = into;
    size_t index;

    if (member_choice(value, place, channel_compression_names, &index))
        channel->compression = (enum channel_compression)index;
}

static void read_record_wrapper(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct channel *channel = into;
    size_t index;

    if (member_choice(value, place, channel_records_names, &index))
        channel->records = (enum channel_records)index;
}

static void read_content_type(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct channel *channel = into;
    const char *text;

    if (!member_text(value, place, CONTENT_TYPE_MAX, &text))
        return;
    if (text_has_control(text))
        member_problem(place, NULL, "has a control character");
    else
        channel->content_type = xstrdup(text);
}

static void read_seed(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct channel *channel = into;

    (void)member_int(value, place, INT64_MIN, INT64_MAX, &channel->shuffle_seed);
}

/* clang-format off */
static const struct member shuffle_members[] = {
    { "seed", read_seed, true, "any whole number; the same gives the same orders" },
};
/* clang-format on */

static void read_shuffle(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct channel *channel = into;

    channel->shuffle = true;
    members_read(channel, value, place, shuffle_members, ARRAY_SIZE(shuffle_members));
}

static void read_attribute_names(void *into, const struct cJSON *value,
                                 const struct member_place *place)
{
    struct channel *channel = into;
    size_t index = 0;

    if (!member_array(value, place, ATTRIBUTES_MAX))
        return;
    if (json_count(value) == 0)
        member_problem(place, "leave it out for all attributes", "is empty");
    json_each (one, value) {
        struct member_place at = member_element(place, index++);
        const char *text;

        if (member_text(one, &at, ATTRIBUTE_MAX, &text))
            words_add(&channel->attributes, xstrdup(text));
    }
}

/* clang-format off */
static const struct member channel_members[] = {
    { "uri",             read_uri,             true,
      "where the data is: file:///ABSOLUTE/PATH or s3://BUCKET/PREFIX" },
    { "mode",            read_mode,            false, NULL },
    { "distribution",    read_distribution,    false, NULL },
    { "data_type",       read_data_type,       false, NULL },
    { "compression",     read_compression,     false, NULL },
    { "record_wrapper",  read_record_wrapper,  false, NULL },
    { "content_type",    read_content_type,    false, NULL },
    { "shuffle",         read_shuffle,         false, NULL },
    { "attribute_names", read_attribute_names, false, NULL },
};
/* clang-format on */

/* --- what they say together --- */

static void only_with(const struct member_place *place, bool said, const char *member,
                      const char *what, const char *needed)
{
    struct member_place at = member_below(place, member);
    auto_free char *hint = NULL;

    if (!said)
        return;
    hint = xasprintf("leave it out, or say %s", needed);
    member_problem(&at, hint, "%s goes only with %s", what, needed);
}

static void check_together(const struct channel *channel,
                           const struct member_place *place)
{
    bool piped = channel->mode == CHANNEL_PIPE;

    only_with(place, !piped && channel->compression == CHANNEL_GZIP, "compression",
              "Gzip", "mode: Pipe");
    only_with(place, !piped && channel->records == CHANNEL_RECORD_IO, "record_wrapper",
              "RecordIO", "mode: Pipe");
    only_with(place, !piped && channel->shuffle, "shuffle", "shuffle", "mode: Pipe");
    only_with(place, channel->attributes && channel->data != CHANNEL_AUGMENTED_MANIFEST,
              "attribute_names", "attribute_names", "data_type: AugmentedManifestFile");
    only_with(place,
              channel->mode == CHANNEL_FAST_FILE && channel->data != CHANNEL_PREFIX,
              "mode", "FastFile", "data_type: S3Prefix");
}

static bool is_rank_folder(const char *name)
{
    static const char start[] = "rank-";
    const char *number = name + strlen(start);

    return text_starts_with(name, start) && *number
           && number[strspn(number, "0123456789")] == '\0';
}

static void check_name(const char *name, const struct member_place *place)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    size_t len = strlen(name);

    if (len == 0 || len > NAME_MAX_BYTES || strspn(name, allowed) < len
        || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        member_problem(place, "1 to 64 letters, digits, dots, underscores and hyphens",
                       "is not a name for a channel");
    else if (is_rank_folder(name))
        member_problem(place, "choose another name",
                       "rank-NUMBER is where a local rank's Pipe channels are");
}

void channel_read_member(struct channel *channel, const struct cJSON *value,
                         const struct member_place *place)
{
    char shown[MEMBER_SHOWN_SIZE];

    channel->name = xstrdup(place->name);
    check_name(channel->name, place);
    if (json_kind(value) == JSON_TEXT) {
        read_uri(channel, value, place);
        return;
    }
    if (json_kind(value) != JSON_OBJECT) {
        member_problem(place, NULL, "expected a URI, or an object with uri, got %s",
                       member_shown(value, shown));
        return;
    }
    members_read(channel, value, place, channel_members, ARRAY_SIZE(channel_members));
    check_together(channel, place);
}

int channel_from_json(const char *name, const struct cJSON *json, struct channel *out,
                      struct err *err)
{
    auto_problems struct problems problems = { 0 };
    const struct member_place whole = { .problems = &problems };
    const struct member_place place = member_below(&whole, name);
    struct channel channel = { 0 };

    channel_read_member(&channel, json, &place);
    if (problems.count) {
        channel_clear(&channel);
        return members_fail(&problems, err);
    }
    *out = channel;
    return 0;
}
