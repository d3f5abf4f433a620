/* Writes the lines of an export.  Decides which parts have one; what a line says is
 * usage_line.c's, and where, the table of columns. */

#include "daemon/billing/usage_line.h"
#include "src/csv.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct usage_line_maker maker;
    const struct usage_column *columns;
    size_t column_count;
    FILE *out;
    struct text text; /* of a line */
    struct usage_spans days;
    struct usage_idle reserved;
    struct usage_amount *idle; /* of each reservation, its days one after the other */
};

static void write_text(struct writer *writer)
{
    csv_end(&writer->text);
    fwrite(writer->text.bytes, 1, writer->text.len, writer->out);
    writer->text.len = 0;
}

static void write_line(struct writer *writer, const struct usage_line *line)
{
    for (size_t i = 0; i < writer->column_count; i++) {
        const struct usage_column *column = &writer->columns[i];
        const char *words = column->same;

        if (!words)
            memcpy(&words, (const char *)line + column->at, sizeof words);
        if (column->is_words)
            csv_add_words(&writer->text, words);
        else
            csv_add(&writer->text, words);
    }
    write_text(writer);
}

/* --- idle time: what a reservation came to, less what parts used of it --- */

static struct usage_amount *idle_of(const struct writer *writer, size_t reserved,
                                    size_t day)
{
    return &writer->idle[reserved * writer->days.count + day];
}

static int begin_idle(struct writer *writer, struct err *err)
{
    const struct usage_idle *reserved = &writer->reserved;
    const struct usage_spans *days = &writer->days;

    if (usage_idle_read(writer->maker.usage, &writer->reserved, err) < 0)
        return -1;
    writer->idle = xcalloc(reserved->count * days->count + 1, sizeof *writer->idle);
    for (size_t i = 0; i < reserved->count; i++)
        for (size_t day = 0; day < days->count; day++) {
            struct usage_amount *idle = idle_of(writer, i, day);

            if (usage_reserved_part(&reserved->items[i], days->items[day].from_s,
                                    days->items[day].to_s, &idle->seconds, &idle->cost,
                                    err)
                < 0)
                return -1;
        }
    return 0;
}

static int take_off_idle(struct writer *writer, const struct usage_part *part,
                         struct err *err)
{
    for (size_t i = 0; i < writer->reserved.count; i++) {
        struct usage_amount *idle = idle_of(writer, i, part->span);
        struct usage_amount used;

        if (usage_reserved_used(&writer->reserved.items[i], part, &used.seconds,
                                &used.cost, err)
            < 0)
            return -1;
        idle->seconds -= used.seconds;
        idle->cost -= used.cost;
    }
    return 0;
}

static int write_idle_day(struct writer *writer, size_t number, size_t day,
                          struct err *err)
{
    const struct usage_reserved *reserved = &writer->reserved.items[number];
    const struct usage_span *span = &writer->days.items[day];
    const struct usage_idle_part part = {
        .reserved = reserved,
        .from_s = span->from_s > reserved->from_s ? span->from_s : reserved->from_s,
        .to_s = span->to_s < reserved->to_s ? span->to_s : reserved->to_s,
        .amount = *idle_of(writer, number, day),
    };
    struct usage_line line;

    if (!reserved->price || part.amount.seconds <= 0)
        return 0;
    if (usage_line_of_idle(&writer->maker, &part, &line, err) < 0)
        return -1;
    write_line(writer, &line);
    return 0;
}

static int write_idle(struct writer *writer, struct err *err)
{
    for (size_t i = 0; i < writer->reserved.count; i++)
        for (size_t day = 0; day < writer->days.count; day++)
            if (write_idle_day(writer, i, day, err) < 0)
                return -1;
    return 0;
}

/* --- all --- */

static int take_part(void *context, const struct usage_part *part, struct err *err)
{
    struct writer *writer = context;
    struct usage_line line;

    if (take_off_idle(writer, part, err) < 0)
        return -1;
    if (!part->price || part->seconds == 0)
        return 0;
    if (usage_line_of_part(&writer->maker, part, &line, err) < 0)
        return -1;
    write_line(writer, &line);
    return 0;
}

static int write_all(struct writer *writer, struct err *err)
{
    struct usage *usage = writer->maker.usage;

    if (usage_spans_make(usage->ask->from_s, usage->ask->to_s,
                         &(struct usage_units){ .days = true, .utc = true },
                         &writer->days, err)
            < 0
        || begin_idle(writer, err) < 0)
        return -1;
    for (size_t i = 0; i < writer->column_count; i++)
        csv_add(&writer->text, writer->columns[i].name);
    write_text(writer);
    if (usage_each_part(usage, &writer->days, take_part, writer, err) < 0)
        return -1;
    return write_idle(writer, err);
}

int usage_write_lines(struct usage *usage, const struct usage_column *columns,
                      size_t count, FILE *out, struct err *err)
{
    struct writer writer = {
        .maker = { .usage = usage },
        .columns = columns,
        .column_count = count,
        .out = out,
    };
    int result = write_all(&writer, err);

    usage_line_maker_clear(&writer.maker);
    usage_spans_clear(&writer.days);
    usage_idle_clear(&writer.reserved);
    free(writer.idle);
    text_clear(&writer.text);
    return result;
}
