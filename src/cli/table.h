#ifndef SRC_CLI_TABLE_H
#define SRC_CLI_TABLE_H

#include "src/base.h"
#include "src/text.h"

/* Rows of cells as aligned text. */

struct table_column {
    const char *title;
    bool right; /* numbers */
};

struct table;

/** `columns` outlives the table.  The caller frees. */
struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *table);
void table_cleanup(struct table **table);
#define auto_table __attribute__((cleanup(table_cleanup)))

/** The next cell, row after row; the words are copied, control characters become "?".
 * NULL and "" are "-". */
void table_cell(struct table *table, const char *words);

/** As table_cell. */
void table_cellf(struct table *table, const char *format, ...) PRINTF_LIKE(2, 3);

/**
 * The title line and every complete row, columns two blanks apart, no blanks at line
 * ends.  A character counts as one place wide.  Pure.
 */
void table_print(const struct table *table, struct text *out);

#endif
