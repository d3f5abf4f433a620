/* The report of usage as CSV: a line a row, in the order of the JSON one.  A cost that
 * is not known is empty. */

#include "daemon/billing/usage_sums.h"
#include "src/clock.h"
#include "src/csv.h"

#include <inttypes.h>

static void add_number(struct text *line, int64_t number)
{
    char words[MONEY_TEXT_SIZE];

    snprintf(words, sizeof words, "%" PRId64, number);
    csv_add(line, words);
}

static void add_money(struct text *line, nanousd_t cost)
{
    char words[MONEY_TEXT_SIZE];

    csv_add(line, money_format(cost, words));
}

static void add_instant(struct text *line, int64_t at_s)
{
    char words[TIME_TEXT_SIZE];

    csv_add(line, time_format(at_s * USEC_PER_SEC, words));
}

static void write_line(struct text *line, FILE *out)
{
    csv_end(line);
    (void)fwrite(line->bytes, 1, line->len, out);
    line->len = 0;
}

static void write_header(const struct usage_sums *sums, struct text *line, FILE *out)
{
    char name[64];

    for (size_t i = 0; i < sums->key_count; i++)
        csv_add_words(line, sums->keys[i].name);
    csv_add(line, "from");
    csv_add(line, "to");
    csv_add(line, "jobs");
    csv_add(line, "instance_seconds");
    csv_add(line, "cost_usd");
    for (enum usage_share share = USAGE_WHOLE + 1; share < USAGE_SHARES; share++) {
        snprintf(name, sizeof name, "%s_instance_seconds", usage_share_name(share));
        csv_add(line, name);
        snprintf(name, sizeof name, "%s_cost_usd", usage_share_name(share));
        csv_add(line, name);
    }
    csv_add(line, "idle_reserved_instance_seconds");
    csv_add(line, "idle_reserved_cost_usd");
    csv_add(line, "unpriced_instance_seconds");
    csv_add(line, "open_instance_seconds");
    csv_add(line, "busy_instance_seconds");
    csv_add(line, "busy_of_instance_seconds");
    write_line(line, out);
}

static void add_idle(struct text *line, const struct usage_sums *sums,
                     const struct usage_amount *idle)
{
    if (sums->idle.is_known) {
        add_number(line, idle->seconds);
        add_money(line, idle->cost);
    } else {
        csv_add(line, NULL);
        csv_add(line, NULL);
    }
}

static void add_total(struct text *line, const struct usage_sums *sums,
                      const struct usage_total *total)
{
    char busy[MONEY_TEXT_SIZE];

    add_number(line, total->jobs);
    add_number(line, total->shares[USAGE_WHOLE].seconds);
    if (usage_is_unpriced(total))
        csv_add(line, NULL);
    else
        add_money(line, total->shares[USAGE_WHOLE].cost);
    for (enum usage_share share = USAGE_WHOLE + 1; share < USAGE_SHARES; share++) {
        add_number(line, total->shares[share].seconds);
        add_money(line, total->shares[share].cost);
    }
    add_idle(line, sums, &total->idle);
    add_number(line, total->unpriced_seconds);
    add_number(line, total->open_seconds);
    csv_add(line, usage_busy_seconds(total, busy));
    add_number(line, total->busy_known_seconds);
}

int usage_write_csv(struct usage *usage, FILE *out, struct err *err)
{
    auto_text struct text line = { 0 };
    struct usage_sums sums;
    int result = usage_sum(usage, usage->ask->keys, usage->ask->key_count, &sums, err);

    if (result == 0)
        write_header(&sums, &line, out);
    for (size_t i = 0; result == 0 && i < sums.row_count; i++) {
        const struct usage_row *row = &sums.rows[i];
        char room[MONEY_TEXT_SIZE];

        for (size_t key = 0; key < sums.key_count; key++)
            csv_add_words(&line, usage_row_value(&sums, row, key, room));
        add_instant(&line, sums.spans.items[row->span].from_s);
        add_instant(&line, sums.spans.items[row->span].to_s);
        add_total(&line, &sums, &row->total);
        write_line(&line, out);
    }
    usage_sums_clear(&sums);
    return result;
}
