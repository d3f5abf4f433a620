/* When intervals open and close, on what evidence, in a real store. */

#include "daemon/bill.h"
#include "daemon/meter.h"
#include "daemon/store_price_book.h"
#include "src/money.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char words[][16] = { "2026-09-01", "published", "high", "aws-list" };

static struct profile_price prices[] = {
    { .hourly = 204000000,
      .from = 0,
      .as_of = words[0],
      .basis = words[1],
      .confidence = words[2],
      .source = words[3] },
    /* From the ninth second on; what opened before keeps its price. */
    { .hourly = 500000000,
      .from = LIFE_WALL_ZERO + 9 * USEC_PER_SEC,
      .as_of = words[0],
      .basis = words[1],
      .confidence = words[2],
      .source = words[3] },
};

static char type_name[] = "ml.c5.xlarge";
static const struct profile profile = { .name = type_name,
                                        .prices = prices,
                                        .price_count = 2 };
static const struct offer offer = { .profile = &profile,
                                    .pool = type_name,
                                    .capacity = 4 };

/* Two workers, the last of them ready 1 s after the start of the boot clock. */
#define TRAINING \
    "submit 2, place, ready 0 400, ready 1 1000, launch 0 1010, launch 1 1010"

/* clang-format off */
static const struct {
    const char *steps;
    int64_t seconds[2];    /* of each worker's interval; -1: none */
    const char *evidence;  /* of worker 1's end */
    int64_t billable;
    const char *cost;
} rows[] = {
    { TRAINING ", end 0 41500 completed, end 1 42000 completed",
      { 41, 41 }, "own end line 3 at boot_us 42000000: completed", 41, "0.004646667" },
    { TRAINING ", end 0 41500 completed, end 1 42001 completed",
      { 42, 42 }, "own end line 3 at boot_us 42001000: completed", 42, "0.00476" },
    /* The first to end waits for the last: both are held. */
    { TRAINING ", end 1 1500 failed, end 0 11000 peer",
      { 10, 10 }, "own end line 3 at boot_us 1500000: failed", 10, "0.001133333" },
    { TRAINING ", lose 1 3000, end 0 11000 peer",
      { 10, 2 }, "lost: last evidence at boot_us 3000000", 10, "0.00068" },
    /* Ready, but gone before its peer was: no time of it counts. */
    { "submit 2, place, ready 1 400, lose 1 600, ready 0 1000, launch 0 1010, end 0 2000 peer",
      { 1, 0 }, "lost: last evidence at boot_us 600000", 1, "0.000056667" },
    { "submit 2, place, ready 0 400, ready 1 1000, end 1 5000 launch, end 0 5100 peer",
      { 0, 0 }, "launch failed: not billed", 0, "0" },
    { "submit 2, place, ready 0 400, launch 0 500, ready 1 1000, end 1 5000 launch, end 0 5100 peer",
      { 0, 0 }, "launch failed: not billed", 0, "0" },
    { TRAINING ", stop user_stop, end 0 3000 user_stop, end 1 3000 user_stop",
      { 2, 2 }, "own end line 3 at boot_us 3000000: user_stop", 2, "0.000226667" },
    { "submit 2, place, stop user_stop, ready 0 400, ready 1 1000, end 0 1001 user_stop, end 1 1001 user_stop",
      { 1, 1 }, "own end line 2 at boot_us 1001000: user_stop", 1, "0.000113333" },
    /* The daemon could not take the job up again: what is known to have run is billed. */
    { TRAINING ", fail launch",
      { 1, 1 }, "lost: last evidence at boot_us 1010000", 1, "0.000113333" },
    { TRAINING ", end 0 3000 completed, fail infrastructure",
      { 2, 1 }, "lost: last evidence at boot_us 1010000", 2, "0.00017" },
    /* What could not be fetched or stored is billed; what could not be started is not. */
    { TRAINING ", end 0 41500 input, end 1 42000 peer",
      { 41, 41 }, "own end line 3 at boot_us 42000000: peer", 41, "0.004646667" },
    { TRAINING ", upload 0 30000 completed, upload 1 30000 completed, end 1 30001 completed, end 0 42000 output",
      { 41, 41 }, "own end line 4 at boot_us 30001000: completed", 41, "0.004646667" },
    /* A worker that is lost after it told its failure is billed to its last evidence all the same. */
    { TRAINING ", upload 1 3000 failed, lose 1 4000, end 0 11000 peer",
      { 10, 3 }, "lost: last evidence at boot_us 4000000", 10, "0.000736667" },
    /* Stopped before any worker showed itself. */
    { "submit 2, place, stop user_stop, lose 0 0, lose 1 0", { -1, -1 }, NULL, 0, "0" },
    /* Never all ready: nothing was provisioned. */
    { "submit 2, place, ready 0 400, end 0 500 launch, lose 1 0", { -1, -1 }, NULL, 0, "0" },
    { "submit 2, place, fail launch", { -1, -1 }, NULL, 0, "0" },
    { "submit 2, stop user_stop", { -1, -1 }, NULL, 0, "0" },
    { "submit 2, expire", { -1, -1 }, NULL, 0, "0" },
};
/* clang-format on */

