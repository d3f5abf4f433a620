/*
 * Whole files and folders: read, replace, make, remove.
 *
 * Folders may hold what a job left there, and the job's user may still change them
 * while we look: nothing here follows a link beneath a folder that is being removed.
 */

#include "src/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_FIRST = 4096
};

/* Reads to the end, for files in /proc say that their size is 0. */
static int read_to_end(int fd, const char *name, size_t limit, char **bytes,
                       size_t *len, struct err *err)
{
    size_t room = READ_FIRST;
    auto_free char *buffer = xmalloc(room);
    size_t used = 0;

    for (;;) {
        ssize_t got = read(fd, buffer + used, room - used - 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_sys(err, errno, "read %s", name);
        if (got == 0)
            break;
        used += (size_t)got;
        if (used > limit)
            return err_set(err, ERR_LIMIT, "%s is larger than %zu bytes", name, limit);
        if (used + 1 == room) {
            room *= 2;
            buffer = xrealloc(buffer, room);
        }
    }
    buffer[used] = '\0';
    *bytes = steal_ptr(&buffer);
    if (len)
        *len = used;
    return 0;
}

int file_read(const char *path, size_t limit, char **bytes, size_t *len,
              struct err *err)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return err_sys(err, errno, "open %s", path);
    return read_to_end(fd, path, limit, bytes, len, err);
}

int file_read_at(int folder, const char *name, size_t limit, char **bytes, size_t *len,
                 struct err *err)
{
    /* A job that puts a FIFO here must not make the reader wait. */
    auto_close int fd =
        openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;

    if (fd < 0)
        return err_sys(err, errno, "open %s", name);
    if (fstat(fd, &status) < 0)
        return err_sys(err, errno, "stat %s", name);
    if (!S_ISREG(status.st_mode))
        return err_set(err, ERR_INVALID, "%s is not a regular file", name);
    return read_to_end(fd, name, limit, bytes, len, err);
}

int write_all(int fd, const void *bytes, size_t len, struct err *err)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t wrote = write(fd, at, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return err_sys(err, errno, "write");
        at += wrote;
        len -= (size_t)wrote;
    }
    return 0;
}

/* The name in a folder is on disk only when the folder is. */
static int sync_folder_of(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    auto_free char *folder = NULL;
    auto_close int fd = -1;

    if (!slash)
        folder = xstrdup(".");
    else
        folder = xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "open %s", folder);
    if (fsync(fd) < 0)
        return err_sys(err, errno, "sync %s", folder);
    return 0;
}

static int fill(int fd, const void *bytes, size_t len, mode_t mode, bool durable,
                struct err *err)
{
    if (write_all(fd, bytes, len, err) < 0)
        return -1;
    if (fchmod(fd, mode) < 0)
        return err_sys(err, errno, "set the mode");
    if (durable && fsync(fd) < 0)
        return err_sys(err, errno, "sync");
    return 0;
}

