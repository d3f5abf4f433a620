/* For which prices and times a published claim holds. */

#include "src/cli/claim.h"

typedef __int128 wide_t;

int claim_parse_percent(const char *text, int64_t *out, struct err *err)
{
    const int64_t unit = 1000; /* of money's nine decimals, three too many */
    nanousd_t percent;

    if (money_parse(text, &percent, NULL) < 0 || percent % unit
        || percent / unit >= CLAIM_WHOLE)
        return err_set(err, ERR_INVALID,
                       "\"%s\" is no percentage from 0 to below 100 with at most six"
                       " decimals",
                       text);
    *out = percent / unit;
    return 0;
}

/* The time is numerator / denominator of the baseline's. */
static void time_of(const struct claim *claim, enum claim_reading reading,
                    wide_t *numerator, wide_t *denominator)
{
    if (reading == CLAIM_LESS_TIME) {
        *numerator = CLAIM_WHOLE - claim->faster;
        *denominator = CLAIM_WHOLE;
    } else {
        *numerator = CLAIM_WHOLE;
        *denominator = CLAIM_WHOLE + claim->faster;
    }
}

static wide_t divide_down(wide_t number, wide_t by)
{
    wide_t result = number / by;

    return number % by < 0 ? result - 1 : result;
}

int64_t claim_time(const struct claim *claim, enum claim_reading reading)
{
    wide_t numerator, denominator;

    time_of(claim, reading, &numerator, &denominator);
    return (int64_t)((numerator * CLAIM_WHOLE * 2 + denominator) / (denominator * 2));
}

static int fit(wide_t number, int64_t *out, struct err *err)
{
    if (number > INT64_MAX || number < -INT64_MAX)
        return err_set(err, ERR_LIMIT,
                       "these prices and percentages lie too far apart");
    *out = (int64_t)number;
    return 0;
}

int claim_price_at_most(const struct claim *claim, enum claim_reading reading,
                        nanousd_t *out, struct err *err)
{
    wide_t numerator, denominator;

    time_of(claim, reading, &numerator, &denominator);
    return fit((wide_t)claim->baseline * (CLAIM_WHOLE - claim->cheaper) * denominator
                   / (CLAIM_WHOLE * numerator),
               out, err);
}

int claim_saving(const struct claim *claim, enum claim_reading reading, nanousd_t price,
                 int64_t *out, struct err *err)
{
    wide_t numerator, denominator, baseline, own;

    time_of(claim, reading, &numerator, &denominator);
    baseline = claim->baseline * denominator;
    own = price * numerator;
    return fit(divide_down((baseline - own) * CLAIM_WHOLE, baseline), out, err);
}

int claim_time_at_most(const struct claim *claim, nanousd_t price, int64_t *out,
                       struct err *err)
{
    return fit((wide_t)claim->baseline * (CLAIM_WHOLE - claim->cheaper) / price, out,
               err);
}