struct ledger {
    char *folder;
    struct store *store;
    struct life life;
    struct interval *intervals;
    size_t count;
};

static void live(struct ledger *ledger, const struct offer *at, const char *steps)
{
    struct err err;

    ledger->store = store_made(&ledger->folder);
    ledger->life.store = ledger->store;
    ledger->life.metered = true;
    ledger->life.offer = at;
    life_live(&ledger->life, steps);
    if (store_commit(ledger->store, &err) < 0
        || store_get_intervals(ledger->store, ledger->life.job->job_id, INTERVAL_RUN,
                               &ledger->intervals, &ledger->count, &err)
               < 0)
        ck_abort_msg("%s", err.text);
}

static void ledger_clear(struct ledger *ledger)
{
    life_clear(&ledger->life);
    free(ledger->intervals);
    store_gone(ledger->store, ledger->folder);
}
#define auto_ledger __attribute__((cleanup(ledger_clear)))

static struct job_row row_of(const struct ledger *ledger)
{
    struct job_row row;
    struct err err;

    if (store_get_job(ledger->store, ledger->life.job->job_id, &row, &err) < 0)
        ck_abort_msg("%s", err.text);
    return row;
}

START_TEST(a_life_is_billed_as_the_rules_say)
{
    auto_ledger struct ledger ledger = { 0 };
    char cost[MONEY_TEXT_SIZE];
    struct job_row row;

    live(&ledger, &offer, rows[_i].steps);
    ck_assert(job_state_is_final(ledger.life.job->state));
    ck_assert_uint_eq(ledger.count, rows[_i].seconds[0] < 0 ? 0 : 2);
    for (size_t i = 0; i < ledger.count; i++) {
        ck_assert(ledger.intervals[i].closed);
        ck_assert_int_eq(ledger.intervals[i].seconds, rows[_i].seconds[i]);
        ck_assert_str_eq(ledger.intervals[i].boot_id, LIFE_BOOT_ID);
    }
    if (rows[_i].evidence)
        ck_assert_str_eq(ledger.intervals[1].close_evidence, rows[_i].evidence);
    row = row_of(&ledger);
    ck_assert(row.has_bill);
    ck_assert_int_eq(row.billable_seconds, rows[_i].billable);
    ck_assert(row.priced);
    ck_assert_str_eq(money_format(row.cost, cost), rows[_i].cost);
}
END_TEST

#define FIRST \
    "submit 2 0 3 infrastructure+interrupted, place, ready 0 400, ready 1 1000, launch 0 1010, launch 1 1010"
#define SECOND "place, ready 0 60000, ready 1 61000, launch 0 61010, launch 1 61010"

