/* railhead-stage checkpoints: keeps a URI as a folder is.  A file is stored when two
 * looks have seen it the same; what this worker stored or was given and then removed is
 * removed there, too; nothing else there is touched, for others may store there. */

#include "src/clock.h"
#include "src/files.h"
#include "src/stage/kept.h"
#include "src/stage/listing.h"
#include "src/stage/manifest.h"
#include "src/stage/move.h"
#include "src/stage/walk.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LAST_TRIES = 4,
    /* Of the time between two looks a look may take one part in so many: at most 5 % of
     * a core for any tree. */
    LOOK_SHARE = 20
};

#define LOOK_EVERY     (2 * USEC_PER_SEC)
#define LOOK_EVERY_MAX (60 * USEC_PER_SEC)
/* How long what is gone waits for new files that are written to all the time, as logs
 * are: each may be the next checkpoint, and what it replaces takes room. */
#define GONE_WAITS (600 * USEC_PER_SEC)

struct syncing {
    struct stage *stage;
    const char *folder;  /* checkpoint_path */
    char *target;        /* where it is kept, as a source; ends in a slash */
    int64_t restored_ns; /* when what `in` restored was complete; 0: nothing was */
    struct objects known;
    bool kept_changed; /* since it was written (kept.h) */
    struct progress progress;
    bool is_last;
    usec_t look_took; /* the last one */
    size_t failures;  /* of this pass */
    struct err why;   /* of its first */
};

/* Of the three listings that may be there at a time each has a third of the room. */
static void set_limit(struct objects *objects)
{
    objects->limit = STAGE_LISTING_BYTES / 3;
}

static void note_failure(struct syncing *syncing, const struct err *err)
{
    if (syncing->failures++ == 0)
        syncing->why = *err;
}

/* --- what is stored already --- */

/* Calls for each pair of the same name; both are sorted. */
static void match(const struct syncing *syncing, struct objects *here,
                  const struct objects *there,
                  void (*on_pair)(const struct syncing *syncing, struct object *here,
                                  const struct object *there))
{
    size_t at = 0;

    for (size_t i = 0; i < here->count; i++)
        if (objects_has_next(there, there->count, &at, object_name(here, i)))
            on_pair(syncing, &here->items[i], &there->items[at]);
}

/* S3 has times of its own: what comes from there and is not younger than the end of
 * restoring is as it was restored. */
static void take_restored(const struct syncing *syncing, struct object *here,
                          const struct object *there)
{
    bool is_same = here->size == there->size
                   && (there->mtime_ns == 0 ? here->mtime_ns <= syncing->restored_ns
                                            : here->mtime_ns == there->mtime_ns);

    here->state = is_same ? OBJECT_STORED : OBJECT_STORED_BEFORE;
}

