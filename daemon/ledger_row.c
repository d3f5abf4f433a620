/* How a row of the ledger is hashed. */

#include "daemon/ledger_row.h"

#include "src/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_netstring(struct text *out, const char *bytes, size_t len)
{
    text_printf(out, "%zu:", len);
    text_add(out, bytes, len);
    text_puts(out, ",");
}

static void add_cell(struct text *out, const struct ledger_cell *cell)
{
    char digits[24];

    switch (cell->kind) {
    case CELL_NULL:
        text_puts(out, "-,");
        return;
    case CELL_NUMBER:
        add_netstring(out, digits,
                      (size_t)snprintf(digits, sizeof digits, "%" PRId64,
                                       cell->number));
        return;
    case CELL_TEXT:
        add_netstring(out, cell->text, strlen(cell->text));
        return;
    }
}

void ledger_row_hash(const char *table, const struct ledger_cell *cells, size_t count,
                     unsigned char hash[DIGEST_SIZE])
{
    auto_text struct text row = { 0 };

    text_add(&row, (const char *)hash, DIGEST_SIZE);
    add_netstring(&row, table, strlen(table));
    for (size_t i = 0; i < count; i++)
        add_cell(&row, &cells[i]);
    digest_of(row.bytes, row.len, hash);
}
