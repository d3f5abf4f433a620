/* Finds metrics in lines of output and puts them into the journal, seldom enough that a
 * program which prints thousands a second costs no more than one which prints two.
 * Decides nothing about what a value means. */

#include "src/worker/metrics.h"

#include "src/regex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_INTERVAL (500 * USEC_PER_MSEC)

/* Longer texts are not numbers that a program meant. */
enum {
    NUMBER_MAX = 64
};

struct metric {
    const char *name;
    struct regex *regex;
    struct cJSON *value; /* the last one; NULL: none yet */
    usec_t boot;         /* of it */
    int rank;
    bool is_pending; /* not in the journal yet */
    usec_t next_at;  /* not before this */
};

struct metrics {
    struct metric *items;
    size_t count;
};

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    for (size_t i = 0; i < metrics->count; i++) {
        regex_free(metrics->items[i].regex);
        json_free(metrics->items[i].value);
    }
    free(metrics->items);
    free(metrics);
}

int metrics_new(const struct worker_plan *plan, struct metrics **out, struct err *err)
{
    struct metrics *metrics;

    *out = NULL;
    if (plan->metric_count == 0)
        return 0;
    metrics = xcalloc(1, sizeof *metrics);
    metrics->items = xcalloc(plan->metric_count, sizeof *metrics->items);
    metrics->count = plan->metric_count;
    for (size_t i = 0; i < metrics->count; i++) {
        metrics->items[i].name = plan->metrics[i].name;
        if (regex_new(plan->metrics[i].regex, &metrics->items[i].regex, err) < 0) {
            metrics_free(metrics);
            return err_wrap(err, "metric %s", plan->metrics[i].name);
        }
    }
    *out = metrics;
    return 0;
}

/* The number that is written here, as JSON: in its own words where JSON has them
 * (0.10), else (".5", "+3") in the shortest ones.  NULL: not a finite number. */
static struct cJSON *number_of(const char *bytes, size_t len)
{
    char text[NUMBER_MAX];
    auto_json struct cJSON *holder = NULL;
    char *end;
    double number;

    if (len == 0 || len >= sizeof text)
        return NULL;
    memcpy(text, bytes, len);
    text[len] = '\0';
    /* strtod would take 0x10, nan and blanks, too. */
    if (strspn(text, "0123456789+-.eE") != len)
        return NULL;
    number = strtod(text, &end);
    if (end != text + len || !isfinite(number))
        return NULL;
    if (json_is_number_text(text))
        return json_number_new(text);
    holder = json_object_new();
    json_set_double(holder, "value", number);
    return json_copy(json_get(holder, "value"));
}

void metrics_scan(struct metrics *metrics, int rank, const char *line, size_t len,
                  usec_t boot)
{
    for (size_t i = 0; i < metrics->count; i++) {
        struct metric *metric = &metrics->items[i];
        struct cJSON *value;
        size_t start;
        size_t found;

        if (!regex_find(metric->regex, line, len, &start, &found))
            continue;
        value = number_of(line + start, found);
        if (!value)
            continue;
        json_free(metric->value);
        metric->value = value;
        metric->boot = boot;
        metric->rank = rank;
        metric->is_pending = true;
    }
}

usec_t metrics_due(const struct metrics *metrics)
{
    usec_t due = INT64_MAX;

    for (size_t i = 0; metrics && i < metrics->count; i++)
        if (metrics->items[i].is_pending && metrics->items[i].next_at < due)
            due = metrics->items[i].next_at;
    return due;
}

static int write_one(struct metric *metric, struct journal_writer *journal,
                     struct err *err)
{
    struct cJSON *line = journal_writer_line(journal, JOURNAL_METRIC, metric->boot);

    json_set_text(line, "name", metric->name);
    json_set(line, "value", json_copy(metric->value));
    json_set_int(line, "rank", metric->rank);
    return journal_writer_append(journal, line, err);
}

int metrics_write(struct metrics *metrics, struct journal_writer *journal, usec_t now,
                  bool all, struct err *err)
{
    for (size_t i = 0; metrics && i < metrics->count; i++) {
        struct metric *metric = &metrics->items[i];

        if (!metric->is_pending || (!all && now < metric->next_at))
            continue;
        if (write_one(metric, journal, err) < 0)
            return -1;
        metric->is_pending = false;
        metric->next_at = now + WRITE_INTERVAL;
    }
    return 0;
}

struct cJSON *metrics_last(const struct metrics *metrics,
                           const struct journal_writer *journal)
{
    struct cJSON *all = json_object_new();

    for (size_t i = 0; metrics && i < metrics->count; i++) {
        const struct metric *metric = &metrics->items[i];
        struct cJSON *last;

        if (!metric->value)
            continue;
        last = json_object_new();
        json_set(last, "value", json_copy(metric->value));
        json_set_int(last, "rank", metric->rank);
        json_set_int(last, "wall_us", journal_writer_wall(journal, metric->boot));
        json_set(all, metric->name, last);
    }
    return all;
}
