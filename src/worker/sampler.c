/* Decides what a line of utilization.jsonl has, and what all samples say together. */

#include "src/worker/sampler.h"

#include "src/clock.h"
#include "src/launch_plan.h"
#include "src/worker/accelerators.h"
#include "src/worker/sample_log.h"
#include "src/worker/usage.h"

#include <stdio.h>
#include <stdlib.h>

/* Over a shorter span the kernel's own steps would look like a load. */
#define SPAN_LEAST USEC_PER_SEC

/* A figure over the samples that have it. */
struct series {
    double sum;
    double max;
    int64_t count;
};

struct sampler {
    const struct cgroup *cgroup;
    struct accelerators *accelerators; /* NULL: it is over */
    struct sample_log log;
    usec_t begin_wall;
    usec_t begin_boot;
    usec_t last_boot;
    struct usage begin;
    struct usage last;
    struct series cpu;
    struct series memory;
    struct series gpu;
    struct series gpu_memory;
    struct series neuron;
};

struct sampler *sampler_new(const char *folder, const struct cgroup *cgroup,
                            const struct worker_plan *plan)
{
    static char *const no_env[] = { NULL };
    struct sampler *sampler = xcalloc(1, sizeof *sampler);
    auto_free char *path = xasprintf("%s/utilization.jsonl", folder);

    sampler->cgroup = cgroup;
    sampler->accelerators =
        accelerators_new(plan->rank_count ? plan->ranks[0].env : no_env);
    sample_log_init(&sampler->log, path);
    sampler->begin_wall = clock_wall();
    sampler->begin_boot = clock_boot();
    sampler->last_boot = sampler->begin_boot;
    usage_read(cgroup, &sampler->begin);
    sampler->last = sampler->begin;
    return sampler;
}

void sampler_free(struct sampler *sampler)
{
    if (!sampler)
        return;
    accelerators_free(sampler->accelerators);
    sample_log_clear(&sampler->log);
    free(sampler);
}

/* --- figures --- */

static void series_add(struct series *series, double value)
{
    series->sum += value;
    series->count++;
    if (value > series->max)
        series->max = value;
}

static void set_tenths(struct cJSON *object, const char *name, double value)
{
    char digits[64];

    snprintf(digits, sizeof digits, "%.1f", value);
    json_set_number(object, name, digits);
}

static void set_series(struct cJSON *object, const char *name,
                       const struct series *series)
{
    struct cJSON *figures;

    if (series->count == 0)
        return;
    figures = json_object_new();
    set_tenths(figures, "mean", series->sum / (double)series->count);
    set_tenths(figures, "max", series->max);
    json_set(object, name, figures);
}

static void set_bytes_series(struct cJSON *object, const char *name,
                             const struct series *series)
{
    struct cJSON *figures;

    if (series->count == 0)
        return;
    figures = json_object_new();
    json_set_int(figures, "mean", (int64_t)(series->sum / (double)series->count));
    json_set_int(figures, "max", (int64_t)series->max);
    json_set(object, name, figures);
}

/* null: the kernel does not say.  A process that vanished unwaited-for takes its counts
 * along; time does not run backwards for that. */
static void set_growth(struct cJSON *object, const char *name, int64_t begin,
                       int64_t now)
{
    if (begin < 0 || now < 0)
        json_set_null(object, name);
    else
        json_set_int(object, name, now > begin ? now - begin : 0);
}

static void set_totals(const struct sampler *sampler, struct cJSON *object)
{
    const struct usage *begin = &sampler->begin;
    const struct usage *last = &sampler->last;

    set_growth(object, "read_bytes", begin->read_bytes, last->read_bytes);
    set_growth(object, "write_bytes", begin->write_bytes, last->write_bytes);
    set_growth(object, "rx_bytes", begin->rx_bytes, last->rx_bytes);
    set_growth(object, "tx_bytes", begin->tx_bytes, last->tx_bytes);
}

/* In percent of one CPU; negative: unknown. */
static double cpu_percent(const struct usage *from, const struct usage *to, usec_t span)
{
    if (from->cpu_usec < 0 || to->cpu_usec < 0 || span <= 0)
        return -1;
    if (to->cpu_usec < from->cpu_usec)
        return 0;
    return 100.0 * (double)(to->cpu_usec - from->cpu_usec) / (double)span;
}

/* Adds up a member over the accelerators of a sample; false when none has it. */
static bool sum_member(const struct cJSON *array, const char *name, double *sum,
                       int64_t *count)
{
    *sum = 0;
    *count = 0;
    json_each (item, array) {
        double value;

        if (!json_to_double(json_get(item, name), &value))
            continue;
        *sum += value;
        ++*count;
    }
    return *count > 0;
}

