/* Decides what a worker's own view of the host shows: the folders, the names and the
 * host name that scripts written for a container expect. */

#include "src/worker/isolate.h"

#include "src/files.h"
#include "src/namespaces.h"
#include "src/text.h"
#include "src/worker/complain.h"
#include "src/worker/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Block lists of a few hundred thousand names are in use. */
#define HOSTS_MAX ((size_t)16 << 20)

static const char hosts_path[] = "/etc/hosts";

/* The job's names come first: the first line that has a name wins. */
static int show_hosts(const struct worker *worker, struct err *err)
{
    auto_free char *path = xasprintf("%s/hosts", worker->folder);
    auto_free char *host_lines = NULL;
    auto_text struct text lines = { 0 };

    if (file_read(hosts_path, HOSTS_MAX, &host_lines, NULL, err) < 0)
        return -1;
    text_puts(&lines, worker->plan->hosts);
    text_puts(&lines, host_lines);
    if (file_replace(path, lines.bytes, lines.len, 0644, false, err) < 0)
        return -1;
    return namespaces_bind(path, hosts_path, err);
}

/* A folder that the user named, outside of /opt/ml.  One that the host has not is not
 * made on the host; one that holds what we stand on is not hidden. */
static int show_checkpoints(const struct worker *worker, struct err *err)
{
    const char *path = worker->plan->checkpoint_path;
    auto_free char *real = NULL;
    auto_free char *source = NULL;
    struct stat folder;

    if (path_is_within(path, ML_FOLDER))
        return 0;
    real = realpath(path, NULL);
    if (!real || stat(real, &folder) < 0)
        return err_set(
            err, ERR_INVALID,
            "checkpoint.local_path: %s: %s; make this folder on the host, or use one beneath %s",
            path, strerror(errno), ML_FOLDER);
    if (!S_ISDIR(folder.st_mode) || path_is_within(ML_FOLDER, real)
        || path_is_within(worker->folder, real))
        return err_set(
            err, ERR_INVALID,
            "checkpoint.local_path: %s cannot be used for checkpoints; use a folder beneath %s",
            path, ML_FOLDER);
    source = xasprintf("%s/checkpoints", ML_FOLDER);
    if (folder_make(source, 0750, err) < 0)
        return -1;
    return namespaces_bind(source, real, err);
}

/* NULL where there is none that a FastFile channel has for itself. */
static char *folder_of_channel(const struct channel *channel)
{
    auto_free char *path = NULL;
    struct stat status;

    if (channel->mode != CHANNEL_FAST_FILE
        || channel->distribution != CHANNEL_FULLY_REPLICATED)
        return NULL;
    path = uri_to_path(channel->uri);
    if (!path || stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
        return NULL;
    return steal_ptr(&path);
}

static int show_channel(const struct worker *worker, const char *name,
                        const char *source, struct err *err)
{
    auto_free char *folder =
        xasprintf("%s/input/data/%s", worker->plan->ml_folder, name);

    if (folder_make(folder, 0750, err) < 0)
        return -1;
    return namespaces_bind_read_only(source, folder, err);
}

void isolate_show_channels(const struct worker *worker)
{
    const struct worker_plan *plan = worker->plan;

    for (size_t i = 0; plan->isolate && i < plan->channel_count; i++) {
        const struct channel *channel = &plan->channels[i];
        auto_free char *source = folder_of_channel(channel);
        struct err err;

        if (source && show_channel(worker, channel->name, source, &err) < 0) {
            auto_free char *words =
                xasprintf("channel %s: its files are linked, for its folder cannot be "
                          "shown read-only: %s",
                          channel->name, err.text);

            complain(worker->folder, words);
        }
    }
}

static int set_host_name(const char *name, struct err *err)
{
    if (sethostname(name, strlen(name)) < 0)
        return err_sys(err, errno, "set the host name %s", name);
    return 0;
}

int isolate_enter(const struct worker *worker, struct err *err)
{
    auto_free char *ml = NULL;

    if (!worker->plan->isolate)
        return 0;
    path_find_own();
    ml = xasprintf("%s/ml", worker->folder);
    if (folder_make(ml, 0750, err) < 0 || namespaces_enter(err) < 0
        || namespaces_bind_ml(ml, err) < 0 || show_hosts(worker, err) < 0
        || show_checkpoints(worker, err) < 0)
        return -1;
    return set_host_name(worker->plan->host_name, err);
}