static int64_t time_of_restoring(const struct stage *stage)
{
    auto_free char *marker = restored_marker_path(stage);
    struct stat status;

    if (stat(marker, &status) < 0)
        return 0;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

/* Whether the folder is there: one that is away, to be replaced as a whole or because
 * nothing was saved yet, says nothing of what was in it. */
static int look(struct syncing *syncing, struct objects *objects, bool *is_there,
                struct err *err)
{
    usec_t began = clock_boot();

    set_limit(objects);
    *is_there = walk(syncing->folder, WALK_FILES, syncing->is_last, objects, err) == 0;
    syncing->look_took = clock_boot() - began;
    if (!*is_there)
        return err->code == ERR_NOT_FOUND ? 0 : -1;
    return objects_arrange(objects, err);
}

/* It stays known, so that its removal is tried another time: without a size, and its
 * time is since when. */
static int add_gone(struct objects *objects, const char *name, int64_t since_ns,
                    struct err *err)
{
    struct object_facts facts = { .name = name, .size = -1, .mtime_ns = since_ns };

    if (objects_add(objects, &facts, err) < 0)
        return -1;
    objects->items[objects->count - 1].state = OBJECT_STORED_BEFORE;
    return 0;
}

/* What was kept, is there and is not here any more was removed before this look. */
static int take_removed(struct syncing *syncing, const struct objects *there,
                        struct err *err)
{
    auto_objects struct objects kept = { 0 };
    size_t count = syncing->known.count;
    size_t at_there = 0;
    size_t at = 0;

    set_limit(&kept);
    if (kept_read(syncing->stage, &kept, err) < 0)
        return -1;
    for (size_t i = 0; i < kept.count; i++) {
        const char *name = object_name(&kept, i);

        if (objects_has_next(there, there->count, &at_there, name)
            && !objects_has_next(&syncing->known, count, &at, name)
            && add_gone(&syncing->known, name, clock_boot() * NSEC_PER_USEC, err) < 0)
            return -1;
    }
    return objects_sort(&syncing->known, err);
}

/* Files of a first look that are at the URI as well are what was restored. */
static int look_first(struct syncing *syncing, struct err *err)
{
    auto_objects struct objects there = { 0 };
    bool is_there;

    set_limit(&there);
    if (list_folder(syncing->stage, syncing->target, &there, err) < 0
        || look(syncing, &syncing->known, &is_there, err) < 0)
        return -1;
    match(syncing, &syncing->known, &there, take_restored);
    return take_removed(syncing, &there, err);
}

/* --- one pass --- */

static bool is_unchanged(const struct object *one, const struct object *other)
{
    return one->size == other->size && one->mtime_ns == other->mtime_ns;
}

/* What was seen before keeps its state; what has changed since is stored, if at all, as
 * it was before. */
static void take_state(const struct syncing *syncing, struct object *here,
                       const struct object *before)
{
    (void)syncing;
    here->state = before->state;
    here->is_steady = is_unchanged(here, before);
    if (here->state == OBJECT_STORED && !here->is_steady)
        here->state = OBJECT_STORED_BEFORE;
}

/* A file that vanished or grew meanwhile is none of our failures: the next look sees
 * what became of it. */
static bool is_moving(const struct syncing *syncing, const char *path,
                      const struct err *err)
{
    return !syncing->is_last && (err->code == ERR_CONFLICT || access(path, F_OK) < 0);
}

static void store(struct syncing *syncing, struct objects *objects, size_t index)
{
    struct object *object = &objects->items[index];
    auto_free char *path = object_source(objects, index);
    auto_free char *target =
        xasprintf("%s%s", syncing->target, object_name(objects, index));
    struct err err;

    if (put_file(syncing->stage, path, target, &syncing->progress, &err) == 0) {
        object->state = OBJECT_STORED;
    } else if (!is_moving(syncing, path, &err)) {
        err_wrap(&err, "checkpoint %s", object_name(objects, index));
        note_failure(syncing, &err);
    }
}

static bool is_due(const struct syncing *syncing, const struct object *object)
{
    return object->state != OBJECT_STORED && (object->is_steady || syncing->is_last);
}

/* At the end there will be no other look that needs it. */
static void write_kept(struct syncing *syncing, const struct objects *one,
                       const struct objects *other)
{
    struct err err;

    if (!syncing->kept_changed || syncing->is_last)
        return;
    if (kept_write(syncing->stage, one, other, &err) < 0)
        note_failure(syncing, &err);
    else
        syncing->kept_changed = false;
}

/* Whose storing fails may be there nevertheless: an answer can be lost. */
static void begin_object(struct syncing *syncing, struct object *object)
{
    syncing->progress.objects_total++;
    syncing->progress.bytes_total += object->size;
    if (object->state != OBJECT_NEW)
        return;
    object->state = OBJECT_BEGUN;
    syncing->kept_changed = true;
}

static void store_due(struct syncing *syncing, struct objects *objects)
{
    struct progress *progress = &syncing->progress;

    *progress = (struct progress){ .phase = "uploading", .what = "checkpoints" };
    for (size_t i = 0; i < objects->count; i++)
        if (is_due(syncing, &objects->items[i]))
            begin_object(syncing, &objects->items[i]);
    write_kept(syncing, objects, &syncing->known);
    for (size_t i = 0; i < objects->count; i++)
        if (is_due(syncing, &objects->items[i]))
            store(syncing, objects, i);
    if (progress->objects_total > 0)
        say_last_progress(progress);
}

/* What is there is what the next attempt begins with: it stays until all that is new
 * here, its successor among it, is there as well. */
static bool is_complete(const struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->items[i].state == OBJECT_NEW
            || objects->items[i].state == OBJECT_BEGUN)
            return false;
    return true;
}

static bool is_removed(struct syncing *syncing, const char *name)
{
    auto_free char *target = xasprintf("%s%s", syncing->target, name);
    struct err why;

    if (remove_at(syncing->stage, target, &why) == 0) {
        syncing->kept_changed = true;
        return true;
    }
    err_wrap(&why, "checkpoint %s was removed", name);
    note_failure(syncing, &why);
    return false;
}

