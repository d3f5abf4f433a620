/* Reads reservations, and finds what of them nobody used.  Where idle time is shown is
 * for the forms. */

#include "daemon/billing/usage_idle.h"

#include "daemon/store_reservation.h"

#include <stdlib.h>
#include <string.h>

#define DAY_S INT64_C(86400)

static int64_t earlier(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

/* --- reservations --- */

struct reader {
    struct usage *usage;
    struct usage_idle *idle;
};

/* A pool has one type; with another one it is another pool. */
static bool is_of_pool(const struct charge_label *left, const char *pool,
                       const char *instance_type)
{
    return strcmp(left->pool, pool) == 0
           && strcmp(left->instance_type, instance_type) == 0;
}

/* Until this row of the same pool the one before it held. */
static void end_before(struct usage_idle *idle, const struct reservation *row)
{
    struct usage_reserved *before;

    if (idle->count == 0)
        return;
    before = &idle->items[idle->count - 1];
    if (is_of_pool(&before->label.words, row->pool, row->instance_type))
        before->to_s = earlier(before->to_s, row->from_us / USEC_PER_SEC);
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
        .seq = row->seq,
        .label = { .words = { .pool = block,
                              .instance_type = block + strlen(block) + 1,
                              .pricing = "reserved" },
                   .block = block },
        .price = row->price ? book->prices[row->price] : NULL,
        .instances = row->instances,
        .from_s = later(idle->from_s, row->from_us / USEC_PER_SEC),
        .to_s = earlier(idle->now_s, reader->usage->ask->to_s),
    };
    return 0;
}

static bool is_or_any(const char *wanted, const char *words)
{
    return !wanted || strcmp(wanted, words) == 0;
}

static void free_reserved(struct usage_reserved *reserved)
{
    free(reserved->label.block);
    free(reserved->uses);
}

static void drop_unwanted(const struct usage_ask *ask, struct usage_idle *idle)
{
    size_t kept = 0;

    for (size_t i = 0; i < idle->count; i++) {
        struct usage_reserved *item = &idle->items[i];

        if (item->from_s < item->to_s && item->instances > 0
            && is_or_any(ask->pool, item->label.words.pool)
            && is_or_any(ask->instance_type, item->label.words.instance_type))
            idle->items[kept++] = *item;
        else
            free_reserved(item);
    }
    idle->count = kept;
}

int usage_idle_read(struct usage *usage, struct usage_idle *idle, struct err *err)
{
    const struct usage_ask *ask = usage->ask;
    struct reader reader = { usage, idle };

    *idle = (struct usage_idle){
        .from_s = ask->from_s - ask->from_s % DAY_S,
        .now_s = store_read_wall(usage->store) / USEC_PER_SEC,
    };
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
        free_reserved(&idle->items[i]);
    free(idle->items);
    *idle = (struct usage_idle){ 0 };
}

/* --- what is used --- */

static void add_use(struct usage_reserved *reserved, int64_t at_s, int64_t change)
{
    if (reserved->use_count == reserved->use_room) {
        reserved->use_room = reserved->use_room ? 2 * reserved->use_room : 64;
        reserved->uses =
            xrealloc(reserved->uses, reserved->use_room * sizeof *reserved->uses);
    }
    reserved->uses[reserved->use_count++] = (struct usage_use){ at_s, change };
}

/* What runs still holds its instance in the second that has not passed yet, too. */
static int64_t end_of(const struct usage_idle *idle, const struct charge *charge)
{
    int64_t end = charge->start_s + charge->seconds;

    return charge->open && end + 1 == idle->now_s ? idle->now_s : end;
}

void usage_idle_use(struct usage_idle *idle, const struct usage_label *label,
                    const struct charge *charge)
{
    const int64_t end = end_of(idle, charge);

    for (size_t i = 0; i < idle->count; i++) {
        struct usage_reserved *item = &idle->items[i];
        int64_t from_s = later(charge->start_s, item->from_s);
        int64_t to_s = earlier(end, item->to_s);

        if (from_s >= to_s
            || !is_of_pool(&item->label.words, label->words.pool,
                           label->words.instance_type))
            continue;
        add_use(item, from_s, 1);
        add_use(item, to_s, -1);
    }
}