/* clang-format off */
static const struct {
    const char *steps;
    int attempts[4];       /* of the intervals, in order; 0: no more */
    int64_t seconds[4];
    int64_t billable;      /* -1: the job has not ended */
    const char *cost;
} retried[] = {
    /* Each attempt is rounded up by itself, at the price of when it began; the wait between them costs nothing. */
    { FIRST ", lose 1 3500, end 0 4200 peer, " SECOND ", end 0 71500 completed, end 1 71500 completed",
      { 1, 1, 2, 2 }, { 4, 3, 11, 11 }, 15, "0.003452223" },
    { FIRST ", interrupt 120, end 0 4200 interrupted, end 1 4200 interrupted, stop user_stop",
      { 1, 1 }, { 4, 4 }, 4, "0.000453333" },
    { FIRST ", interrupt 120, end 0 4200 interrupted, end 1 4200 interrupted, expire",
      { 1, 1 }, { 4, 4 }, 4, "0.000453333" },
    { FIRST ", interrupt 120, end 0 4200 interrupted, end 1 4200 interrupted",
      { 1, 1 }, { 4, 4 }, -1, NULL },
    /* An attempt that never got ready has no interval. */
    { "submit 2 0 3 infrastructure, place, fail infrastructure, " SECOND ", end 0 71500 completed, end 1 71500 completed",
      { 2, 2 }, { 11, 11 }, 11, "0.003055556" },
};
/* clang-format on */

START_TEST(every_attempt_is_billed_by_itself)
{
    auto_ledger struct ledger ledger = { 0 };
    char cost[MONEY_TEXT_SIZE];

    live(&ledger, &offer, retried[_i].steps);
    for (size_t i = 0; i < ledger.count; i++) {
        ck_assert(ledger.intervals[i].closed);
        ck_assert_int_eq(ledger.intervals[i].attempt, retried[_i].attempts[i]);
        ck_assert_int_eq(ledger.intervals[i].seconds, retried[_i].seconds[i]);
    }
    ck_assert(ledger.count == 4 || retried[_i].attempts[ledger.count] == 0);
    ck_assert_int_eq(row_of(&ledger).has_bill, retried[_i].billable >= 0);
    if (retried[_i].billable < 0)
        return;
    ck_assert_int_eq(row_of(&ledger).billable_seconds, retried[_i].billable);
    ck_assert_str_eq(money_format(row_of(&ledger).cost, cost), retried[_i].cost);
}
END_TEST

#define WARM TRAINING_WARM ", end 0 41500 completed, end 1 42000 completed"
#define TRAINING_WARM \
    "submit 2 0 1 infrastructure 60, place, ready 0 400, ready 1 1000, launch 0 1010, launch 1 1010"

/* clang-format off */
static const struct {
    const char *steps;
    int count;             /* of warm intervals */
    int64_t seconds;       /* of each; -1: open */
    const char *evidence;
    const char *cost;      /* of the pool */
} pools[] = {
    { WARM, 2, -1, "", "0" },
    { WARM ", cool 102000", 2, 60, "terminated", "0.0068" },
    { WARM ", cool 42001 next", 2, 1, "reused by next", "0.000113333" },
    { WARM ", cool 42000 next", 2, 0, "reused by next", "0" },
    /* Never before it began, whatever the clock says. */
    { WARM ", cool 41000", 2, 0, "terminated", "0" },
    { TRAINING_WARM ", end 0 41500 failed, end 1 42000 peer, cool 52000", 2, 10, "terminated", "0.001133333" },
    { TRAINING_WARM ", stop user_stop, end 0 41500 user_stop, end 1 42000 user_stop, cool 52000",
      2, 10, "terminated", "0.001133333" },
    /* What is not the program's or the user's doing keeps nothing. */
    { TRAINING_WARM ", lose 0 41500, end 1 42000 peer", 0, 0, NULL, NULL },
    { TRAINING_WARM ", end 0 41500 infrastructure, end 1 42000 peer", 0, 0, NULL, NULL },
    { TRAINING_WARM ", end 0 41500 failed, lose 1 42000", 0, 0, NULL, NULL },
    { TRAINING ", end 0 41500 completed, end 1 42000 completed", 0, 0, NULL, NULL },
    { "submit 2 0 1 infrastructure 60, stop user_stop", 0, 0, NULL, NULL },
};
/* clang-format on */

