/* Aligned columns.  Decides widths; knows nothing of jobs. */

#include "src/cli/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct table {
    const struct table_column *columns;
    size_t column_count;
    char **cells; /* row after row */
    size_t cell_count;
};

struct table *table_new(const struct table_column *columns, size_t count)
{
    struct table *table = xcalloc(1, sizeof *table);

    table->columns = columns;
    table->column_count = count;
    return table;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table);
}

void table_cleanup(struct table **table)
{
    table_free(*table);
}

void table_cell(struct table *table, const char *words)
{
    char *cell = xstrdup(words && *words ? words : "-");

    for (char *at = cell; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    table->cells =
        xrealloc(table->cells, (table->cell_count + 1) * sizeof *table->cells);
    table->cells[table->cell_count++] = cell;
}

void table_cellf(struct table *table, const char *format, ...)
{
    auto_free char *words = NULL;
    va_list args;

    va_start(args, format);
    words = xvasprintf(format, args);
    va_end(args);
    table_cell(table, words);
}

/* Characters of UTF-8: every byte that does not go on with one. */
static size_t width_of(const char *words)
{
    size_t width = 0;

    for (; *words; words++)
        width += ((unsigned char)*words & 0xC0U) != 0x80U;
    return width;
}

/* The widest cell of every column; the caller frees. */
static size_t *column_widths(const struct table *table)
{
    size_t *widths = xcalloc(table->column_count, sizeof *widths);

    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = width_of(table->columns[i].title);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t width = width_of(table->cells[i]);

        if (width > widths[i % table->column_count])
            widths[i % table->column_count] = width;
    }
    return widths;
}

static void add_blanks(struct text *out, size_t count)
{
    for (; count > 0; count--)
        text_puts(out, " ");
}

static void add_cell(const struct table *table, size_t column, size_t width,
                     const char *words, struct text *out)
{
    bool last = column + 1 == table->column_count;
    size_t blanks = width - width_of(words);

    if (column > 0)
        text_puts(out, "  ");
    if (table->columns[column].right)
        add_blanks(out, blanks);
    text_puts(out, words);
    if (!table->columns[column].right && !last)
        add_blanks(out, blanks);
}

void table_print(const struct table *table, struct text *out)
{
    size_t count = table->column_count;
    size_t complete = table->cell_count - table->cell_count % count;
    auto_free size_t *widths = column_widths(table);

    for (size_t i = 0; i < count; i++)
        add_cell(table, i, widths[i], table->columns[i].title, out);
    text_puts(out, "\n");
    for (size_t i = 0; i < complete; i++) {
        add_cell(table, i % count, widths[i % count], table->cells[i], out);
        if (i % count == count - 1)
            text_puts(out, "\n");
    }
}
