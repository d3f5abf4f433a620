/* Prices as they are shown and set.  Decides which may be set; which one is in force is
 * decided in price_book.c. */

#include "daemon/jobs_private.h"
#include "daemon/reservations.h"
#include "daemon/store_price_book.h"
#include "src/clock.h"
#include "src/log.h"
#include "src/members.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTE_BYTES_MAX = 200,
    /* Nothing is open for longer: an attempt ends after 28 days and its grace, a warm
     * pool after hours (railhead-job(5)). */
    OPEN_DAYS_MAX = 30
};

/* When what runs now may have begun. */
static usec_t first_open(usec_t now)
{
    return now - OPEN_DAYS_MAX * INT64_C(86400) * USEC_PER_SEC;
}

int jobs_tell_prices(struct jobs *jobs, struct err *err)
{
    usec_t now = clock_wall();

    if (price_book_tell_changes(&jobs->book, &jobs->offers, first_open(now),
                                jobs->store, err)
        < 0)
        return -1;
    return reservations_keep(jobs->store, &jobs->offers, &jobs->book, now, err);
}

/* The same when a price was set that holds from `from` on. */
static int tell_price(struct jobs *jobs, const char *instance_type, usec_t from,
                      struct err *err)
{
    const struct offer *offer = offers_find(&jobs->offers, instance_type);
    usec_t now = clock_wall();
    usec_t since = from > first_open(now) ? from - 1 : first_open(now);

    if (price_book_tell_change(&jobs->book, instance_type, offer, since, jobs->store,
                               err)
        < 0)
        return -1;
    return offer ? reservations_keep_one(jobs->store, offer, &jobs->book, now, err) : 0;
}

const struct profile_price *jobs_price_of(const struct jobs *jobs,
                                          const struct profile *profile, usec_t wall)
{
    const struct offer *offer = offers_find(&jobs->offers, profile->name);

    return offer ? price_in_force(&jobs->book, offer, wall)
                 : price_of_profile(&jobs->book, profile, wall);
}

/* --- shown --- */

/* @seq  0: not of the book */
static struct cJSON *item_of(const char *instance_type,
                             const struct profile_price *price, int64_t seq,
                             bool in_force)
{
    struct cJSON *json = json_object_new();
    char amount[MONEY_TEXT_SIZE];
    char from[TIME_TEXT_SIZE];

    json_set_text(json, "instance_type", instance_type);
    json_set_text(json, "usd_per_hour", money_format(price->hourly, amount));
    json_set_text(json, "currency", "USD");
    json_set_text(json, "from", price->from ? time_format(price->from, from) : NULL);
    json_set_text(json, "basis", price->basis);
    json_set_text(json, "confidence", price->confidence);
    json_set_text(json, "source", price->source);
    json_set_text(json, "as_of", *price->as_of ? price->as_of : NULL);
    json_set_bool(json, "in_force", in_force);
    if (seq)
        json_set_int(json, "ledger_seq", seq);
    else
        json_set_null(json, "ledger_seq");
    return json;
}

/* A page of all that is listed.  A cursor is the number of items before it: prices are
 * only ever added, so that none is missed that is set between two pages, though one may
 * come twice. */
struct page {
    struct cJSON *items;
    int64_t skip; /* to come first */
    int room;
    bool is_full; /* there are more */
};

static void list_price(struct page *page, const char *instance_type,
                       const struct profile_price *price, int64_t seq, bool in_force)
{
    if (page->skip > 0) {
        page->skip--;
        return;
    }
    page->is_full = page->room == 0;
    if (page->is_full)
        return;
    page->room--;
    json_append(page->items, item_of(instance_type, price, seq, in_force));
}

/* By weight, the least first: the catalog's, the pool's, the book's. */
static void list_type(const struct jobs *jobs, const struct profile *profile,
                      struct page *page)
{
    const struct offer *offer = offers_find(&jobs->offers, profile->name);
    const struct profile_price *now = jobs_price_of(jobs, profile, clock_wall());
    const char *type = profile->name;
    const struct book_entry *entries;
    size_t count;

    for (size_t i = 0; i < profile->price_count; i++)
        list_price(page, type, &profile->prices[i], 0, &profile->prices[i] == now);
    if (offer && offer->has_own_price)
        list_price(page, type, &offer->own_price, 0, &offer->own_price == now);
    entries = price_book_of(&jobs->book, type, &count);
    for (size_t i = 0; i < count; i++)
        list_price(page, type, &entries[i].price, entries[i].seq,
                   &entries[i].price == now);
}

int jobs_prices(struct jobs *jobs, const struct price_filter *filter,
                struct cJSON **out, struct err *err)
{
    const char *type = filter->instance_type;
    struct page page = { .room = filter->limit };
    int64_t before = 0;
    char next[32];

    if (type && !catalog_find(jobs->catalog, type))
        return err_set(err, ERR_NOT_FOUND, "no instance type '%.64s' in the catalog",
                       type);
    if (jobs_read_cursor(filter->cursor, &before, err) < 0)
        return -1;
    page.skip = before;
    page.items = json_array_new();
    for (size_t i = 0; i < jobs->catalog->count && !page.is_full; i++)
        if (!type || strcmp(type, jobs->catalog->profiles[i].name) == 0)
            list_type(jobs, &jobs->catalog->profiles[i], &page);
    if (page.is_full) /* so `before` is one of them: no sum that does not fit */
        snprintf(next, sizeof next, "%lld", (long long)before + filter->limit);
    *out = json_object_new();
    json_set(*out, "items", page.items);
    json_set_text(*out, "next_cursor", page.is_full ? next : NULL);
    return 0;
}

