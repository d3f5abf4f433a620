/* Fetching and storing, local or by S3. */

#include "src/stage/move.h"

#include "src/files.h"
#include "src/stage/copy.h"
#include "src/stage/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool object_is_at(const struct object *object, const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISREG(status.st_mode)
           && status.st_size == object->size
           && (object->mtime_ns == 0
               || object->mtime_ns
                      == (int64_t)status.st_mtim.tv_sec * 1000000000
                             + status.st_mtim.tv_nsec);
}

/* --- from S3 --- */

/* An object on its way. */
struct moving {
    struct s3_uri from;
    char *to;
    char *partial;
    struct moving *before, *after;
};

struct fetcher {
    const struct objects *objects;
    const char *folder;
    struct progress *progress;
    size_t next;
    struct moving *under_way;
    struct err why; /* set when a folder could not be made */
    bool failed;
};

static void moving_free(struct fetcher *fetcher, struct moving *moving)
{
    if (moving->before)
        moving->before->after = moving->after;
    else
        fetcher->under_way = moving->after;
    if (moving->after)
        moving->after->before = moving->before;
    s3_uri_clear(&moving->from);
    free(moving->to);
    free(moving->partial);
    free(moving);
}

static struct moving *moving_new(struct fetcher *fetcher)
{
    struct moving *moving = xcalloc(1, sizeof *moving);

    moving->after = fetcher->under_way;
    if (moving->after)
        moving->after->before = moving;
    fetcher->under_way = moving;
    return moving;
}

/* The next one that comes from S3 and is not there; false at the end. */
static bool skip_to_next(struct fetcher *fetcher, char **source, char **to)
{
    const struct objects *objects = fetcher->objects;

    for (; fetcher->next < objects->count; fetcher->next++) {
        auto_free char *from = object_source(objects, fetcher->next);
        auto_free char *path =
            xasprintf("%s/%s", fetcher->folder, object_name(objects, fetcher->next));

        if (!source_is_s3(from) || object_is_at(&objects->items[fetcher->next], path))
            continue;
        *source = steal_ptr(&from);
        *to = steal_ptr(&path);
        return true;
    }
    return false;
}

static bool give_next(void *context, struct s3_wanted *out)
{
    struct fetcher *fetcher = context;
    auto_free char *source = NULL;
    auto_free char *to = NULL;
    const struct object *object;
    struct moving *moving;

    if (fetcher->failed || !skip_to_next(fetcher, &source, &to))
        return false;
    object = &fetcher->objects->items[fetcher->next++];
    moving = moving_new(fetcher);
    if (s3_uri_parse(source, &moving->from, &fetcher->why) < 0
        || make_folder_of(to, &fetcher->why) < 0) {
        fetcher->failed = true;
        return false;
    }
    moving->to = steal_ptr(&to);
    moving->partial = partial_path(moving->to);
    *out = (struct s3_wanted){ .bucket = moving->from.bucket,
                               .key = moving->from.key,
                               .size = object->size,
                               .path = moving->partial,
                               .tag = moving };
    if (object->etag)
        out->etag = fetcher->objects->texts.bytes + object->etag;
    return true;
}

static int take_whole(void *context, const struct s3_wanted *wanted, struct err *err)
{
    struct fetcher *fetcher = context;
    struct moving *moving = wanted->tag;

    if (rename(moving->partial, moving->to) < 0)
        return err_sys(err, errno, "rename to %s", moving->to);
    moving_free(fetcher, moving);
    progress_add(fetcher->progress, 0, 1);
    return 0;
}

static void count_bytes(void *context, int64_t bytes)
{
    struct fetcher *fetcher = context;

    progress_add(fetcher->progress, bytes, 0);
}

static int fetch_from_s3(struct stage *stage, const struct objects *objects,
                         const char *folder, struct progress *progress, struct err *err)
{
    struct fetcher fetcher = { .objects = objects,
                               .folder = folder,
                               .progress = progress };
    const struct s3_fetch fetch = { .next = give_next,
                                    .on_done = take_whole,
                                    .on_bytes = count_bytes,
                                    .context = &fetcher };
    struct s3 *s3;
    int result;

    if (stage_s3(stage, &s3, err) < 0)
        return -1;
    result = s3_fetch(s3, &fetch, err);
    while (fetcher.under_way)
        moving_free(&fetcher, fetcher.under_way);
    if (result == 0 && fetcher.failed) {
        *err = fetcher.why;
        return -1;
    }
    return result;
}