static int remove_gone(struct syncing *syncing, size_t index, bool is_time,
                       struct objects *objects, struct err *err)
{
    const struct object *gone = &syncing->known.items[index];
    const char *name = object_name(&syncing->known, index);
    int64_t now_ns = clock_boot() * NSEC_PER_USEC;
    int64_t since_ns = gone->size < 0 ? gone->mtime_ns : now_ns;

    if (gone->state == OBJECT_NEW)
        return 0;
    if ((is_time || now_ns - since_ns > GONE_WAITS * NSEC_PER_USEC)
        && is_removed(syncing, name))
        return 0;
    return add_gone(objects, name, since_ns, err);
}

/* Both sorted; what is added comes behind `count` of objects. */
static int remove_all_gone(struct syncing *syncing, struct objects *objects,
                           struct err *err)
{
    size_t count = objects->count;
    bool is_time = is_complete(objects);
    size_t at = 0;

    for (size_t i = 0; i < syncing->known.count; i++) {
        const char *name = object_name(&syncing->known, i);

        if (!objects_has_next(objects, count, &at, name)
            && remove_gone(syncing, i, is_time, objects, err) < 0)
            return -1;
    }
    return objects->count > count ? objects_sort(objects, err) : 0;
}

/* -1 only when the folder cannot be looked at. */
static int pass(struct syncing *syncing, struct err *err)
{
    auto_objects struct objects objects = { 0 };
    bool is_there;

    syncing->failures = 0;
    if (look(syncing, &objects, &is_there, err) < 0)
        return -1;
    if (!is_there)
        return 0;
    match(syncing, &objects, &syncing->known, take_state);
    store_due(syncing, &objects);
    if (remove_all_gone(syncing, &objects, err) < 0)
        return -1;
    objects_clear(&syncing->known);
    syncing->known = objects;
    objects = (struct objects){ 0 };
    write_kept(syncing, &syncing->known, NULL);
    return 0;
}

static bool pass_is_well(struct syncing *syncing)
{
    struct err err;

    if (pass(syncing, &err) < 0)
        note_failure(syncing, &err);
    return syncing->failures == 0;
}

/* --- for as long as the job runs --- */

/* Whether SIGTERM, which is blocked, came within this time. */
static bool stop_comes_within(usec_t span)
{
    const struct timespec time = { .tv_sec = span / USEC_PER_SEC,
                                   .tv_nsec = span % USEC_PER_SEC * NSEC_PER_USEC };
    sigset_t stop;
    int got;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    do
        got = sigtimedwait(&stop, NULL, &time);
    while (got < 0 && errno == EINTR);
    return got == SIGTERM;
}

static usec_t longer(usec_t one, usec_t other)
{
    return one > other ? one : other;
}

static void keep_up(struct syncing *syncing)
{
    usec_t pause = LOOK_EVERY;

    while (!stop_comes_within(pause)) {
        if (pass_is_well(syncing)) {
            pause = longer(LOOK_EVERY, LOOK_SHARE * syncing->look_took);
        } else {
            say_warning("%s (%zu failures; they are tried again)", syncing->why.text,
                        syncing->failures);
            pause *= 2;
        }
        if (pause > LOOK_EVERY_MAX)
            pause = LOOK_EVERY_MAX;
    }
}

static int finish(struct syncing *syncing, struct err *err)
{
    syncing->is_last = true;
    for (int try = 1; try <= LAST_TRIES; try++) {
        if (pass_is_well(syncing))
            return 0;
        if (try < LAST_TRIES)
            sleep(1U << (try - 1));
    }
    *err = syncing->why;
    return -1;
}

int stage_checkpoints(struct stage *stage, struct err *err)
{
    auto_free char *folder = path_settle(stage->plan->checkpoint_path);
    struct syncing syncing = { .stage = stage, .folder = folder };
    auto_free char *source = NULL;
    sigset_t stop;
    int result;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    say_ready(); /* for a SIGTERM, which waits from here on */
    if (!stage->plan->checkpoint_uri)
        return err_set(err, ERR_INVALID, "the plan has no checkpoint_uri");
    if (source_of_uri(stage->plan->checkpoint_uri, &source, err) < 0)
        return -1;
    syncing.target = source_of_folder(source);
    syncing.restored_ns = time_of_restoring(stage);
    result = look_first(&syncing, err);
    if (result == 0) {
        say_ready(); /* what a program changes from here on is seen as a change */
        keep_up(&syncing);
        result = finish(&syncing, err);
    }
    if (result == 0)
        say_left_out("checkpoints", syncing.known.left_out);
    objects_clear(&syncing.known);
    free(syncing.target);
    return result < 0 ? err_wrap(err, "checkpoints") : 0;
}
