#ifndef SRC_CLI_CLAIM_H
#define SRC_CLI_CLAIM_H

#include "src/err.h"
#include "src/money.h"

/*
 * A claim that was published without its table: one type is so much faster than
 * another, and so much cheaper at the price that the other had.  What is asked is for
 * which prices it can be true.  Integers throughout; all of it is pure.
 */

/* "22 % faster" is said of both. */
enum claim_reading {
    CLAIM_LESS_TIME, /* the time x (1 - 0.22) */
    CLAIM_MORE_SPEED /* the speed x 1.22, so the time / 1.22 */
};

enum {
    CLAIM_READINGS = CLAIM_MORE_SPEED + 1,
    CLAIM_WHOLE = 100000000 /* 100 %, in millionths of a percent */
};

struct claim {
    int64_t faster;     /* millionths of a percent, 0 .. CLAIM_WHOLE - 1 */
    int64_t cheaper;    /* the same */
    nanousd_t baseline; /* an hour of the type that it is compared with; above 0 */
};

/** Reads "22" or "0.5": percent, at least 0 and below 100, at most six decimals. */
MUST_CHECK int claim_parse_percent(const char *text, int64_t *out, struct err *err);

/** The time as a share of the baseline's, CLAIM_WHOLE is the same; rounded half up, and
 * above 0. */
int64_t claim_time(const struct claim *claim, enum claim_reading reading);

/* Each of these fails with ERR_LIMIT when its result does not fit. */

/** The highest price of an hour at which it is as much cheaper as claimed, rounded
 * down: a nano-dollar more and it is not. */
MUST_CHECK int claim_price_at_most(const struct claim *claim,
                                   enum claim_reading reading, nanousd_t *out,
                                   struct err *err);

/** How much cheaper it is at this price, in millionths of a percent, rounded down;
 * below 0: dearer. */
MUST_CHECK int claim_saving(const struct claim *claim, enum claim_reading reading,
                            nanousd_t price, int64_t *out, struct err *err);

/** The longest time, as a share of the baseline's (CLAIM_WHOLE is the same), at which
 * it is as much cheaper as claimed at this price (above 0), rounded down. */
MUST_CHECK int claim_time_at_most(const struct claim *claim, nanousd_t price,
                                  int64_t *out, struct err *err);

#endif
