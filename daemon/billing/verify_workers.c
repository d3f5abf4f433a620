/* Whether the workers of an attempt opened together, on the same terms, and whether the
 * intervals of each come one after the other.  Decides nothing about seconds. */

#include "daemon/billing/verify_workers.h"

#include "daemon/billing/verify_prices.h"

#include <stdio.h>
#include <string.h>

static struct seat seat_of(const struct audit_row *row)
{
    struct seat seat = { .kind = row->kind,
                         .attempt = row->attempt,
                         .label = row->label,
                         .price = row->price,
                         .at_change = audit_is_at_change(row),
                         .open_boot_us = row->open_boot_us,
                         .open_wall_us = row->open_wall_us,
                         .close_seq = row->close_seq,
                         .close_boot_us = row->close_boot_us };

    snprintf(seat.boot_id, sizeof seat.boot_id, "%s", row->boot_id);
    return seat;
}

static void expect(const struct seats *seats, const struct finding *where, int64_t is,
                   int64_t should_be)
{
    verdict_expect(seats->verdict, where, cell_number(is), cell_number(should_be));
}

static void check_together(const struct seats *seats, const struct seat *seat,
                           const struct seat *first, struct finding where)
{
    where.reason = "the first worker of its attempt says otherwise";
    where.column = "label";
    expect(seats, &where, seat->label, first->label);
    where.column = "price";
    expect(seats, &where, seat->price, first->price);
    where.column = "reprice";
    expect(seats, &where, seat->at_change, first->at_change);
    where.column = "boot_id";
    verdict_expect(seats->verdict, &where, cell_text(seat->boot_id),
                   cell_text(first->boot_id));
    where.column = "boot_us";
    expect(seats, &where, seat->open_boot_us, first->open_boot_us);
    where.column = "wall_us";
    expect(seats, &where, seat->open_wall_us, first->open_wall_us);
}

/* A warm interval follows its worker's of the same attempt, is charged as that, and
 * costs as much unless it opened under at-change. */
static void check_warm(const struct seats *seats, const struct seat *seat,
                       const struct seat *before, struct finding where)
{
    where.column = "attempt";
    where.reason = "it is no warm interval of its job's last attempt";
    expect(seats, &where, seat->attempt, before ? before->attempt : 0);
    if (!before)
        return;
    where.column = "label";
    where.reason = "its attempt has another label";
    expect(seats, &where, seat->label, before->label);
    where.column = "price";
    where.reason = "it opened under at-open, and its attempt at another price";
    if (!seat->at_change)
        expect(seats, &where, seat->price, before->price);
}

/* The wall clock may have been set: only the clock of one boot can tell. */
static void check_order(const struct seats *seats, const struct seat *seat,
                        const struct seat *before, struct finding where)
{
    where.reason = "it was opened before the one before it of its worker was closed";
    if (!before->close_seq || before->close_seq > where.seq)
        verdict_find(seats->verdict, &where);
    where.column = "boot_us";
    where.reason = "it begins before the one before it of its worker ends";
    if (strcmp(before->boot_id, seat->boot_id) == 0
        && seat->open_boot_us < before->close_boot_us)
        expect(seats, &where, seat->open_boot_us, before->close_boot_us);
}

void verify_worker(struct seats *seats, const struct audit_row *row, size_t index)
{
    const struct seat seat = seat_of(row);
    const struct seat *before = index < seats->count ? &seats->items[index] : NULL;
    const struct finding where = { .seq = row->open_seq,
                                   .table = "interval_open",
                                   .job = row->job_name };

    if (seat.kind == INTERVAL_WARM)
        check_warm(seats, &seat, before, where);
    if (before)
        check_order(seats, &seat, before, where);
    if (index == seats->room) {
        seats->room = seats->room ? seats->room * 2 : 16;
        seats->items = xrealloc(seats->items, seats->room * sizeof *seats->items);
    }
    if (index == seats->count)
        seats->count++;
    seats->items[index] = seat;
    check_together(seats, &seat, &seats->items[0], where);
}
