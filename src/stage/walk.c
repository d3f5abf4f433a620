/* What is beneath a local folder. */

#include "src/stage/walk.h"

#include "src/files.h"
#include "src/stage/copy.h"
#include "src/stage/manifest.h"
#include "src/stage/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each level holds a file descriptor. */
enum {
    DEPTH_MAX = 100
};

struct walker {
    const char *folder;
    enum walk_how how;
    bool warn;
    struct objects *objects;
    struct text name; /* beneath the folder, of where the walk is */
    struct {
        dev_t device;
        ino_t inode;
    } above[DEPTH_MAX + 1]; /* the folders that lead to it */
};

static int add(struct walker *walker, enum object_kind kind, const struct stat *status,
               struct err *err)
{
    struct object_facts facts = {
        .name = walker->name.bytes,
        .kind = kind,
        .size = kind == OBJECT_FILE ? status->st_size : 0,
        .mtime_ns =
            (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
    };

    return objects_add(walker->objects, &facts, err);
}

static int walk_folder(struct walker *walker, int parent, const char *name, int depth,
                       struct err *err);

static void leave_out(const struct walker *walker, const char *what)
{
    walker->objects->left_out++;
    if (walker->warn)
        say_warning("%s/%s is %s: it is left out", walker->folder, walker->name.bytes,
                    what);
}

/* `name` is what the walker's name ends in. */
static int walk_entry(struct walker *walker, int parent, const char *name, int depth,
                      struct err *err)
{
    bool follows = walker->how == WALK_FOLLOW;
    struct stat status;

    if (fstatat(parent, name, &status, follows ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno == ENOENT && !follows)
            return 0;
        return err_sys(err, errno, "look at %s/%s", walker->folder, walker->name.bytes);
    }
    if (S_ISREG(status.st_mode))
        return add(walker, OBJECT_FILE, &status, err);
    if (S_ISLNK(status.st_mode) && walker->how == WALK_ALL)
        return add(walker, OBJECT_LINK, &status, err);
    if (S_ISDIR(status.st_mode)) {
        if (walker->how == WALK_ALL && add(walker, OBJECT_FOLDER, &status, err) < 0)
            return -1;
        return walk_folder(walker, parent, name, depth + 1, err);
    }
    leave_out(walker, S_ISLNK(status.st_mode) ? "a link" : "no regular file");
    return 0;
}

static int walk_entries(struct walker *walker, DIR *entries, int depth, struct err *err)
{
    size_t len = walker->name.len;
    struct dirent *entry;

    for (errno = 0; (entry = readdir(entries)); errno = 0) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0
            || text_starts_with(name, PARTIAL_PREFIX))
            continue;
        text_printf(&walker->name, "%s%s", len ? "/" : "", name);
        if (walk_entry(walker, dirfd(entries), name, depth, err) < 0)
            return -1;
        walker->name.len = len;
        walker->name.bytes[len] = '\0';
    }
    return errno ? err_sys(err, errno, "read %s", walker->folder) : 0;
}

/* Refuses links that lead in circles: two of them double the walk at every level. */
static int enter(struct walker *walker, int fd, int depth, struct err *err)
{
    struct stat status;

    if (depth > DEPTH_MAX)
        return err_set(err, ERR_INVALID, "%s: more than %d folders deep",
                       walker->folder, DEPTH_MAX);
    if (fstat(fd, &status) < 0)
        return err_sys(err, errno, "look at %s", walker->folder);
    for (int i = 0; i < depth; i++)
        if (walker->above[i].device == status.st_dev
            && walker->above[i].inode == status.st_ino)
            return err_set(err, ERR_INVALID, "%s/%s leads back to a folder above it",
                           walker->folder, walker->name.bytes);
    walker->above[depth].device = status.st_dev;
    walker->above[depth].inode = status.st_ino;
    return 0;
}

static int walk_folder(struct walker *walker, int parent, const char *name, int depth,
                       struct err *err)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    bool may_vanish = depth > 0 && walker->how != WALK_FOLLOW;
    auto_close int fd = -1;
    DIR *entries;
    int result;

    if (depth > 0 || walker->how == WALK_FOLLOW)
        fd = openat(parent, name, may_vanish ? flags | O_NOFOLLOW : flags);
    else
        fd = open_settled(name, flags);
    if (fd < 0 && may_vanish && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return 0;
    if (fd < 0 && errno == ELOOP && depth == 0)
        return err_set(
            err, ERR_INVALID,
            "%s is a link: what is to be stored must be in the folder itself",
            walker->folder);
    if (fd < 0)
        return err_sys(err, errno, "read %s%s%s", walker->folder, depth ? "/" : "",
                       depth ? walker->name.bytes : "");
    if (enter(walker, fd, depth, err) < 0)
        return -1;
    entries = fdopendir(fd);
    if (!entries)
        return err_sys(err, errno, "read %s", walker->folder);
    steal_fd(&fd);
    result = walk_entries(walker, entries, depth, err);
    closedir(entries);
    return result;
}

int walk(const char *folder, enum walk_how how, bool warn, struct objects *objects,
         struct err *err)
{
    struct walker walker = { .folder = folder,
                             .how = how,
                             .warn = warn,
                             .objects = objects };
    int result;

    text_puts(&walker.name, "");
    objects->base = source_of_folder(folder);
    result = walk_folder(&walker, AT_FDCWD, folder, 0, err);
    text_clear(&walker.name);
    return result;
}
