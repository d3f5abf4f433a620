/* Puts a backup in the place of the database of a state folder, and tells what becomes
 * of the jobs in it.  What may be put in place is decided by store_restore.c. */

#include "daemon/backup.h"
#include "daemon/store_backup.h"
#include "src/clock.h"
#include "src/files.h"
#include "src/launch_plan.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is found in the backup, and is missing around it. */
struct findings {
    const char *state;
    struct store_facts facts;
    int64_t waiting;
    int64_t sourceless; /* of those that wait */
    int64_t running;    /* placed, and not ended */
    int64_t ran;
    int64_t folderless; /* of those that ran */
};

/* A folder that was on the disk of the daemon is looked for there again. */
static bool source_is_there(const struct findings *found, const struct cJSON *spec)
{
    static const char scheme[] = "sha256:";
    const char *source = json_get_text(spec, "source_dir");
    auto_free char *path = NULL;

    if (!source || !text_starts_with(source, scheme))
        return true;
    path = xasprintf("%s/sources/%s.tar.gz", found->state, source + sizeof scheme - 1);
    return access(path, F_OK) == 0;
}

static int look_at_live_job(struct findings *found, struct store *store, int64_t job_id,
                            struct err *err)
{
    auto_json struct cJSON *spec = NULL;
    struct job_row row;

    if (store_get_job(store, job_id, &row, err) < 0
        || store_get_spec(store, job_id, &spec, err) < 0)
        return -1;
    if (job_state_waits(row.state)) {
        found->waiting++;
        if (!source_is_there(found, spec))
            found->sourceless++;
    } else if (!job_state_is_final(row.state)) {
        found->running++;
    }
    return 0;
}

static int look_at_live_jobs(struct findings *found, struct store *store,
                             struct err *err)
{
    auto_free int64_t *ids = NULL;
    size_t count;

    if (store_live_jobs(store, &ids, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (look_at_live_job(found, store, ids[i], err) < 0)
            return -1;
    return 0;
}

/* Who ran at all has a folder of its first instance in its first attempt. */
static void look_for_folder(void *context, const char *id)
{
    struct findings *found = context;
    auto_free char *job = xasprintf("%s/jobs/%s", found->state, id);
    auto_free char *folder = worker_folder(job, 1, 0);

    found->ran++;
    if (access(folder, F_OK) < 0)
        found->folderless++;
}

static int look(void *context, struct store *store, const struct store_facts *facts,
                struct err *err)
{
    struct findings *found = context;

    found->facts = *facts;
    if (look_at_live_jobs(found, store, err) < 0)
        return -1;
    return store_each_ran(store, look_for_folder, found, err);
}

static void print_facts(const char *file, const struct findings *found)
{
    const struct store_facts *facts = &found->facts;
    char at[TIME_TEXT_SIZE];

    printf("restored %s/railhead.db from %s: %lld jobs, %lld events, %lld rows of the"
           " ledger\n",
           found->state, file, (long long)facts->jobs, (long long)facts->events,
           (long long)facts->ledger_rows);
    if (facts->head_seq)
        printf("the head of the ledger is %lld:%s\n", (long long)facts->head_seq,
               facts->head_hash);
    if (facts->last_event_us)
        printf("nothing is known of what was later than %s\n",
               time_format(facts->last_event_us, at));
}

static void print_findings(const struct findings *found)
{
    if (found->waiting)
        printf("jobs that wait: %lld; they start when railheadd does\n",
               (long long)found->waiting);
    if (found->sourceless)
        printf(
            "missing: the sources of %lld of these; copy them into %s/sources first\n",
            (long long)found->sourceless, found->state);
    if (found->running)
        printf(
            "jobs that were running: %lld; they are looked for in %s/jobs, and what is"
            " not there has ended as lost, billed to the last that is known of it\n",
            (long long)found->running, found->state);
    if (found->folderless)
        printf(
            "missing: the folders of %lld of %lld jobs that ran, with what they wrote"
            " and made; no backup has them\n",
            (long long)found->folderless, (long long)found->ran);
}

int backup_restore(const char *file, const char *state, struct err *err)
{
    auto_free char *database = xasprintf("%s/railhead.db", state);
    struct findings found = { .state = state };

    if (folder_make(state, 0750, err) < 0
        || store_restore(file, database, look, &found, err) < 0)
        return -1;
    print_facts(file, &found);
    print_findings(&found);
    return 0;
}
