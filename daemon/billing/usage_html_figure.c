/* How figures are written on the page.  Decides what has to be said beside a cost. */

#include "daemon/billing/usage_html.h"

#include <inttypes.h>
#include <string.h>

void usage_html_grouped(struct text *out, const char *decimal)
{
    size_t digits;

    if (*decimal == '-') {
        text_puts(out, "−");
        decimal++;
    }
    for (digits = strcspn(decimal, "."); digits > 0; digits--) {
        text_add(out, decimal++, 1);
        if (digits % 3 == 1 && digits > 1)
            text_puts(out, ",");
    }
    text_puts(out, decimal);
}

void usage_html_amount(struct text *out, nanousd_t amount)
{
    char exact[MONEY_TEXT_SIZE], words[MONEY_TEXT_SIZE];

    text_printf(out, "<data value=\"%s\">", money_format(amount, exact));
    usage_html_grouped(out, money_format_short(amount, words));
    text_puts(out, "</data>");
}

/* Shares that change what an amount says. */
static const struct {
    enum usage_share share; /* USAGE_WHOLE: what has no price */
    const char *mark;
    const char *meaning;
} marks[] = {
    { USAGE_WHOLE, "gap", "without price, and so not in the amount" },
    { USAGE_ESTIMATED, "est.", "an estimate: no source states the price" },
    { USAGE_EMULATED, "emul.", "of emulated jobs" },
};

static int64_t seconds_of(const struct usage_total *total, enum usage_share share)
{
    return share == USAGE_WHOLE ? total->unpriced_seconds
                                : total->shares[share].seconds;
}

void usage_html_cost(struct text *out, const struct usage_total *total)
{
    if (usage_is_unpriced(total))
        text_puts(out, "no price");
    else
        usage_html_amount(out, total->shares[USAGE_WHOLE].cost);
}

void usage_html_marks(struct text *out, const struct usage_total *total)
{
    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        int64_t seconds = seconds_of(total, marks[i].share);
        bool is_part = seconds < total->shares[USAGE_WHOLE].seconds;

        if (seconds > 0 && (is_part || marks[i].share != USAGE_WHOLE))
            text_printf(out, "<abbr class=\"mark%s\" title=\"%s %s\">%s</abbr> ",
                        is_part ? " part" : "", is_part ? "part of it is" : "it is",
                        marks[i].meaning, marks[i].mark);
    }
}

void usage_html_legend(struct text *out, const struct usage_total *total)
{
    const char *before = "<p class=\"dim\">";

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        if (seconds_of(total, marks[i].share) == 0)
            continue;
        text_printf(out, "%s<span class=\"mark\">%s</span> %s", before, marks[i].mark,
                    marks[i].meaning);
        before = " · ";
    }
    if (*before == ' ')
        text_puts(out, " · <span class=\"mark part\">dotted</span> part of it</p>\n");
}

/* Half to even, but what is more than nothing is not shown as nothing. */
void usage_html_hours(struct text *out, int64_t seconds)
{
    int64_t hundredths = seconds / 36;
    int64_t rest = seconds % 36;
    auto_free char *words = NULL;

    hundredths += rest > 18 || (rest == 18 && hundredths % 2 == 1);
    words = xasprintf("%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
    text_printf(out, "<data value=\"%" PRId64 "\">", seconds);
    if (seconds > 0 && hundredths == 0)
        text_puts(out, "&lt; 0.01");
    else
        usage_html_grouped(out, words);
    text_puts(out, "</data>");
}

void usage_html_count(struct text *out, int64_t count)
{
    auto_free char *words = xasprintf("%" PRId64, count);

    usage_html_grouped(out, words);
}

void usage_html_busy(struct text *out, const struct usage_total *total)
{
    char words[MONEY_TEXT_SIZE];
    const char *percent = usage_busy_percent(total, words);

    if (percent)
        text_printf(out, "%s %%", percent);
    else
        text_puts(out, "–");
}
