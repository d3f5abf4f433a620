/* Reads reservations, and prices parts of them.  Where idle time is shown is for the
 * sums. */

#include "daemon/billing/usage_idle.h"

#include "daemon/store_reservation.h"
#include "src/clock.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct usage *usage;
    struct usage_idle *idle;
};

/* Until this row of the same pool the one before it held. */
static void end_before(struct usage_idle *idle, const struct reservation *row)
{
    struct usage_reserved *before;

    if (idle->count == 0)
        return;
    before = &idle->items[idle->count - 1];
    if (strcmp(before->label.words.pool, row->pool) == 0)
        before->to_s = row->from_us / USEC_PER_SEC;
}

static int take_reservation(void *context, const struct reservation *row,
                            struct err *err)
{
    const struct reader *reader = context;
    const struct usage_book *book = &reader->usage->book;
    struct usage_idle *idle = reader->idle;
    char *block;

    if (row->price < 0 || row->price >= book->seq_count
        || (row->price && !book->prices[row->price]))
        return err_set(err, ERR_INTERNAL, "row %lld of the ledger names no price",
                       (long long)row->seq);
    end_before(idle, row);
    /* Two texts in one block, as a label has them. */
    block = xasprintf("%s%c%s", row->pool, '\0', row->instance_type);
    idle->items = xrealloc(idle->items, (idle->count + 1) * sizeof *idle->items);
    idle->items[idle->count++] = (struct usage_reserved){
        .label = { .words = { .pool = block,
                              .instance_type = block + strlen(block) + 1,
                              .pricing = "reserved" },
                   .block = block },
        .price = row->price ? book->prices[row->price] : NULL,
        .instances = row->instances,
        .from_s = row->from_us / USEC_PER_SEC,
        .to_s = store_read_wall(reader->usage->store) / USEC_PER_SEC,
        .group = -1,
    };
    return 0;
}

static bool is_or_any(const char *wanted, const char *words)
{
    return !wanted || strcmp(wanted, words) == 0;
}

/* Those that are not wanted hold no instances. */
static void drop_unwanted(const struct usage_ask *ask, struct usage_idle *idle)
{
    for (size_t i = 0; i < idle->count; i++) {
        struct usage_reserved *item = &idle->items[i];

        if (!is_or_any(ask->pool, item->label.words.pool)
            || !is_or_any(ask->instance_type, item->label.words.instance_type))
            item->to_s = item->from_s;
    }
}

int usage_idle_read(struct usage *usage, struct usage_idle *idle, struct err *err)
{
    const struct usage_ask *ask = usage->ask;
    struct reader reader = { usage, idle };

    *idle = (struct usage_idle){ 0 };
    if (ask->owner || ask->tag_key || ask->job_id
        || ask->emulated == USAGE_EMULATED_ONLY)
        return 0;
    idle->is_known = true;
    if (store_each_reservation(usage->store, take_reservation, &reader, err) < 0)
        return -1;
    drop_unwanted(ask, idle);
    return 0;
}

void usage_idle_clear(struct usage_idle *idle)
{
    for (size_t i = 0; i < idle->count; i++)
        free(idle->items[i].label.block);
    free(idle->items);
    *idle = (struct usage_idle){ 0 };
}

/* Both are cut down to what they share; false when that is nothing. */
static bool overlap(const struct usage_reserved *reserved, int64_t *from_s,
                    int64_t *to_s)
{
    if (*from_s < reserved->from_s)
        *from_s = reserved->from_s;
    if (*to_s > reserved->to_s)
        *to_s = reserved->to_s;
    return *from_s < *to_s && reserved->instances > 0;
}

int usage_reserved_part(const struct usage_reserved *reserved, int64_t from_s,
                        int64_t to_s, int64_t *seconds, nanousd_t *cost,
                        struct err *err)
{
    int64_t before;

    *seconds = 0;
    *cost = 0;
    if (!overlap(reserved, &from_s, &to_s))
        return 0;
    before = reserved->instances * (from_s - reserved->from_s);
    *seconds = reserved->instances * (to_s - from_s);
    if (!reserved->price)
        return 0;
    return money_for_part(reserved->price->words.hourly, before, before + *seconds,
                          cost, err);
}

int usage_reserved_used(const struct usage_reserved *reserved,
                        const struct usage_part *part, int64_t *seconds,
                        nanousd_t *cost, struct err *err)
{
    const struct charge *charge = part->charge;
    int64_t from_s = part->from_s, to_s = part->to_s;
    int64_t before;

    *seconds = 0;
    *cost = 0;
    if (strcmp(reserved->label.words.pool, part->label->words.pool) != 0
        || !overlap(reserved, &from_s, &to_s))
        return 0;
    before = charge->base + from_s - charge->start_s;
    *seconds = to_s - from_s;
    if (!part->price)
        return 0;
    return money_for_part(part->price->words.hourly, before, before + *seconds, cost,
                          err);
}
