#ifndef SRC_MONEY_H
#define SRC_MONEY_H

#include "src/base.h"
#include "src/err.h"

/* Money is an integer of nano-dollars: every catalog price fits to the digit, and sums
 * are exact. No binary floating point is anywhere near it. */

typedef int64_t nanousd_t;

#define NANOUSD_PER_USD INT64_C(1000000000)

/* The highest price of an instance-hour: a slip of some digits is refused before the
 * cost of a job gets too large to be written down, which is at 9.2 billion dollars. */
#define MONEY_HOURLY_MAX (INT64_C(100000) * NANOUSD_PER_USD)

/* Room for any amount as text: sign, point, NUL and the 39 digits of 128 bits. */
enum {
    MONEY_TEXT_SIZE = 48
};

/** Reads a decimal ("0.204", "24.725") with at most nine decimals, >= 0. */
MUST_CHECK int money_parse(const char *text, nanousd_t *out, struct err *err);

/** Decimal text without needless zeros ("0.204", "0.004646667").  Returns `out`. */
const char *money_format(nanousd_t amount, char out[MONEY_TEXT_SIZE]);

/** For people: two decimals from 1 USD on ("12.35"), else four significant digits. Half
 * to even. */
const char *money_format_short(nanousd_t amount, char out[MONEY_TEXT_SIZE]);

/** Whole seconds of a span that goes on, rounded down: once it has ended it has no
 * less.
 */
int64_t money_passed_seconds(usec_t span);

/** A span rounded up to whole seconds, once; negative spans are 0. */
int64_t money_billable_seconds(usec_t span);

/**
 * hourly * seconds / 3600, rounded half to even to one nano-dollar.
 *
 * @hourly   nano-dollars per instance-hour, >= 0
 * @seconds  instance-seconds, >= 0
 * @out      set only on success
 *
 * Fails with ERR_LIMIT when the result does not fit.  Pure.
 */
MUST_CHECK int money_for_seconds(nanousd_t hourly, int64_t seconds, nanousd_t *out,
                                 struct err *err);

/**
 * The part [from, to) of money_for_seconds: the first `to` seconds less the first
 * `from` seconds, each rounded so that parts always sum to the whole.
 */
MUST_CHECK int money_for_part(nanousd_t hourly, int64_t from, int64_t to,
                              nanousd_t *out, struct err *err);

/** Instance-hours, at most twelve decimals, half to even: seconds / 3600 seldom ends.
 * @seconds  instance-seconds, >= 0 */
const char *money_hours(int64_t seconds, char out[MONEY_TEXT_SIZE]);

/**
 * The product of `hourly` and money_hours(seconds), all its digits (21 decimals at
 * most).
 *
 * Exports that promise price * quantity = cost need it.  It differs from what the
 * ledger has for these seconds by what both round: 1 nano-dollar and hourly * 10^-12
 * / 2. Fails with ERR_LIMIT when it does not fit.  Pure.
 */
MUST_CHECK int money_hours_cost(nanousd_t hourly, int64_t seconds,
                                char out[MONEY_TEXT_SIZE], struct err *err);

/* A decimal number with six places, for work that was done: "180000" or "12.5". */
typedef __int128 micro_t;

/** Reads a non-negative decimal, exponent allowed ("1.8e5"), rounded to six places.
 * ERR_INVALID when it is not one, ERR_LIMIT above 10^18. */
MUST_CHECK int micro_parse(const char *text, micro_t *out, struct err *err);

/** Units of work per dollar, one decimal, half to even.  False when `cost` is 0. */
bool money_work_per_usd(micro_t work, nanousd_t cost, char out[MONEY_TEXT_SIZE]);

/** Dollars per million units of work, six decimals, half to even.  False when `work` is
 * 0. */
bool money_usd_per_million(micro_t work, nanousd_t cost, char out[MONEY_TEXT_SIZE]);

#endif
