/*
 * What a job reads and keeps, and how often it is tried: inputs, output_path,
 * output_compression, checkpoint, retry.  Decides what these may say; what one channel
 * may say is channel.c's, and whether anything is there the daemon's.
 */

#include "src/files.h"
#include "src/job_spec_members.h"
#include "src/namespaces.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char checkpoint_default[] = ML_FOLDER "/checkpoints";

enum {
    RETRY_DEFAULT_ON = RETRY_INFRASTRUCTURE | RETRY_INTERRUPTED,
    RETRY_DEFAULT_ATTEMPTS = 3, /* with `retry`; else one */
    RETRY_ATTEMPTS_MAX = 30     /* as SageMaker's */
};

/* --- inputs --- */

static int by_name(const void *a, const void *b)
{
    const struct channel *left = a, *right = b;

    return strcmp(left->name, right->name);
}

/* NAME_EPOCH, a FIFO of the Pipe channel NAME. */
static bool is_fifo_of(const char *name, const struct channel *channel)
{
    size_t len = strlen(channel->name);
    const char *epoch = name + len + 1;

    return channel->mode == CHANNEL_PIPE && text_starts_with(name, channel->name)
           && name[len] == '_' && *epoch && !epoch[strspn(epoch, "0123456789")];
}

/* Where the list of a channel is put. */
static bool is_manifest_of(const char *name, const struct channel *channel)
{
    return channel->data != CHANNEL_PREFIX && text_starts_with(name, channel->name)
           && strcmp(name + strlen(channel->name), "-manifest") == 0;
}

static void check_clash(const struct channel *channel, const struct channel *other,
                        const struct member_place *place)
{
    if (is_fifo_of(channel->name, other))
        member_problem(place, "choose a name that does not end in _NUMBER",
                       "is the name of a FIFO of the Pipe channel '%s'", other->name);
    else if (is_manifest_of(channel->name, other))
        member_problem(place, "choose another name",
                       "is where the manifest of the channel '%s' is put", other->name);
    else if (channel > other && strcasecmp(channel->name, other->name) == 0
             && strcmp(channel->name, other->name) != 0)
        member_problem(place, "choose another name",
                       "differs from '%s' in case alone, and SM_CHANNEL_NAME has none",
                       other->name);
}

void spec_read_inputs(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct job_spec *spec = into;

    if (!member_object(value, place, SPEC_CHANNELS_MAX))
        return;
    spec->channels = xcalloc(json_count(value), sizeof *spec->channels);
    json_each (one, value) {
        struct member_place at = member_below(place, json_name(one));

        channel_read_member(&spec->channels[spec->channel_count++], one, &at);
    }
    for (size_t i = 0; i < spec->channel_count; i++) {
        struct member_place at = member_below(place, spec->channels[i].name);

        for (size_t j = 0; j < spec->channel_count; j++)
            check_clash(&spec->channels[i], &spec->channels[j], &at);
    }
    if (spec->channel_count)
        qsort(spec->channels, spec->channel_count, sizeof *spec->channels, by_name);
}

/* --- output_path, output_compression --- */

static const char *const output_compression_names[] = { "NONE", "GZIP", NULL };

void spec_read_output_path(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_uri(value, place, &spec->output_path);
}

void spec_read_output_compression(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct job_spec *spec = into;
    size_t index;

    if (member_choice(value, place, output_compression_names, &index))
        spec->output_compressed = index == 1;
}

/* --- checkpoint --- */

static void read_checkpoint_uri(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_uri(value, place, &spec->checkpoint_uri);
}

/* The system's (hier(7)) and the inputs', with all that is beneath them. */
static const char *const others_trees[] = {
    "/bin",    "/boot", "/dev",  "/etc", "/lib", "/lib32",          "/lib64",
    "/libx32", "/proc", "/sbin", "/sys", "/usr", ML_FOLDER "/input"
};

/* These have more in them, but a folder in them may be for checkpoints. */
static const char *const shared_folders[] = {
    "/run",
    "/var",
    ML_FOLDER "/code",
    ML_FOLDER "/model",
    ML_FOLDER "/output",
    ML_FOLDER "/output/data",
};

/* All that is there is kept at the URI, and what the URI has is put there and covers
 * what was: a folder of its own, none above /opt/ml. */
static bool is_own_folder(const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(others_trees); i++)
        if (path_is_within(path, others_trees[i]))
            return false;
    for (size_t i = 0; i < ARRAY_SIZE(shared_folders); i++)
        if (path_is_within(shared_folders[i], path))
            return false;
    return !path_is_within(ML_FOLDER, path);
}

static void read_local_path(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct job_spec *spec = into;
    const char *text;
    char shown[MEMBER_SHOWN_SIZE];

    if (!member_text(value, place, SPEC_PATH_MAX, &text))
        return;
    if (*text != '/' || path_has_dots(text) || strstr(text, "//")
        || text_has_control(text))
        member_problem(place, "give it whole, like /opt/ml/checkpoints",
                       "%s is not an absolute path without ., .. and //",
                       member_shown(value, shown));
    else if (!is_own_folder(text))
        member_problem(place, "name a folder of its own, like /opt/ml/checkpoints",
                       "%s is not for checkpoints alone", member_shown(value, shown));
    else
        spec->checkpoint_path = xstrdup(text);
}

/* clang-format off */
static const struct member checkpoint_members[] = {
    { "uri",        read_checkpoint_uri, true,
      "where checkpoints are kept: file:///ABSOLUTE/PATH or s3://BUCKET/PREFIX" },
    { "local_path", read_local_path,     false, NULL },
};
/* clang-format on */