START_TEST(a_warm_pool_is_billed_on_rows_of_its_own)
{
    auto_ledger struct ledger ledger = { 0 };
    auto_free struct interval *warm = NULL;
    char cost[MONEY_TEXT_SIZE];
    struct bill bill;
    struct err err;
    size_t count;

    live(&ledger, &offer, pools[_i].steps);
    if (store_get_intervals(ledger.store, ledger.life.job->job_id, INTERVAL_WARM, &warm,
                            &count, &err)
            < 0
        || bill_of(warm, count, NULL, &bill, &err) < 0)
        ck_abort_msg("%s", err.text);
    ck_assert_int_eq((int)count, pools[_i].count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(warm[i].open_boot_us, 42 * USEC_PER_SEC);
        ck_assert_int_eq(warm[i].open_wall_us, LIFE_WALL_ZERO + 42 * USEC_PER_SEC);
        ck_assert_int_eq(warm[i].hourly, ledger.intervals[i].hourly);
        ck_assert_int_eq(warm[i].closed, pools[_i].seconds >= 0);
        ck_assert_int_eq(warm[i].seconds,
                         pools[_i].seconds < 0 ? 0 : pools[_i].seconds);
        ck_assert_str_eq(warm[i].close_evidence, pools[_i].evidence);
    }
    if (count)
        ck_assert_str_eq(money_format(bill.cost, cost), pools[_i].cost);
    /* The job's own bill is not touched by it. */
    for (size_t i = 0; i < ledger.count; i++)
        ck_assert_int_le(ledger.intervals[i].seconds, 41);
}
END_TEST

START_TEST(all_open_when_the_last_is_ready)
{
    auto_ledger struct ledger ledger = { 0 };

    live(&ledger, &offer, TRAINING);
    ck_assert_uint_eq(ledger.count, 2);
    for (int i = 0; i < 2; i++) {
        const struct interval *interval = &ledger.intervals[i];

        ck_assert_int_eq(interval->attempt, 1);
        ck_assert_int_eq(interval->worker, i);
        ck_assert(!interval->closed);
        ck_assert_int_eq(interval->open_boot_us, USEC_PER_SEC);
        ck_assert_int_eq(interval->open_wall_us, LIFE_WALL_ZERO + USEC_PER_SEC);
        ck_assert_ptr_nonnull(
            strstr(interval->open_evidence,
                   i == 0 ? "at boot_us 400000" : "at boot_us 1000000"));
    }
    ck_assert(!row_of(&ledger).has_bill);
}
END_TEST

START_TEST(the_price_is_pinned_when_the_interval_opens)
{
    auto_ledger struct ledger early = { 0 };
    auto_ledger struct ledger late = { 0 };

    live(&early, &offer,
         "submit 1, place, ready 0 8999, launch 0 9000, end 0 20000 completed");
    live(&late, &offer, "submit 1, place, ready 0 9000, launch 0 9000");
    ck_assert_int_eq(early.intervals[0].hourly, 204000000);
    ck_assert_int_eq(late.intervals[0].hourly, 500000000);
    ck_assert_str_eq(late.intervals[0].price_source, "aws-list");
    ck_assert_str_eq(late.intervals[0].price_basis, "published");
    ck_assert_str_eq(late.intervals[0].price_confidence, "high");
    ck_assert_str_eq(late.intervals[0].price_as_of, "2026-09-01");
}
END_TEST

START_TEST(without_an_offer_seconds_are_kept_and_no_cost)
{
    auto_ledger struct ledger ledger = { 0 };

    live(&ledger, NULL, TRAINING ", end 0 42000 completed, end 1 42000 completed");
    ck_assert(!ledger.intervals[0].priced);
    ck_assert(row_of(&ledger).has_bill);
    ck_assert_int_eq(row_of(&ledger).billable_seconds, 41);
    ck_assert(!row_of(&ledger).priced);
}
END_TEST