/* --- set --- */

struct order {
    const char *instance_type;
    nanousd_t hourly;
    usec_t from;
    const char *note; /* or NULL */
};

static void read_type(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct order *order = into;

    (void)member_text(value, place, 64, &order->instance_type);
}

static void read_hourly(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct order *order = into;

    (void)member_hourly(value, place, &order->hourly);
}

static void read_from(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct order *order = into;
    const char *text;
    struct err err;

    if (member_text(value, place, 64, &text)
        && time_parse(text, &order->from, &err) < 0)
        member_problem(place, "write 2026-12-01, or 2026-12-01T08:00:00Z", "%s",
                       err.text);
}

static void read_currency(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    (void)into;
    (void)member_currency(value, place);
}

static void read_note(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct order *order = into;

    if (member_text(value, place, NOTE_BYTES_MAX, &order->note)
        && text_has_control(order->note))
        member_problem(place, "write it on one line", "has control characters");
}

/* clang-format off */
static const struct member order_members[] = {
    { "instance_type", read_type,     true,  "the type that it is the price of" },
    { "usd_per_hour",  read_hourly,   true,  "dollars an instance-hour, like \"1.92\"" },
    { "from",          read_from,     false, NULL },
    { "currency",      read_currency, false, NULL },
    { "note",          read_note,     false, NULL },
};
/* clang-format on */

/* A pool that is free costs nothing, and only that. */
static void check_type(const struct jobs *jobs, const char *type,
                       struct problems *problems)
{
    const struct offer *offer = offers_find(&jobs->offers, type);

    if (!catalog_find(jobs->catalog, type))
        offers_explain(&jobs->offers, type, problems);
    else if (offer && offer->pricing == PRICING_FREE)
        problems_add(problems, "instance_type",
                     "write another `pricing` for the pool in railhead.yaml(5)",
                     "pool %s of %s is free: it has no price", offer->pool, type);
}

static int read_order(const struct jobs *jobs, const struct cJSON *body,
                      struct order *order, struct problems *problems, struct err *err)
{
    const struct member_place whole = { .problems = problems };

    *order = (struct order){ .from = clock_wall() };
    json_check_duplicates(body, problems);
    members_read(order, body, &whole, order_members, ARRAY_SIZE(order_members));
    if (order->instance_type)
        check_type(jobs, order->instance_type, problems);
    return problems->count ? err_set(err, ERR_INVALID, "this is no price to set") : 0;
}

/* What is closed keeps what it cost: no price is set that would have been its. */
static int check_past(const struct jobs *jobs, const struct order *order,
                      struct err *err)
{
    char from[TIME_TEXT_SIZE], earliest[TIME_TEXT_SIZE];
    struct charged_count count;
    usec_t until;

    if (store_get_charged(jobs->store, order->instance_type, &until, err) < 0)
        return -1;
    if (order->from >= until)
        return 0;
    if (store_count_charged(jobs->store, order->instance_type, order->from, &count, err)
        < 0)
        return -1;
    return err_set(
        err, ERR_CONFLICT,
        "a price of %s from %s on would be that of %s%lld closed intervals, and what is closed keeps its price: set it from %s or later",
        order->instance_type, time_format(order->from, from),
        count.is_all ? "" : "at least ", (long long)count.count,
        time_format(until, earliest));
}

static int add_to_book(struct jobs *jobs, const struct order *order, const char *by,
                       const struct book_entry **added, struct err *err)
{
    char as_of[TIME_TEXT_SIZE], basis[] = "book", confidence[] = "high";
    auto_free char *source = order->note ? xasprintf("set by %s: %s", by, order->note)
                                         : xasprintf("set by %s", by);
    const struct profile_price price = { .hourly = order->hourly,
                                         .from = order->from,
                                         .as_of = as_of,
                                         .basis = basis,
                                         .confidence = confidence,
                                         .source = source };

    time_format(clock_wall(), as_of);
    as_of[strlen("YYYY-MM-DD")] = '\0';
    return price_book_add(&jobs->book, jobs->store, order->instance_type, &price, added,
                          err);
}

int jobs_set_price(struct jobs *jobs, const struct cJSON *body, const char *by,
                   struct cJSON **out, struct problems *problems, struct err *err)
{
    const struct book_entry *added;
    char amount[MONEY_TEXT_SIZE];
    struct err store_err;
    struct order order;

    if (read_order(jobs, body, &order, problems, err) < 0
        || check_past(jobs, &order, err) < 0)
        return -1;
    if (add_to_book(jobs, &order, by, &added, &store_err) < 0
        || tell_price(jobs, order.instance_type, order.from, &store_err) < 0) {
        jobs_fail(jobs, &store_err);
        return err_set(err, ERR_UNAVAILABLE, "%s", store_err.text);
    }
    jobs_wake(jobs);
    log_info("price.set type=%s usd_per_hour=%s from_us=%lld by=%s",
             order.instance_type, money_format(order.hourly, amount),
             (long long)order.from, by);
    *out =
        item_of(added->instance_type, &added->price, added->seq,
                &added->price
                    == jobs_price_of(jobs,
                                     catalog_find(jobs->catalog, order.instance_type),
                                     clock_wall()));
    return 0;
}
