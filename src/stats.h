#ifndef SRC_STATS_H
#define SRC_STATS_H

#include "src/base.h"

#include <math.h>

/*
 * Statistics of a few repeated runs.
 *
 * In double, for these are no amounts of money.  Runs differ by factors (a run on a
 * busy machine takes 5 % longer), so what is said of them is said of their logarithms:
 * values must be above 0 where that is named.  All of it is pure; what cannot be said
 * is false or NaN, never a number.
 */

/* No number.  (NAN itself is a float.) */
#define STATS_NONE ((double)NAN)

/** The x below which a share `p` of Student's t with `df` degrees of freedom lies (df
 * need not be whole).  To 10 significant digits.  NaN unless 0 < p < 1 and df > 0. */
double stats_t_quantile(double p, double df);
/** The share of Student's t with `df` degrees of freedom that lies below `t`.  NaN
 * unless df > 0. */
double stats_t_below(double t, double df);

/** NaN of none. */
double stats_mean(const double *values, size_t count);
/** The middle one, or the mean of the two in the middle.  NaN of none. */
double stats_median(const double *values, size_t count);
/** With count - 1 in the denominator.  NaN below two. */
double stats_variance(const double *values, size_t count);
/** Of values above 0.  NaN of none. */
double stats_geometric_mean(const double *values, size_t count);

/* Fewer runs than this, and the bootstrap's intervals are too narrow (measured: 82 % of
 * a nominal 95 % at 3, 91 % at 10): there it is t on the logarithms. */
enum {
    STATS_BOOTSTRAP_MIN = 20,
    STATS_RESAMPLES = 2000
};

/* Repeated runs of the same. */
struct stats_sample {
    const double *values; /* above 0 */
    size_t count;
    double step; /* what they are whole multiples of, as they were rounded to it; 0:
                    they were not */
};

/* A geometric mean, or how many times the one is the other. */
struct stats_center {
    double value;
    double low; /* of the interval that covers the true one */
    double high;
};

/**
 * The geometric mean of a sample, with the interval of t on the logarithms.
 *
 * A sample that spreads by less than rounding to its `step` does is taken to spread as
 * that: a standard deviation of step / sqrt(12).  So runs that all took the same whole
 * second have an interval, too.
 *
 * @level  0.95: covers the true one in 95 % of cases
 *
 * False, and `value` alone is set, when there are fewer than two, and when they do not
 * spread at all and have no step: nothing then tells how far runs of the same lie
 * apart.
 */
bool stats_mean_by_t(struct stats_sample sample, double level,
                     struct stats_center *out);

/** The ratio `a` / `b` of the geometric means, with the interval of Welch's t on the
 * difference of the mean logarithms (the samples may spread differently).  False as
 * above. */
bool stats_ratio_by_t(struct stats_sample a, struct stats_sample b, double level,
                      struct stats_center *out);

/**
 * The same two by the bootstrap, which supposes no shape of the noise: the samples are
 * drawn again STATS_RESAMPLES times, by the numbers that `seed` leads to.
 *
 * Percentiles of those are too narrow by what a sample's own variance and the normal
 * quantile fall short of; they are taken farther out by as much (Hesterberg, What
 * Teachers Should Know About the Bootstrap, 2015: the expanded percentile interval).
 *
 * False below STATS_BOOTSTRAP_MIN, and when a sample does not spread.
 */
bool stats_mean_by_bootstrap(struct stats_sample sample, double level, uint64_t seed,
                             struct stats_center *out);
bool stats_ratio_by_bootstrap(struct stats_sample a, struct stats_sample b,
                              double level, uint64_t seed, struct stats_center *out);

#endif
