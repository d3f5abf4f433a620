/* The FIFOs of one local rank: made, opened, fed, left.  A name is there until its FIFO
 * is opened: who comes second finds none, and not half of the bytes. */

#include "src/stage/feed.h"

#include "src/json.h"
#include "src/stage/listing.h"
#include "src/stage/manifest.h"
#include "src/stage/pour.h"
#include "src/stage/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FIFO_SIZE = 1 << 20,
    /* Two that wait in open() are woken together; so long both may take to be seen. */
    SETTLE_MS = 5
};

static char *fifo_path(const struct feed *feed, int64_t epoch)
{
    return xasprintf("%s_%lld", feed->stem, (long long)epoch);
}

static int make_fifo(const struct feed *feed, int64_t epoch, struct err *err)
{
    auto_free char *path = fifo_path(feed, epoch);
    struct stat status;

    if (mkfifo(path, 0644) == 0)
        return 0;
    if (errno == EEXIST && lstat(path, &status) == 0 && S_ISFIFO(status.st_mode))
        return 0;
    return err_sys(err, errno, "make the FIFO %s", path);
}

int feed_make_first(const struct feed *feed, struct err *err)
{
    if (make_fifo(feed, 0, err) < 0)
        return -1;
    return make_fifo(feed, 1, err);
}

/* Waits, for as long as it takes, until somebody opens it.  Who does, and leaves at
 * once, opens the next before we are awake: so that one is there already, and this is
 * when the one after it is made. */
static int open_fifo(const struct feed *feed, int64_t epoch, int *out, struct err *err)
{
    auto_free char *path = fifo_path(feed, epoch);
    auto_close int fd = -1;

    do
        fd = open(path, O_WRONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return err_sys(err, errno, "open the FIFO %s", path);
    if (make_fifo(feed, epoch + 2, err) < 0)
        return -1;
    if (unlink(path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "remove the FIFO %s", path);
    /* Less is well, only slower. */
    (void)fcntl(fd, F_SETPIPE_SZ, FIFO_SIZE);
    *out = steal_fd(&fd);
    return 0;
}

/* --- augmented manifests --- */

static int pour_attribute(struct pour *pour, const struct cJSON *line, const char *name,
                          struct err *err)
{
    const struct cJSON *value = json_get(line, name);
    auto_free char *source = NULL;
    auto_free char *words = NULL;

    if (!value)
        return err_set(err, ERR_INVALID, "it has no attribute %s", name);
    if (attribute_is_reference(name) && json_text(value)) {
        if (source_of_uri(json_text(value), &source, err) < 0)
            return err_wrap(err, "%s", name);
        return pour_object(pour, source, -1, NULL, err);
    }
    words = json_text(value) ? xstrdup(json_text(value)) : json_print(value);
    return pour_bytes(pour, words, strlen(words), err);
}

/* One that is whole: its attributes in their order, or itself where none are named. */
static int pour_line(struct pour *pour, const char *words, struct err *err)
{
    char *const *attributes = pour->channel->attributes;
    auto_json struct cJSON *line = NULL;

    if (!attributes)
        return pour_bytes(pour, words, strlen(words), err);
    if (json_parse(words, strlen(words), &line, err) < 0)
        return -1;
    for (; *attributes; attributes++)
        if (pour_attribute(pour, line, *attributes, err) < 0)
            return -1;
    return 0;
}

/* The manifest is read anew for each line: their order is any. */
static int pour_line_at(struct pour *pour, int64_t offset, struct err *err)
{
    auto_free char *path = channel_manifest_path(pour->stage, pour->channel);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    auto_free char *line = xmalloc(MANIFEST_LINE_MAX + 1);
    ssize_t got = fd < 0 ? -1 : pread(fd, line, MANIFEST_LINE_MAX, offset);
    char *end;

    if (got < 0)
        return err_sys(err, errno, "read %s", path);
    line[got] = '\0';
    end = strchr(line, '\n');
    if (end)
        end[1] = '\0';
    if (pour_line(pour, line, err) < 0)
        return err_wrap(err, "the line at byte %lld", (long long)offset);
    return 0;
}

/* --- an epoch --- */

static int pour_item(const struct feed *feed, struct pour *pour, size_t index,
                     struct err *err)
{
    const struct object *object;
    auto_free char *source = NULL;
    const char *etag = NULL;

    if (feed->lines)
        return pour_line_at(pour, feed->lines[index], err);
    object = &feed->objects->items[index];
    source = object_source(feed->objects, index);
    if (object->etag)
        etag = feed->objects->texts.bytes + object->etag;
    return pour_object(pour, source, object->size, etag, err);
}

static int pour_epoch(const struct feed *feed, struct pour *pour, int64_t epoch,
                      struct err *err)
{
    auto_free uint32_t *order = NULL;

    if (feed->channel->shuffle) {
        order = xmalloc(feed->count * sizeof *order);
        order_shuffle(order, feed->count, feed->channel->shuffle_seed, epoch);
    }
    for (size_t k = 0; k < feed->count; k++)
        if (share_has(&feed->share, k)
            && pour_item(feed, pour, order ? order[k] : k, err) < 0)
            return -1;
    return 0;
}

/* Looked at before the bytes, and once more after, for who was late to be seen. */
static int feed_opened(const struct feed *feed, int fd, int64_t epoch, struct err *err)
{
    const struct timespec settle = { .tv_nsec = SETTLE_MS * 1000000L };
    struct pour pour = { .stage = feed->stage, .channel = feed->channel, .fd = fd };

    nanosleep(&settle, NULL);
    if (readers_check(fd, err) < 0)
        return -1;
    if (pour_epoch(feed, &pour, epoch, err) < 0)
        return pour.is_reader_gone ? 0 : -1;
    return readers_check(fd, err);
}

/* An fd that is left open on failure is so on purpose: see feed_run. */
static int feed_epoch(const struct feed *feed, int64_t epoch, struct err *err)
{
    int fd;

    if (open_fifo(feed, epoch, &fd, err) < 0)
        return -1;
    if (feed_opened(feed, fd, epoch, err) < 0)
        return err_wrap(err, "epoch %lld", (long long)epoch);
    close(fd);
    return 0;
}

int feed_run(struct feed *feed, struct err *err)
{
    for (int64_t epoch = 0;; epoch++)
        if (feed_epoch(feed, epoch, err) < 0)
            return err_wrap(err, "channel %s", feed->channel->name);
}
