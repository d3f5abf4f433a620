/* Namespaces of one's own, and what is shown in them.  Decides how, not who or when:
 * that is src/worker/isolate.c's. */

#include "src/namespaces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char opt[] = "/opt";

/* The kernel wants each of these files in one write. */
static int write_whole(const char *path, const char *words, struct err *err)
{
    auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, words, strlen(words)) < 0)
        return err_sys(err, errno, "write %s", path);
    return 0;
}

/* user_namespaces(7): a process without privilege may map its own user, and its own
 * group once it has given up setgroups. */
static int map_own(uid_t user, gid_t group, struct err *err)
{
    char map[64];

    snprintf(map, sizeof map, "%u %u 1", user, user);
    if (write_whole("/proc/self/uid_map", map, err) < 0
        || write_whole("/proc/self/setgroups", "deny", err) < 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", group, group);
    return write_whole("/proc/self/gid_map", map, err);
}

/* user_namespaces(7): what a limit says by ENOSPC has nothing to do with a disk. */
static int refused(int errno_value, struct err *err)
{
    if (errno_value == ENOSPC)
        return err_set(err, ERR_LIMIT,
                       "user namespace: user.max_user_namespaces permits no more");
    return err_sys(err, errno_value, "user namespace");
}

int namespaces_enter(struct err *err)
{
    uid_t user = geteuid();
    gid_t group = getegid();

    if (unshare(CLONE_NEWNS | CLONE_NEWUTS) < 0) {
        if (errno != EPERM)
            return err_sys(err, errno, "mount namespace");
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS) < 0)
            return refused(errno, err);
        if (map_own(user, group, err) < 0)
            return err_wrap(err, "user namespace");
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return err_sys(err, errno, "mounts in a namespace");
    return 0;
}

int namespaces_bind(const char *source, const char *target, struct err *err)
{
    if (mount(source, target, NULL, MS_BIND | MS_REC, NULL) < 0)
        return err_sys(err, errno, "show %s at %s", source, target);
    return 0;
}

/* mount_setattr(2), Linux 5.12: of the whole tree at once, and what a user namespace
 * has locked (nosuid, nodev ...) stays as it is, where a remount would have to repeat
 * it. */
int namespaces_bind_read_only(const char *source, const char *target, struct err *err)
{
    struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY };

    if (namespaces_bind(source, target, err) < 0)
        return -1;
    if (mount_setattr(AT_FDCWD, target, AT_RECURSIVE, &read_only, sizeof read_only)
        < 0) {
        int errno_value = errno;

        umount2(target, MNT_DETACH);
        return err_sys(err, errno_value, "show %s read-only", source);
    }
    return 0;
}

static int show_link(const char *name, const char *target, struct err *err)
{
    char words[PATH_MAX];
    ssize_t len = readlink(name, words, sizeof words - 1);

    if (len < 0)
        return err_sys(err, errno, "read the link %s", target);
    words[len] = '\0';
    if (symlink(words, target) < 0)
        return err_sys(err, errno, "link %s", target);
    return 0;
}

/* One entry of the host's /opt, which is the present folder, in ours. */
static int show_entry(const char *name, struct err *err)
{
    auto_free char *target = xasprintf("%s/%s", opt, name);
    auto_close int file = -1;
    struct stat entry;

    if (lstat(name, &entry) < 0)
        return errno == ENOENT ? 0
                               : err_sys(err, errno, "%s", target); /* gone by now */
    if (S_ISLNK(entry.st_mode))
        return show_link(name, target, err);
    if (S_ISDIR(entry.st_mode)) {
        if (mkdir(target, 0755) < 0)
            return err_sys(err, errno, "make %s", target);
    } else {
        file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (file < 0)
            return err_sys(err, errno, "make %s", target);
    }
    return namespaces_bind(name, target, err);
}

static int show_entries(struct err *err)
{
    DIR *entries = opendir(".");
    struct dirent *entry;
    int result = 0;

    if (!entries)
        return err_sys(err, errno, "list %s", opt);
    while (result == 0 && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0
            && strcmp(entry->d_name, "ml") != 0)
            result = show_entry(entry->d_name, err);
    closedir(entries);
    return result;
}

/* The present folder stays the host's /opt when ours covers it. */
static int cover_opt(struct err *err)
{
    if (chdir(opt) < 0)
        return err_sys(err, errno, "%s", opt);
    if (mount("railhead", opt, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") < 0)
        return err_sys(err, errno, "cover %s", opt);
    if (show_entries(err) < 0)
        return -1;
    if (mkdir(ML_FOLDER, 0755) < 0)
        return err_sys(err, errno, "make %s", ML_FOLDER);
    return 0;
}

int namespaces_bind_ml(const char *source, struct err *err)
{
    struct stat folder;
    bool covered = stat(ML_FOLDER, &folder) < 0 || !S_ISDIR(folder.st_mode);

    if (covered && cover_opt(err) < 0)
        return -1;
    if (namespaces_bind(source, ML_FOLDER, err) < 0)
        return -1;
    /* What is written into a cover would be lost: better that it fails. */
    if (covered
        && mount(NULL, opt, NULL,
                 MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL)
               < 0)
        return err_sys(err, errno, "close %s", opt);
    if (chdir("/") < 0)
        return err_sys(err, errno, "/");
    return 0;
}

/* In the child: all that a worker will do, with things that every host has. */
static int try_all(struct err *err)
{
    char name[HOST_NAME_MAX + 1];

    if (namespaces_enter(err) < 0 || namespaces_bind_ml("/etc", err) < 0
        || namespaces_bind("/etc/hosts", "/etc/hosts", err) < 0)
        return -1;
    if (gethostname(name, sizeof name) < 0 || sethostname(name, strlen(name)) < 0)
        return err_sys(err, errno, "set the host name");
    return 0;
}

int namespaces_probe(struct err *err)
{
    struct err why = { .code = ERR_INTERNAL, .text = "the try ended early" };
    int pipe_fds[2];
    ssize_t got;
    pid_t pid;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    pid = fork();
    if (pid < 0) {
        int errno_value = errno;

        close(pipe_fds[0]);
        close(pipe_fds[1]);
        return err_sys(err, errno_value, "fork");
    }
    if (pid == 0) {
        if (try_all(&why) == 0)
            why.text[0] = '\0';
        (void)!write(pipe_fds[1], &why, sizeof why);
        _exit(0);
    }
    close(pipe_fds[1]);
    got = read(pipe_fds[0], &why, sizeof why);
    close(pipe_fds[0]);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (got == (ssize_t)sizeof why && !why.text[0])
        return 0;
    return err_set(err, why.code, "%s", why.text);
}
