/*
 * The report of usage as JSON.
 *
 * It is written row by row, as text: a report by job may have hundreds of thousands.
 */

#include "daemon/billing/usage_sums.h"
#include "src/clock.h"

#include <inttypes.h>

static void put_text(FILE *out, const char *words)
{
    auto_json struct cJSON *value = json_text_new(words);
    auto_free char *quoted = json_print(value);

    fputs(quoted, out);
}

static void put_instant(FILE *out, const char *name, int64_t at_s)
{
    char words[TIME_TEXT_SIZE];

    fprintf(out, "\"%s\":\"%s\",", name, time_format(at_s * USEC_PER_SEC, words));
}

static void put_money(FILE *out, nanousd_t cost)
{
    char words[MONEY_TEXT_SIZE];

    fprintf(out, "\"cost_usd\":\"%s\"", money_format(cost, words));
}

static void put_amount(FILE *out, const char *name, const struct usage_amount *amount)
{
    fprintf(out, ",\"%s\":{\"instance_seconds\":%" PRId64 ",", name, amount->seconds);
    put_money(out, amount->cost);
    fputc('}', out);
}

static void put_busy(FILE *out, const struct usage_total *total)
{
    char seconds[MONEY_TEXT_SIZE], percent[MONEY_TEXT_SIZE];

    fprintf(out,
            "\"busy\":{\"instance_seconds\":\"%s\",\"of_instance_seconds\":%" PRId64
            ",\"percent\":",
            usage_busy_seconds(total, seconds), total->busy_known_seconds);
    put_text(out, usage_busy_percent(total, percent));
    fputc('}', out);
}

static void put_total(FILE *out, const struct usage_sums *sums,
                      const struct usage_total *total)
{
    fprintf(out, "\"jobs\":%" PRId64 ",\"instance_seconds\":%" PRId64 ",", total->jobs,
            total->shares[USAGE_WHOLE].seconds);
    if (usage_is_unpriced(total))
        fputs("\"cost_usd\":null", out);
    else
        put_money(out, total->shares[USAGE_WHOLE].cost);
    for (enum usage_share share = USAGE_WHOLE + 1; share < USAGE_SHARES; share++)
        put_amount(out, usage_share_name(share), &total->shares[share]);
    if (sums->idle.is_known)
        put_amount(out, "idle_reserved", &total->idle);
    else
        fputs(",\"idle_reserved\":null", out);
    fprintf(out,
            ",\"unpriced_instance_seconds\":%" PRId64
            ",\"open_instance_seconds\":%" PRId64 ",",
            total->unpriced_seconds, total->open_seconds);
    put_busy(out, total);
}

static void put_row(FILE *out, const struct usage_sums *sums,
                    const struct usage_row *row)
{
    const struct usage_span *span = &sums->spans.items[row->span];
    char room[MONEY_TEXT_SIZE];

    fputs("{\"group\":{", out);
    for (size_t i = 0; i < sums->key_count; i++) {
        fputs(i ? "," : "", out);
        put_text(out, sums->keys[i].name);
        fputc(':', out);
        put_text(out, usage_row_value(sums, row, i, room));
    }
    fputs("},", out);
    put_instant(out, "from", span->from_s);
    put_instant(out, "to", span->to_s);
    put_total(out, sums, &row->total);
    fputc('}', out);
}

static void put_head(FILE *out, const struct usage *usage)
{
    const struct usage_ask *ask = usage->ask;

    fputc('{', out);
    put_instant(out, "from", ask->from_s);
    put_instant(out, "to", ask->to_s);
    fputs("\"tz\":", out);
    put_text(out, ask->zone);
    fputs(",\"currency\":\"USD\",\"by\":[", out);
    for (size_t i = 0; i < ask->key_count; i++) {
        fputs(i ? "," : "", out);
        put_text(out, ask->keys[i].name);
    }
    fprintf(out,
            "],\"ledger\":{\"seq\":%" PRId64 ",\"hash\":", usage->book.seq_count - 1);
    put_text(out, *usage->book.head ? usage->book.head : NULL);
    fputs("},\"rows\":[", out);
}

int usage_write_json(struct usage *usage, FILE *out, struct err *err)
{
    struct usage_sums sums;
    int result = usage_sum(usage, usage->ask->keys, usage->ask->key_count, &sums, err);

    if (result == 0) {
        put_head(out, usage);
        for (size_t i = 0; i < sums.row_count; i++) {
            fputs(i ? ",\n" : "\n", out);
            put_row(out, &sums, &sums.rows[i]);
        }
        fputs("\n],\"total\":{", out);
        put_total(out, &sums, &sums.total);
        fputs("}}\n", out);
    }
    usage_sums_clear(&sums);
    return result;
}
