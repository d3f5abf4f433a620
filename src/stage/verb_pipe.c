/* railhead-stage pipe: every Pipe channel's listing, FIFOs and feeders, a process a
 * FIFO.  How they are fed is feed.c's. */

#include "src/child.h"
#include "src/files.h"
#include "src/stage/copy.h"
#include "src/stage/feed.h"
#include "src/stage/listing.h"
#include "src/stage/say.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

/* A Pipe channel, listed once for all of its feeders. */
struct source {
    struct objects objects;
    int64_t *lines;
    size_t line_count;
};

static int add_line(void *context, const char *line, int64_t offset, struct err *err)
{
    struct source *source = context;
    size_t limit = STAGE_LISTING_BYTES / sizeof *source->lines;

    (void)line;
    if (source->line_count == limit)
        return err_set(err, ERR_LIMIT, "more than %zu lines", limit);
    /* Room doubles whenever the count is a power of two. */
    if ((source->line_count & (source->line_count - 1)) == 0)
        source->lines =
            xrealloc(source->lines, (source->line_count ? 2 * source->line_count : 1)
                                        * sizeof *source->lines);
    source->lines[source->line_count++] = offset;
    return 0;
}

static int list_lines(struct stage *stage, const struct channel *channel,
                      struct source *source, struct err *err)
{
    auto_free char *path = channel_manifest_path(stage, channel);

    if (fetch_manifest(stage, channel, err) < 0
        || each_manifest_line(path, add_line, source, err) < 0)
        return err_wrap(err, "channel %s: %s", channel->name, channel->uri);
    if (source->line_count == 0)
        return err_set(err, ERR_INVALID, "channel %s: there are no lines in %s",
                       channel->name, channel->uri);
    return 0;
}

/* `used` is what the listings before took of what all may. */
static int list_source(struct stage *stage, const struct channel *channel,
                       struct source *source, size_t *used, struct err *err)
{
    if (channel->data == CHANNEL_AUGMENTED_MANIFEST)
        return list_lines(stage, channel, source, err);
    source->objects.limit = STAGE_LISTING_BYTES - *used;
    if (list_channel(stage, channel, &source->objects, err) < 0)
        return -1;
    *used += objects_size(&source->objects);
    return 0;
}

static void warn_of_empty_shares(const struct stage *stage,
                                 const struct channel *channel, size_t count)
{
    size_t shares =
        (size_t)stage->plan->worker_count * (size_t)stage->plan->local_processes;

    if (channel->distribution == CHANNEL_SHARDED_BY_S3_KEY && count < shares)
        say_warning("channel %s: %zu objects for %zu processes: some get none",
                    channel->name, count, shares);
}

static void set_up_feed(struct feed *feed, struct stage *stage,
                        const struct channel *channel, const struct source *source,
                        int local)
{
    const struct worker_plan *plan = stage->plan;

    *feed = (struct feed){ .stage = stage,
                           .channel = channel,
                           .objects = &source->objects,
                           .lines = source->lines,
                           .count = source->lines ? source->line_count
                                                  : source->objects.count,
                           .share = { 0, 1, 0, 1 } };
    if (channel->distribution == CHANNEL_SHARDED_BY_S3_KEY)
        feed->share = (struct share){ plan->worker, plan->worker_count, local,
                                      plan->local_processes };
    if (plan->local_processes > 1)
        feed->stem = xasprintf("%s/input/data/rank-%d/%s", plan->ml_folder, local,
                               channel->name);
    else
        feed->stem = xasprintf("%s/input/data/%s", plan->ml_folder, channel->name);
}

static int make_first_fifos(const struct feed *feed, struct err *err)
{
    if (make_folder_of(feed->stem, err) < 0)
        return -1;
    return feed_make_first(feed, err);
}

/* All channels, each as often as the instance has processes. */
struct feeds {
    struct source *sources;
    struct feed *feeds;
    size_t count;
};

static int set_up(struct stage *stage, struct feeds *feeds, struct err *err)
{
    const struct worker_plan *plan = stage->plan;
    size_t locals = (size_t)plan->local_processes;
    size_t used = 0;

    feeds->sources = xcalloc(plan->channel_count, sizeof *feeds->sources);
    feeds->feeds = xcalloc(plan->channel_count * locals, sizeof *feeds->feeds);
    for (size_t i = 0; i < plan->channel_count; i++) {
        const struct channel *channel = &plan->channels[i];
        struct source *source = &feeds->sources[i];

        if (channel->mode != CHANNEL_PIPE)
            continue;
        if (list_source(stage, channel, source, &used, err) < 0)
            return -1;
        for (int local = 0; local < plan->local_processes; local++) {
            struct feed *feed = &feeds->feeds[feeds->count++];

            set_up_feed(feed, stage, channel, source, local);
            if (make_first_fifos(feed, err) < 0)
                return -1;
        }
        warn_of_empty_shares(stage, channel, feeds->feeds[feeds->count - 1].count);
    }
    return 0;
}

static int run_feed(void *context, struct err *err)
{
    return feed_run(context, err);
}

/* Feeders end only by failing, and with this process. */
static int watch(const struct child *children, size_t count, struct err *err)
{
    auto_free struct pollfd *fds = xcalloc(count, sizeof *fds);

    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){ .fd = children[i].fd, .events = POLLIN };
    for (;;) {
        if (poll(fds, count, -1) < 0 && errno != EINTR)
            return err_sys(err, errno, "wait for the feeders");
        for (size_t i = 0; i < count; i++)
            if (fds[i].revents)
                return child_wait(&children[i], err);
    }
}

static int start_and_watch(struct stage *stage, struct feeds *feeds, struct err *err)
{
    auto_free struct child *children = xcalloc(feeds->count, sizeof *children);

    stage_close_s3(stage);
    for (size_t i = 0; i < feeds->count; i++)
        if (child_start(&children[i], run_feed, &feeds->feeds[i], err) < 0)
            return -1;
    say_ready();
    return watch(children, feeds->count, err);
}

int stage_pipe(struct stage *stage, struct err *err)
{
    const struct worker_plan *plan = stage->plan;
    struct feeds feeds = { 0 };
    int result = 0;

    if (plan->channel_count > 0 && plan->local_processes > 0)
        result = set_up(stage, &feeds, err);
    if (result == 0 && feeds.count == 0)
        say_ready();
    else if (result == 0)
        result = start_and_watch(stage, &feeds, err);
    for (size_t i = 0; i < feeds.count; i++)
        free(feeds.feeds[i].stem);
    free(feeds.feeds);
    for (size_t i = 0; feeds.sources && i < plan->channel_count; i++) {
        objects_clear(&feeds.sources[i].objects);
        free(feeds.sources[i].lines);
    }
    free(feeds.sources);
    return result;
}
