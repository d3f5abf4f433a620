/* Holds the prices of intervals against the terms of their pools, the price book and
 * the reservations.  A pool's own price and the catalog's are configuration, which the
 * ledger does not have: where the book says nothing, that a price is of the type and
 * holds by then is all that can be told. */

#include "daemon/billing/verify_prices.h"

#include "src/clock.h"

#include <string.h>

bool audit_is_at_change(const struct audit_row *row)
{
    return strcmp(row->reprice, "at-change") == 0;
}

/* NULL: it has no label, which is told elsewhere. */
static bool is_of_pricing(const struct audit_row *row, const char *pricing)
{
    return row->label_pricing && strcmp(row->label_pricing, pricing) == 0;
}

static struct ledger_cell price_cell(int64_t seq)
{
    return seq ? cell_number(seq) : cell_null();
}

/* --- the price that it opened with --- */

/* What is free costs 0, and nothing else does. */
static void check_terms(struct verdict *verdict, const struct audit_row *row,
                        struct finding where)
{
    where.column = "price";
    where.reason = "its pool is free, and its price is not 0";
    if (is_of_pricing(row, "free"))
        verdict_expect(verdict, &where,
                       row->price ? cell_number(row->hourly) : cell_null(),
                       cell_number(0));
    where.reason = "its price is not above 0, and its pool is not free";
    where.is = cell_number(row->hourly);
    if (row->price_instance_type && row->hourly <= 0 && !is_of_pricing(row, "free"))
        verdict_find(verdict, &where);
}

static void check_reservation(struct verdict *verdict, const struct audit_book *book,
                              const struct audit_row *row, struct finding where)
{
    bool says = is_of_pricing(row, "reserved");
    bool is = row->label_pool
              && audit_book_reserves(book, row->label_pool, row->job_instance_type,
                                     row->open_seq);

    where.column = "label";
    where.reason = says ? "its label is that of a reserved pool, which it was not"
                        : "its pool was reserved, and its label is not";
    if (says != is)
        verdict_find(verdict, &where);
}

/* A warm interval that opened under at-open has the price of its attempt, and its label
 * in any case. */
void verify_price(struct verdict *verdict, const struct audit_book *book,
                  const struct audit_row *row)
{
    struct finding where = { .seq = row->open_seq,
                             .table = "interval_open",
                             .job = row->job_name };
    struct booked in_force =
        audit_book_at(book, row->job_instance_type, row->open_wall_us, row->open_seq);

    where.column = "reprice";
    where.reason = "it is neither at-open nor at-change";
    where.is = cell_text(row->reprice);
    if (!audit_is_at_change(row) && strcmp(row->reprice, "at-open") != 0)
        verdict_find(verdict, &where);
    check_terms(verdict, row, where);
    if (row->kind == INTERVAL_RUN)
        check_reservation(verdict, book, row, where);
    where.column = "price";
    where.reason = "its price holds from a later time on than it began";
    if (row->price_from > row->open_wall_us)
        verdict_expect(verdict, &where, cell_number(row->price_from),
                       cell_number(row->open_wall_us));
    where.reason = "another price of the book was in force when it began";
    if (in_force.seq && !is_of_pricing(row, "free")
        && (row->kind == INTERVAL_RUN || audit_is_at_change(row)))
        verdict_expect(verdict, &where, price_cell(row->price),
                       cell_number(in_force.seq));
}

/* --- changes --- */

/* Where what comes into force at `from` cuts the interval: at the first whole second
 * that is no earlier, counted from the one in which it began. */
static int64_t second_of(const struct audit_row *row, usec_t from)
{
    int64_t second = from / USEC_PER_SEC + (from % USEC_PER_SEC > 0);
    int64_t of_interval;

    return __builtin_sub_overflow(second, row->open_wall_us / USEC_PER_SEC,
                                  &of_interval)
               ? INT64_MAX
               : of_interval;
}

/* The next change of the book after `wall`: of those that cut the same second the last
 * one. */
static void find_due(struct price_changes *changes, usec_t wall)
{
    const struct audit_row *row = changes->row;
    struct booked next;

    changes->due_second = INT64_MAX;
    next =
        audit_book_after(changes->book, row->job_instance_type, wall, row->close_seq);
    while (next.seq
           && (changes->due_second == INT64_MAX
               || second_of(row, next.from) == changes->due_second)) {
        changes->due = next;
        changes->due_second = second_of(row, next.from);
        next = audit_book_after(changes->book, row->job_instance_type, next.from,
                                row->close_seq);
    }
}

struct price_changes verify_changes_of(struct verdict *verdict,
                                       const struct audit_book *book,
                                       const struct audit_row *row)
{
    struct price_changes changes = {
        .verdict = verdict,
        .book = book,
        .row = row,
        .is_cut = audit_is_at_change(row) && !is_of_pricing(row, "free"),
        .due_second = INT64_MAX,
    };

    if (changes.is_cut)
        find_due(&changes, row->open_wall_us);
    return changes;
}

/* That the price is the one which came into force then. */
static void check_change(struct price_changes *changes, const struct audit_cut *cut,
                         struct finding where)
{
    const struct audit_row *row = changes->row;
    bool is_due = cut->from_second == changes->due_second;
    struct booked in_force = changes->due;

    if (!is_due)
        in_force = audit_book_at(changes->book, row->job_instance_type, cut->price_from,
                                 row->close_seq);
    where.column = "price";
    where.reason = "its price is not above 0, and its pool is not free";
    where.is = cell_number(cut->hourly);
    if (cut->hourly <= 0)
        verdict_find(changes->verdict, &where);
    where.reason = "another price of the book was in force then";
    if (in_force.seq || strcmp(cut->price_basis, "book") == 0)
        verdict_expect(changes->verdict, &where, cell_number(cut->price),
                       price_cell(in_force.seq));
    where.column = "from_second";
    where.reason = "its price came into force in another second";
    verdict_expect(changes->verdict, &where, cell_number(cut->from_second),
                   cell_number(second_of(row, cut->price_from)));
    if (is_due)
        find_due(changes, changes->due.from);
}

void verify_change(struct price_changes *changes, const struct audit_cut *cut)
{
    struct finding where = { .seq = cut->seq,
                             .table = "interval_price",
                             .job = changes->row->job_name,
                             .column = "open_seq" };

    where.reason = "its interval opened on terms that no change of price cuts";
    where.is = cell_number(changes->row->open_seq);
    if (!changes->is_cut) {
        verdict_find(changes->verdict, &where);
        return;
    }
    where.column = "from_second";
    where.reason = "a price of the book came into force before, and no row says so";
    if (changes->due_second < cut->from_second)
        verdict_expect(changes->verdict, &where, cell_number(cut->from_second),
                       cell_number(changes->due_second));
    while (changes->due_second < cut->from_second)
        find_due(changes, changes->due.from);
    if (cut->price_instance_type)
        check_change(changes, cut, where);
}

void verify_no_more_changes(struct price_changes *changes)
{
    const struct finding where = {
        .seq = changes->row->close_seq,
        .table = "interval_close",
        .job = changes->row->job_name,
        .reason = "a price of the book came into force in this second of it, and no row"
                  " says so",
    };

    if (changes->due_second < changes->row->seconds)
        verdict_expect(changes->verdict, &where, cell_null(),
                       cell_number(changes->due_second));
}