/* --- whatever it is --- */

int fetch_objects(struct stage *stage, const struct objects *objects,
                  const char *folder, struct progress *progress, struct err *err)
{
    bool any_s3 = false;

    for (size_t i = 0; i < objects->count; i++) {
        auto_free char *source = object_source(objects, i);
        auto_free char *to = xasprintf("%s/%s", folder, object_name(objects, i));

        if (object_is_at(&objects->items[i], to)) {
            progress_add(progress, objects->items[i].size, 1);
        } else if (source_is_s3(source)) {
            any_s3 = true;
        } else {
            if (copy_file(source, to, progress, err) < 0)
                return -1;
            progress_add(progress, 0, 1);
        }
    }
    return any_s3 ? fetch_from_s3(stage, objects, folder, progress, err) : 0;
}

struct head {
    struct objects *objects;
    const char *source;
};

static int add_head(void *context, const struct s3_object *object, struct err *err)
{
    struct head *head = context;
    struct object_facts facts = { .name = strrchr(head->source, '/') + 1,
                                  .source = head->source,
                                  .etag = object->etag,
                                  .size = object->size };

    return objects_add(head->objects, &facts, err);
}

int head_at_s3(struct stage *stage, const char *source, struct objects *objects,
               struct err *err)
{
    auto_s3_uri struct s3_uri uri = { 0 };
    struct head head = { objects, source };
    struct s3 *s3;

    if (s3_uri_parse(source, &uri, err) < 0 || stage_s3(stage, &s3, err) < 0)
        return -1;
    return s3_head(s3, uri.bucket, uri.key, add_head, &head, err);
}

int fetch_one(struct stage *stage, const char *source, const char *to, struct err *err)
{
    auto_objects struct objects one = { 0 };
    struct progress progress = { .phase = "downloading",
                                 .what = strrchr(to, '/') + 1,
                                 .bytes_total = -1,
                                 .objects_total = 1 };
    const char *slash = strrchr(to, '/');
    auto_free char *folder = xstrndup(to, (size_t)(slash - to));
    struct object_facts facts = { .name = slash + 1, .source = source };

    if (!source_is_s3(source))
        return copy_file(source, to, NULL, err);
    {
        auto_objects struct objects found = { 0 };

        if (head_at_s3(stage, source, &found, err) < 0)
            return -1;
        facts.size = found.items[0].size;
    }
    if (objects_add(&one, &facts, err) < 0)
        return -1;
    return fetch_from_s3(stage, &one, folder, &progress, err);
}

/* --- storing --- */

struct sending {
    struct progress *progress;
    int64_t sent;
};

static void count_sent(void *context, int64_t sent, int64_t total)
{
    struct sending *sending = context;

    (void)total;
    progress_add(sending->progress, sent - sending->sent, 0);
    sending->sent = sent;
}

/* What is stored is to be there after a power cut, too. */
static int sync_file(const char *path, struct err *err)
{
    auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return err_sys(err, errno, "sync %s", path);
    return 0;
}

int put_file(struct stage *stage, const char *from, const char *target,
             struct progress *progress, struct err *err)
{
    struct sending sending = { .progress = progress };
    auto_s3_uri struct s3_uri to = { 0 };
    struct s3 *s3;

    if (!source_is_s3(target)) {
        remove_left_partials(target);
        if (copy_settled(from, target, progress, err) < 0 || sync_file(target, err) < 0)
            return -1;
    } else if (s3_uri_parse(target, &to, err) < 0 || stage_s3(stage, &s3, err) < 0
               || s3_put_file(s3, &to, from, count_sent, &sending, err) < 0) {
        return -1;
    }
    progress_add(progress, 0, 1);
    return 0;
}

int remove_at(struct stage *stage, const char *target, struct err *err)
{
    auto_s3_uri struct s3_uri which = { 0 };
    struct s3 *s3;

    if (!source_is_s3(target)) {
        if (unlink(target) < 0 && errno != ENOENT)
            return err_sys(err, errno, "remove %s", target);
        return 0;
    }
    if (s3_uri_parse(target, &which, err) < 0 || stage_s3(stage, &s3, err) < 0)
        return -1;
    return s3_delete(s3, &which, err);
}
