/* Prices that are set: rows of the ledger, of which the same words may come again. */

#include "daemon/store_private.h"

static const struct store_table price_table = {
    "price", "INSERT INTO price VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
};

int store_add_price(struct store *store, const struct price_row *price, int64_t *seq,
                    struct err *err)
{
    const struct ledger_cell cells[] = {
        cell_text(price->instance_type), cell_number(price->hourly),
        cell_number(price->from_us),     cell_text(price->as_of),
        cell_text(price->basis),         cell_text(price->confidence),
        cell_text(price->source),
    };

    return store_append(store, &price_table, cells, ARRAY_SIZE(cells), seq, err);
}
