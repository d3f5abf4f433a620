/* Warm pools: the place in the queue that an ended job with keep_alive holds for its
 * owner's next job (railhead-billing(7)).  Who gets it is the queue's. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

#include <string.h>

usec_t jobs_warm_until(const struct job *job)
{
    return job_warm_start(job) + job->keep_alive_s * USEC_PER_SEC;
}

bool jobs_is_warm(const struct job *job)
{
    return job->warm == WARM_AVAILABLE && strcmp(job->boot_id, clock_boot_id()) == 0;
}

int jobs_end_warm(struct jobs *jobs, struct live_job *live, usec_t boot,
                  const char *reused_by, struct err *err)
{
    auto_json struct cJSON *data = json_object_new();
    usec_t until = jobs_warm_until(live->job);

    log_info("job.warm_ended job=%s reused_by=%s", live->job->name,
             reused_by ? reused_by : "");
    json_set_text(data, "status", reused_by ? "Reused" : "Terminated");
    json_set_text(data, "reused_by", reused_by);
    json_set_int(data, "boot_us", boot < until ? boot : until);
    return jobs_post(jobs, live, EV_WARM_ENDED, -1, data, err);
}
