/* Adds up what the workers of a job move, and says it in words. */

#include "daemon/haul.h"

#include "src/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void haul_clear(struct haul *workers, int count)
{
    memset(workers, 0, (size_t)count * sizeof *workers);
}

static void copy(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
    out[text_utf8_prefix(out, strlen(out))] = '\0'; /* not half a character */
}

void haul_note(struct haul *haul, const struct cJSON *line)
{
    struct haul now = {
        .bytes = json_get_int(line, "bytes", 0),
        .bytes_total = json_get_int(line, "bytes_total", -1),
        .objects = json_get_int(line, "objects", 0),
        .objects_total = json_get_int(line, "objects_total", -1),
        .boot = json_get_int(line, "boot_us", 0),
    };

    copy(now.phase, sizeof now.phase, json_get_text(line, "phase"));
    copy(now.what, sizeof now.what, json_get_text(line, "what"));
    now.first_bytes = now.bytes;
    now.first_boot = now.boot;
    if (strcmp(now.phase, haul->phase) == 0 && strcmp(now.what, haul->what) == 0
        && now.bytes >= haul->first_bytes) {
        now.first_bytes = haul->first_bytes;
        now.first_boot = haul->first_boot;
    }
    *haul = now;
}

struct sum {
    const struct haul *first; /* of those that move something */
    int64_t bytes;
    int64_t bytes_total; /* -1: unknown of one of them */
    int64_t objects;
    int64_t objects_total;
    int64_t rate; /* bytes a second; 0: not known yet */
};

static int64_t rate_of(const struct haul *haul)
{
    usec_t span = haul->boot - haul->first_boot;
    double bytes = (double)(haul->bytes - haul->first_bytes);

    return span > 0 ? (int64_t)(bytes * USEC_PER_SEC / (double)span) : 0;
}

static int64_t add_total(int64_t sum, int64_t total)
{
    return sum < 0 || total < 0 ? -1 : sum + total;
}

/* Of the phase that the first worker is in. */
static struct sum sum_of(const struct haul *workers, int count)
{
    struct sum sum = { 0 };

    for (int i = 0; i < count; i++) {
        const struct haul *one = &workers[i];

        if (!*one->phase || (sum.first && strcmp(one->phase, sum.first->phase) != 0))
            continue;
        if (!sum.first)
            sum.first = one;
        sum.bytes += one->bytes;
        sum.bytes_total = add_total(sum.bytes_total, one->bytes_total);
        sum.objects += one->objects;
        sum.objects_total = add_total(sum.objects_total, one->objects_total);
        sum.rate += rate_of(one);
    }
    return sum;
}

/* -1: not known. */
static int64_t seconds_left(const struct sum *sum)
{
    if (sum->rate <= 0 || sum->bytes_total < sum->bytes)
        return -1;
    return (sum->bytes_total - sum->bytes + sum->rate - 1) / sum->rate;
}

static void set_known(struct cJSON *json, const char *name, int64_t number, bool known)
{
    if (known)
        json_set_int(json, name, number);
    else
        json_set_null(json, name);
}

struct cJSON *haul_to_json(const struct haul *workers, int count)
{
    const struct sum sum = sum_of(workers, count);
    struct cJSON *json;

    if (!sum.first)
        return NULL;
    json = json_object_new();
    json_set_text(json, "phase", sum.first->phase);
    json_set_text(json, "what", sum.first->what);
    json_set_int(json, "bytes", sum.bytes);
    set_known(json, "bytes_total", sum.bytes_total, sum.bytes_total >= 0);
    json_set_int(json, "objects", sum.objects);
    set_known(json, "objects_total", sum.objects_total, sum.objects_total >= 0);
    set_known(json, "bytes_per_second", sum.rate, sum.rate > 0);
    set_known(json, "seconds_left", seconds_left(&sum), seconds_left(&sum) >= 0);
    return json;
}

static void add_amount(struct text *text, const struct sum *sum)
{
    int64_t larger = sum->bytes_total > sum->bytes ? sum->bytes_total : sum->bytes;
    double size;
    const char *unit = text_bytes_unit((double)larger, &size);
    int digits = size > 1 ? 1 : 0;

    text_printf(text, "%.*f", digits, (double)sum->bytes / size);
    if (sum->bytes_total >= 0)
        text_printf(text, " of %.*f", digits, (double)sum->bytes_total / size);
    text_printf(text, " %s", unit);
}

/* What SageMaker says of these phases; the stage's own word for others. */
static const char *words_of(const char *phase)
{
    if (strcmp(phase, "downloading") == 0)
        return "Downloading input data";
    if (strcmp(phase, "uploading") == 0)
        return "Uploading generated training model";
    if (strcmp(phase, "restoring") == 0)
        return "Restoring what an earlier attempt has left";
    return phase;
}

char *haul_message(const struct haul *workers, int count)
{
    const struct sum sum = sum_of(workers, count);
    struct text text = { 0 };
    const char *unit;
    double size;

    if (!sum.first)
        return NULL;
    text_printf(&text, "%s: ", words_of(sum.first->phase));
    if (*sum.first->what)
        text_printf(&text, "%s, ", sum.first->what);
    add_amount(&text, &sum);
    if (sum.rate > 0) {
        unit = text_bytes_unit((double)sum.rate, &size);
        text_printf(&text, ", %.*f %s/s", size > 1 ? 1 : 0, (double)sum.rate / size,
                    unit);
    }
    if (seconds_left(&sum) >= 0)
        text_printf(&text, ", %" PRId64 " s left", seconds_left(&sum));
    return text_steal(&text);
}
