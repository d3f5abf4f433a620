/* What jobs are likely to cost: gathers what is known of a job and of those like it. */

#include "daemon/jobs_private.h"
#include "daemon/outlook.h"
#include "daemon/report.h"
#include "src/clock.h"

/* With room for what an outlook borrows. */
struct gathered {
    struct outlook outlook;
    struct bill bill;
    int64_t runs[ESTIMATE_RUNS_MAX];
    struct metric_readings readings;
};

static int gather(struct jobs *jobs, const struct job *job, const struct job_spec *spec,
                  struct gathered *out, struct err *err)
{
    *out = (struct gathered){ .outlook = { .job = job,
                                           .spec = spec,
                                           .bill = &out->bill,
                                           .runs = out->runs,
                                           .readings = &out->readings,
                                           .now = clock_wall() } };
    if (spec->work_metric
        && store_get_readings(jobs->store, job->job_id, spec->work_metric,
                              &out->readings, err)
               < 0)
        return -1;
    return store_get_runs(jobs->store, job, ESTIMATE_RUNS_MAX, out->runs,
                          &out->outlook.run_count, err);
}

int jobs_estimate_of(struct jobs *jobs, const struct job *job,
                     const struct job_spec *spec, struct cJSON **estimate,
                     struct err *err)
{
    const struct profile_price *price =
        price_in_force(&jobs->book, offers_find(&jobs->offers, job->instance_type),
                       clock_wall());
    struct gathered known;

    if (gather(jobs, job, spec, &known, err) < 0)
        return -1;
    known.outlook.hourly = price ? &price->hourly : NULL;
    *estimate = outlook_estimate(&known.outlook);
    return 0;
}

/* Of the attempts that are over. */
static int bill_earlier(const struct report_input *input, const struct bill_now *now,
                        const struct bill *all, int64_t *seconds, struct err *err)
{
    const struct job *job = input->job;
    struct bill last = { 0 };

    if (!job->attempt_over
        && bill_of_attempt(input->intervals, input->interval_count, job->attempt, now,
                           &last, err)
               < 0)
        return -1;
    *seconds = all->billable_seconds - last.billable_seconds;
    return 0;
}

/* What an attempt that runs costs now, else what is in force. */
static const nanousd_t *hourly_of(const struct report_input *input)
{
    const struct interval *last =
        input->interval_count ? &input->intervals[input->interval_count - 1] : NULL;
    const struct profile_price *price;

    if (last && !last->closed && last->cut_count)
        return &last->cuts[last->cut_count - 1].hourly;
    if (last && !last->closed)
        return last->priced ? &last->hourly : NULL;
    price = price_in_force(input->book, input->offer, clock_wall());
    return price ? &price->hourly : NULL;
}

int jobs_forecast(struct jobs *jobs, const struct report_input *input,
                  struct cJSON **forecast, struct err *err)
{
    const struct bill_now now = { clock_boot_id(), clock_boot() };
    struct gathered known;

    *forecast = NULL;
    if (job_state_is_final(input->job->state))
        return 0;
    if (gather(jobs, input->job, input->spec, &known, err) < 0
        || bill_of(input->intervals, input->interval_count, &now, &known.bill, err) < 0
        || bill_earlier(input, &now, &known.bill, &known.outlook.earlier_s, err) < 0)
        return -1;
    known.outlook.hourly = hourly_of(input);
    *forecast = outlook_forecast(&known.outlook);
    return 0;
}
