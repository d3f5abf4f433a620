/* railhead-stage out: what the job leaves behind, of all its workers together.  Where a
 * name is taken the lowest worker has it.  Nothing is removed here. */

#include "src/archive_stream.h"
#include "src/files.h"
#include "src/stage/copy.h"
#include "src/stage/manifest.h"
#include "src/stage/move.h"
#include "src/stage/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    TRIES = 3
};

/* One of the two things that are stored. */
struct output {
    struct stage *stage;
    const char *what;    /* "model" */
    const char *archive; /* "model.tar.gz" */
    char *target;        /* output_uri as a source; ends in a slash */
    char **roots;        /* where it is, by worker; ends in NULL */
    bool warns;          /* what is left out is told once, */
    size_t left_out;     /* and counted */
    struct progress progress;
    struct archive_writer *writer; /* while an archive is made */
    int fd;
};

typedef int entry_f(struct output *output, const struct objects *objects, size_t index,
                    struct err *err);

/* --- the trees of all workers as one --- */

/* The job may have put links in the place of what is beneath: see open_settled. */
static char *root_of(const char *ml_folder, const char *beneath)
{
    auto_free char *ml = path_settle(ml_folder);

    return xasprintf("%s/%s", ml, beneath);
}

enum taken {
    NAME_FREE,
    NAME_SHARED, /* a folder there, too */
    NAME_TAKEN,
    NAME_BENEATH_TAKEN /* what is no folder there is one here, which was told */
};

/* What an earlier worker's tree has at `name` or on the way to it. */
static enum taken look_up(const char *root, const char *name)
{
    const struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
    auto_close int folder = open_settled(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    auto_close int fd = -1;
    struct stat status;

    if (folder < 0)
        return NAME_FREE;
    fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
    if (fd < 0)
        return errno == ENOENT ? NAME_FREE : NAME_BENEATH_TAKEN;
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
        return NAME_SHARED;
    return NAME_TAKEN;
}

static bool is_taken(const struct output *output, size_t worker,
                     const struct objects *objects, size_t index)
{
    bool is_folder = objects->items[index].kind == OBJECT_FOLDER;
    const char *name = object_name(objects, index);

    for (size_t i = 0; i < worker; i++) {
        enum taken taken = look_up(output->roots[i], name);

        if (taken == NAME_FREE)
            continue;
        if (output->warns
            && (taken == NAME_TAKEN || (taken == NAME_SHARED && !is_folder)))
            say_warning("%s/%s of instance %zu is left out: instance %zu has the name",
                        output->what, name, worker, i);
        return true;
    }
    return false;
}

static int each_of_root(struct output *output, size_t worker, entry_f *on_entry,
                        struct err *err)
{
    auto_objects struct objects objects = { 0 };

    if (walk(output->roots[worker], WALK_ALL, output->warns, &objects, err) < 0)
        return err->code == ERR_NOT_FOUND ? 0 : -1;
    if (output->warns)
        output->left_out += objects.left_out;
    if (objects_arrange(&objects, err) < 0)
        return -1;
    for (size_t i = 0; i < objects.count; i++)
        if (!is_taken(output, worker, &objects, i)
            && on_entry(output, &objects, i, err) < 0)
            return -1;
    return 0;
}

static int each_entry(struct output *output, entry_f *on_entry, struct err *err)
{
    for (size_t worker = 0; output->roots[worker]; worker++)
        if (each_of_root(output, worker, on_entry, err) < 0)
            return -1;
    return 0;
}

static int count_entry(struct output *output, const struct objects *objects,
                       size_t index, struct err *err)
{
    (void)err;
    if (objects->items[index].kind != OBJECT_FOLDER) {
        output->progress.objects_total++;
        output->progress.bytes_total += objects->items[index].size;
    }
    return 0;
}

/* --- as an archive --- */

static int write_archive(void *context, const void *bytes, size_t len, struct err *err)
{
    const struct output *output = context;

    return write_all(output->fd, bytes, len, err);
}

static void count_packed(void *context, int64_t bytes)
{
    struct output *output = context;

    progress_add(&output->progress, bytes, 0);
}

static void leave_out(struct output *output, const char *why)
{
    if (!output->warns)
        return;
    output->left_out++;
    say_warning("%s/%s: it is left out", output->what, why);
}

static int pack_entry(struct output *output, const struct objects *objects,
                      size_t index, struct err *err)
{
    auto_free char *path = object_source(objects, index);
    const char *name = object_name(objects, index);

    if (archive_writer_add(output->writer, path, name, count_packed, err) < 0) {
        if (err->code != ERR_INVALID)
            return -1;
        leave_out(output, err->text);
    }
    if (objects->items[index].kind != OBJECT_FOLDER)
        progress_add(&output->progress, 0, 1);
    return 0;
}

static int pack(struct output *output, const char *path, struct err *err)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    int result;

    output->fd =
        source_is_s3(output->target) ? open_settled(path, flags) : partial_open(path);
    if (output->fd < 0)
        return err_sys(err, errno, "open %s", path);
    result = archive_writer_new(write_archive, output, &output->writer, err);
    if (result == 0)
        result = each_entry(output, pack_entry, err);
    if (result == 0)
        result = archive_writer_finish(output->writer, err);
    if (result == 0 && fsync(output->fd) < 0)
        result = err_sys(err, errno, "sync %s", path);
    archive_writer_free(steal_ptr(&output->writer));
    base_close(&output->fd);
    return result < 0 ? err_wrap(err, "write %s", path) : 0;
}