START_TEST(without_an_offer_the_book_has_the_price)
{
    struct book_entry entry = { .instance_type = type_name,
                                .price = { 7, LIFE_WALL_ZERO, words[0], words[1],
                                           words[2], words[3] } };
    const struct price_book book = { &entry, 1, false };
    auto_ledger struct ledger ledger = { .life = { .book = &book } };

    live(&ledger, NULL, TRAINING);
    ck_assert(ledger.intervals[0].priced);
    ck_assert_int_eq(ledger.intervals[0].hourly, 7);
}
END_TEST

static const struct price_book at_change = { .at_change = true };

/* clang-format off */
static const struct {
    const char *steps;
    int64_t seconds[2];
    size_t cuts[2];        /* of each worker */
    const char *cost;
} repriced[] = {
    /* Opened in second 1, another price from second 9 on: 16 at one, 66 at the other. */
    { TRAINING ", end 0 41500 completed, end 1 42000 completed", { 41, 41 }, { 1, 1 }, "0.010073334" },
    /* What is lost before the change has none of the new price: 8 and 2, then 2. */
    { TRAINING ", lose 1 3000, end 0 11000 peer", { 10, 2 }, { 1, 0 }, "0.000844445" },
    { TRAINING ", end 0 8900 completed, end 1 9000 completed", { 8, 8 }, { 0, 0 }, "0.000906667" },
    { TRAINING ", end 0 8900 completed, end 1 9001 completed", { 9, 9 }, { 1, 1 }, "0.001184445" },
};
/* clang-format on */

struct sum {
    nanousd_t cost;
    int64_t seconds;
};

static int add_charge(void *context, const struct charge *charge, struct err *err)
{
    struct sum *sum = context;
    nanousd_t part;

    if (money_for_part(charge->start_s < LIFE_WALL_ZERO / USEC_PER_SEC + 9 ? 204000000
                                                                           : 500000000,
                       charge->base, charge->base + charge->seconds, &part, err)
        < 0)
        return -1;
    sum->cost += part;
    sum->seconds += charge->seconds;
    return 0;
}

START_TEST(a_change_of_price_cuts_where_the_book_says_so)
{
    auto_ledger struct ledger ledger = { .life = { .book = &at_change } };
    auto_free char *path = NULL;
    struct store *reader;
    struct sum sum = { 0 };
    char cost[MONEY_TEXT_SIZE];
    struct err err;

    live(&ledger, &offer, repriced[_i].steps);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(ledger.intervals[i].seconds, repriced[_i].seconds[i]);
        ck_assert_uint_eq(ledger.intervals[i].cut_count, repriced[_i].cuts[i]);
        if (repriced[_i].cuts[i]) {
            ck_assert_int_eq(ledger.intervals[i].cuts[0].from_second, 8);
            ck_assert_int_eq(ledger.intervals[i].cuts[0].hourly, 500000000);
        }
    }
    ck_assert_str_eq(money_format(row_of(&ledger).cost, cost), repriced[_i].cost);
    /* What reports add up is the same, to the last digit. */
    path = xasprintf("%s/railhead.db", ledger.folder);
    ck_assert_int_eq(store_open_read(path, &reader, &err), 0);
    ck_assert_int_eq(store_each_charge_of(reader, ledger.life.job->job_id, add_charge,
                                          &sum, &err),
                     0);
    store_close(reader);
    ck_assert_int_eq(sum.cost, row_of(&ledger).cost);
    ck_assert_int_eq(sum.seconds, repriced[_i].seconds[0] + repriced[_i].seconds[1]);
}
END_TEST

/* The prices of a ledger by their seq. */
struct hourly_rates {
    nanousd_t by_seq[64];
};

static int note_rate(void *context, const struct price_row *row, struct err *err)
{
    struct hourly_rates *rates = context;

    (void)err;
    ck_assert_int_lt(row->seq, 64);
    rates->by_seq[row->seq] = row->hourly;
    return 0;
}

struct parts {
    const struct hourly_rates *rates;
    nanousd_t cost;
    int64_t seconds;
};

