/* Quantiles of t by the incomplete beta function, and two intervals for a ratio.  Which
 * one is to be used, and of what, the caller decides. */

#include "src/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Student's t --- */

/* Terms until the fraction stands: about the square root of the larger parameter. */
enum {
    FRACTION_TERMS_MAX = 100000
};
#define FRACTION_TINY    1e-300
#define FRACTION_EPSILON 1e-15

static double away_from_zero(double value)
{
    return fabs(value) < FRACTION_TINY ? FRACTION_TINY : value;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's
 * method; converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double fraction = d;

    for (int i = 1; i < FRACTION_TERMS_MAX; i++) {
        double m = i;
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor;

        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        fraction *= d * c;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        factor = d * c;
        fraction *= factor;
        if (fabs(factor - 1) < FRACTION_EPSILON)
            break;
    }
    return fraction;
}

/* The regularised incomplete beta function I_x(a, b); `y` is 1 - x, which the caller
 * may know better than 1 - x would tell. */
static double incomplete_beta(double a, double b, double x, double y)
{
    double front;

    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

/* P(T > t) for t >= 0. */
static double t_tail(double t, double df)
{
    double square = t * t;

    return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
}

double stats_t_below(double t, double df)
{
    if (!(df > 0))
        return NAN;
    return t < 0 ? t_tail(-t, df) : 1 - t_tail(t, df);
}

double stats_t_quantile(double p, double df)
{
    double tail = p < 0.5 ? p : 1 - p;
    double low = 0;
    double high = 1;

    if (!(p > 0 && p < 1 && df > 0))
        return NAN;
    if (tail >= 0.5)
        return 0;
    while (t_tail(high, df) > tail && high < 1e150) /* its square is finite */
        high *= 2;
    /* Halved until no double lies between. */
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            return p < 0.5 ? -middle : middle;
        if (t_tail(middle, df) > tail)
            low = middle;
        else
            high = middle;
    }
}

/* --- samples --- */

double stats_mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count; /* 0 / 0: NaN */
}

static int compare(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

double stats_median(const double *values, size_t count)
{
    auto_free double *sorted = NULL;

    if (count == 0)
        return NAN;
    sorted = xmalloc(count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double stats_variance(const double *values, size_t count)
{
    double mean = stats_mean(values, count);
    double sum = 0;

    if (count < 2)
        return NAN;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum / (double)(count - 1);
}

/* The caller frees. */
static double *logs_of(struct stats_sample sample)
{
    double *logs = xcalloc(sample.count + 1, sizeof *logs);

    for (size_t i = 0; i < sample.count; i++)
        logs[i] = log(sample.values[i]);
    return logs;
}

double stats_geometric_mean(const double *values, size_t count)
{
    auto_free double *logs = logs_of((struct stats_sample){ values, count });

    return exp(stats_mean(logs, count));
}

/* --- ratios --- */

static bool spreads(struct stats_sample sample)
{
    for (size_t i = 1; i < sample.count; i++)
        if (sample.values[i] > sample.values[0] || sample.values[i] < sample.values[0])
            return true;
    return false;
}

static bool can_tell(struct stats_sample a, struct stats_sample b)
{
    return a.count >= 2 && b.count >= 2 && (spreads(a) || spreads(b));
}

bool stats_ratio_by_t(struct stats_sample a, struct stats_sample b, double level,
                      struct stats_ratio *out)
{
    auto_free double *log_a = logs_of(a);
    auto_free double *log_b = logs_of(b);
    double difference = stats_mean(log_a, a.count) - stats_mean(log_b, b.count);
    double of_a, of_b, sum, df, reach;

    out->value = exp(difference);
    if (!can_tell(a, b))
        return false;
    of_a = stats_variance(log_a, a.count) / (double)a.count;
    of_b = stats_variance(log_b, b.count) / (double)b.count;
    sum = of_a + of_b;
    /* Welch and Satterthwaite. */
    df = sum * sum
         / (of_a * of_a / (double)(a.count - 1) + of_b * of_b / (double)(b.count - 1));
    reach = stats_t_quantile((1 + level) / 2, df) * sqrt(sum);
    out->low = exp(difference - reach);
    out->high = exp(difference + reach);
    return true;
}

/* splitmix64 (Steele, Lea, Flood 2014): the next of the numbers that a seed leads to.
 */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The mean of as many as there are, drawn with repetition.  (The remainder favours the
 * first ones by less than count / 2^64.) */
static double mean_of_redraw(const double *values, size_t count, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[next_number(state) % count];
    return sum / (double)count;
}

/* Between the two values that share `p` falls between. */
static double percentile(const double *sorted, size_t count, double p)
{
    double place = p * (double)(count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

bool stats_ratio_by_bootstrap(struct stats_sample a, struct stats_sample b,
                              double level, uint64_t seed, struct stats_ratio *out)
{
    auto_free double *log_a = logs_of(a);
    auto_free double *log_b = logs_of(b);
    double drawn[STATS_RESAMPLES];
    uint64_t state = seed;

    out->value = exp(stats_mean(log_a, a.count) - stats_mean(log_b, b.count));
    if (!can_tell(a, b))
        return false;
    for (size_t i = 0; i < STATS_RESAMPLES; i++) {
        double of_a = mean_of_redraw(log_a, a.count, &state);

        drawn[i] = of_a - mean_of_redraw(log_b, b.count, &state);
    }
    qsort(drawn, STATS_RESAMPLES, sizeof *drawn, compare);
    out->low = exp(percentile(drawn, STATS_RESAMPLES, (1 - level) / 2));
    out->high = exp(percentile(drawn, STATS_RESAMPLES, (1 + level) / 2));
    return true;
}
