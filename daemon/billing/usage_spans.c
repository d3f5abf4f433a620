/* Cuts a span of time at the limits of local days, weeks and months. */

#include "daemon/billing/usage.h"
#include "src/zone.h"

#include <stdlib.h>
#include <time.h>

#define DAY_S INT64_C(86400)

/* Day 0 was a Thursday, and a week begins on Monday. */
static bool is_monday(int64_t day)
{
    return (day % 7 + 7) % 7 == 4;
}

static struct tm date_of(int64_t day)
{
    time_t at = (time_t)(day * DAY_S);
    struct tm date = { 0 };

    (void)gmtime_r(&at, &date);
    return date;
}

static void name_span(struct usage_span *span, int64_t day)
{
    struct tm date = date_of(day);

    strftime(span->day, sizeof span->day, "%Y-%m-%d", &date);
    strftime(span->week, sizeof span->week, "%G-W%V", &date);
    strftime(span->month, sizeof span->month, "%Y-%m", &date);
}

static struct usage_span *add_span(struct usage_spans *spans, int64_t day,
                                   int64_t from_s)
{
    struct usage_span *span;

    spans->items = xrealloc(spans->items, (spans->count + 1) * sizeof *spans->items);
    span = &spans->items[spans->count++];
    span->from_s = from_s;
    name_span(span, day);
    return span;
}

/* What a day is the first of. */
static bool is_limit(const struct usage_units *units, int64_t day)
{
    return units->days || (units->weeks && is_monday(day))
           || (units->months && date_of(day).tm_mday == 1);
}

/* The first instant of a day since 1970. */
static int64_t start_of(const struct usage_units *units, int64_t day)
{
    return units->utc ? day * DAY_S : zone_day_start(1970, 1, (int)day + 1);
}

static int too_many(struct err *err)
{
    return err_set(err, ERR_LIMIT, "the report would have more than %d periods",
                   USAGE_SPANS_MAX);
}

int usage_spans_make(int64_t from_s, int64_t to_s, const struct usage_units *units,
                     struct usage_spans *spans, struct err *err)
{
    int64_t day = units->utc ? from_s / DAY_S : zone_day_of(from_s);
    struct usage_span *last;

    if (units->days && (to_s - from_s) / DAY_S > USAGE_SPANS_MAX)
        return too_many(err); /* before the work */
    last = add_span(spans, day, from_s);

    /* No zone is two days from UTC. */
    while (++day * DAY_S < to_s + 2 * DAY_S) {
        int64_t start;

        if (!is_limit(units, day))
            continue;
        start = start_of(units, day);
        if (start >= to_s)
            break;
        if (start <= last->from_s) { /* the zone left out the day before */
            name_span(last, day);
            continue;
        }
        if (spans->count == USAGE_SPANS_MAX)
            return too_many(err);
        last->to_s = start;
        last = add_span(spans, day, start);
    }
    last->to_s = to_s;
    return 0;
}

void usage_spans_clear(struct usage_spans *spans)
{
    free(spans->items);
    *spans = (struct usage_spans){ 0 };
}
