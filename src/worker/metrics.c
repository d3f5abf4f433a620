/* Finds metrics in lines of output and puts them into their history, and into the
 * journal seldom enough that a program which prints thousands a second costs no more
 * there than one which prints two.  Decides nothing about what a value means. */

#include "src/worker/metrics.h"

#include "src/regex.h"
#include "src/worker/complain.h"
#include "src/worker/metrics_history.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WRITE_INTERVAL (500 * USEC_PER_MSEC)

/* Longer texts are not numbers that a program meant. */
enum {
    NUMBER_MAX = 64
};

/* Of one match, as JSON has it. */
struct value {
    char json[NUMBER_MAX]; /* 0.41 or "NaN"; empty: there is none */
    char step[NUMBER_MAX]; /* 900 or null */
};

struct metric {
    const char *name;
    char *quoted_name; /* as JSON */
    struct regex *regex;
    struct value value; /* the last one */
    usec_t boot;        /* of it */
    int rank;
    bool is_pending;   /* not in the journal yet */
    usec_t next_at;    /* not before this */
    uint64_t too_dear; /* lines on which the pattern was given up */
};

struct metrics {
    const char *folder;
    const struct journal_writer *journal;
    struct metric *items;
    size_t count;
    struct metrics_history history;
};

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    for (size_t i = 0; i < metrics->count; i++) {
        regex_free(metrics->items[i].regex);
        free(metrics->items[i].quoted_name);
    }
    metrics_history_clear(&metrics->history);
    free(metrics->items);
    free(metrics);
}

static char *quoted(const char *name)
{
    auto_json struct cJSON *text = json_text_new(name);

    return json_print(text);
}

int metrics_new(const struct worker_plan *plan, const char *folder,
                const struct journal_writer *journal, struct metrics **out,
                struct err *err)
{
    struct metrics *metrics;

    *out = NULL;
    if (plan->metric_count == 0)
        return 0;
    metrics = xcalloc(1, sizeof *metrics);
    metrics->folder = folder;
    metrics->journal = journal;
    metrics_history_init(&metrics->history, folder);
    metrics->items = xcalloc(plan->metric_count, sizeof *metrics->items);
    metrics->count = plan->metric_count;
    for (size_t i = 0; i < metrics->count; i++) {
        metrics->items[i].name = plan->metrics[i].name;
        metrics->items[i].quoted_name = quoted(plan->metrics[i].name);
        if (regex_new(plan->metrics[i].regex, &metrics->items[i].regex, err) < 0) {
            metrics_free(metrics);
            return err_wrap(err, "metric %s", plan->metrics[i].name);
        }
    }
    *out = metrics;
    return 0;
}

/* As Python, C and JavaScript print what is no number, in any case of letters. */
static const char *no_number(const char *text)
{
    const char *word = text + (*text == '+' || *text == '-');

    if (strcasecmp(word, "nan") == 0)
        return "\"NaN\"";
    if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0)
        return *text == '-' ? "\"-Infinity\"" : "\"Infinity\"";
    return NULL;
}

/* In its own words where JSON has them (0.10), else (".5", "+3") in the shortest ones.
 * False: no finite number. */
static bool number(const char *text, char out[NUMBER_MAX])
{
    auto_json struct cJSON *shortest = NULL;
    auto_free char *words = NULL;
    char *end;
    double parsed;

    /* strtod would take 0x10 and blanks, too. */
    if (text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    parsed = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(parsed))
        return false;
    if (!json_is_number_text(text)) {
        shortest = json_object_new();
        json_set_double(shortest, "value", parsed);
        words = json_print(json_get(shortest, "value"));
        text = words;
    }
    snprintf(out, NUMBER_MAX, "%s", text);
    return true;
}

/* False: it is no value. */
static bool read_value(const char *bytes, size_t len, char out[NUMBER_MAX])
{
    char text[NUMBER_MAX];
    const char *word;

    if (len == 0 || len >= sizeof text)
        return false;
    memcpy(text, bytes, len);
    text[len] = '\0';
    word = no_number(text);
    if (!word)
        return number(text, out);
    snprintf(out, NUMBER_MAX, "%s", word);
    return true;
}

