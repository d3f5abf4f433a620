/* railhead-stage in: what has to be on the disk before a program starts. */

#include "src/files.h"
#include "src/stage/copy.h"
#include "src/stage/kept.h"
#include "src/stage/listing.h"
#include "src/stage/manifest.h"
#include "src/stage/move.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A channel, or the checkpoints: listed once, so that what vanishes after is missed. */
struct filling {
    const struct channel *channel; /* NULL: the checkpoints */
    char *folder;
    struct objects objects;
};

/* What is to come, one by one, in all, and by where it goes. */
struct survey {
    struct filling *fillings;
    size_t count;
    size_t listed; /* bytes that the listings take */
    int64_t bytes;
    int64_t objects;
    int64_t data_needs;       /* bytes that are not there yet, in ML/input/data */
    int64_t checkpoints_need; /* and in checkpoint_path */
};

static char *channel_folder(const struct stage *stage, const struct channel *channel)
{
    return xasprintf("%s/input/data/%s", stage->plan->ml_folder, channel->name);
}

/* This instance's objects of a channel, ready to be fetched. */
static int list_share(struct stage *stage, const struct channel *channel,
                      struct objects *objects, struct err *err)
{
    const struct worker_plan *plan = stage->plan;

    if (list_channel(stage, channel, objects, err) < 0)
        return -1;
    if (channel->distribution == CHANNEL_SHARDED_BY_S3_KEY)
        objects_keep_share(objects, plan->worker, plan->worker_count);
    if (measure_objects(stage, objects, err) < 0)
        return err_wrap(err, "channel %s", channel->name);
    return 0;
}

/* Bytes of those that are not in `folder` yet. */
static int64_t missing_bytes(const struct objects *objects, const char *folder)
{
    int64_t sum = 0;

    for (size_t i = 0; i < objects->count; i++) {
        auto_free char *path = xasprintf("%s/%s", folder, object_name(objects, i));

        if (!object_is_at(&objects->items[i], path))
            sum += objects->items[i].size;
    }
    return sum;
}

/* --- FastFile --- */

static bool is_linked(const struct channel *channel)
{
    return channel->mode == CHANNEL_FAST_FILE && !source_is_s3(channel->uri);
}

static int make_link(const char *target, const char *path, struct err *err)
{
    char found[4096];
    ssize_t len = readlink(path, found, sizeof found);

    if (len >= 0 && (size_t)len == strlen(target)
        && memcmp(found, target, (size_t)len) == 0)
        return 0;
    if (make_folder_of(path, err) < 0)
        return -1;
    if (symlink(target, path) < 0)
        return err_sys(err, errno, "link %s to %s", path, target);
    return 0;
}

/* Whether the worker shows the source itself there: src/worker/isolate.h. */
static bool is_shown(const struct objects *objects, const char *folder)
{
    struct stat source;
    struct stat shown;

    return stat(objects->base, &source) == 0 && stat(folder, &shown) == 0
           && source.st_dev == shown.st_dev && source.st_ino == shown.st_ino;
}

/* One a file, never one of a folder: what removes the files of a channel removes links.
 */
static int link_objects(const struct objects *objects, const char *folder,
                        struct progress *progress, struct err *err)
{
    for (size_t i = 0; i < objects->count; i++) {
        auto_free char *source = object_source(objects, i);
        auto_free char *path = xasprintf("%s/%s", folder, object_name(objects, i));

        if (make_link(source, path, err) < 0)
            return -1;
        progress_add(progress, 0, 1);
    }
    return 0;
}

/* --- channels --- */

static void warn_of(const struct stage *stage, const struct channel *channel,
                    const struct objects *objects)
{
    if (channel->mode == CHANNEL_FAST_FILE && source_is_s3(channel->uri))
        say_warning("channel %s: FastFile of s3:// is fetched before the start, as "
                    "File is",
                    channel->name);
    if (objects->count == 0)
        say_warning("channel %s: fewer objects than the %d instances: none is for "
                    "instance %d",
                    channel->name, stage->plan->worker_count, stage->plan->worker);
}

static int list_filling(struct stage *stage, struct filling *filling, struct err *err)
{
    auto_free char *source = NULL;

    if (filling->channel)
        return list_share(stage, filling->channel, &filling->objects, err);
    if (source_of_uri(stage->plan->checkpoint_uri, &source, err) < 0
        || list_folder(stage, source, &filling->objects, err) < 0)
        return err_wrap(err, "checkpoints");
    return 0;
}

/* The listings together take no more than one may.  `channel` is NULL for the
 * checkpoints. */
static int survey_one(struct stage *stage, const struct channel *channel,
                      struct survey *survey, struct err *err)
{
    struct filling *filling = &survey->fillings[survey->count++];
    struct objects *objects = &filling->objects;

