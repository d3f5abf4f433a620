/* Where this process's cgroups are: /proc/self/cgroup names them within each hierarchy,
 * /proc/self/mountinfo tells where a hierarchy, or a part of one, is mounted. */

#include "src/cgroup_folder.h"

#include "src/files.h"
#include "src/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROC_FILE_MAX = 1 << 20
};

/* Whether `word` is one of a list with commas. */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (;;) {
        size_t here = strcspn(list, ",");

        if (here == len && strncmp(list, word, len) == 0)
            return true;
        if (!list[here])
            return false;
        list += here + 1;
    }
}

/* cgroups(7): "0::/path" of version 2, "4:memory:/path" of version 1. */
static bool own_path(const char *own, const char *controller, char path[PATH_MAX])
{
    for (const char *line = own; line && *line; line = strchr(line, '\n')) {
        char controllers[256];

        line += *line == '\n';
        if (!controller && sscanf(line, "0::%4095[^\n]", path) == 1)
            return true;
        if (controller
            && sscanf(line, "%*d:%255[^:]:%4095[^\n]", controllers, path) == 2
            && has_word(controllers, controller))
            return true;
    }
    return false;
}

/* proc_pid_mountinfo(5): fields 4 and 5 are root and mount point; type, source and
 * options of the file system follow a lone dash. */
static bool mount_of(const char *line, const char *controller, char root[PATH_MAX],
                     char mount_point[PATH_MAX])
{
    char options[1024];
    char type[32];
    const char *dash = strstr(line, " - ");
    const char *end = strchrnul(line, '\n');

    if (!dash || dash > end
        || sscanf(line, "%*s %*s %*s %4095s %4095s", root, mount_point) != 2
        || sscanf(dash, " - %31s %*s %1023s", type, options) != 2)
        return false;
    return controller ? strcmp(type, "cgroup") == 0 && has_word(options, controller)
                      : strcmp(type, "cgroup2") == 0;
}

char *cgroup_folder_from(const char *mountinfo, const char *own, const char *controller)
{
    char path[PATH_MAX];
    char root[PATH_MAX];
    char mount_point[PATH_MAX];

    if (!own_path(own, controller, path))
        return NULL;
    for (const char *line = mountinfo; line && *line; line = strchr(line, '\n')) {
        const char *beneath = path;

        line += *line == '\n';
        if (!mount_of(line, controller, root, mount_point))
            continue;
        /* A container sees a part of the hierarchy. */
        if (strcmp(root, "/") != 0) {
            if (!text_starts_with(path, root))
                continue;
            beneath += strlen(root);
        }
        if (text_starts_with(beneath, "/.."))
            continue; /* of a cgroup namespace that we stand outside of */
        return xasprintf("%s%s", mount_point, strcmp(beneath, "/") == 0 ? "" : beneath);
    }
    return NULL;
}

char *cgroup_folder(const char *controller)
{
    auto_free char *mountinfo = NULL;
    auto_free char *own = NULL;

    if (file_read("/proc/self/mountinfo", PROC_FILE_MAX, &mountinfo, NULL, NULL) < 0
        || file_read("/proc/self/cgroup", PROC_FILE_MAX, &own, NULL, NULL) < 0)
        return NULL;
    return cgroup_folder_from(mountinfo, own, controller);
}
