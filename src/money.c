/* What a thing costs, in whole nano-dollars, and how amounts are read and shown.
 * Rounding is half to even everywhere.  Which seconds are billed at which price is
 * decided by the ledger. */

#include "src/money.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide_t;

enum {
    USD_DECIMALS = 9,
    MICRO_DECIMALS = 6,
    HOUR_DECIMALS = 12,
    SECONDS_PER_HOUR = 3600,
    DIGITS_MAX = MONEY_TEXT_SIZE - 3, /* sign, point and NUL need their room */
};

static wide_t power_of_ten(int exponent)
{
    wide_t power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* Whether the cut-off part `rest` of `divisor` takes `kept` up by one.  `more`: digits
 * that are not 0 were dropped even behind the rest. */
static bool rounds_up(wide_t kept, wide_t rest, wide_t divisor, bool more)
{
    wide_t other_half = divisor - rest;

    if (rest != other_half)
        return rest > other_half;
    return more || kept % 2 == 1;
}

static wide_t divide_half_even(wide_t dividend, wide_t divisor)
{
    wide_t kept = dividend / divisor;

    return kept + rounds_up(kept, dividend % divisor, divisor, false);
}

static wide_t magnitude(nanousd_t amount)
{
    return amount < 0 ? (wide_t)0 - (wide_t)amount : (wide_t)amount;
}

/* `value` with a point before its last `decimals` digits. */
static void print_decimal(bool negative, wide_t value, int decimals,
                          char out[MONEY_TEXT_SIZE])
{
    char digits[DIGITS_MAX];
    int count = 0;

    while (value > 0 || count <= decimals) {
        assert(count < DIGITS_MAX);
        digits[count++] = (char)('0' + (int)(value % 10));
        value /= 10;
    }
    if (negative)
        *out++ = '-';
    while (count > 0) {
        *out++ = digits[--count];
        if (count == decimals && decimals > 0)
            *out++ = '.';
    }
    *out = '\0';
}

static wide_t with_digit(wide_t value, char digit)
{
    unsigned last = (unsigned)(digit - '0');

    return value * 10 + last;
}

int money_parse(const char *text, nanousd_t *out, struct err *err)
{
    const char *at = text;
    wide_t value = 0;
    bool too_large = false;
    bool has_digits;
    int decimals = 0;

    for (; isdigit((unsigned char)*at); at++) {
        value = with_digit(value, *at);
        too_large |= value > INT64_MAX;
        if (too_large)
            value = INT64_MAX;
    }
    has_digits = at != text;
    if (has_digits && *at == '.' && isdigit((unsigned char)at[1]))
        at++;
    for (; isdigit((unsigned char)*at) && decimals < USD_DECIMALS; at++, decimals++)
        value = with_digit(value, *at);
    if (!has_digits || *at != '\0')
        return err_set(
            err, ERR_INVALID,
            "\"%s\" is not an amount: expected a decimal with at most nine decimals",
            text);
    value *= power_of_ten(USD_DECIMALS - decimals);
    if (too_large || value > INT64_MAX)
        return err_set(err, ERR_LIMIT, "\"%s\" is too large an amount", text);
    *out = (nanousd_t)value;
    return 0;
}

/* The same without needless zeros. */
static const char *print_shortest(bool negative, wide_t value, int decimals,
                                  char out[MONEY_TEXT_SIZE])
{
    for (; decimals > 0 && value % 10 == 0; decimals--)
        value /= 10;
    print_decimal(negative, value, decimals, out);
    return out;
}

const char *money_format(nanousd_t amount, char out[MONEY_TEXT_SIZE])
{
    return print_shortest(amount < 0, magnitude(amount), USD_DECIMALS, out);
}

const char *money_format_short(nanousd_t amount, char out[MONEY_TEXT_SIZE])
{
    const wide_t four_digits = 10000;
    wide_t value = magnitude(amount);
    int dropped = 0;

    while (divide_half_even(value, power_of_ten(dropped)) >= four_digits)
        dropped++;
    /* What rounds up to 1 USD is shown as such: 0.99996 is "1.00". */
    if (value == 0 || USD_DECIMALS - dropped < 4)
        dropped = USD_DECIMALS - 2;
    print_decimal(amount < 0, divide_half_even(value, power_of_ten(dropped)),
                  USD_DECIMALS - dropped, out);
    return out;
}

int64_t money_passed_seconds(usec_t span)
{
    return span > 0 ? span / USEC_PER_SEC : 0;
}

int64_t money_billable_seconds(usec_t span)
{
    return span > 0 ? (span - 1) / USEC_PER_SEC + 1 : 0;
}

static int check_not_negative(nanousd_t hourly, int64_t seconds, struct err *err)
{
    if (hourly < 0 || seconds < 0)
        return err_set(err, ERR_INVALID, "a price or a span is negative");
    return 0;
}

static wide_t cost_of(nanousd_t hourly, int64_t seconds)
{
    return divide_half_even((wide_t)hourly * (wide_t)seconds, SECONDS_PER_HOUR);
}

static int give_cost(wide_t cost, nanousd_t *out, struct err *err)
{
    if (cost > INT64_MAX)
        return err_set(err, ERR_LIMIT, "a cost is too large to be written down");
    *out = (nanousd_t)cost;
    return 0;
}

int money_for_seconds(nanousd_t hourly, int64_t seconds, nanousd_t *out,
                      struct err *err)
{
    if (check_not_negative(hourly, seconds, err) < 0)
        return -1;
    return give_cost(cost_of(hourly, seconds), out, err);
}

int money_for_part(nanousd_t hourly, int64_t from, int64_t to, nanousd_t *out,
                   struct err *err)
{
    if (check_not_negative(hourly, from, err) < 0)
        return -1;
    if (to < from)
        return err_set(err, ERR_INVALID, "a part ends before it begins");
    return give_cost(cost_of(hourly, to) - cost_of(hourly, from), out, err);
}

/* In units of 10^-HOUR_DECIMALS. */
static wide_t hours_of(int64_t seconds)
{
    return divide_half_even((wide_t)seconds * power_of_ten(HOUR_DECIMALS),
                            SECONDS_PER_HOUR);
}

const char *money_hours(int64_t seconds, char out[MONEY_TEXT_SIZE])
{
    return print_shortest(false, hours_of(seconds), HOUR_DECIMALS, out);
}

int money_hours_cost(nanousd_t hourly, int64_t seconds, char out[MONEY_TEXT_SIZE],
                     struct err *err)
{
    wide_t product;

    if (check_not_negative(hourly, seconds, err) < 0)
        return -1;
    if (__builtin_mul_overflow((wide_t)hourly, hours_of(seconds), &product))
        return err_set(err, ERR_LIMIT, "a cost is too large to be written down");
    print_shortest(false, product, USD_DECIMALS + HOUR_DECIMALS, out);
    return 0;
}

/* A decimal as it was written: mantissa * 10^exponent, and whether something that is
 * not 0 was dropped behind it. */
struct decimal {
    wide_t mantissa;
    int64_t exponent;
    bool has_more;
};

/* So many digits are kept of a mantissa: far more than 10^18 with six places needs, and
 * twice such a number still fits 128 bits. */
enum {
    MANTISSA_DIGITS = 36,
    EXPONENT_MAX = 100000
};

static void add_digit(struct decimal *decimal, char digit, bool is_fraction)
{
    if (decimal->mantissa < power_of_ten(MANTISSA_DIGITS - 1)) {
        decimal->mantissa = with_digit(decimal->mantissa, digit);
        decimal->exponent -= is_fraction;
    } else {
        decimal->has_more |= digit != '0';
        decimal->exponent += !is_fraction;
    }
}

/* "e5", "E-3" at *at; the exponent is held at EXPONENT_MAX: beyond it all is 0 or too
 * large. */
static bool read_exponent(const char **at, int64_t *exponent)
{
    int64_t value = 0;
    bool negative;

    if (**at != 'e' && **at != 'E')
        return true;
    ++*at;
    negative = **at == '-';
    if (**at == '-' || **at == '+')
        ++*at;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); ++*at)
        if (value < EXPONENT_MAX)
            value = value * 10 + (**at - '0');
    *exponent += negative ? -value : value;
    return true;
}

