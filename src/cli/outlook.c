/* Estimates and forecasts for people.  Decides words and how many digits an amount has
 * that is no bill; every figure is the server's own. */

#include "src/cli/outlook.h"

#include "src/cli/figure.h"
#include "src/cli/print.h"
#include "src/clock.h"
#include "src/money.h"

#include <string.h>

/* An amount in short, or NULL. */
static const char *amount_of(const struct cJSON *object, const char *name,
                             char out[MONEY_TEXT_SIZE])
{
    const char *words = figure_words(json_get(object, name));
    nanousd_t amount;

    if (!words || money_parse(words, &amount, NULL) < 0)
        return NULL;
    return money_format_short(amount, out);
}

/* "6 min 50 s, $0.02323"; the amount where there is a price. */
static void add_seconds_and_cost(const struct cJSON *object, const char *seconds,
                                 const char *cost, struct text *out)
{
    char span[TIME_TEXT_SIZE];
    char text[MONEY_TEXT_SIZE];
    const char *amount = amount_of(object, cost, text);

    duration_format(json_get_int(object, seconds, 0), span);
    text_printf(out, "%s%s%s", span, amount ? ", $" : "", amount ? amount : "");
}

static void add_kept(const struct cJSON *most, struct text *out)
{
    auto_text struct text words = { 0 };

    if (json_get_int(most, "keep_alive_seconds", 0) == 0)
        return;
    add_seconds_and_cost(most, "keep_alive_seconds", "keep_alive_usd", &words);
    figure_row(out, "then kept warm", "at most %s more", words.bytes);
}

void outlook_add_bounds(const struct cJSON *outlook, const struct cJSON *price,
                        struct text *out)
{
    const struct cJSON *most = json_get(outlook, "most");
    const char *hour = figure_words(json_get(outlook, "usd_per_hour"));
    const char *confidence = json_get_text(price, "confidence");
    const char *not_counted = json_get_text(most, "not_counted");
    auto_text struct text words = { 0 };

    if (hour)
        figure_row(out, "price in all", "$%s per hour%s", hour,
                   confidence && strcmp(confidence, "low") == 0 ? ", an estimate" : "");
    add_seconds_and_cost(most, "seconds", "cost_usd", &words);
    figure_row(out, "at most", "%s%s%s", words.bytes, not_counted ? ", and " : "",
               not_counted ? not_counted : "");
    add_kept(most, out);
}

static void add_basis(const struct cJSON *likely, struct text *out)
{
    const char *basis = json_get_text(likely, "basis");
    const char *stopped_by = json_get_text(likely, "stopped_by");
    int64_t runs = json_get_int(likely, "runs", 0);

    if (basis && strcmp(basis, "progress") == 0)
        figure_row(out, "by", "the work done so far, should it go on like that");
    else if (runs == 1)
        figure_row(out, "by",
                   "the one completed job of the same code, hyperparameters and type:"
                   " how far others lie from it is not known");
    else
        figure_row(out, "by",
                   "%lld completed jobs of the same code, hyperparameters and type",
                   (long long)runs);
    if (stopped_by)
        figure_row(out, "warning", "%s is likely to stop it before it is done",
                   stopped_by);
}

void outlook_add_likely(const struct cJSON *likely, struct text *out)
{
    const char *why = json_get_text(likely, "unavailable");
    auto_text struct text words = { 0 };

    if (!json_get_text(likely, "basis")) {
        figure_row(out, "likely", "not known%s%s", why ? ": " : "", why ? why : "");
        return;
    }
    add_seconds_and_cost(likely, "seconds", "cost_usd", &words);
    if (json_number(json_get(likely, "low_seconds"))) {
        text_puts(&words, "; 95 % lie between ");
        add_seconds_and_cost(likely, "low_seconds", "low_usd", &words);
        text_puts(&words, " and ");
        add_seconds_and_cost(likely, "high_seconds", "high_usd", &words);
    }
    figure_row(out, "likely", "%s", words.bytes);
    add_basis(likely, out);
}

/* "2026-11-30 18:40:12Z, between 18:38:00Z and ..." */
static void add_eta(const struct cJSON *forecast, struct text *out)
{
    const char *low = json_get_text(forecast, "eta_low");
    auto_text struct text words = { 0 };
    char at[32];

    text_puts(&words, print_time(json_get_text(forecast, "eta"), at));
    if (low) {
        text_printf(&words, ", between %s", print_time(low, at));
        text_printf(&words, " and %s",
                    print_time(json_get_text(forecast, "eta_high"), at));
    }
    figure_row(out, "likely end", "%s", words.bytes);
}

void outlook_add_forecast(const struct cJSON *forecast, struct text *out)
{
    if (json_kind(forecast) != JSON_OBJECT)
        return;
    if (json_get_text(forecast, "eta"))
        add_eta(forecast, out);
    outlook_add_likely(forecast, out);
}
