/* Folders and processes of jobs that no job accounts for.  Decides what is an orphan;
 * touches none. */

#include "daemon/billing/orphans.h"

#include "src/files.h"
#include "src/job_id.h"
#include "src/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMED_MAX = 20,
    ENVIRONMENT_MAX = 4 << 20
};

struct known_job {
    char id[JOB_ID_SIZE];
    bool is_over;
};

/* Every job, by id. */
struct known_jobs {
    struct known_job *items;
    size_t count;
    size_t room;
};

static void add_known(void *context, const char *id, bool is_over)
{
    struct known_jobs *known = context;
    struct known_job *job;

    if (known->count == known->room) {
        known->room = known->room ? 2 * known->room : 1024;
        known->items = xrealloc(known->items, known->room * sizeof *known->items);
    }
    job = &known->items[known->count++];
    snprintf(job->id, sizeof job->id, "%s", id);
    job->is_over = is_over;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct known_job *)a)->id, ((const struct known_job *)b)->id);
}

static const struct known_job *find(const struct known_jobs *known, const char *id)
{
    struct known_job wanted;

    snprintf(wanted.id, sizeof wanted.id, "%s", id);
    return known->count ? bsearch(&wanted, known->items, known->count,
                                  sizeof *known->items, by_id)
                        : NULL;
}

/* jobs/ID-ATTEMPT-WORKER.  False: it is something else. */
static bool id_of_folder(const char *name, char id[JOB_ID_SIZE])
{
    if (strlen(name) < JOB_ID_SIZE || name[JOB_ID_SIZE - 1] != '-')
        return false;
    snprintf(id, JOB_ID_SIZE, "%.*s", JOB_ID_SIZE - 1, name);
    return job_id_is_valid(id);
}

static int find_folders(const char *jobs_folder, const struct known_jobs *known,
                        struct known_jobs *lost, struct cJSON *out, struct err *err)
{
    struct cJSON *names = json_array_new();
    DIR *folder = opendir(jobs_folder);
    const struct dirent *entry;
    int64_t count = 0;
    char id[JOB_ID_SIZE];

    json_set(out, "folders", names);
    if (!folder)
        return err_sys(err, errno, "open %s", jobs_folder);
    while ((entry = readdir(folder))) {
        if (!id_of_folder(entry->d_name, id) || find(known, id))
            continue;
        add_known(lost, id, true);
        if (count++ < NAMED_MAX)
            json_append(names, json_text_new(entry->d_name));
    }
    closedir(folder);
    json_set_int(out, "folder_count", count);
    return 0;
}

/* The job whose environment it has, as launch_env gives it. */
static bool id_of_process(const char *pid, char id[JOB_ID_SIZE])
{
    static const char start[] = "RAILHEAD_JOB_ID=";
    auto_free char *path = xasprintf("/proc/%s/environ", pid);
    auto_free char *words = NULL;
    size_t len;

    if (file_read(path, ENVIRONMENT_MAX, &words, &len, NULL) < 0)
        return false;
    for (const char *at = words; at < words + len; at += strlen(at) + 1) {
        if (!text_starts_with(at, start))
            continue;
        snprintf(id, JOB_ID_SIZE, "%.*s", JOB_ID_SIZE - 1, at + sizeof start - 1);
        return job_id_is_valid(id);
    }
    return false;
}

/* A job that neither the database nor a folder here knows is another daemon's. */
static bool is_orphan(const char *id, const struct known_jobs *known,
                      const struct known_jobs *lost)
{
    const struct known_job *job = find(known, id);

    return job ? job->is_over : find(lost, id) != NULL;
}

static int find_processes(const struct known_jobs *known, const struct known_jobs *lost,
                          struct cJSON *out, struct err *err)
{
    struct cJSON *processes = json_array_new();
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    int64_t count = 0;
    char id[JOB_ID_SIZE];

    json_set(out, "processes", processes);
    if (!proc)
        return err_sys(err, errno, "open /proc");
    while ((entry = readdir(proc))) {
        struct cJSON *process;

        if (entry->d_name[0] < '1' || entry->d_name[0] > '9'
            || !id_of_process(entry->d_name, id) || !is_orphan(id, known, lost)
            || count++ >= NAMED_MAX)
            continue;
        process = json_object_new();
        json_set_int(process, "pid", strtol(entry->d_name, NULL, 10));
        json_set_text(process, "job", id);
        json_append(processes, process);
    }
    closedir(proc);
    json_set_int(out, "process_count", count);
    return 0;
}

int orphans_find(struct store *store, const char *state, struct cJSON **out,
                 struct err *err)
{
    auto_free char *folder = xasprintf("%s/jobs", state);
    auto_json struct cJSON *found = json_object_new();
    struct known_jobs known = { 0 };
    struct known_jobs lost = { 0 };
    int result = store_each_id(store, add_known, &known, err);

    if (known.count)
        qsort(known.items, known.count, sizeof *known.items, by_id);
    if (result == 0)
        result = find_folders(folder, &known, &lost, found, err);
    if (lost.count)
        qsort(lost.items, lost.count, sizeof *lost.items, by_id);
    if (result == 0)
        result = find_processes(&known, &lost, found, err);
    free(known.items);
    free(lost.items);
    if (result == 0)
        *out = steal_ptr(&found);
    return result;
}
