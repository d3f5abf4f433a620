/* Arithmetic written out, and lines of journals quoted. */

#include "daemon/billing/receipt.h"
#include "src/files.h"
#include "src/journal.h"
#include "src/json.h"
#include "src/launch_plan.h"
#include "src/money.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECONDS_PER_HOUR = 3600
};

/* What is below a nano-dollar: three digits, and whether there are more. */
static const char *add_digits(int64_t rest, char out[RECEIPT_ARITHMETIC_SIZE])
{
    int64_t thousandths = rest * 1000 / SECONDS_PER_HOUR;
    bool is_exact = rest * 1000 % SECONDS_PER_HOUR == 0;

    snprintf(out, RECEIPT_ARITHMETIC_SIZE, "%03" PRId64 "%s", thousandths,
             is_exact ? "" : "...");
    return out;
}

const char *receipt_arithmetic(nanousd_t hourly, int64_t seconds,
                               char out[RECEIPT_ARITHMETIC_SIZE])
{
    __int128 product = (__int128)hourly * seconds;
    int64_t whole = (int64_t)(product / SECONDS_PER_HOUR);
    int64_t rest = (int64_t)(product % SECONDS_PER_HOUR);
    char price[MONEY_TEXT_SIZE], cost[MONEY_TEXT_SIZE];
    char digits[RECEIPT_ARITHMETIC_SIZE];
    nanousd_t rounded = 0;
    struct err ignored;
    int used;

    if (money_for_seconds(hourly, seconds, &rounded, &ignored) < 0)
        rounded = whole; /* does not fit: whoever adds it up fails */
    used = snprintf(out, RECEIPT_ARITHMETIC_SIZE,
                    "%s * %" PRId64 " / %d = ", money_format(hourly, price), seconds,
                    SECONDS_PER_HOUR);
    if (rest)
        used += snprintf(out + used, RECEIPT_ARITHMETIC_SIZE - (size_t)used,
                         "%" PRId64 ".%09" PRId64 "%s = ", whole / NANOUSD_PER_USD,
                         whole % NANOUSD_PER_USD, add_digits(rest, digits));
    snprintf(out + used, RECEIPT_ARITHMETIC_SIZE - (size_t)used, "%s",
             money_format(rounded, cost));
    return out;
}

/* The lines of a journal as they come: what is quoted of them. */
struct quoted {
    char *ready;
    char *last; /* "ended", which nothing follows, or what came before a loss */
};

static void quote(struct quoted *quoted, const char *bytes, size_t len)
{
    auto_json struct cJSON *json = NULL;
    struct journal_line line;

    if (journal_line_parse(bytes, len, &json, &line, NULL) < 0)
        return; /* torn by a crash: the daemon did not read it either */
    free(quoted->last);
    quoted->last = xstrndup(bytes, len);
    if (line.kind == JOURNAL_READY && !quoted->ready)
        quoted->ready = xstrndup(bytes, len);
}

static void quote_lines(struct quoted *quoted, FILE *journal)
{
    char *bytes = NULL;
    size_t room = 0;
    ssize_t len;

    while ((len = getline(&bytes, &room, journal)) > 0)
        if (bytes[len - 1] == '\n')
            quote(quoted, bytes, (size_t)len - 1);
    free(bytes);
}

struct cJSON *receipt_journal(const char *state, const char *job_id,
                              const struct interval *interval)
{
    auto_free char *folder = xasprintf("%s/jobs/%s", state, job_id);
    auto_free char *worker = worker_folder(folder, interval->attempt, interval->worker);
    auto_free char *path = xasprintf("%s/journal.jsonl", worker);
    struct quoted quoted = { 0 };
    struct cJSON *lines;
    FILE *journal = file_open_regular(path);

    if (!journal)
        return json_null_new();
    quote_lines(&quoted, journal);
    (void)fclose(journal);
    lines = json_array_new();
    if (quoted.ready)
        json_append_text(lines, quoted.ready);
    if (quoted.last && interval->closed
        && (!quoted.ready || strcmp(quoted.last, quoted.ready) != 0))
        json_append_text(lines, quoted.last);
    free(quoted.ready);
    free(quoted.last);
    return lines;
}
