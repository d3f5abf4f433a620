/* Whether the disk of the state folder has room for new jobs.  While it has none,
 * submits are refused and what waits goes on to wait; what runs goes on and ends, for
 * its events draw on the reserve. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

#define LOOK_AGAIN_USEC USEC_PER_SEC

/* What was not told is told, what waited is tried: once when it changes. */
static void note(struct jobs *jobs, bool has_room)
{
    if (has_room == !jobs->disk_full)
        return;
    jobs->disk_full = !has_room;
    if (has_room) {
        log_info("disk.has_room effect=\"jobs are taken and placed again\"");
        jobs_wake(jobs);
    } else {
        log_error(
            "disk.full state=%s effect=\"no job is taken and none is placed until there is room; those that run go on\"",
            jobs->config->state);
        loop_timer_set(jobs->look_again, clock_boot() + LOOK_AGAIN_USEC);
    }
}

bool jobs_have_room(struct jobs *jobs)
{
    note(jobs, store_has_room(jobs->store));
    return !jobs->disk_full;
}

int jobs_need_room(struct jobs *jobs, struct err *err)
{
    if (jobs_have_room(jobs))
        return 0;
    return err_set(
        err, ERR_DISK_FULL,
        "the disk of railheadd's state folder, %s, is full: try again when there is room there",
        jobs->config->state);
}

void jobs_on_look_again(void *context)
{
    struct jobs *jobs = context;

    if (!jobs_have_room(jobs))
        loop_timer_set(jobs->look_again, clock_boot() + LOOK_AGAIN_USEC);
}