/* In two parts, cut anywhere. */
static int add_parts(void *context, const struct charge *charge, struct err *err)
{
    struct parts *parts = context;
    int64_t cut = charge->base + rand() % (charge->seconds + 1);
    nanousd_t hourly = parts->rates->by_seq[charge->price], first, second;

    if (money_for_part(hourly, charge->base, cut, &first, err) < 0
        || money_for_part(hourly, cut, charge->base + charge->seconds, &second, err)
               < 0)
        return -1;
    parts->cost += first + second;
    parts->seconds += charge->seconds;
    return 0;
}

/* Three workers, one of them lost on the way, and up to five changes of price. */
START_TEST(whatever_changes_the_parts_add_up_to_the_bill)
{
    struct book_entry entries[5];
    const struct price_book book = { entries, 5, true };
    auto_ledger struct ledger ledger = { .life = { .book = &book } };
    auto_free char *path = NULL;
    auto_free char *lived = NULL;
    struct hourly_rates rates = { { 0 } };
    struct parts parts = { .rates = &rates };
    struct store *reader;
    int64_t seconds = 0;
    struct err err;

    srand((unsigned)_i);
    for (int i = 0; i < 5; i++)
        entries[i] = (struct book_entry){
            .instance_type = type_name,
            .price = { 1 + rand(), LIFE_WALL_ZERO + rand() % (70 * USEC_PER_SEC),
                       words[0], words[1], words[2], words[3] },
        };
    lived = xasprintf("submit 3, place, ready 0 400, ready 1 700, ready 2 1000, "
                      "launch 0 1010, launch 1 1010, launch 2 1010, lose 1 %d, "
                      "end 0 %d peer, end 2 60000 peer",
                      1010 + rand() % 50000, 51010 + rand() % 8000);
    live(&ledger, &offer, lived);
    path = xasprintf("%s/railhead.db", ledger.folder);
    ck_assert_int_eq(store_open_read(path, &reader, &err), 0);
    ck_assert_int_eq(store_each_price(reader, note_rate, &rates, &err), 0);
    ck_assert_int_eq(store_each_charge_of(reader, ledger.life.job->job_id, add_parts,
                                          &parts, &err),
                     0);
    store_close(reader);
    for (size_t i = 0; i < ledger.count; i++)
        seconds += ledger.intervals[i].seconds;
    ck_assert_int_eq(parts.seconds, seconds);
    ck_assert_int_eq(parts.cost, row_of(&ledger).cost);
}
END_TEST

START_TEST(what_runs_still_is_cut_up_to_now)
{
    auto_ledger struct ledger ledger = { .life = { .book = &at_change } };
    auto_free struct price_cut *cuts = NULL;
    const struct bill_now now = { LIFE_BOOT_ID, 11 * USEC_PER_SEC };
    struct bill bill;
    char cost[MONEY_TEXT_SIZE];
    struct err err;

    live(&ledger, &offer, TRAINING);
    meter_cut_open(&(struct meter){ ledger.store, &at_change, &offer }, ledger.life.job,
                   ledger.intervals, ledger.count, now.boot_us, &cuts);
    ck_assert_int_eq(bill_of(ledger.intervals, ledger.count, &now, &bill, &err), 0);
    ck_assert_int_eq(bill.instance_seconds, 20);
    /* 16 at 0.204, 4 at 0.5 */
    ck_assert_str_eq(money_format(bill.cost, cost), "0.001462223");
}
END_TEST

static const struct price_book at_open;
static const struct offer is_free = { .profile = &profile,
                                      .pool = type_name,
                                      .pricing = PRICING_FREE,
                                      .has_own_price = true,
                                      .own_price = { .as_of = words[0],
                                                     .basis = words[1],
                                                     .confidence = words[2],
                                                     .source = words[3] } };

