/* Finds the cgroup v2 tree that we may write to, and empties a worker's cgroup. */

#include "schedulers/local_cgroup.h"

#include "src/digest.h"
#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PROC_FILE_MAX = 1 << 20
};

/* Mount point of the first cgroup2 file system in mountinfo: field 5, type after the "
 * - ". */
static char *cgroup2_mount(void)
{
    auto_free char *text = NULL;
    char *save = NULL;

    if (file_read("/proc/self/mountinfo", PROC_FILE_MAX, &text, NULL, NULL) < 0)
        return NULL;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char mount_point[4096];

        if (strstr(line, " - cgroup2 ")
            && sscanf(line, "%*s %*s %*s %*s %4095s", mount_point) == 1)
            return xstrdup(mount_point);
    }
    return NULL;
}

/* Our own place in it: the line "0::/path" of /proc/self/cgroup. */
static char *own_cgroup(void)
{
    auto_free char *text = NULL;
    char *save = NULL;

    if (file_read("/proc/self/cgroup", PROC_FILE_MAX, &text, NULL, NULL) < 0)
        return NULL;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, "0::", 3) == 0)
            return xstrdup(strcmp(line + 3, "/") == 0 ? "" : line + 3);
    return NULL;
}

char *local_cgroup_base(const char *state_folder)
{
    auto_free char *mount = cgroup2_mount();
    auto_free char *own = own_cgroup();
    auto_free char *base = NULL;
    auto_free char *kill_file = NULL;
    char hex[DIGEST_HEX_SIZE];

    if (!mount || !own)
        return NULL;
    digest_bytes(state_folder, strlen(state_folder), hex);
    hex[12] = '\0';
    base = xasprintf("%s%s/railhead-%s", mount, own, hex);
    if (mkdir(base, 0755) < 0 && errno != EEXIST)
        return NULL;
    kill_file = xasprintf("%s/cgroup.kill", base);
    if (access(kill_file, W_OK) < 0) {
        rmdir(base);
        return NULL;
    }
    return steal_ptr(&base);
}

void local_cgroup_end(const char *path)
{
    auto_free char *kill_file = xasprintf("%s/cgroup.kill", path);
    auto_close int fd = open(kill_file, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "1", 1);
    /* Where it is busy still: an empty one costs nothing, and is not used again. */
    rmdir(path);
}
