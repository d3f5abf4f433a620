/* railhead-stage in: what has to be on the disk before a program starts. */

#include "src/files.h"
#include "src/stage/copy.h"
#include "src/stage/listing.h"
#include "src/stage/manifest.h"
#include "src/stage/move.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is to come, in all and by where it goes. */
struct survey {
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

/* One link for a whole folder.  The worker may have made an empty folder in its place.
 */
static int link_folder(const struct channel *channel, const char *folder, bool *is_done,
                       struct err *err)
{
    auto_free char *source = NULL;
    struct stat status;

    *is_done = false;
    if (channel->distribution != CHANNEL_FULLY_REPLICATED)
        return 0;
    if (source_of_uri(channel->uri, &source, err) < 0)
        return -1;
    if (stat(source, &status) < 0 || !S_ISDIR(status.st_mode))
        return 0;
    if (rmdir(folder) < 0 && errno != ENOENT && errno != ENOTDIR)
        return err_sys(err, errno, "replace %s by a link", folder);
    *is_done = true;
    return make_link(source, folder, err);
}

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

static int survey_channel(struct stage *stage, const struct channel *channel,
                          struct survey *survey, struct err *err)
{
    auto_free char *folder = channel_folder(stage, channel);
    auto_objects struct objects objects = { 0 };

    if (list_share(stage, channel, &objects, err) < 0)
        return -1;
    warn_of(stage, channel, &objects);
    survey->objects += (int64_t)objects.count;
    if (is_linked(channel))
        return 0;
    survey->bytes += objects_bytes(&objects);
    survey->data_needs += missing_bytes(&objects, folder);
    return 0;
}

static int fill_channel(struct stage *stage, const struct channel *channel,
                        struct progress *progress, struct err *err)
{
    auto_free char *folder = channel_folder(stage, channel);
    auto_objects struct objects objects = { 0 };
    bool is_done = false;

    progress->what = channel->name;
    if (list_share(stage, channel, &objects, err) < 0)
        return -1;
    if (is_linked(channel) && link_folder(channel, folder, &is_done, err) < 0)
        return -1;
    if (is_done) {
        progress_add(progress, 0, (int64_t)objects.count);
        return 0;
    }
    if (folder_make(folder, 0755, err) < 0)
        return -1;
    if (is_linked(channel))
        return link_objects(&objects, folder, progress, err);
    if (fetch_objects(stage, &objects, folder, progress, err) < 0)
        return err_wrap(err, "channel %s", channel->name);
    return 0;
}

/* --- checkpoints --- */

static int list_checkpoints(struct stage *stage, struct objects *objects,
                            struct err *err)
{
    auto_free char *source = NULL;

    if (source_of_uri(stage->plan->checkpoint_uri, &source, err) < 0
        || list_folder(stage, source, objects, err) < 0)
        return err_wrap(err, "checkpoints");
    return 0;
}

static int restore_checkpoints(struct stage *stage, struct progress *progress,
                               struct err *err)
{
    auto_objects struct objects objects = { 0 };
    auto_free char *marker = NULL;

    progress->phase = "restoring";
    progress->what = "checkpoints";
    if (list_checkpoints(stage, &objects, err) < 0)
        return -1;
    if (fetch_objects(stage, &objects, stage->plan->checkpoint_path, progress, err) < 0)
        return err_wrap(err, "checkpoints");
    marker = restored_marker_path(stage);
    return file_replace(marker, "", 0, 0644, false, err);
}

static int survey_checkpoints(struct stage *stage, struct survey *survey,
                              struct err *err)
{
    auto_objects struct objects objects = { 0 };

    if (list_checkpoints(stage, &objects, err) < 0)
        return -1;
    survey->objects += (int64_t)objects.count;
    survey->bytes += objects_bytes(&objects);
    survey->checkpoints_need = missing_bytes(&objects, stage->plan->checkpoint_path);
    return 0;
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

    if (plan->checkpoint_uri && survey_checkpoints(stage, survey, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->channel_count; i++)
        if (plan->channels[i].mode != CHANNEL_PIPE
            && survey_channel(stage, &plan->channels[i], survey, err) < 0)
            return -1;
    return check_room(stage, survey, err);
}

int stage_in(struct stage *stage, struct err *err)
{
    const struct worker_plan *plan = stage->plan;
    struct progress progress = { .phase = "downloading",
                                 .what = "all channels",
                                 .bytes_total = -1,
                                 .objects_total = -1 };
    struct survey survey = { 0 };

    if (plan->checkpoint_uri) {
        progress.phase = "restoring";
        progress.what = "checkpoints";
    }
    say_progress(&progress);
    if (survey_all(stage, &survey, err) < 0)
        return -1;
    progress.bytes_total = survey.bytes;
    progress.objects_total = survey.objects;
    if (plan->checkpoint_uri && restore_checkpoints(stage, &progress, err) < 0)
        return -1;
    progress.phase = "downloading";
    for (size_t i = 0; i < plan->channel_count; i++)
        if (plan->channels[i].mode != CHANNEL_PIPE
            && fill_channel(stage, &plan->channels[i], &progress, err) < 0)
            return -1;
    say_last_progress(&progress);
    return 0;
}
