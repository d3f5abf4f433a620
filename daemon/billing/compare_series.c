/* Reads series of values, and splits a run's seconds by them. */

#include "daemon/billing/compare_series.h"

#include "src/files.h"
#include "src/launch_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 65536,
    FILE_BYTES_MAX = 64 << 20, /* a worker writes no more */
    POINTS_MIN = 4
};

/* --- reading --- */

static FILE *open_values(const char *job_folder, int attempt, int worker)
{
    auto_free char *folder = worker_folder(job_folder, attempt, worker);
    auto_free char *path = xasprintf("%s/metrics.jsonl", folder);

    return file_open_regular(path);
}

static void add_point(struct series *series, const struct point *point)
{
    /* Room doubles at each power of two. */
    if ((series->count & (series->count - 1)) == 0)
        series->points =
            xrealloc(series->points,
                     (series->count ? series->count * 2 : 1) * sizeof *series->points);
    series->points[series->count++] = *point;
}

static void take_line(const char *line, const char *name, int64_t rank,
                      struct series *series)
{
    auto_json struct cJSON *json = NULL;
    struct point point = { .step = STATS_NONE };
    const char *said;

    if (json_parse(line, strlen(line), &json, NULL) < 0
        || json_kind(json) != JSON_OBJECT)
        return;
    said = json_get_text(json, "name");
    if (!said || strcmp(said, name) != 0 || json_get_int(json, "rank", -1) != rank
        || !json_to_int(json_get(json, "wall_us"), &point.wall)
        || !json_to_double(json_get(json, "value"), &point.value))
        return;
    if (json_get(json, "step"))
        (void)json_to_double(json_get(json, "step"), &point.step);
    add_point(series, &point);
}

static void read_values(FILE *file, const char *name, int64_t rank,
                        struct series *series)
{
    auto_free char *line = xmalloc(LINE_MAX_BYTES);
    size_t read = 0;

    while (read < FILE_BYTES_MAX && fgets(line, LINE_MAX_BYTES, file)) {
        size_t len = strlen(line);

        read += len ? len : 1;
        /* A part of a longer line is no object, and so no value. */
        if (len && line[len - 1] == '\n')
            take_line(line, name, rank, series);
    }
}

void series_read(const char *job_folder, int attempt, int workers, const char *name,
                 int64_t rank, struct series *out)
{
    *out = (struct series){ 0 };
    for (int worker = 0; worker < workers && out->count == 0; worker++) {
        FILE *file = open_values(job_folder, attempt, worker);

        if (!file)
            continue;
        read_values(file, name, rank, out);
        fclose(file);
    }
}

void series_clear(struct series *series)
{
    free(series->points);
    *series = (struct series){ 0 };
}

/* --- what they tell --- */

static double seconds_between(usec_t from, usec_t to)
{
    return (double)(to - from) / (double)USEC_PER_SEC;
}

static double amount_of(const struct point *point, bool by_step)
{
    return by_step ? point->step : point->value;
}

/* Work a second of the later half; NaN when that does not tell. */
static double rate_of(const struct series *series, bool by_step)
{
    const struct point *last = &series->points[series->count - 1];
    const struct point *middle = &series->points[series->count / 2 - 1];
    double work = amount_of(last, by_step) - amount_of(middle, by_step);
    double seconds = seconds_between(middle->wall, last->wall);

    return work > 0 && seconds > 0 ? work / seconds : STATS_NONE;
}

static void set_unknown(struct compare_run *run, const char *why)
{
    run->phases = (struct compare_phases){ STATS_NONE, STATS_NONE, STATS_NONE,
                                           STATS_NONE, STATS_NONE };
    run->phases_missing = why;
    run->startup = run->rate = (struct compare_value){ STATS_NONE, why };
}

void series_phases(const struct series *series, bool by_step,
                   const struct run_times *times, struct compare_run *run)
{
    const struct point *first, *last;
    struct compare_phases *phases = &run->phases;
    double rate;

    if (series->count < POINTS_MIN) {
        set_unknown(run, "fewer than 4 values tell how its work went on");
        return;
    }
    first = &series->points[0];
    last = &series->points[series->count - 1];
    rate = rate_of(series, by_step);
    if (isnan(rate)) {
        set_unknown(run, "its work does not grow with its values");
        return;
    }
    phases->staging = seconds_between(times->ready, times->launched);
    /* Values that were held back in a pipe come late, and together. */
    phases->startup = fmax(0, seconds_between(times->launched, first->wall)
                                  - amount_of(first, by_step) / rate);
    phases->steady = amount_of(last, by_step) / rate;
    phases->ending =
        (double)times->billable - seconds_between(times->ready, last->wall);
    phases->other = (double)times->billable - phases->staging - phases->startup
                    - phases->steady - phases->ending;
    run->phases_missing = NULL;
    run->startup = (struct compare_value){ phases->startup, NULL };
    run->rate = (struct compare_value){ rate, NULL };
}

usec_t series_reached(const struct series *series, enum goal goal, double target)
{
    for (size_t i = 0; i < series->count; i++) {
        double value = series->points[i].value;

        if (goal == GOAL_MAXIMIZE ? value >= target : value <= target)
            return series->points[i].wall;
    }
    return 0;
}