void spec_read_checkpoint(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct job_spec *spec = into;

    members_read(spec, value, place, checkpoint_members,
                 ARRAY_SIZE(checkpoint_members));
    if (!spec->checkpoint_path)
        spec->checkpoint_path = xstrdup(checkpoint_default);
}

/* --- retry --- */

/* In the order of their bits. */
static const char *const retry_cause_names[] = {
    "infrastructure", "interrupted", "input", "output", "oom", "signal", "failed", NULL,
};

static void read_max_attempts(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct job_spec *spec = into;
    int64_t number;

    if (member_int(value, place, 1, RETRY_ATTEMPTS_MAX, &number))
        spec->max_attempts = (int)number;
}

static void read_on(void *into, const struct cJSON *value,
                    const struct member_place *place)
{
    struct job_spec *spec = into;
    size_t index = 0;

    if (!member_array(value, place, ARRAY_SIZE(retry_cause_names) - 1))
        return;
    if (json_count(value) == 0)
        member_problem(place, "leave retry out", "is empty");
    spec->retry_on = 0;
    json_each (one, value) {
        struct member_place at = member_element(place, index++);
        size_t cause;

        if (!member_choice(one, &at, retry_cause_names, &cause))
            continue;
        if (spec->retry_on & 1U << cause)
            member_problem(&at, NULL, "'%s' is named twice", retry_cause_names[cause]);
        spec->retry_on |= 1U << cause;
    }
}

/* clang-format off */
static const struct member retry_members[] = {
    { "max_attempts", read_max_attempts, false, NULL },
    { "on",           read_on,           false, NULL },
};
/* clang-format on */

void spec_read_retry(void *into, const struct cJSON *value,
                     const struct member_place *place)
{
    struct job_spec *spec = into;

    spec->max_attempts = RETRY_DEFAULT_ATTEMPTS;
    members_read(spec, value, place, retry_members, ARRAY_SIZE(retry_members));
}

/* --- all of them --- */

void spec_data_init(struct job_spec *spec)
{
    spec->output_compressed = true;
    spec->max_attempts = 1;
    spec->retry_on = RETRY_DEFAULT_ON;
}

/* A URI as a path, for path_is_within; the caller frees. */
static char *place_of(const char *uri)
{
    char *path = uri_to_path(uri);

    return path ? path : xstrdup(uri);
}

/* What is kept at checkpoint.uri is put back at the next attempt, and at the next job
 * that has it: outputs must not be among it.  They go to OUTPUT_PATH/JOB/output; where
 * the job is named by us, to some folder of output_path. */
static void check_overlap(const struct job_spec *spec, const struct member_place *whole)
{
    struct member_place checkpoint = member_below(whole, "checkpoint");
    struct member_place at = member_below(&checkpoint, "uri");
    auto_free char *outputs = NULL;
    auto_free char *kept = NULL;

    if (!spec->output_path || !spec->checkpoint_uri)
        return;
    outputs = place_of(spec->output_path);
    kept = place_of(spec->checkpoint_uri);
    if (spec->name) {
        auto_free char *path = steal_ptr(&outputs);
        bool ends_in_slash = path[strlen(path) - 1] == '/';

        outputs =
            xasprintf("%s%s%s/output", path, ends_in_slash ? "" : "/", spec->name);
    }
    if (path_is_within(outputs, kept) || (spec->name && path_is_within(kept, outputs)))
        member_problem(&at, "keep them in a folder that outputs are not stored in",
                       "has the outputs of output_path in it, which would be restored "
                       "as checkpoints");
}

void spec_check_data(const struct job_spec *spec, const struct cJSON *json,
                     const struct member_place *whole)
{
    struct member_place compression = member_below(whole, "output_compression");

    check_overlap(spec, whole);
    if (json_get(json, "output_compression") && !json_get(json, "output_path"))
        member_problem(&compression, "leave it out, or give output_path",
                       "goes only with output_path");
}

void spec_inputs_to_json(const struct job_spec *spec, struct cJSON *json)
{
    struct cJSON *inputs = json_object_new();

    for (size_t i = 0; i < spec->channel_count; i++)
        json_set(inputs, spec->channels[i].name, channel_to_json(&spec->channels[i]));
    json_set(json, "inputs", inputs);
}

void spec_outputs_to_json(const struct job_spec *spec, struct cJSON *json)
{
    struct cJSON *checkpoint;

    if (spec->output_path) {
        json_set_text(json, "output_path", spec->output_path);
        json_set_text(json, "output_compression",
                      output_compression_names[spec->output_compressed]);
    }
    if (!spec->checkpoint_uri)
        return;
    checkpoint = json_object_new();
    json_set_text(checkpoint, "uri", spec->checkpoint_uri);
    json_set_text(checkpoint, "local_path", spec->checkpoint_path);
    json_set(json, "checkpoint", checkpoint);
}

struct cJSON *spec_retry_to_json(const struct job_spec *spec)
{
    struct cJSON *retry = json_object_new();
    struct cJSON *on = json_array_new();

    json_set_int(retry, "max_attempts", spec->max_attempts);
    for (size_t i = 0; retry_cause_names[i]; i++)
        if (spec->retry_on & 1U << i)
            json_append_text(on, retry_cause_names[i]);
    json_set(retry, "on", on);
    return retry;
}

void spec_data_clear(struct job_spec *spec)
{
    for (size_t i = 0; i < spec->channel_count; i++)
        channel_clear(&spec->channels[i]);
    free(spec->channels);
    free(spec->output_path);
    free(spec->checkpoint_uri);
    free(spec->checkpoint_path);
}
