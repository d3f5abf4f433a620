/* The sign of life, with which a sample of what the ranks use is taken, and the only
 * place that syncs: a line survives the death of any process at once, and a loss of
 * power from the next heartbeat on. */

#include "src/worker/sampler.h"
#include "src/worker/worker.h"

#include <unistd.h>

int heartbeat_run(struct worker *worker, usec_t now, struct err *err)
{
    struct cJSON *line;

    if (now < worker->heartbeat_boot)
        return 0;
    worker->heartbeat_boot = now + HEARTBEAT_INTERVAL;
    line = journal_writer_line(&worker->journal, JOURNAL_HEARTBEAT, now);
    if (journal_writer_note(&worker->journal, line, err) < 0)
        return -1;
    for (size_t i = 0; i < worker->opened; i++)
        output_sync(&worker->ranks[i].output);
    fdatasync(worker->journal.fd);
    cgroup_settle_kills(&worker->cgroup);
    if (worker->sampler)
        sampler_run(worker->sampler, now);
    return 0;
}
