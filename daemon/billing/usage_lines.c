/* Writes the lines of an export.  Decides which parts have one; what a line says is
 * usage_line.c's, and where, the table of columns. */

#include "daemon/billing/usage_line.h"
#include "src/csv.h"

#include <string.h>

struct writer {
    struct usage_line_maker maker;
    const struct usage_column *columns;
    size_t column_count;
    FILE *out;
    struct text text; /* of a line */
    struct usage_spans days;
    struct usage_idle idle;
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

static int take_part(void *context, const struct usage_part *part, struct err *err)
{
    struct writer *writer = context;
    struct usage_line line;

    if (!part->price || part->seconds == 0)
        return 0;
    if (usage_line_of_part(&writer->maker, part, &line, err) < 0)
        return -1;
    write_line(writer, &line);
    return 0;
}

static int take_idle(void *context, const struct usage_idle_part *part, struct err *err)
{
    struct writer *writer = context;
    struct usage_line line;

    if (!part->reserved->price)
        return 0;
    if (usage_line_of_idle(&writer->maker, part, &line, err) < 0)
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
        || usage_idle_read(usage, &writer->idle, err) < 0)
        return -1;
    for (size_t i = 0; i < writer->column_count; i++)
        csv_add(&writer->text, writer->columns[i].name);
    write_text(writer);
    if (usage_each_part(usage, &writer->days, &writer->idle, take_part, writer, err)
        < 0)
        return -1;
    return usage_idle_each(&writer->idle, &writer->days, take_idle, writer, err);
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
    usage_idle_clear(&writer.idle);
    text_clear(&writer.text);
    return result;
}