static bool read_decimal(const char *text, struct decimal *decimal)
{
    const char *at = text;
    bool has_digits = false;

    *decimal = (struct decimal){ 0 };
    for (; isdigit((unsigned char)*at); at++, has_digits = true)
        add_digit(decimal, *at, false);
    if (*at == '.')
        for (at++; isdigit((unsigned char)*at); at++, has_digits = true)
            add_digit(decimal, *at, true);
    return has_digits && read_exponent(&at, &decimal->exponent) && *at == '\0';
}

/* The value of a decimal, in units of 10^-MICRO_DECIMALS; false above `limit`. */
static bool decimal_to_micro(const struct decimal *decimal, wide_t limit, wide_t *out)
{
    int64_t exponent = decimal->exponent + MICRO_DECIMALS;
    wide_t value = decimal->mantissa;
    wide_t divisor;

    for (; exponent > 0 && value > 0 && value <= limit; exponent--)
        value *= 10;
    if (exponent < -MANTISSA_DIGITS) {
        value = 0; /* below a tenth of the last place */
    } else if (exponent < 0) {
        divisor = power_of_ten((int)-exponent);
        value = decimal->mantissa / divisor;
        value +=
            rounds_up(value, decimal->mantissa % divisor, divisor, decimal->has_more);
    }
    *out = value;
    return value <= limit;
}

int micro_parse(const char *text, micro_t *out, struct err *err)
{
    const wide_t limit = power_of_ten(18 + MICRO_DECIMALS);
    struct decimal decimal;
    wide_t value;

    if (!read_decimal(text, &decimal))
        return err_set(err, ERR_INVALID, "\"%s\" is not a number from 0 on", text);
    if (!decimal_to_micro(&decimal, limit, &value))
        return err_set(err, ERR_LIMIT, "\"%s\" is above 10^18", text);
    *out = (micro_t)value;
    return 0;
}

/* (work / 10^6) / (cost / 10^9), in tenths.  Work of 10^24 makes 10^28: 29 digits. */
bool money_work_per_usd(micro_t work, nanousd_t cost, char out[MONEY_TEXT_SIZE])
{
    if (cost <= 0 || work < 0)
        return false;
    print_decimal(false, divide_half_even((wide_t)work * 10000, (wide_t)cost), 1, out);
    return true;
}

/* (cost / 10^9) / (work / 10^6 / 10^6), in millionths.  Cost of 2^63 makes 10^28 at
 * most. */
bool money_usd_per_million(micro_t work, nanousd_t cost, char out[MONEY_TEXT_SIZE])
{
    const wide_t scale = 1000000000;

    if (work <= 0)
        return false;
    print_decimal(cost < 0, divide_half_even(magnitude(cost) * scale, (wide_t)work),
                  MICRO_DECIMALS, out);
    return true;
}
