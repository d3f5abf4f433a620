/* Adds up a job's intervals. */

#include "daemon/bill.h"

#include "src/money.h"

#include <string.h>

static int64_t seconds_of(const struct interval *interval, const struct bill_now *now)
{
    if (interval->closed)
        return interval->seconds;
    if (!now || strcmp(now->boot_id, interval->boot_id) != 0)
        return 0;
    return money_passed_seconds(now->boot_us - interval->open_boot_us);
}

/* The attempt has ended when its last worker has: one that was lost closed earlier. */
static void stretch_to(struct bill *bill, const struct interval *interval)
{
    usec_t end =
        interval->open_wall_us + (interval->close_boot_us - interval->open_boot_us);

    if (end > bill->end_wall)
        bill->end_wall = end;
}

/* The workers of an attempt have the same changes of price, as far as each of them
 * ran. */
static const struct interval *most_cut(const struct interval *intervals, size_t count)
{
    const struct interval *most = intervals;

    for (size_t i = 1; i < count; i++)
        if (intervals[i].cut_count > most->cut_count)
            most = &intervals[i];
    return most;
}

/* What the workers have of the seconds [from, to) of their intervals. */
static int64_t seconds_within(const struct interval *intervals, size_t count,
                              const struct bill_now *now, int64_t from, int64_t to)
{
    int64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t end = seconds_of(&intervals[i], now);

        if (end > to)
            end = to;
        if (end > from)
            sum += end - from;
    }
    return sum;
}

static int add_cost(struct bill *bill, nanousd_t hourly, int64_t seconds,
                    struct err *err)
{
    nanousd_t cost;

    if (money_for_seconds(hourly, seconds, &cost, err) < 0)
        return -1;
    if (__builtin_add_overflow(bill->cost, cost, &bill->cost))
        return err_set(err, ERR_LIMIT, "the cost of the job does not fit");
    bill->priced = true;
    return 0;
}

/* An attempt has one first price, or none; what changes it is a price. */
static int add_costs(const struct interval *intervals, size_t count,
                     const struct bill_now *now, struct bill *bill, struct err *err)
{
    const struct interval *most = most_cut(intervals, count);
    nanousd_t hourly = intervals[0].hourly;
    int64_t from = 0;

    for (size_t i = 0; i <= most->cut_count; i++) {
        int64_t to = i < most->cut_count ? most->cuts[i].from_second : INT64_MAX;
        int64_t seconds = seconds_within(intervals, count, now, from, to);

        if (i == 0 && !intervals[0].priced)
            bill->unpriced_seconds += seconds;
        else if (add_cost(bill, hourly, seconds, err) < 0)
            return -1;
        if (i < most->cut_count)
            hourly = most->cuts[i].hourly;
        from = to;
    }
    return 0;
}

/* intervals[0 .. count-1] are one attempt's. */
static int add_attempt(const struct interval *intervals, size_t count,
                       const struct bill_now *now, struct bill *bill, struct err *err)
{
    int64_t longest = 0, sum = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t seconds = seconds_of(&intervals[i], now);

        sum += seconds;
        if (seconds > longest)
            longest = seconds;
        bill->open = bill->open || !intervals[i].closed;
        stretch_to(bill, &intervals[i]);
    }
    if (!bill->start_wall)
        bill->start_wall = intervals[0].open_wall_us;
    bill->billable_seconds += longest;
    bill->instance_seconds += sum;
    return add_costs(intervals, count, now, bill, err);
}

int bill_of(const struct interval *intervals, size_t count, const struct bill_now *now,
            struct bill *bill, struct err *err)
{
    struct bill sum = { .priced = count == 0 };
    size_t from = 0;

    while (from < count) {
        size_t to = from + 1;

        while (to < count && intervals[to].attempt == intervals[from].attempt)
            to++;
        if (add_attempt(&intervals[from], to - from, now, &sum, err) < 0)
            return -1;
        from = to;
    }
    if (sum.open)
        sum.end_wall = 0;
    *bill = sum;
    return 0;
}

int bill_of_attempt(const struct interval *intervals, size_t count, int attempt,
                    const struct bill_now *now, struct bill *bill, struct err *err)
{
    size_t from = 0, to;

    while (from < count && intervals[from].attempt != attempt)
        from++;
    to = from;
    while (to < count && intervals[to].attempt == attempt)
        to++;
    return bill_of(to > from ? &intervals[from] : NULL, to - from, now, bill, err);
}