    filling->channel = channel;
    filling->folder = channel ? channel_folder(stage, channel)
                              : xstrdup(stage->plan->checkpoint_path);
    objects->limit = STAGE_LISTING_BYTES - survey->listed;
    if (list_filling(stage, filling, err) < 0)
        return -1;
    survey->listed += objects_size(objects);
    survey->objects += (int64_t)objects->count;
    if (channel)
        warn_of(stage, channel, objects);
    if (channel && is_linked(channel))
        return 0;
    survey->bytes += objects_bytes(objects);
    *(channel ? &survey->data_needs : &survey->checkpoints_need) +=
        missing_bytes(objects, filling->folder);
    return 0;
}

/* --- filling --- */

static int fill_channel(struct stage *stage, const struct filling *filling,
                        struct progress *progress, struct err *err)
{
    const struct objects *objects = &filling->objects;
    bool links = is_linked(filling->channel);

    progress->phase = "downloading";
    progress->what = filling->channel->name;
    if (links && is_shown(objects, filling->folder)) {
        progress_add(progress, 0, (int64_t)objects->count);
        return 0;
    }
    if (folder_make(filling->folder, 0755, err) < 0)
        return -1;
    if (links)
        return link_objects(objects, filling->folder, progress, err);
    if (fetch_objects(stage, objects, filling->folder, progress, err) < 0)
        return err_wrap(err, "channel %s", filling->channel->name);
    return 0;
}

static int restore_checkpoints(struct stage *stage, struct filling *filling,
                               struct progress *progress, struct err *err)
{
    auto_free char *marker = restored_marker_path(stage);

    if (fetch_objects(stage, &filling->objects, filling->folder, progress, err) < 0)
        return err_wrap(err, "checkpoints");
    for (size_t i = 0; i < filling->objects.count; i++)
        filling->objects.items[i].state = OBJECT_STORED;
    if (kept_write(stage, &filling->objects, NULL, err) < 0)
        return -1;
    return file_replace(marker, "", 0, 0644, false, err);
}

/* --- room --- */

static int check_room_at(const char *what, const char *path, int64_t needed,
                         int64_t free_bytes, struct err *err)
{
    if (needed <= free_bytes)
        return 0;
    return err_set(err, ERR_UNAVAILABLE,
                   "not enough room for %s: %s needs %lld bytes, %lld are free", what,
                   path, (long long)needed, (long long)free_bytes);
}

/* Before any byte is written. */
static int check_room(const struct stage *stage, const struct survey *survey,
                      struct err *err)
{
    auto_free char *data = xasprintf("%s/input/data", stage->plan->ml_folder);
    const char *checkpoints = stage->plan->checkpoint_path;
    uint64_t data_device;
    uint64_t other_device;
    int64_t data_room;
    int64_t other_room;

    if (room_at(data, &data_room, &data_device, err) < 0
        || room_at(checkpoints, &other_room, &other_device, err) < 0)
        return -1;
    if (check_room_at("the channels", data, survey->data_needs, data_room, err) < 0)
        return -1;
    if (data_device == other_device)
        other_room -= survey->data_needs;
    return check_room_at("the checkpoints", checkpoints, survey->checkpoints_need,
                         other_room, err);
}

static int survey_all(struct stage *stage, struct survey *survey, struct err *err)
{
    const struct worker_plan *plan = stage->plan;

    survey->fillings = xcalloc(plan->channel_count + 1, sizeof *survey->fillings);
    if (plan->checkpoint_uri && survey_one(stage, NULL, survey, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->channel_count; i++)
        if (plan->channels[i].mode != CHANNEL_PIPE
            && survey_one(stage, &plan->channels[i], survey, err) < 0)
            return -1;
    return check_room(stage, survey, err);
}

static void survey_clear(struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        free(survey->fillings[i].folder);
        objects_clear(&survey->fillings[i].objects);
    }
    free(survey->fillings);
}

static int fill_all(struct stage *stage, struct survey *survey,
                    struct progress *progress, struct err *err)
{
    if (survey_all(stage, survey, err) < 0)
        return -1;
    progress->bytes_total = survey->bytes;
    progress->objects_total = survey->objects;
    for (size_t i = 0; i < survey->count; i++) {
        struct filling *filling = &survey->fillings[i];

        if ((filling->channel ? fill_channel(stage, filling, progress, err)
                              : restore_checkpoints(stage, filling, progress, err))
            < 0)
            return -1;
    }
    say_last_progress(progress);
    return 0;
}

int stage_in(struct stage *stage, struct err *err)
{
    struct progress progress = { .phase = "downloading",
                                 .what = "all channels",
                                 .bytes_total = -1,
                                 .objects_total = -1 };
    struct survey survey = { 0 };
    int result;

    if (stage->plan->checkpoint_uri) {
        progress.phase = "restoring";
        progress.what = "checkpoints";
    }
    say_progress(&progress);
    result = fill_all(stage, &survey, &progress, err);
    survey_clear(&survey);
    return result;
}
