/* Amounts, counts of work, times and spans as people write them: what is taken is
 * written so that it is read as the same, and parts of a cost add up to the whole. */

#include "src/clock.h"
#include "src/money.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_parts(nanousd_t hourly, int64_t seconds)
{
    nanousd_t whole, first, second;
    int64_t middle = seconds / 3;
    struct err err;

    if (money_for_seconds(hourly, seconds, &whole, &err) < 0) {
        assert(err.code == ERR_LIMIT && *err.text);
        return;
    }
    assert(money_for_part(hourly, 0, middle, &first, NULL) == 0);
    assert(money_for_part(hourly, middle, seconds, &second, NULL) == 0);
    assert(first >= 0 && second >= 0 && first + second == whole);
}

static nanousd_t check_money(const char *text)
{
    char shown[MONEY_TEXT_SIZE];
    nanousd_t amount, again;
    struct err err;

    if (money_parse(text, &amount, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return 0;
    }
    assert(amount >= 0);
    assert(money_parse(money_format(amount, shown), &again, NULL) == 0);
    assert(again == amount);
    (void)money_format_short(amount, shown);
    return amount;
}

static void check_work(const char *text, nanousd_t cost)
{
    char shown[MONEY_TEXT_SIZE];
    struct err err;
    micro_t work;

    if (micro_parse(text, &work, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return;
    }
    assert(work >= 0);
    assert(money_work_per_usd(work, cost, shown) == (cost != 0));
    assert(money_usd_per_million(work, cost, shown) == (work != 0));
}

static void check_time(const char *text)
{
    char shown[TIME_TEXT_SIZE];
    usec_t wall, again;
    struct err err;

    if (time_parse(text, &wall, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return;
    }
    assert(time_parse(time_format(wall, shown), &again, NULL) == 0);
    assert(again == wall);
}

static int64_t check_span(const char *text)
{
    char shown[TIME_TEXT_SIZE];
    int64_t seconds;
    struct err err;

    if (duration_parse(text, &seconds, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return 0;
    }
    assert(seconds >= 0);
    duration_format(seconds, shown);
    assert(strlen(shown) < sizeof shown);
    return seconds;
}

/* Lines: a number and a time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    char *rest = text;
    const char *number = fuzz_line(&rest);
    const char *when = rest ? rest : number;
    nanousd_t amount = check_money(number);

    check_work(when, amount);
    check_time(when);
    check_parts(amount, check_span(when));
    return 0;
}
