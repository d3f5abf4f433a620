/* Opening and closing of all that jobs need: store, offers, queue, schedulers. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/files.h"
#include "src/log.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "LC_*" takes every name that starts so. */
static bool pattern_takes(const char *pattern, const char *name, size_t name_len)
{
    size_t len = strlen(pattern);

    if (len && pattern[len - 1] == '*')
        return name_len >= len - 1 && strncmp(pattern, name, len - 1) == 0;
    return name_len == len && strncmp(pattern, name, len) == 0;
}

static bool is_passed(const char *entry, char *const *patterns)
{
    size_t name_len = strcspn(entry, "=");

    for (; patterns && *patterns; patterns++)
        if (pattern_takes(*patterns, entry, name_len))
            return true;
    return false;
}

static char **passed_environment(char *const *patterns)
{
    char **passed = NULL;

    for (char **entry = environ; *entry; entry++)
        if (is_passed(*entry, patterns))
            words_add(&passed, xstrdup(*entry));
    return passed ? passed : xcalloc(1, sizeof *passed);
}

static int make_folders(const struct config *config, struct err *err)
{
    static const char *const names[] = { "jobs", "sources" };

    if (folder_make(config->state, 0750, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        auto_free char *path = xasprintf("%s/%s", config->state, names[i]);

        if (folder_make(path, 0750, err) < 0)
            return -1;
    }
    return 0;
}

int jobs_open_scheduler(struct jobs *jobs, const struct scheduler_class *class,
                        struct err *err)
{
    struct sched_settings settings = { .state_folder = jobs->config->state,
                                       .worker_path = jobs->worker_path,
                                       .file_limit = jobs->config->file_limit,
                                       .isolate = jobs->config->isolate };

    for (size_t i = 0; i < jobs->scheduler_count; i++)
        if (jobs->schedulers[i].class == class)
            return 0;
    if (class->open(&settings, jobs->loop, &jobs->events,
                    &jobs->schedulers[jobs->scheduler_count].scheduler, err)
        < 0)
        return err_wrap(err, "scheduler %s", class->name);
    jobs->schedulers[jobs->scheduler_count++].class = class;
    return 0;
}

static int open_schedulers(struct jobs *jobs, struct err *err)
{
    jobs->events = (struct sched_events){ jobs_on_line, jobs_on_lost, jobs };
    for (size_t i = 0; i < jobs->offers.count; i++)
        if (jobs_open_scheduler(jobs, scheduler_find(jobs->offers.items[i].scheduler),
                                err)
            < 0)
            return -1;
    return 0;
}

static int open_parts(struct jobs *jobs, struct err *err)
{
    auto_free char *database = xasprintf("%s/railhead.db", jobs->config->state);

    if (offers_make(jobs->config, jobs->catalog, &jobs->offers, err) < 0
        || make_folders(jobs->config, err) < 0
        || store_open(database, &jobs->store, err) < 0
        || price_book_load(&jobs->book, jobs->store, err) < 0
        || jobs_budget_load(jobs, err) < 0 || jobs_open_rounds(jobs, err) < 0)
        return -1;
    jobs->queue = queue_new(&jobs->offers);
    jobs->bill_runs = bill_runs_new(jobs->loop, jobs->config->state);
    if (jobs_tell_prices(jobs, err) < 0 || store_commit(jobs->store, err) < 0
        || open_schedulers(jobs, err) < 0 || jobs_restart(jobs, err) < 0)
        return -1;
    return jobs_budget_start(jobs, err);
}

int jobs_open(const struct config *config, const struct catalog *catalog,
              struct loop *loop, struct jobs **out, struct err *err)
{
    struct jobs *jobs = xcalloc(1, sizeof *jobs);

    jobs->config = config;
    jobs->catalog = catalog;
    jobs->loop = loop;
    jobs->wall_less_boot = clock_wall() - clock_boot();
    jobs->book.at_change = config->reprice == REPRICE_AT_CHANGE;
    jobs->base_env = passed_environment(config->pass_environment);
    jobs->worker_path = path_of_helper("railhead-worker");
    jobs->torchrun_wrapper = path_of_helper("railhead-torchrun.py");
    jobs->rsh_agent = path_of_helper("railhead-rsh");
    if (open_parts(jobs, err) < 0) {
        jobs_close(jobs);
        return -1;
    }
    *out = jobs;
    return 0;
}

void jobs_close(struct jobs *jobs)
{
    if (!jobs)
        return;
    jobs_close_rounds(jobs);
    for (size_t i = 0; i < jobs->scheduler_count; i++)
        jobs->schedulers[i].class->close(jobs->schedulers[i].scheduler);
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        struct live_job *live;

        while ((live = LIST_FIRST(&jobs->live[i])))
            live_remove(jobs, live);
    }
    queue_free(jobs->queue);
    bill_runs_free(jobs->bill_runs);
    store_close(jobs->store);
    price_book_clear(&jobs->book);
    jobs_budget_clear(jobs);
    offers_clear(&jobs->offers);
    words_free(jobs->base_env);
    free(jobs->worker_path);
    free(jobs->torchrun_wrapper);
    free(jobs->rsh_agent);
    free(jobs);
}

void jobs_on_commit(struct jobs *jobs, void (*callback)(void *context, bool ok),
                    void *context)
{
    jobs->on_commit = callback;
    jobs->on_commit_context = context;
}

struct bill_runs *jobs_bill_runs(struct jobs *jobs)
{
    return jobs->bill_runs;
}

bool jobs_is_dirty(const struct jobs *jobs)
{
    return store_is_dirty(jobs->store);
}