/* Where an archive is made: of a folder's beside its place, else in this worker's ML.
 */
static char *packing_path(const struct output *output, const char *target)
{
    auto_free char *folder = root_of(output->stage->plan->ml_folder, "output");
    auto_free char *place = source_is_s3(target)
                                ? xasprintf("%s/%s", folder, output->archive)
                                : xstrdup(target);

    return partial_path(place);
}

static int send_archive(struct output *output, const char *packed, const char *target,
                        struct err *err)
{
    struct progress progress = { .phase = "uploading",
                                 .what = output->archive,
                                 .objects_total = 1 };
    struct stat status;

    if (!source_is_s3(target)) {
        if (rename(packed, target) < 0)
            return err_sys(err, errno, "rename to %s", target);
        return 0;
    }
    if (stat(packed, &status) < 0)
        return err_sys(err, errno, "look at %s", packed);
    progress.bytes_total = status.st_size;
    return put_file(output->stage, packed, target, &progress, err);
}

static int store_archive(struct output *output, struct err *err)
{
    auto_free char *target = xasprintf("%s%s", output->target, output->archive);
    auto_free char *packed = packing_path(output, target);
    int result;

    output->progress.bytes = 0;
    output->progress.objects = 0;
    if (make_folder_of(packed, err) < 0)
        return -1;
    if (!source_is_s3(target))
        remove_left_partials(target);
    result = pack(output, packed, err);
    output->warns = false;
    if (result == 0)
        result = send_archive(output, packed, target, err);
    unlink(packed);
    return result;
}

/* --- as a tree --- */

static int put_entry(struct output *output, const struct objects *objects, size_t index,
                     struct err *err)
{
    const char *name = object_name(objects, index);
    auto_free char *path = object_source(objects, index);
    auto_free char *target = xasprintf("%s%s/%s", output->target, output->what, name);

    if (objects->items[index].kind == OBJECT_FILE)
        return put_file(output->stage, path, target, &output->progress, err);
    if (objects->items[index].kind == OBJECT_LINK) {
        auto_free char *why = xasprintf("%s is a link", name);

        leave_out(output, why);
        progress_add(&output->progress, 0, 1);
    }
    return 0;
}

static int store_tree(struct output *output, struct err *err)
{
    int result;

    output->progress.bytes = 0;
    output->progress.objects = 0;
    result = each_entry(output, put_entry, err);
    output->warns = false;
    return result;
}

/* --- either --- */

/* S3 is tried again for every request; a folder may be another machine's, too. */
static int store_again_and_again(struct output *output, struct err *err)
{
    bool packs = output->stage->plan->output_compressed;
    int tries = source_is_s3(output->target) ? 1 : TRIES;
    int result = -1;

    for (int try = 1; try <= tries; try++) {
        result = packs ? store_archive(output, err) : store_tree(output, err);
        if (result == 0)
            break;
        if (try < tries)
            sleep(1U << (try - 1));
    }
    return result;
}

static char *uri_of_stored(const struct output *output)
{
    auto_free char *uri = uri_of_source(output->target);

    return output->stage->plan->output_compressed
               ? xasprintf("%s%s", uri, output->archive)
               : xasprintf("%s%s/", uri, output->what);
}

/* ML/BENEATH of every worker. */
static char **find_roots(const struct worker_plan *plan, const char *beneath)
{
    char **roots = NULL;

    for (char *const *peer = plan->peers; peer && *peer; peer++) {
        auto_free char *ml = xasprintf("%s/ml", *peer);

        words_add(&roots, root_of(ml, beneath));
    }
    if (!roots)
        words_add(&roots, root_of(plan->ml_folder, beneath));
    return roots;
}

/* *uri stays NULL when there is nothing to store. */
static int store(struct output *output, char **uri, struct err *err)
{
    output->progress = (struct progress){ .phase = "uploading", .what = output->what };
    output->fd = -1;
    if (each_entry(output, count_entry, err) < 0)
        return err_wrap(err, "%s", output->what);
    if (output->progress.objects_total == 0)
        return 0;
    output->warns = true;
    say_progress(&output->progress);
    if (store_again_and_again(output, err) < 0)
        return err_wrap(err, "%s", output->what);
    say_last_progress(&output->progress);
    say_left_out(output->what, output->left_out);
    *uri = uri_of_stored(output);
    return 0;
}

static int store_one(struct stage *stage, struct output *output, const char *beneath,
                     char **uri, struct err *err)
{
    auto_free char *source = NULL;
    int result;

    if (source_of_uri(stage->plan->output_uri, &source, err) < 0)
        return -1;
    output->stage = stage;
    output->target = source_of_folder(source);
    output->roots = find_roots(stage->plan, beneath);
    result = store(output, uri, err);
    free(output->target);
    words_free(output->roots);
    return result;
}

int stage_out(struct stage *stage, struct err *err)
{
    struct output model = { .what = "model", .archive = "model.tar.gz" };
    struct output output = { .what = "output", .archive = "output.tar.gz" };
    auto_free char *model_uri = NULL;
    auto_free char *output_uri = NULL;

    if (!stage->plan->output_uri)
        return err_set(err, ERR_INVALID, "the plan has no output_uri");
    if (store_one(stage, &model, "model", &model_uri, err) < 0
        || store_one(stage, &output, "output/data", &output_uri, err) < 0)
        return -1;
    say_artifacts(model_uri, output_uri);
    return 0;
}
