/*
 * What of a spec's data can be seen on the head node before the job waits for its turn:
 * folders that are not there or empty, and folders that cannot be written.  Decides
 * nothing about what is in them, and nothing about S3: staging does.
 */

#include "daemon/jobs_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char put_data_there[] =
    "put the data there, or name a folder or file that the head node has";

/* One entry is enough: a folder of a million files costs no more than one of two. */
static void check_folder(const char *member, const char *path,
                         struct problems *problems)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (!folder) {
        problems_add(problems, member, "let railheadd's user read it", "%s: %s", path,
                     strerror(errno));
        return;
    }
    do
        entry = readdir(folder);
    while (entry
           && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    if (!entry)
        problems_add(problems, member, put_data_there, "%s is empty", path);
    closedir(folder);
}

static void check_channel(const struct channel *channel, struct problems *problems)
{
    auto_free char *member = xasprintf("inputs.%s", channel->name);
    auto_free char *path = uri_to_path(channel->uri);
    bool is_list = channel->data != CHANNEL_PREFIX;
    struct stat st;

    if (!path)
        return;
    if (stat(path, &st) < 0)
        problems_add(problems, member, put_data_there, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(st.st_mode) && is_list)
        problems_add(problems, member, "name the manifest itself",
                     "%s is a folder, no manifest", path);
    else if (S_ISDIR(st.st_mode))
        check_folder(member, path, problems);
    else if (!S_ISREG(st.st_mode))
        problems_add(problems, member, put_data_there,
                     "%s is neither a folder nor a file", path);
    else if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0)
        problems_add(problems, member, "let railheadd's user read it", "%s: %s", path,
                     strerror(errno));
}

/* Of a path, what there is: the rest is made when there is something to store. */
static int nearest_existing(char *path, struct stat *st)
{
    while (stat(path, st) < 0) {
        char *slash = strrchr(path, '/');

        if (errno != ENOENT)
            return -1;
        /* "/a" has "/" above it. */
        slash[slash == path] = '\0';
    }
    return 0;
}

static void check_writable(const char *member, const char *uri,
                           struct problems *problems)
{
    auto_free char *path = uri ? uri_to_path(uri) : NULL;
    struct stat st;

    if (!path)
        return;
    if (nearest_existing(path, &st) < 0)
        problems_add(problems, member, "name another folder", "%s: %s", path,
                     strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        problems_add(problems, member, "name a folder", "%s is not a folder", path);
    else if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) < 0)
        problems_add(problems, member, "let railheadd's user write there",
                     "%s cannot be written: %s", path, strerror(errno));
}

void jobs_check_data(const struct job_spec *spec, struct problems *problems)
{
    for (size_t i = 0; i < spec->channel_count; i++)
        check_channel(&spec->channels[i], problems);
    check_writable("output_path", spec->output_path, problems);
    check_writable("checkpoint.uri", spec->checkpoint_uri, problems);
}
