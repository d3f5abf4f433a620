/* For which prices and times a published claim holds. */

#include "src/cli/claim.h"

typedef __int128 wide_t;

enum {
    MILLIONTHS = 1000000
};

int claim_parse_percent(const char *text, int64_t *out, struct err *err)
{
    micro_t micro;

    if (micro_parse(text, &micro, err) < 0)
        return -1;
    if (micro >= CLAIM_WHOLE)
        return err_set(err, ERR_INVALID, "%s %% is not below 100 %%", text);
    *out = (int64_t)micro;
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
    return (int64_t)((numerator * MILLIONTHS * 2 + denominator) / (denominator * 2));
}

static int fit(wide_t number, int64_t *out, struct err *err)
{
    if (number > INT64_MAX || number < INT64_MIN)
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
    return fit((wide_t)claim->baseline * (CLAIM_WHOLE - claim->cheaper) * MILLIONTHS
                   / ((wide_t)CLAIM_WHOLE * price),
               out, err);
}
