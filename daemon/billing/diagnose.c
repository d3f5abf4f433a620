/* What a doctor asks of the daemon's side: whether the database is whole, how much disk
 * the state folder has, and what is there of jobs that no job accounts for.  Looks
 * only; what it means is for jobctl doctor. */

#include "daemon/billing/billing.h"
#include "daemon/billing/orphans.h"
#include "daemon/store_backup.h"

#include <sys/statvfs.h>

static struct cJSON *disk_of(const char *state)
{
    struct cJSON *json = json_object_new();
    struct statvfs disk;

    if (statvfs(state, &disk) < 0)
        return json;
    json_set_int(json, "free_bytes", (int64_t)(disk.f_bavail * disk.f_frsize));
    json_set_int(json, "bytes", (int64_t)(disk.f_blocks * disk.f_frsize));
    /* 0 of 0: a file system that makes them as they are needed. */
    json_set_int(json, "free_inodes", (int64_t)disk.f_favail);
    json_set_int(json, "inodes", (int64_t)disk.f_files);
    return json;
}

static struct cJSON *database_of(struct store *store)
{
    struct cJSON *json = json_object_new();
    struct store_facts facts;
    struct err err;

    if (store_inspect(store, &facts, &err) < 0) {
        json_set_text(json, "fault", err.text);
        return json;
    }
    json_set_null(json, "fault");
    json_set_int(json, "jobs", facts.jobs);
    json_set_int(json, "events", facts.events);
    json_set_int(json, "ledger_rows", facts.ledger_rows);
    json_set(json, "broken_seq",
             facts.broken_seq ? json_int_new(facts.broken_seq) : json_null_new());
    return json;
}

int bill_diagnose(const struct bill_request *request, FILE *out,
                  struct problems *problems, struct err *err)
{
    auto_json struct cJSON *json = json_object_new();
    auto_free char *words = NULL;
    struct cJSON *orphans;

    (void)problems;
    json_set_text(json, "state", request->state);
    json_set(json, "disk", disk_of(request->state));
    json_set(json, "database", database_of(request->store));
    if (orphans_find(request->store, request->state, &orphans, err) < 0)
        return -1;
    json_set(json, "orphans", orphans);
    words = json_print(json);
    fprintf(out, "%s\n", words);
    return 0;
}