int file_replace(const char *path, const void *bytes, size_t len, mode_t mode,
                 bool durable, struct err *err)
{
    auto_free char *temp = xasprintf("%s.new.XXXXXX", path);
    auto_close int fd = mkostemp(temp, O_CLOEXEC);
    int result;

    if (fd < 0)
        return err_sys(err, errno, "make %s", temp);
    result = fill(fd, bytes, len, mode, durable, err);
    if (result < 0)
        err_wrap(err, "%s", temp);
    else if (rename(temp, path) < 0)
        result = err_sys(err, errno, "rename %s to %s", temp, path);
    if (result < 0) {
        unlink(temp);
        return -1;
    }
    return durable ? sync_folder_of(path, err) : 0;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The path less its last part; NULL when that is all there is. */
static char *path_above(const char *path)
{
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    while (len > 1 && path[len - 1] == '/')
        len--;
    return len > 0 && strncmp(path, "/", len) != 0 ? xstrndup(path, len) : NULL;
}

/* From the end on: most often what is above is there. */
int folder_make(const char *path, mode_t mode, struct err *err)
{
    auto_free char *above = NULL;

    if (mkdir(path, mode) == 0)
        return 0;
    if (errno == ENOENT && (above = path_above(path))) {
        if (folder_make(above, mode, err) < 0)
            return -1;
        if (mkdir(path, mode) == 0)
            return 0;
    }
    if (errno != EEXIST)
        return err_sys(err, errno, "make folder %s", path);
    return is_folder(path) ? 0 : err_sys(err, ENOTDIR, "make folder %s", path);
}

/*
 * Removal.  A tree may be deeper than our stack and our table of descriptors, and a
 * folder in it may be swapped for a link at any moment.  So the tree is made flat: only
 * the top and one folder in it are ever open, and a full folder below that one is first
 * moved up into the top.  Each folder moves at most once, so the work is linear in what
 * there is to remove.
 */
struct removal {
    DIR *top;
    uint64_t moved;
};

static void close_folder(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

#define auto_folder __attribute__((cleanup(close_folder)))

/* A job may have closed its folders to us, their owner.  When this cannot help, the
 * next call on the folder says why. */
static bool unlock_folder(int parent, const char *name)
{
    return fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Opens a folder whose content is to go, or returns NULL. */
static DIR *open_doomed(int parent, const char *name, struct err *err)
{
    auto_close int fd = -1;
    DIR *folder = NULL;

    (void)unlock_folder(parent, name);
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        folder = fdopendir(fd);
    if (!folder) {
        err_sys(err, errno, "open folder %s", name);
        return NULL;
    }
    (void)steal_fd(&fd);
    return folder;
}

/* Removes what is no full folder, and says whether it is gone.  A mount is another's
 * data: the kernel says EBUSY of it, and it is not entered. */
static int remove_simple(int folder, const char *name, bool *gone, struct err *err)
{
    *gone = unlinkat(folder, name, 0) == 0 || errno == ENOENT;
    if (*gone)
        return 0;
    if (errno != EISDIR)
        return err_sys(err, errno, "remove %s", name);
    *gone = unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
    if (*gone || errno == ENOTEMPTY)
        return 0;
    return err_sys(err, errno, "remove folder %s", name);
}

/* The next name in `folder` that is not "." or ".."; NULL at the end. */
static int next_name(DIR *folder, const char **name, struct err *err)
{
    const struct dirent *entry;

    do {
        errno = 0;
        entry = readdir(folder);
        if (!entry && errno)
            return err_sys(err, errno, "list");
    } while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
    *name = entry ? entry->d_name : NULL;
    return 0;
}

static int move_up(struct removal *removal, int folder, const char *name,
                   struct err *err)
{
    char moved[40];

    /* Its ".." changes: that needs the right to write in it. */
    (void)unlock_folder(folder, name);
    for (;;) {
        snprintf(moved, sizeof moved, ".removed-%" PRIu64, removal->moved++);
        if (renameat(folder, name, dirfd(removal->top), moved) == 0 || errno == ENOENT)
            return 0;
        /* The name is taken, by a full folder or by a file. */
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            return err_sys(err, errno, "move folder %s", name);
    }
}

static int empty_child(struct removal *removal, const char *child_name, struct err *err)
{
    auto_folder DIR *child = open_doomed(dirfd(removal->top), child_name, err);
    const char *name = NULL;
    bool gone = false;

    if (!child)
        return -1;
    for (;;) {
        if (next_name(child, &name, err) < 0)
            return -1;
        if (!name)
            return 0;
        if (remove_simple(dirfd(child), name, &gone, err) < 0)
            return -1;
        if (!gone && move_up(removal, dirfd(child), name, err) < 0)
            return -1;
    }
}

/* One pass over the top; *clean says that it found nothing. */
static int empty_top(struct removal *removal, bool *clean, struct err *err)
{
    const char *name = NULL;
    bool gone = false;

    *clean = true;
    rewinddir(removal->top);
    for (;;) {
        if (next_name(removal->top, &name, err) < 0)
            return -1;
        if (!name)
            return 0;
        *clean = false;
        if (remove_simple(dirfd(removal->top), name, &gone, err) < 0)
            return -1;
        if (!gone
            && (empty_child(removal, name, err) < 0
                || remove_simple(dirfd(removal->top), name, &gone, err) < 0))
            return -1;
    }
}

static int remove_full(const char *path, struct err *err)
{
    auto_folder DIR *top = open_doomed(AT_FDCWD, path, err);
    struct removal removal = { .top = top };
    bool clean = false;

    if (!top)
        return -1;
    while (!clean)
        if (empty_top(&removal, &clean, err) < 0)
            return -1;
    if (rmdir(path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "remove folder");
    return 0;
}

int folder_remove(const char *path, struct err *err)
{
    bool gone = false;

    if (remove_simple(AT_FDCWD, path, &gone, err) < 0)
        return -1;
    if (gone || remove_full(path, err) == 0)
        return 0;
    return err_wrap(err, "%s", path);
}

static char *own_folder(void)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (len <= 0)
        return NULL;
    self[len] = '\0';
    slash = strrchr(self, '/');
    return slash ? xstrndup(self, (size_t)(slash - self)) : NULL;
}

char *path_of_helper(const char *name)
{
    auto_free char *folder = own_folder();
    auto_free char *beside = folder ? xasprintf("%s/%s", folder, name) : NULL;

    if (beside && access(beside, R_OK) == 0)
        return steal_ptr(&beside);
    return xasprintf("%s/%s", RAILHEAD_LIBEXECDIR, name);
}

char *path_absolute(const char *path)
{
    auto_free char *here = NULL;

    if (*path == '/')
        return xstrdup(path);
    here = getcwd(NULL, 0);
    /* A present folder that was removed has no name; then the path stays as it is. */
    return here ? xasprintf("%s/%s", here, path) : xstrdup(path);
}
