/* A comparison as tables and one sentence for people. */

#include "src/cli/compare.h"
#include "src/cli/figure.h"
#include "src/cli/table.h"
#include "src/money.h"

#include <stdio.h>
#include <string.h>

const char *compare_usd(const struct cJSON *amount, char out[40])
{
    const char *words = figure_words(amount);
    char text[MONEY_TEXT_SIZE];
    nanousd_t usd;

    if (!words)
        return "-";
    if (money_parse(words, &usd, NULL) < 0)
        snprintf(out, 40, "%s", words);
    else
        snprintf(out, 40, "$%s", money_format_short(usd, text));
    return out;
}

/* A number for people: what is above 1,000 without decimals. */
static void number_cell(struct table *table, const struct cJSON *value)
{
    const char *words = figure_words(value);
    double number;

    if (!words || sscanf(words, "%lf", &number) != 1)
        table_cell(table, NULL);
    else
        table_cellf(table, number >= 1000 || number <= -1000 ? "%.0f" : "%.4g", number);
}

static void usd_cell(struct table *table, const struct cJSON *amount)
{
    char words[40];

    table_cell(table, compare_usd(amount, words));
}

static const char *text_or(const struct cJSON *json, const char *name,
                           const char *absent)
{
    const char *text = json_get_text(json, name);

    return text ? text : absent;
}

/* Words of a list, by comma. */
static void add_list(struct text *out, const struct cJSON *list)
{
    json_each (item, list)
        text_printf(out, "%s%s", item == json_first(list) ? "" : ", ",
                    figure_words(item) ? figure_words(item) : "?");
}

static void add_remark(struct text *remarks, const char *words)
{
    if (words)
        text_printf(remarks, "%s%s", remarks->len ? ", " : "", words);
}

/* null is said of an arm whose runs are not all alike in this. */
static const char *emulated_word(const struct cJSON *emulated)
{
    if (json_kind(emulated) == JSON_NULL)
        return "some emulated";
    return json_is_true(emulated) ? "emulated" : NULL;
}

static void add_runs(const struct cJSON *comparison, struct text *out)
{
    static const struct table_column columns[] = {
        { "arm", false },         { "run", false },         { "status", false },
        { "billable s", true },   { "usd per hour", true }, { "cost", true },
        { "work per usd", true }, { "objective", true },    { "remark", false },
    };
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    json_each (run, json_get(comparison, "runs")) {
        auto_text struct text remark = { 0 };

        table_cell(table, json_get_text(run, "arm"));
        table_cell(table, json_get_text(run, "name"));
        table_cell(table, json_get_text(run, "status"));
        number_cell(table, json_get(run, "billable_seconds"));
        table_cell(table, figure_words(json_get(run, "usd_per_hour")));
        usd_cell(table, json_get(run, "cost_usd"));
        number_cell(table, json_get(run, "work_per_usd"));
        number_cell(table, json_get(run, "objective"));
        add_remark(&remark, json_get_bool(run, "emulated") ? "emulated" : NULL);
        add_remark(&remark, json_get_text(run, "why_not"));
        table_cell(table, remark.bytes);
    }
    table_print(table, out);
}

/* --- arms --- */

typedef void cell_maker_t(struct table *table, const struct cJSON *value);

/* What is told of each arm; {MEMBER, TITLE, CELL}. */
static const struct {
    const char *member;
    const char *title;
    cell_maker_t *cell;
} figures[] = {
    { "billable_seconds", "billable seconds", number_cell },
    { "cost_usd", "cost", usd_cell },
    { "work_per_usd", "work per usd", number_cell },
    { "objective", "objective", number_cell },
    { "startup_seconds", "start-up seconds", number_cell },
    { "steady_per_second", "work per second, steady", number_cell },
    { "seconds_to_target", "seconds to target", number_cell },
    { "usd_to_target", "cost to target", usd_cell },
};

static bool any_has(const struct cJSON *arms, const char *member)
{
    json_each (arm, arms)
        if (json_get_int(json_get(arm, member), "runs", 0) > 0)
            return true;
    return false;
}

static void add_figure(const struct cJSON *arms, size_t index, struct table *table)
{
    json_each (arm, arms) {
        const struct cJSON *figure = json_get(arm, figures[index].member);

        table_cell(table, figures[index].title);
        table_cell(table, json_get_text(arm, "name"));
        table_cellf(table, "%lld", (long long)json_get_int(figure, "runs", 0));
        figures[index].cell(table, json_get(figure, "best"));
        figures[index].cell(table, json_get(figure, "median"));
        figures[index].cell(table, json_get(figure, "center"));
        figures[index].cell(table, json_get(figure, "low"));
        figures[index].cell(table, json_get(figure, "high"));
        table_cell(table, json_get_text(figure, "method"));
    }
}

