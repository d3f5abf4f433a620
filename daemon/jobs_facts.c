/* What schedulers say about workers becomes events and metrics. */

#include "daemon/jobs_private.h"
#include "src/log.h"

/* Lines of attempts that are over, or of jobs or workers that have ended, are late. */
static struct live_job *subject_of(struct jobs *jobs, const struct worker_ref *worker)
{
    struct live_job *live = live_find(jobs, worker->job_id);

    if (!live || live->job->attempt != worker->attempt
        || job_state_is_final(live->job->state) || live->job->attempt_over
        || !live->job->workers || live->job->workers[worker->worker].ended)
        return NULL;
    return live;
}

static void post(struct jobs *jobs, struct live_job *live, enum job_event_kind kind,
                 int worker, const struct cJSON *data)
{
    struct err err;

    if (jobs_post(jobs, live, kind, worker, data, &err) < 0)
        log_warning("job.event_refused job=%s worker=%d error=\"%s\"", live->job->name,
                    worker, err.text);
}

static void keep_metric(struct jobs *jobs, const struct live_job *live,
                        const char *name, const struct cJSON *metric, usec_t wall)
{
    const struct cJSON *value = json_get(metric, "value");
    struct metric_value kept = {
        .name = name,
        .value =
            json_kind(value) == JSON_NUMBER ? json_number(value) : json_text(value),
        .rank = (int)json_get_int(metric, "rank", 0),
        .step = json_get(metric, "step"),
        .wall = wall,
        .attempt = live->job->attempt,
    };
    struct err err;

    if (!kept.name || !kept.value)
        return;
    if (store_set_metric(jobs->store, live->job->job_id, &kept, &err) < 0) {
        jobs_fail(jobs, &err);
        return;
    }
    jobs_wake_soon(jobs);
}

static void keep_last_metrics(struct jobs *jobs, const struct live_job *live,
                              const struct cJSON *ended)
{
    json_each (metric, json_get(ended, "metrics")) {
        keep_metric(jobs, live, json_name(metric), metric,
                    json_get_int(metric, "wall_us", 0));
    }
}

void jobs_on_line(void *context, const struct worker_ref *worker,
                  const struct journal_line *line)
{
    struct jobs *jobs = context;
    struct live_job *live = subject_of(jobs, worker);

    if (!live)
        return;
    switch (line->kind) {
    case JOURNAL_READY:
        post(jobs, live, EV_WORKER_READY, worker->worker, line->data);
        break;
    case JOURNAL_PROGRESS:
        haul_note(&live->haul[worker->worker], line->data);
        break;
    case JOURNAL_LAUNCHED:
        haul_clear(&live->haul[worker->worker], 1);
        post(jobs, live, EV_WORKER_LAUNCHED, worker->worker, line->data);
        break;
    case JOURNAL_METRIC:
        keep_metric(jobs, live, json_get_text(line->data, "name"), line->data,
                    line->wall_us);
        break;
    case JOURNAL_UPLOADING:
        haul_clear(&live->haul[worker->worker], 1);
        post(jobs, live, EV_WORKER_UPLOADING, worker->worker, line->data);
        break;
    case JOURNAL_ENDED:
        haul_clear(&live->haul[worker->worker], 1);
        keep_last_metrics(jobs, live, line->data);
        post(jobs, live, EV_WORKER_ENDED, worker->worker, line->data);
        break;
    case JOURNAL_RANKS_DONE:
    case JOURNAL_HEARTBEAT:
    case JOURNAL_RANK_EXITED:
        break;
    }
}

void jobs_on_lost(void *context, const struct worker_ref *worker,
                  const struct sched_loss *loss)
{
    struct jobs *jobs = context;
    struct live_job *live = subject_of(jobs, worker);
    auto_json struct cJSON *data = json_object_new();

    if (!live)
        return;
    log_warning("job.worker_lost job=%s worker=%d why=\"%s\"", live->job->name,
                worker->worker, loss->why);
    json_set_text(data, "cause", end_cause_name(loss->cause));
    json_set_int(data, "boot_us", loss->last_boot_us);
    json_set_text(data, "why", loss->why);
    post(jobs, live, EV_WORKER_LOST, worker->worker, data);
}
