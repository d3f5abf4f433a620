/* What those ask for who look after the daemon. */

#include "api/routes.h"
#include "daemon/backup.h"

void handle_backup(struct api *api, const struct request *request, struct reply *reply)
{
    struct cJSON *question = json_object_new();

    (void)api;
    (void)request;
    json_set_text(question, "do", "backup");
    reply_question(reply, "application/vnd.sqlite3", question);
    reply->facts_bytes = BACKUP_FACTS_BYTES;
}