static void add_arms(const struct cJSON *comparison, struct text *out)
{
    static const struct table_column columns[] = {
        { "figure", false }, { "arm", false },   { "runs", true },
        { "best", true },    { "median", true }, { "mean", true },
        { "low", true },     { "high", true },   { "95 % by", false },
    };
    const struct cJSON *arms = json_get(comparison, "arms");
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
        if (any_has(arms, figures[i].member))
            add_figure(arms, i, table);
    text_puts(out, "\n");
    table_print(table, out);
}

/* What all runs of an arm cost, the failed ones too. */
static void add_spent(const struct cJSON *comparison, struct text *out)
{
    static const struct table_column columns[] = {
        { "arm", false },        { "price", true },  { "runs", true },
        { "completed", true },   { "failed", true }, { "ended runs cost", true },
        { "per success", true }, { "cache", false }, { "remark", false },
    };
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    json_each (arm, json_get(comparison, "arms")) {
        auto_text struct text prices = { 0 };
        auto_text struct text remark = { 0 };

        add_list(&prices, json_get(arm, "usd_per_hour"));
        table_cell(table, json_get_text(arm, "name"));
        table_cell(table, prices.bytes);
        number_cell(table, json_get(arm, "runs"));
        number_cell(table, json_get(arm, "counted"));
        number_cell(table, json_get(arm, "failed"));
        usd_cell(table, json_get(arm, "spent_usd"));
        usd_cell(table, json_get(arm, "usd_per_success"));
        table_cell(table, json_get_text(arm, "compile_cache"));
        add_remark(&remark, emulated_word(json_get(arm, "emulated")));
        add_remark(&remark, json_get_bool(arm, "estimate") ? "an estimate" : NULL);
        add_remark(&remark, json_get_text(arm, "mixed"));
        table_cell(table, remark.bytes);
    }
    text_puts(out, "\n");
    table_print(table, out);
}

/* --- against the baseline --- */

static void ratio_cell(struct table *table, const struct cJSON *ratio)
{
    double value, low, high;

    if (!json_to_double(json_get(ratio, "value"), &value))
        table_cell(table, NULL);
    else if (json_to_double(json_get(ratio, "low"), &low)
             && json_to_double(json_get(ratio, "high"), &high))
        table_cellf(table, "%.3f [%.3f to %.3f]", value, low, high);
    else
        table_cellf(table, "%.3f", value);
}

static void percent_cell(struct table *table, const struct cJSON *share)
{
    double value, low, high;

    if (!json_to_double(json_get(share, "value"), &value))
        table_cell(table, NULL);
    else if (json_to_double(json_get(share, "low"), &low)
             && json_to_double(json_get(share, "high"), &high))
        table_cellf(table, "%.1f %% [%.1f to %.1f]", 100 * value, 100 * low,
                    100 * high);
    else
        table_cellf(table, "%.1f %%", 100 * value);
}

static void factor_cell(struct table *table, const struct cJSON *factor)
{
    double value;

    if (json_to_double(factor, &value))
        table_cellf(table, "x %.3f", value);
    else
        table_cell(table, NULL);
}

static void add_against(const struct cJSON *comparison, struct text *out)
{
    static const struct table_column columns[] = {
        { "against the baseline", false },
        { "cost ratio", true },
        { "saving", true },
        { "time ratio", true },
        { "time", true },
        { "speed", true },
    };
    auto_table struct table *table = table_new(columns, ARRAY_SIZE(columns));

    json_each (arm, json_get(comparison, "arms")) {
        const struct cJSON *against = json_get(arm, "against_baseline");

        if (json_kind(against) != JSON_OBJECT)
            continue;
        table_cell(table, json_get_text(arm, "name"));
        ratio_cell(table, json_get(against, "cost_ratio"));
        percent_cell(table, json_get(against, "saving"));
        ratio_cell(table, json_get(against, "time_ratio"));
        factor_cell(table, json_get(against, "time_factor"));
        factor_cell(table, json_get(against, "speed_factor"));
    }
    text_puts(out, "\n");
    table_print(table, out);
}

static void add_checks(const struct cJSON *comparison, struct text *out)
{
    text_puts(out, "\n");
    json_each (check, json_get(comparison, "checks"))
        text_printf(out, "%s %s: %s\n",
                    json_get_bool(check, "flagged")                      ? "  !"
                    : strcmp(text_or(check, "result", ""), "equal") == 0 ? "  ="
                                                                         : "  -",
                    text_or(check, "what", "?"), text_or(check, "message", ""));
    json_each (remark, json_get(comparison, "remarks"))
        text_printf(out, "  - %s\n", json_text(remark) ? json_text(remark) : "");
}

void compare_table(const struct cJSON *comparison, struct text *out)
{
    const struct cJSON *verdict = json_get(comparison, "verdict");

    add_runs(comparison, out);
    add_spent(comparison, out);
    add_arms(comparison, out);
    if (json_count(json_get(comparison, "arms")) > 1)
        add_against(comparison, out);
    add_checks(comparison, out);
    if (json_get_text(comparison, "repriced_at"))
        text_printf(out, "\nat the prices of %s\n",
                    json_get_text(comparison, "repriced_at"));
    text_printf(out, "\n%s\n", text_or(verdict, "text", "no verdict"));
}
