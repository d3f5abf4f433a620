#ifndef SRC_STATS_H
#define SRC_STATS_H

#include "src/base.h"

/*
 * Statistics of a few repeated runs.
 *
 * In double, for these are no amounts of money.  Runs differ by factors (a run on a
 * busy machine takes 5 % longer), so what is said of them is said of their logarithms:
 * values must be above 0 where that is named.  All of it is pure; what cannot be said
 * is false or NaN, never a number.
 */

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

/* Fewer runs than this an arm, and the bootstrap's intervals are too narrow (measured:
 * 82 % of a nominal 95 % at 3, 91 % at 10): there it is t on the logarithms. */
enum {
    STATS_BOOTSTRAP_MIN = 20,
    STATS_RESAMPLES = 2000
};

/* One of repeated runs of the same. */
struct stats_sample {
    const double *values; /* above 0 */
    size_t count;
};

/* How many times the one the other is. */
struct stats_ratio {
    double value; /* of the geometric means */
    double low;   /* of the interval that covers the true ratio */
    double high;
};

/**
 * The ratio `a` / `b`, with the interval of Welch's t on the difference of the mean
 * logarithms (the samples may spread differently).
 *
 * @level  0.95: covers the true ratio in 95 % of cases
 *
 * False, and `value` alone is set, when either has fewer than two values, and when none
 * of them spreads at all: nothing then tells how far runs of the same lie apart.
 */
bool stats_ratio_by_t(struct stats_sample a, struct stats_sample b, double level,
                      struct stats_ratio *out);

/** The same by the percentile bootstrap, which supposes no shape of the noise: the
 * samples are drawn again STATS_RESAMPLES times, by the numbers that `seed` leads to.
 */
bool stats_ratio_by_bootstrap(struct stats_sample a, struct stats_sample b,
                              double level, uint64_t seed, struct stats_ratio *out);

#endif
