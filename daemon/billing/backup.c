/* A backup, written where an answer is, and behind it what it holds. */

#include "daemon/backup.h"

#include "daemon/billing/billing.h"
#include "daemon/schema.h"
#include "daemon/store_backup.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Digest and size of what is in the file. */
static int measure(int fd, char hex[DIGEST_HEX_SIZE], int64_t *bytes, struct err *err)
{
    static char block[1 << 17];
    struct digest *digest = digest_new();
    int64_t at = 0;
    ssize_t got;

    while ((got = pread(fd, block, sizeof block, at)) > 0) {
        digest_add(digest, block, (size_t)got);
        at += got;
    }
    digest_free(digest, hex);
    *bytes = at;
    return got == 0 ? 0 : err_sys(err, errno, "read the backup");
}

static struct cJSON *to_json(const struct store_facts *facts)
{
    struct cJSON *json = json_object_new();

    json_set_int(json, "schema", schema_steps[schema_step_count - 1].version);
    json_set_int(json, "jobs", facts->jobs);
    json_set_int(json, "events", facts->events);
    json_set_int(json, "ledger_rows", facts->ledger_rows);
    json_set(json, "ledger", bill_head(facts->head_seq, facts->head_hash));
    json_set(json, "broken_seq",
             facts->broken_seq ? json_int_new(facts->broken_seq) : json_null_new());
    return json;
}

int bill_backup(const struct bill_request *request, FILE *out,
                struct problems *problems, struct err *err)
{
    const char *database = json_get_text(request->json, "database");
    auto_json struct cJSON *json = NULL;
    auto_free char *words = NULL;
    char line[BACKUP_FACTS_BYTES];
    char hex[DIGEST_HEX_SIZE];
    struct store_facts facts;
    int64_t bytes;

    (void)problems;
    if (store_backup(request->store, database, fileno(out), &facts, err) < 0
        || measure(fileno(out), hex, &bytes, err) < 0)
        return -1;
    json = to_json(&facts);
    json_set_int(json, "bytes", bytes);
    json_set_text(json, "sha256", hex);
    words = json_print(json);
    memset(line, '\n', sizeof line);
    memcpy(line, words, strlen(words)); /* some 300 bytes: numbers and two digests */
    if (fseeko(out, bytes, SEEK_SET) < 0)
        return err_sys(err, errno, "write the answer");
    fwrite(line, 1, sizeof line, out);
    return 0;
}
