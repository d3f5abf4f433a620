/* Rows of reservation. */

#include "daemon/store_reservation.h"

#include "daemon/store_private.h"

static const struct store_table reservation_table = {
    "reservation", "INSERT INTO reservation VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
};

int store_add_reservation(struct store *store, const struct reservation *reservation,
                          struct err *err)
{
    const struct ledger_cell cells[] = {
        cell_text(reservation->pool),
        cell_text(reservation->instance_type),
        cell_number(reservation->instances),
        reservation->price ? cell_number(reservation->price) : cell_null(),
        cell_number(reservation->from_us),
    };

    return store_append(store, &reservation_table, cells, ARRAY_SIZE(cells), NULL, err);
}

static const char sql_each_reservation[] =
    "SELECT seq, pool, instance_type, instances, price, from_us FROM reservation"
    " ORDER BY pool, instance_type, from_us, seq";

int store_each_reservation(struct store *store, store_reservation_callback_t *callback,
                           void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_reservation, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct reservation reservation = {
            .seq = sqlite3_column_int64(statement, 0),
            .pool = (const char *)sqlite3_column_text(statement, 1),
            .instance_type = (const char *)sqlite3_column_text(statement, 2),
            .instances = sqlite3_column_int64(statement, 3),
            .price = sqlite3_column_int64(statement, 4),
            .from_us = sqlite3_column_int64(statement, 5),
        };

        if (callback(context, &reservation, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read reservations", err);
}
