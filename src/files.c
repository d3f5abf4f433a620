/* Whole files and folders: read, replace, make. */

#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

int open_regular_at(int folder, const char *name)
{
    auto_close int fd =
        openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return -1;
    }
    return steal_fd(&fd);
}

FILE *file_open_regular(const char *path)
{
    auto_close int fd = open_regular_at(AT_FDCWD, path);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

    if (stream)
        (void)steal_fd(&fd);
    return stream;
}

int file_read_at(int folder, const char *name, size_t limit, char **bytes, size_t *len,
                 struct err *err)
{
    auto_close int fd = open_regular_at(folder, name);

    if (fd < 0 && errno == EINVAL)
        return err_set(err, ERR_INVALID, "%s is not a regular file", name);
    if (fd < 0)
        return err_sys(err, errno, "open %s", name);
    return read_to_end(fd, name, limit, bytes, len, err);
}

char *path_settle(const char *path)
{
    const char *slash = strrchr(path, '/');
    auto_free char *above = slash ? xstrndup(path, (size_t)(slash - path)) : NULL;
    auto_free char *real = above && *above ? realpath(above, NULL) : NULL;

    return real ? xasprintf("%s%s", strcmp(real, "/") == 0 ? "" : real, slash)
                : xstrdup(path);
}

int open_settled(const char *path, int flags)
{
    const struct open_how how = { .flags = (unsigned)flags,
                                  .mode = flags & O_CREAT ? 0644 : 0,
                                  .resolve = RESOLVE_NO_SYMLINKS };
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);

    /* Kernels before 5.6, and containers whose filter is older: the last part alone. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open(path, flags | O_NOFOLLOW, 0644);
    return fd;
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

int folder_sync_of(const char *path, struct err *err)
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
    return durable ? folder_sync_of(path, err) : 0;
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

/* The folder of this program; empty: not found out yet, or nobody knows. */
static char own_folder[PATH_MAX];

void path_find_own(void)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (*own_folder || len <= 0)
        return;
    self[len] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        memcpy(own_folder, self, (size_t)(slash - self));
}

char *path_of_helper(const char *name)
{
    auto_free char *beside = NULL;

    path_find_own();
    beside = xasprintf("%s/%s", own_folder, name);
    if (*own_folder && access(beside, R_OK) == 0)
        return steal_ptr(&beside);
    return xasprintf("%s/%s", RAILHEAD_LIBEXECDIR, name);
}

bool path_is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
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