static void note_accelerators(struct sampler *sampler, const struct cJSON *line)
{
    const struct cJSON *gpus = json_get(line, "gpus");
    double sum;
    int64_t count;

    if (sum_member(gpus, "percent", &sum, &count))
        series_add(&sampler->gpu, sum / (double)count);
    if (sum_member(gpus, "memory_bytes", &sum, &count))
        series_add(&sampler->gpu_memory, sum);
    if (sum_member(json_get(line, "neuron_cores"), "percent", &sum, &count))
        series_add(&sampler->neuron, sum / (double)count);
}

/* --- samples --- */

/* Of a worker that nobody sampled while it ran, the most that its ranks ever had. */
static int64_t memory_of(const struct sampler *sampler, const struct usage *now,
                         bool at_end)
{
    return at_end && sampler->memory.count == 0 ? now->peak_bytes : now->memory_bytes;
}

/* A cgroup that was made since we began has counted for the ranks alone. */
static void rebase(struct sampler *sampler, const struct usage *now)
{
    if (now->cpu_of_cgroup && !sampler->last.cpu_of_cgroup) {
        sampler->begin.cpu_usec = 0;
        sampler->last.cpu_usec = 0;
    }
    if (now->io_of_cgroup && !sampler->last.io_of_cgroup) {
        sampler->begin.read_bytes = 0;
        sampler->begin.write_bytes = 0;
    }
}

static struct cJSON *take(struct sampler *sampler, usec_t now, bool at_end)
{
    struct cJSON *line = json_object_new();
    usec_t span = now - sampler->last_boot;
    struct usage usage;
    int64_t memory;
    double percent;

    usage_read(sampler->cgroup, &usage);
    rebase(sampler, &usage);
    percent = cpu_percent(&sampler->last, &usage, span);
    memory = memory_of(sampler, &usage, at_end);
    sampler->last = usage;
    sampler->last_boot = now;
    json_set_int(line, "wall_us", sampler->begin_wall + now - sampler->begin_boot);
    if (percent >= 0)
        set_tenths(line, "cpu_percent", percent);
    else
        json_set_null(line, "cpu_percent");
    json_set(line, "memory_bytes", memory < 0 ? json_null_new() : json_int_new(memory));
    set_totals(sampler, line);
    if (percent >= 0 && (span >= SPAN_LEAST || sampler->cpu.count == 0))
        series_add(&sampler->cpu, percent);
    /* At the end nothing is there any more that could have memory. */
    if (memory >= 0 && (!at_end || sampler->memory.count == 0))
        series_add(&sampler->memory, (double)memory);
    /* The kernel saw what came and went between samples. */
    if (at_end && (double)usage.peak_bytes > sampler->memory.max)
        sampler->memory.max = (double)usage.peak_bytes;
    return line;
}

void sampler_run(struct sampler *sampler, usec_t now)
{
    auto_json struct cJSON *line = NULL;

    if (!sampler->accelerators)
        return;
    line = take(sampler, now, false);
    accelerators_sample(sampler->accelerators, line);
    note_accelerators(sampler, line);
    sample_log_add(&sampler->log, line);
}

struct cJSON *sampler_summary(struct sampler *sampler, usec_t now)
{
    auto_json struct cJSON *line = NULL;
    struct cJSON *summary;
    double percent;

    if (!sampler)
        return NULL;
    line = take(sampler, now, true);
    accelerators_sample_last(sampler->accelerators, line);
    note_accelerators(sampler, line);
    sample_log_add(&sampler->log, line);
    accelerators_free(steal_ptr(&sampler->accelerators));
    /* The mean is exact: all that was used, by the time it took. */
    percent = cpu_percent(&sampler->begin, &sampler->last, now - sampler->begin_boot);
    if (percent >= 0 && sampler->cpu.count > 0)
        sampler->cpu.sum = percent * (double)sampler->cpu.count;
    summary = json_object_new();
    set_tenths(summary, "seconds", (double)(now - sampler->begin_boot) / USEC_PER_SEC);
    json_set_int(summary, "samples", sampler->log.samples);
    set_series(summary, "cpu_percent", &sampler->cpu);
    set_bytes_series(summary, "memory_bytes", &sampler->memory);
    set_totals(sampler, summary);
    set_series(summary, "gpu_percent", &sampler->gpu);
    set_bytes_series(summary, "gpu_memory_bytes", &sampler->gpu_memory);
    set_series(summary, "neuron_core_percent", &sampler->neuron);
    return summary;
}
