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
        return STATS_NONE;
    return t < 0 ? t_tail(-t, df) : 1 - t_tail(t, df);
}

double stats_t_quantile(double p, double df)
{
    double tail = p < 0.5 ? p : 1 - p;
    double low = 0;
    double high = 1;

    if (!(p > 0 && p < 1 && df > 0))
        return STATS_NONE;
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
        return STATS_NONE;
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
        return STATS_NONE;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum / (double)(count - 1);
}

/* The logarithms of a sample. */
struct logs {
    double *values;
    size_t count;
    double mean;
    bool spread; /* not all are the same */
};

static struct logs logs_of(struct stats_sample sample)
{
    struct logs logs = { .values = xcalloc(sample.count + 1, sizeof *logs.values),
                         .count = sample.count };

    for (size_t i = 0; i < sample.count; i++) {
        double first = sample.values[0];

        logs.values[i] = log(sample.values[i]);
        logs.spread |= sample.values[i] > first || sample.values[i] < first;
    }
    logs.mean = stats_mean(logs.values, logs.count);
    return logs;
}

static void logs_clear(struct logs *logs)
{
    free(logs->values);
}
#define auto_logs __attribute__((cleanup(logs_clear)))

double stats_geometric_mean(const double *values, size_t count)
{
    auto_logs struct logs logs = logs_of((struct stats_sample){ values, count, 0 });

    return exp(logs.mean);
}

/* --- intervals by t --- */

/* A mean of logarithms and how sure it is. */
struct log_mean {
    double mean;
    double error; /* variance of the mean */
    double df;
    size_t count;
};

static struct log_mean log_mean_of(struct stats_sample sample)
{
    auto_logs struct logs logs = logs_of(sample);
    double step = sample.step / exp(logs.mean);
    double variance = logs.spread ? stats_variance(logs.values, logs.count) : 0;

    /* Of what is rounded to a step, each place within that is as likely: step^2 / 12.
     */
    return (struct log_mean){
        .mean = logs.mean,
        .error = fmax(variance, step * step / 12) / (double)logs.count,
        .df = (double)logs.count - 1,
        .count = logs.count,
    };
}

static bool set_interval(struct stats_center *out, double mean, double error, double df,
                         double level)
{
    double reach;

    out->value = exp(mean);
    if (!(error > 0))
        return false;
    reach = stats_t_quantile((1 + level) / 2, df) * sqrt(error);
    out->low = exp(mean - reach);
    out->high = exp(mean + reach);
    return true;
}

bool stats_mean_by_t(struct stats_sample sample, double level, struct stats_center *out)
{
    struct log_mean of = log_mean_of(sample);

    return set_interval(out, of.mean, of.count >= 2 ? of.error : 0, of.df, level);
}

bool stats_ratio_by_t(struct stats_sample a, struct stats_sample b, double level,
                      struct stats_center *out)
{
    struct log_mean of_a = log_mean_of(a), of_b = log_mean_of(b);
    double error = of_a.count >= 2 && of_b.count >= 2 ? of_a.error + of_b.error : 0;
    /* Welch and Satterthwaite. */
    double df =
        error * error
        / (of_a.error * of_a.error / of_a.df + of_b.error * of_b.error / of_b.df);

    return set_interval(out, of_a.mean - of_b.mean, error, df, level);
}

/* --- intervals by the bootstrap --- */

/* splitmix64 (Steele, Lea, Flood 2014): the next of the numbers that a seed leads to.
 */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool may_redraw(const struct logs *logs)
{
    return logs->count >= STATS_BOOTSTRAP_MIN && logs->spread;
}

/* The mean of as many as there are, drawn with repetition.  (The remainder favours the
 * first ones by less than count / 2^64.) */
static double mean_of_redraw(const struct logs *logs, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < logs->count; i++)
        sum += logs->values[next_number(state) % logs->count];
    return sum / (double)logs->count;
}

/* Between the two values that share `p` falls between. */
static double percentile(const double *sorted, size_t count, double p)
{
    double place = p * (double)(count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

/* The share below the lower end: that of the normal distribution below where t would
 * end, whose variance has count - 1 in it and not count. */
static double expanded_tail(size_t count, double df, double level)
{
    double reach = stats_t_quantile((1 + level) / 2, df)
                   * sqrt((double)count / (double)(count - 1));

    return erfc(reach / sqrt(2)) / 2;
}

/* `b` NULL: of `a` alone. */
static void bootstrap(const struct logs *a, const struct logs *b, double tail,
                      uint64_t seed, struct stats_center *out)
{
    double drawn[STATS_RESAMPLES];
    uint64_t state = seed;

    for (size_t i = 0; i < STATS_RESAMPLES; i++) {
        drawn[i] = mean_of_redraw(a, &state);
        if (b)
            drawn[i] -= mean_of_redraw(b, &state);
    }
    qsort(drawn, STATS_RESAMPLES, sizeof *drawn, compare);
    out->low = exp(percentile(drawn, STATS_RESAMPLES, tail));
    out->high = exp(percentile(drawn, STATS_RESAMPLES, 1 - tail));
}

bool stats_mean_by_bootstrap(struct stats_sample sample, double level, uint64_t seed,
                             struct stats_center *out)
{
    auto_logs struct logs logs = logs_of(sample);

    out->value = exp(logs.mean);
    if (!may_redraw(&logs))
        return false;
    bootstrap(&logs, NULL, expanded_tail(logs.count, (double)logs.count - 1, level),
              seed, out);
    return true;
}

bool stats_ratio_by_bootstrap(struct stats_sample a, struct stats_sample b,
                              double level, uint64_t seed, struct stats_center *out)
{
    auto_logs struct logs of_a = logs_of(a);
    auto_logs struct logs of_b = logs_of(b);
    size_t fewer = a.count < b.count ? a.count : b.count;

    out->value = exp(of_a.mean - of_b.mean);
    if (!may_redraw(&of_a) || !may_redraw(&of_b))
        return false;
    bootstrap(&of_a, &of_b,
              expanded_tail(fewer, (double)(a.count + b.count) - 2, level), seed, out);
    return true;
}