/* clang-format off */
static const struct {
    const struct price_book *opened_under, *ended_under;
    const struct offer *opened_of, *ended_of; /* as the daemon was configured */
    size_t cuts;
    nanousd_t warm; /* its price */
    bool warm_at_change;
} pinned[] = {
    { &at_open, &at_open, &offer, &offer, 0, 204000000, false },
    { &at_open, &at_change, &offer, &offer, 0, 500000000, true },
    { &at_change, &at_open, &offer, &offer, 1, 204000000, false },
    { &at_change, &at_change, &offer, &offer, 1, 500000000, true },
    { &at_change, &at_change, &is_free, &offer, 0, 0, true },
    { &at_change, &at_change, &offer, &is_free, 0, 204000000, true }, /* nobody knows another price */
    { &at_change, &at_change, &offer, NULL, 0, 204000000, true },
};
/* clang-format on */

START_TEST(what_an_interval_opened_under_holds_for_all_of_it)
{
    auto_ledger struct ledger ledger = { .life = { .book = pinned[_i].opened_under } };
    auto_free struct interval *run = NULL;
    auto_free struct interval *warm = NULL;
    size_t count;
    struct err err;

    live(&ledger, pinned[_i].opened_of,
         "submit 1 0 1 infrastructure 60, place, ready 0 1000, launch 0 1010");
    ledger.life.book = pinned[_i].ended_under;
    ledger.life.offer = pinned[_i].ended_of;
    life_live(&ledger.life, "end 0 41500 completed");
    ck_assert_int_eq(store_get_intervals(ledger.store, ledger.life.job->job_id,
                                         INTERVAL_RUN, &run, &count, &err),
                     0);
    ck_assert_int_eq(run->at_change, pinned[_i].opened_under->at_change);
    ck_assert_uint_eq(run->cut_count, pinned[_i].cuts);
    ck_assert_int_eq(store_get_intervals(ledger.store, ledger.life.job->job_id,
                                         INTERVAL_WARM, &warm, &count, &err),
                     0);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(warm->hourly, pinned[_i].warm);
    ck_assert_int_eq(warm->at_change, pinned[_i].warm_at_change);
}
END_TEST

START_TEST(what_closes_is_noted_for_prices_to_come)
{
    auto_ledger struct ledger whole = { 0 };
    auto_ledger struct ledger cut = { .life = { .book = &at_change } };
    struct err err;
    usec_t until;

    live(&whole, &offer, WARM ", cool 52000");
    ck_assert_int_eq(store_get_charged(whole.store, type_name, &until, &err), 0);
    ck_assert_int_eq(until, LIFE_WALL_ZERO + 42 * USEC_PER_SEC + 1);
    live(&cut, &offer, WARM ", cool 52000");
    ck_assert_int_eq(store_get_charged(cut.store, type_name, &until, &err), 0);
    ck_assert_int_eq(until, LIFE_WALL_ZERO + 52 * USEC_PER_SEC);
}
END_TEST

Suite *suite_meter(void);

Suite *suite_meter(void)
{
    Suite *suite = suite_create("meter");
    TCase *tests = tcase_create("ledger");

    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, a_change_of_price_cuts_where_the_book_says_so, 0,
                        ARRAY_SIZE(repriced));
    tcase_add_loop_test(tests, whatever_changes_the_parts_add_up_to_the_bill, 1, 41);
    tcase_add_test(tests, what_runs_still_is_cut_up_to_now);
    tcase_add_test(tests, without_an_offer_the_book_has_the_price);
    tcase_add_loop_test(tests, what_an_interval_opened_under_holds_for_all_of_it, 0,
                        ARRAY_SIZE(pinned));
    tcase_add_test(tests, what_closes_is_noted_for_prices_to_come);
    tcase_add_loop_test(tests, a_life_is_billed_as_the_rules_say, 0, ARRAY_SIZE(rows));
    tcase_add_loop_test(tests, every_attempt_is_billed_by_itself, 0,
                        ARRAY_SIZE(retried));
    tcase_add_loop_test(tests, a_warm_pool_is_billed_on_rows_of_its_own, 0,
                        ARRAY_SIZE(pools));
    tcase_add_test(tests, all_open_when_the_last_is_ready);
    tcase_add_test(tests, the_price_is_pinned_when_the_interval_opens);
    tcase_add_test(tests, without_an_offer_seconds_are_kept_and_no_cost);
    suite_add_tcase(suite, tests);
    return suite;
}
