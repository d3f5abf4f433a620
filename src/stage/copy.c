/* Copying local files.  Which ones is decided elsewhere. */

#include "src/stage/copy.h"

#include "src/digest.h"
#include "src/files.h"
#include "src/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* How much is copied between two looks at the clock. */
enum {
    CHUNK_SIZE = 16 << 20,
    BUFFER_SIZE = 256 * 1024,
    PARTIAL_DIGITS = 16
};

static char owner[128];

void copy_name_partials(const char *job_id, int worker)
{
    snprintf(owner, sizeof owner, "%s-%d", job_id, worker);
}

char *partial_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    auto_free char *known = xasprintf("%s/%s", owner, name);
    char hex[DIGEST_HEX_SIZE];

    digest_bytes(known, strlen(known), hex);
    return xasprintf("%.*s" PARTIAL_PREFIX "%.*s", (int)(name - path), path,
                     PARTIAL_DIGITS, hex);
}

/* Who removes what is left has the lock while it does so; then the name is made again.
 * A file system without locks loses nothing: nothing is removed there. */
int partial_open(const char *partial)
{
    for (;;) {
        int fd =
            open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
        struct stat status;

        if (fd < 0)
            return -1;
        (void)flock(fd, LOCK_EX);
        if (fstat(fd, &status) < 0 || status.st_nlink > 0)
            return fd;
        close(fd);
    }
}

/* One that is closed and about to be renamed has no lock, too: should it be removed in
 * that moment the rename fails, and is tried again as any storing is. */
static void remove_if_left(int folder, const char *name)
{
    auto_close int fd =
        openat(folder, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
}

void remove_left_partials(const char *target)
{
    static char *last;
    auto_free char *folder = xstrndup(target, (size_t)(strrchr(target, '/') - target));
    struct dirent *entry;
    DIR *entries;

    if (last && strcmp(folder, last) == 0)
        return;
    entries = opendir(folder);
    if (!entries)
        return;
    while ((entry = readdir(entries)))
        if (text_starts_with(entry->d_name, PARTIAL_PREFIX))
            remove_if_left(dirfd(entries), entry->d_name);
    closedir(entries);
    free(last);
    last = steal_ptr(&folder);
}

int make_folder_of(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    auto_free char *folder = NULL;

    if (!slash || slash == path)
        return 0;
    folder = xstrndup(path, (size_t)(slash - path));
    return folder_make(folder, 0755, err);
}

int room_at(const char *path, int64_t *bytes, uint64_t *device, struct err *err)
{
    auto_free char *at = xstrdup(path);
    struct statvfs room;
    struct stat status;

    while (stat(at, &status) < 0) {
        char *slash = strrchr(at, '/');

        if (errno != ENOENT || !slash || slash == at)
            return err_sys(err, errno, "look at %s", path);
        *slash = '\0';
    }
    if (statvfs(at, &room) < 0)
        return err_sys(err, errno, "ask for the room at %s", at);
    *bytes = (int64_t)(room.f_bavail * room.f_frsize);
    *device = status.st_dev;
    return 0;
}

int err_disk_full(struct err *err, const char *path, int64_t needed)
{
    uint64_t device;
    int64_t room;

    if (room_at(path, &room, &device, NULL) < 0)
        room = 0;
    return err_set(err, ERR_DISK_FULL,
                   "the disk is full: %s needs %lld bytes, %lld are free", path,
                   (long long)needed, (long long)room);
}

static int write_failed(const char *path, int64_t needed, struct err *err)
{
    if (errno == ENOSPC || errno == EDQUOT)
        return err_disk_full(err, path, needed);
    return err_sys(err, errno, "write %s", path);
}

/* For pairs of file systems that copy_file_range does not know. */
static ssize_t copy_by_buffer(int from, int to)
{
    static char buffer[BUFFER_SIZE];
    ssize_t got = read(from, buffer, sizeof buffer);

    for (ssize_t done = 0; done < got;) {
        ssize_t wrote = write(to, buffer + done, (size_t)(got - done));

        if (wrote < 0 && errno != EINTR)
            return -1;
        done += wrote > 0 ? wrote : 0;
    }
    return got;
}

static ssize_t copy_some(int from, int to, bool *by_range)
{
    if (*by_range) {
        ssize_t got = copy_file_range(from, NULL, to, NULL, CHUNK_SIZE, 0);

        if (got > 0
            || (got < 0 && errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP
                && errno != ENOSYS && errno != EPERM))
            return got;
        /* 0 is also what some kernels say for files whose size they do not know. */
        *by_range = false;
    }
    return copy_by_buffer(from, to);
}

static int copy_bytes(int from, int to, const char *path, int64_t size,
                      struct progress *progress, struct err *err)
{
    bool by_range = true;
    int64_t done = 0;

    for (;;) {
        ssize_t got = copy_some(from, to, &by_range);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return write_failed(path, size - done, err);
        if (got == 0)
            return 0;
        done += got;
        if (progress)
            progress_add(progress, got, 0);
    }
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_size == other->st_size
           && one->st_mtim.tv_sec == other->st_mtim.tv_sec
           && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static int fill(int from, const char *path, struct progress *progress, struct err *err)
{
    auto_close int to = partial_open(path);
    struct stat before;
    struct stat after;
    struct timespec times[2];

    if (to < 0)
        return write_failed(path, 0, err);
    if (fstat(from, &before) < 0)
        return err_sys(err, errno, "look at what becomes %s", path);
    if (copy_bytes(from, to, path, before.st_size, progress, err) < 0)
        return -1;
    times[0] = before.st_mtim;
    times[1] = before.st_mtim;
    if (futimens(to, times) < 0)
        return err_sys(err, errno, "set the time of %s", path);
    if (fstat(from, &after) < 0 || !is_same(&before, &after) || fstat(to, &after) < 0
        || after.st_size != before.st_size)
        return err_set(err, ERR_CONFLICT, "it changed while it was copied");
    /* What is late to fail (NFS, quota) fails here. */
    if (close(steal_fd(&to)) < 0)
        return write_failed(path, before.st_size, err);
    return 0;
}

static const int source_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

/* `source` is what opening `from` gave. */
static int copy_open(int source, const char *from, const char *to,
                     struct progress *progress, struct err *err)
{
    auto_free char *partial = partial_path(to);
    struct stat status;

    if (source < 0 || fstat(source, &status) < 0)
        return err_sys(err, errno, "read %s", from);
    if (!S_ISREG(status.st_mode))
        return err_set(err, ERR_INVALID, "%s is not a regular file", from);
    if (make_folder_of(to, err) < 0)
        return -1;
    if (fill(source, partial, progress, err) < 0) {
        unlink(partial);
        return err_wrap(err, "copy %s", from);
    }
    if (rename(partial, to) < 0) {
        int error = errno;

        unlink(partial);
        return err_sys(err, error, "rename to %s", to);
    }
    return 0;
}

int copy_file(const char *from, const char *to, struct progress *progress,
              struct err *err)
{
    auto_close int source = open(from, source_flags);

    return copy_open(source, from, to, progress, err);
}

int copy_settled(const char *from, const char *to, struct progress *progress,
                 struct err *err)
{
    auto_close int source = open_settled(from, source_flags);

    return copy_open(source, from, to, progress, err);
}
