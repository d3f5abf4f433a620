/* Who reads a FIFO, by /proc. */

#include "src/stage/readers.h"

#include "src/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    INFO_MAX = 4096
};

struct reader {
    pid_t pid;
    int fd;
};

struct search {
    struct stat fifo;
    struct reader first; /* pid 0: none yet */
};

/* As proc(5) has it: octal, after "flags:".  What writes only is no reader. */
static bool is_for_reading(pid_t pid, int fd)
{
    auto_free char *path = xasprintf("/proc/%d/fdinfo/%d", (int)pid, fd);
    auto_free char *info = NULL;
    const char *flags;

    if (file_read(path, INFO_MAX, &info, NULL, NULL) < 0)
        return false;
    flags = strstr(info, "flags:");
    return flags && (strtoul(flags + 6, NULL, 8) & 3) != 1;
}

/* The kernel tells the order of two open files, 0 when they are one; where it does not
 * tell (no such call, no permission) nobody is blamed. */
static bool is_other_opening(const struct reader *one, const struct reader *other)
{
    return syscall(SYS_kcmp, one->pid, other->pid, KCMP_FILE, one->fd, other->fd) > 0;
}

static char *program_of(pid_t pid)
{
    auto_free char *path = xasprintf("/proc/%d/comm", (int)pid);
    char *name = NULL;

    if (file_read(path, INFO_MAX, &name, NULL, NULL) < 0)
        return xstrdup("gone");
    name[strcspn(name, "\n")] = '\0';
    return name;
}

static int meet(struct search *search, struct reader reader, struct err *err)
{
    auto_free char *one = NULL;
    auto_free char *other = NULL;

    if (search->first.pid == 0) {
        search->first = reader;
        return 0;
    }
    if (!is_other_opening(&search->first, &reader))
        return 0;
    one = program_of(search->first.pid);
    other = program_of(reader.pid);
    return err_set(err, ERR_INVALID,
                   "it is read twice at once: by process %d (%s) and process %d (%s)",
                   (int)search->first.pid, one, (int)reader.pid, other);
}

static int search_process(struct search *search, pid_t pid, struct err *err)
{
    auto_free char *path = xasprintf("/proc/%d/fd", (int)pid);
    DIR *entries = opendir(path);
    struct dirent *entry;
    struct stat status;
    int result = 0;

    while (entries && result == 0 && (entry = readdir(entries))) {
        struct reader reader = { pid, (int)strtol(entry->d_name, NULL, 10) };

        if (isdigit((unsigned char)entry->d_name[0])
            && fstatat(dirfd(entries), entry->d_name, &status, 0) == 0
            && status.st_ino == search->fifo.st_ino
            && status.st_dev == search->fifo.st_dev && is_for_reading(pid, reader.fd))
            result = meet(search, reader, err);
    }
    if (entries)
        closedir(entries);
    return result;
}

int readers_check(int fd, struct err *err)
{
    struct search search = { 0 };
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    int result = 0;

    if (!processes)
        return err_sys(err, errno, "read /proc");
    if (fstat(fd, &search.fifo) < 0)
        result = err_sys(err, errno, "look at the FIFO");
    while (result == 0 && (entry = readdir(processes)))
        if (isdigit((unsigned char)entry->d_name[0]))
            result =
                search_process(&search, (pid_t)strtol(entry->d_name, NULL, 10), err);
    closedir(processes);
    return result;
}