/* --- what is idle --- */

static int by_time(const void *left_use, const void *right_use)
{
    const struct usage_use *left = left_use, *right = right_use;

    return (left->at_s > right->at_s) - (left->at_s < right->at_s);
}

/* A reservation as it is gone through. */
struct walk {
    const struct usage_reserved *reserved;
    const struct usage_spans *spans;
    size_t next_use;
    int64_t used;    /* instances */
    int64_t counted; /* idle seconds of this day, or since it was reserved */
    struct usage_idle_part part;
};

/* Up to where as many are used, within one day of UTC and one span.  What lies before
 * the first span is counted and in no part. */
static int64_t stretch_end(struct walk *walk, int64_t at_s)
{
    const struct usage_reserved *reserved = walk->reserved;
    const struct usage_span *span = &walk->spans->items[walk->part.span];
    int64_t end = earlier(reserved->to_s, at_s - at_s % DAY_S + DAY_S);

    while (walk->next_use < reserved->use_count
           && reserved->uses[walk->next_use].at_s <= at_s)
        walk->used += reserved->uses[walk->next_use++].change;
    if (walk->next_use < reserved->use_count)
        end = earlier(end, reserved->uses[walk->next_use].at_s);
    return earlier(end, at_s < span->from_s ? span->from_s : span->to_s);
}

static int count_stretch(struct walk *walk, int64_t from_s, int64_t to_s,
                         struct err *err)
{
    const struct usage_reserved *reserved = walk->reserved;
    const int64_t idle = later(0, reserved->instances - walk->used);
    int64_t before = from_s % DAY_S == 0 ? 0 : walk->counted;
    nanousd_t cost = 0;

    walk->counted = before + idle * (to_s - from_s);
    if (from_s < walk->spans->items[0].from_s)
        return 0;
    if (reserved->price
        && money_for_part(reserved->price->words.hourly, before, walk->counted, &cost,
                          err)
               < 0)
        return err_wrap(err, "row %lld of the ledger", (long long)reserved->seq);
    walk->part.seconds += walk->counted - before;
    if (__builtin_add_overflow(walk->part.cost, cost, &walk->part.cost))
        return err_set(err, ERR_LIMIT, "a sum is too large to be written down");
    return 0;
}

static int give_part(struct walk *walk, usage_idle_callback_t *callback, void *context,
                     struct err *err)
{
    const struct usage_reserved *reserved = walk->reserved;
    const struct usage_span *span = &walk->spans->items[walk->part.span];

    walk->part.from_s = later(span->from_s, reserved->from_s);
    walk->part.to_s = earlier(span->to_s, reserved->to_s);
    if (walk->part.seconds > 0 && callback(context, &walk->part, err) < 0)
        return -1;
    walk->part =
        (struct usage_idle_part){ .reserved = reserved, .span = walk->part.span + 1 };
    return 0;
}

static int walk_through(struct walk *walk, usage_idle_callback_t *callback,
                        void *context, struct err *err)
{
    const struct usage_reserved *reserved = walk->reserved;

    while (walk->spans->items[walk->part.span].to_s <= reserved->from_s)
        walk->part.span++;
    for (int64_t at = reserved->from_s, end; at < reserved->to_s; at = end) {
        end = stretch_end(walk, at);
        if (count_stretch(walk, at, end, err) < 0)
            return -1;
        if ((end == reserved->to_s || end == walk->spans->items[walk->part.span].to_s)
            && give_part(walk, callback, context, err) < 0)
            return -1;
    }
    return 0;
}

int usage_idle_each(struct usage_idle *idle, const struct usage_spans *spans,
                    usage_idle_callback_t *callback, void *context, struct err *err)
{
    for (size_t i = 0; i < idle->count; i++) {
        struct usage_reserved *item = &idle->items[i];
        struct walk walk = { .reserved = item,
                             .spans = spans,
                             .part = { .reserved = item } };

        if (item->use_count)
            qsort(item->uses, item->use_count, sizeof *item->uses, by_time);
        if (walk_through(&walk, callback, context, err) < 0)
            return -1;
    }
    return 0;
}
