/* jobctl compare --what-if: for which prices and times a published claim holds.  The
 * arithmetic is claim.c's. */

#include "src/cli/claim.h"
#include "src/cli/compare.h"
#include "src/cli/print.h"
#include "src/cli/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The words of a reading; {NAME, HEAD}. */
static const struct {
    const char *name;
    const char *head;
} readings[CLAIM_READINGS] = {
    [CLAIM_LESS_TIME] = { "less_time", "if time is meant" },
    [CLAIM_MORE_SPEED] = { "more_speed", "if speed is meant" },
};

struct what_if {
    struct claim claim;
    nanousd_t *prices;
    size_t price_count;
};

static int read_price(const char *option, const char *text, nanousd_t *out,
                      struct err *err)
{
    if (money_parse(text, out, err) < 0)
        return err_wrap(err, "%s %s", option, text);
    if (*out == 0)
        return err_set(err, ERR_INVALID, "%s %s: a price above 0 is wanted", option,
                       text);
    return 0;
}

static int read_words(const struct claim_words *words, struct what_if *out,
                      struct err *err)
{
    if (claim_parse_percent(words->faster, &out->claim.faster, err) < 0)
        return err_wrap(err, "--faster");
    if (claim_parse_percent(words->cheaper, &out->claim.cheaper, err) < 0)
        return err_wrap(err, "--cheaper");
    if (read_price("--baseline-usd", words->baseline, &out->claim.baseline, err) < 0)
        return -1;
    for (char *const *price = words->prices; price && *price; price++) {
        out->prices =
            xrealloc(out->prices, (out->price_count + 1) * sizeof *out->prices);
        if (read_price("--usd", *price, &out->prices[out->price_count], err) < 0)
            return -1;
        out->price_count++;
    }
    return 0;
}

/* A share of which CLAIM_WHOLE is the whole, as "0.78000000" where the whole is 1, as
 * "78.000000" where it is 100. */
static void set_share(struct cJSON *json, const char *name, int64_t share, int64_t one)
{
    auto_free char *words = xasprintf("%s%" PRId64 ".%0*" PRId64, share < 0 ? "-" : "",
                                      imaxabs(share) / one, one == CLAIM_WHOLE ? 8 : 6,
                                      imaxabs(share) % one);

    json_set_number(json, name, words);
}

static void set_percent(struct cJSON *json, const char *name, int64_t share)
{
    set_share(json, name, share, CLAIM_WHOLE / 100);
}

static void set_ratio(struct cJSON *json, const char *name, int64_t share)
{
    set_share(json, name, share, CLAIM_WHOLE);
}

static void set_price(struct cJSON *json, const char *name, nanousd_t price)
{
    char words[MONEY_TEXT_SIZE];

    json_set_text(json, name, money_format(price, words));
}

static int add_reading(const struct claim *claim, enum claim_reading reading,
                       nanousd_t price, struct cJSON *row, struct err *err)
{
    struct cJSON *json = json_object_new();
    nanousd_t most;
    int64_t saving;

    json_set(row, readings[reading].name, json);
    if (claim_saving(claim, reading, price, &saving, err) < 0
        || claim_price_at_most(claim, reading, &most, err) < 0)
        return -1;
    set_percent(json, "saving_percent", saving);
    json_set_bool(json, "holds", price <= most);
    return 0;
}

static int add_price(const struct claim *claim, nanousd_t price, struct cJSON *prices,
                     struct err *err)
{
    struct cJSON *row = json_object_new();
    int64_t time;

    json_append(prices, row);
    set_price(row, "usd_per_hour", price);
    for (int i = 0; i < CLAIM_READINGS; i++)
        if (add_reading(claim, (enum claim_reading)i, price, row, err) < 0)
            return -1;
    if (claim_time_at_most(claim, price, &time, err) < 0)
        return -1;
    set_ratio(row, "time_ratio_at_most", time);
    return 0;
}

static int add_limit(const struct claim *claim, enum claim_reading reading,
                     struct cJSON *json, struct err *err)
{
    struct cJSON *limit = json_object_new();
    nanousd_t most;

    json_set(json, readings[reading].name, limit);
    set_ratio(limit, "time_ratio", claim_time(claim, reading));
    if (claim_price_at_most(claim, reading, &most, err) < 0)
        return -1;
    set_price(limit, "usd_per_hour_at_most", most);
    return 0;
}

static int what_if_to_json(const struct what_if *what_if, struct cJSON *json,
                           struct err *err)
{
    struct cJSON *claim = json_object_new();
    struct cJSON *prices = json_array_new();

    set_percent(claim, "faster_percent", what_if->claim.faster);
    set_percent(claim, "cheaper_percent", what_if->claim.cheaper);
    set_price(claim, "baseline_usd_per_hour", what_if->claim.baseline);
    json_set(json, "claim", claim);
    for (int i = 0; i < CLAIM_READINGS; i++)
        if (add_limit(&what_if->claim, (enum claim_reading)i, json, err) < 0)
            return -1;
    json_set(json, "prices", prices);
    for (size_t i = 0; i < what_if->price_count; i++)
        if (add_price(&what_if->claim, what_if->prices[i], prices, err) < 0)
            return -1;
    return 0;
}

static double number_of(const struct cJSON *json, const char *name)
{
    double number = 0;

    (void)json_to_double(json_get(json, name), &number);
    return number;
}

static void add_prices(const struct cJSON *json, struct text *out)
{
    static const struct table_column columns[] = {
        { "usd per hour", true },
        { "if time is meant", true },
        { "if speed is meant", true },
        { "the claim needs time x", true },
    };
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    json_each (row, json_get(json, "prices")) {
        table_cell(table, json_get_text(row, "usd_per_hour"));
        for (int i = 0; i < CLAIM_READINGS; i++) {
            const struct cJSON *reading = json_get(row, readings[i].name);

            double saving = number_of(reading, "saving_percent");

            table_cellf(table, "%.1f %% %s%s", fabs(saving),
                        saving < 0 ? "dearer" : "cheaper",
                        json_get_bool(reading, "holds") ? ", holds" : "");
        }
        table_cellf(table, "%.4g at most", number_of(row, "time_ratio_at_most"));
    }
    text_puts(out, "\n");
    table_print(table, out);
}

static void print_words(const struct cJSON *json)
{
    const struct cJSON *claim = json_get(json, "claim");
    auto_text struct text out = { 0 };

    text_printf(&out, "%.8g %% faster and %.8g %% cheaper than $%s per hour\n",
                number_of(claim, "faster_percent"), number_of(claim, "cheaper_percent"),
                json_get_text(claim, "baseline_usd_per_hour"));
    for (int i = 0; i < CLAIM_READINGS; i++) {
        const struct cJSON *reading = json_get(json, readings[i].name);
        double ratio = number_of(reading, "time_ratio");

        text_printf(
            &out,
            "  %s, the time x %.4g and the speed x %.4g: holds up to $%s per hour\n",
            readings[i].head, ratio, 1 / ratio,
            json_get_text(reading, "usd_per_hour_at_most"));
    }
    if (json_count(json_get(json, "prices")))
        add_prices(json, &out);
    fputs(out.bytes, stdout);
}

int compare_claim(const struct cli *cli, const struct claim_words *words)
{
    auto_json struct cJSON *json = json_object_new();
    struct what_if what_if = { 0 };
    struct err err;
    int result = read_words(words, &what_if, &err);

    if (result == 0)
        result = what_if_to_json(&what_if, json, &err);
    free(what_if.prices);
    if (result < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(json);
    else
        print_words(json);
    return 0;
}
