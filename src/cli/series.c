/* Sums up values over time.  Decides how their course is drawn; does not decide which
 * values are asked for. */

#include "src/cli/series.h"

#include "src/cli/print.h"
#include "src/cli/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The picture has this many places at most.  When twice as many spans are full, every
 * two become one. */
enum {
    PLACES = 24,
    SPANS = 2 * PLACES,
    LEVELS = 8
};

struct span {
    double sum;
    int64_t count;
    bool odd; /* one of its values is no finite number */
};

struct series {
    char *name;
    int64_t owner;
    int64_t count;
    bool has_bounds;
    double low;
    double high;
    char *low_words;
    char *high_words;
    char *last_words;
    char *step;
    char *at;
    struct span spans[SPANS];
    size_t span_count;
    int64_t span_values; /* values of a full span */
    int64_t in_span;     /* values of the last one */
};

struct series_set {
    struct series *items;
    size_t count;
    size_t found; /* where the last value was: the next one is often of its neighbour */
};

struct series_set *series_set_new(void)
{
    return xcalloc(1, sizeof(struct series_set));
}

void series_set_free(struct series_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->items[i].name);
        free(set->items[i].low_words);
        free(set->items[i].high_words);
        free(set->items[i].last_words);
        free(set->items[i].step);
        free(set->items[i].at);
    }
    free(set->items);
    free(set);
}

void series_set_cleanup(struct series_set **set)
{
    series_set_free(*set);
}

bool series_set_is_empty(const struct series_set *set)
{
    return set->count == 0;
}

static struct series *find(struct series_set *set, const char *name, int64_t owner)
{
    struct series *series;

    for (size_t i = 0; i < set->count; i++) {
        size_t at = (set->found + i) % set->count;

        if (set->items[at].owner == owner && strcmp(set->items[at].name, name) == 0) {
            set->found = at;
            return &set->items[at];
        }
    }
    set->items = xrealloc(set->items, (set->count + 1) * sizeof *set->items);
    series = &set->items[set->count++];
    *series =
        (struct series){ .name = xstrdup(name), .owner = owner, .span_values = 1 };
    return series;
}

static void replace(char **words, const char *by)
{
    free(*words);
    *words = by ? xstrdup(by) : NULL;
}

static void note_bounds(struct series *series, double number, const char *words)
{
    if (!series->has_bounds || number < series->low) {
        series->low = number;
        replace(&series->low_words, words);
    }
    if (!series->has_bounds || number > series->high) {
        series->high = number;
        replace(&series->high_words, words);
    }
    series->has_bounds = true;
}

static void halve(struct span *spans, size_t *count)
{
    size_t whole = *count;

    *count = (whole + 1) / 2;
    for (size_t i = 0; i < *count; i++) {
        struct span both = spans[2 * i];

        if (2 * i + 1 < whole) {
            both.sum += spans[2 * i + 1].sum;
            both.count += spans[2 * i + 1].count;
            both.odd |= spans[2 * i + 1].odd;
        }
        spans[i] = both;
    }
}

static struct span *next_span(struct series *series)
{
    if (series->span_count && series->in_span < series->span_values) {
        series->in_span++;
        return &series->spans[series->span_count - 1];
    }
    if (series->span_count == SPANS) {
        halve(series->spans, &series->span_count);
        series->span_values *= 2;
    }
    series->in_span = 1;
    series->spans[series->span_count] = (struct span){ 0 };
    return &series->spans[series->span_count++];
}

void series_take(struct series_set *set, const struct series_value *value)
{
    struct series *series = find(set, value->name, value->owner);
    struct span *span = next_span(series);
    double number;
    char *end;

    series->count++;
    replace(&series->last_words, value->words);
    replace(&series->step, value->step);
    replace(&series->at, value->at);
    number = strtod(value->words, &end);
    if (*end || !isfinite(number)) {
        span->odd = true;
        return;
    }
    span->sum += number;
    span->count++;
    note_bounds(series, number, value->words);
}

static double mean_of(const struct span *span)
{
    return span->sum / (double)span->count;
}

/* The mean of each span, between the lowest and the highest of them. */
static void draw(const struct series *series, struct text *out)
{
    static const char *const blocks[LEVELS] = {
        "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
    };
    struct span spans[SPANS];
    size_t count = series->span_count;
    double low = HUGE_VAL;
    double high = -HUGE_VAL;

    memcpy(spans, series->spans, sizeof spans);
    if (count > PLACES)
        halve(spans, &count);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].count && mean_of(&spans[i]) < low)
            low = mean_of(&spans[i]);
        if (spans[i].count && mean_of(&spans[i]) > high)
            high = mean_of(&spans[i]);
    }
    for (size_t i = 0; i < count; i++) {
        double part = spans[i].count && high > low
                          ? (mean_of(&spans[i]) - low) / (high - low)
                          : 0.5;

        if (spans[i].odd)
            text_puts(out, "!");
        else
            text_puts(out, blocks[(size_t)(part * (LEVELS - 1) + 0.5)]);
    }
}

static int by_name(const void *left, const void *right)
{
    const struct series *a = left;
    const struct series *b = right;
    int order = strcmp(a->name, b->name);

    return order ? order : (a->owner > b->owner) - (a->owner < b->owner);
}

static void add_value(struct table *table, const struct series *series,
                      const char *words)
{
    size_t len = strlen(series->name);
    char bytes[PRINT_BYTES_SIZE];

    if (words && len > 6 && strcmp(series->name + len - 6, "_bytes") == 0)
        words = print_bytes(strtod(words, NULL), bytes);
    table_cell(table, words);
}

void series_print(struct series_set *set, const char *owner_title, struct text *out)
{
    const struct table_column columns[] = {
        { "NAME", false }, { owner_title, true }, { "VALUES", true },
        { "LEAST", true }, { "MOST", true },      { "LAST", true },
        { "STEP", true },  { "AT", false },       { "COURSE", false },
    };
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));
    char at[32];

    if (set->count)
        qsort(set->items, set->count, sizeof *set->items, by_name);
    for (size_t i = 0; i < set->count; i++) {
        const struct series *series = &set->items[i];
        auto_text struct text course = { 0 };

        draw(series, &course);
        table_cell(table, series->name);
        table_cellf(table, "%" PRId64, series->owner);
        table_cellf(table, "%" PRId64, series->count);
        add_value(table, series, series->low_words);
        add_value(table, series, series->high_words);
        add_value(table, series, series->last_words);
        table_cell(table, series->step);
        table_cell(table, print_time(series->at, at));
        table_cell(table, course.bytes);
    }
    table_print(table, out);
}