/* A whole number of at most 18 digits, which fits; else null. */
static void read_step(const char *bytes, size_t len, char out[NUMBER_MAX])
{
    char text[19];
    char *end;
    int64_t step;

    snprintf(out, NUMBER_MAX, "null");
    if (len == 0 || len >= sizeof text)
        return;
    memcpy(text, bytes, len);
    text[len] = '\0';
    step = strtoll(text, &end, 10);
    if (*end == '\0')
        snprintf(out, NUMBER_MAX, "%" PRId64, step);
}

static void note_too_dear(struct metrics *metrics, struct metric *metric)
{
    auto_free char *words = NULL;

    if (metric->too_dear++ > 0)
        return;
    words = xasprintf("metric %s: its pattern takes more steps than it may on some "
                      "lines, which are passed over",
                      metric->name);
    complain(metrics->folder, words);
}

/* False: the line has no value of it. */
static bool find(struct metrics *metrics, struct metric *metric, const char *line,
                 size_t len, struct value *out)
{
    struct regex_match match;

    switch (regex_find(metric->regex, line, len, &match)) {
    case REGEX_NONE:
        return false;
    case REGEX_TOO_DEAR:
        note_too_dear(metrics, metric);
        return false;
    case REGEX_FOUND:
        break;
    }
    if (!read_value(line + match.start, match.len, out->json))
        return false;
    read_step(line + match.step_start, match.step_len, out->step);
    return true;
}

static void remember(struct metrics *metrics, const struct metric *metric)
{
    auto_free char *line = xasprintf(
        "{\"name\":%s,\"value\":%s,\"rank\":%d,\"step\":%s,\"wall_us\":%" PRId64 "}",
        metric->quoted_name, metric->value.json, metric->rank, metric->value.step,
        journal_writer_wall(metrics->journal, metric->boot));

    metrics_history_add(&metrics->history, line, metric->boot);
}

void metrics_scan(struct metrics *metrics, int rank, const char *line, size_t len,
                  usec_t boot)
{
    for (size_t i = 0; i < metrics->count; i++) {
        struct metric *metric = &metrics->items[i];
        struct value value;

        if (!find(metrics, metric, line, len, &value))
            continue;
        metric->value = value;
        metric->boot = boot;
        metric->rank = rank;
        metric->is_pending = true;
        remember(metrics, metric);
    }
}

usec_t metrics_due(const struct metrics *metrics)
{
    usec_t due = metrics ? metrics->history.due_boot : INT64_MAX;

    for (size_t i = 0; metrics && i < metrics->count; i++)
        if (metrics->items[i].is_pending && metrics->items[i].next_at < due)
            due = metrics->items[i].next_at;
    return due;
}

static void set_value(struct cJSON *object, const struct metric *metric)
{
    const char *json = metric->value.json;
    auto_free char *word = NULL;

    if (*json == '"') {
        word = xstrndup(json + 1, strlen(json) - 2);
        json_set_text(object, "value", word);
    } else {
        json_set_number(object, "value", json);
    }
    json_set_int(object, "rank", metric->rank);
    if (strcmp(metric->value.step, "null") == 0)
        json_set_null(object, "step");
    else
        json_set_number(object, "step", metric->value.step);
}

static int write_one(struct metric *metric, struct journal_writer *journal,
                     struct err *err)
{
    struct cJSON *line = journal_writer_line(journal, JOURNAL_METRIC, metric->boot);

    json_set_text(line, "name", metric->name);
    set_value(line, metric);
    return journal_writer_note(journal, line, err);
}

int metrics_write(struct metrics *metrics, struct journal_writer *journal, usec_t now,
                  bool all, struct err *err)
{
    if (metrics && (all || now >= metrics->history.due_boot))
        metrics_history_write(&metrics->history);
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

        if (*metric->value.json == '\0')
            continue;
        last = json_object_new();
        set_value(last, metric);
        json_set_int(last, "wall_us", journal_writer_wall(journal, metric->boot));
        json_set(all, metric->name, last);
    }
    return all;
}

char *metrics_remark(const struct metrics *metrics)
{
    auto_text struct text words = { 0 };
    auto_free char *history = NULL;

    if (!metrics)
        return NULL;
    history = metrics_history_remark(&metrics->history);
    if (history)
        text_puts(&words, history);
    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].too_dear > 0)
            text_printf(&words,
                        "%sthe pattern of metric %s was given up on %" PRIu64 " lines",
                        words.len > 0 ? "; " : "", metrics->items[i].name,
                        metrics->items[i].too_dear);
    return words.len > 0 ? text_steal(&words) : NULL;
}
