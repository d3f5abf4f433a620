/* Recomputes what the ledger and the jobs say of seconds and money, by the rules of
 * railhead-billing(7).  The arithmetic is its own: of what the daemon computed bills
 * with, only money.h is used. */

#include "daemon/billing/verify.h"
#include "daemon/billing/verify_prices.h"
#include "daemon/billing/verify_workers.h"
#include "src/money.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Evidence of the end of an attempt that is not billed. */
static const char launch_failed[] = "launch failed: not billed";

/* Seconds of an attempt that cost one price. */
struct priced {
    int64_t price; /* seq; 0: unpriced */
    nanousd_t hourly;
    int64_t seconds; /* of the workers so far */
};

struct figures {
    struct store *store;
    struct verdict *verdict;
    struct audit_book *book;

    /* The job whose rows come. */
    struct audit_row job; /* of the job alone */
    char job_name[64];
    int64_t job_seconds;
    nanousd_t job_cost;
    bool job_has_price; /* at least one */
    int64_t job_unpriced_seconds;
    int job_attempts; /* that have an interval */
    struct seats seats;

    /* The attempt, or the warm pool, whose workers come. */
    bool in_attempt;
    enum interval_kind kind;
    int64_t attempt;
    int64_t first_open_seq;
    size_t workers;
    int64_t longest;
    struct priced *priced;
    size_t priced_count;
    size_t priced_room;
};

/* Sums of what was tampered with may not fit: they are wrong anyhow. */
static int64_t plus(int64_t left, int64_t right)
{
    int64_t sum;

    return __builtin_add_overflow(left, right, &sum) ? INT64_MAX : sum;
}

static int64_t minus(int64_t left, int64_t right)
{
    int64_t difference;

    return __builtin_sub_overflow(left, right, &difference) ? INT64_MAX : difference;
}

/* Of the job whose rows come. */
static void find(struct figures *figures, const struct finding *finding)
{
    struct finding of_job = *finding;

    of_job.job = figures->job_name;
    verdict_find(figures->verdict, &of_job);
}

static void expect_cell(struct figures *figures, const struct finding *where,
                        struct ledger_cell is, struct ledger_cell should_be)
{
    struct finding of_job = *where;

    of_job.job = figures->job_name;
    verdict_expect(figures->verdict, &of_job, is, should_be);
}

static void expect(struct figures *figures, const struct finding *where, int64_t is,
                   int64_t should_be)
{
    expect_cell(figures, where, cell_number(is), cell_number(should_be));
}

static struct ledger_cell text_or_null(const char *text)
{
    return text ? cell_text(text) : cell_null();
}

static void expect_text(struct figures *figures, const struct finding *where,
                        const char *is, const char *should_be)
{
    expect_cell(figures, where, text_or_null(is), text_or_null(should_be));
}

/* --- an attempt --- */

static struct priced *priced_at(struct figures *figures, int64_t price,
                                nanousd_t hourly)
{
    size_t i = 0;

    while (i < figures->priced_count && figures->priced[i].price != price)
        i++;
    if (i == figures->priced_room) {
        figures->priced_room = i ? i * 2 : 4;
        figures->priced =
            xrealloc(figures->priced, figures->priced_room * sizeof *figures->priced);
    }
    if (i == figures->priced_count) {
        figures->priced[i] = (struct priced){ .price = price, .hourly = hourly };
        figures->priced_count++;
    }
    return &figures->priced[i];
}

static void add_cost(struct figures *figures, const struct priced *priced)
{
    nanousd_t cost;
    struct err ignored;

    if (!priced->price) {
        figures->job_unpriced_seconds =
            plus(figures->job_unpriced_seconds, priced->seconds);
        return;
    }
    figures->job_has_price = true;
    if (money_for_seconds(priced->hourly, priced->seconds, &cost, &ignored) < 0)
        find(figures,
             &(struct finding){ .seq = figures->first_open_seq,
                                .table = "interval_open",
                                .reason = "the cost of its attempt does not fit" });
    else
        figures->job_cost = plus(figures->job_cost, cost);
}

static void end_attempt(struct figures *figures)
{
    if (!figures->in_attempt)
        return;
    figures->in_attempt = false;
    expect(figures,
           &(struct finding){ .seq = figures->first_open_seq,
                              .table = "interval_open",
                              .column = "worker",
                              .reason = "its attempt has not an interval for each of so"
                                        " many instances" },
           (int64_t)figures->workers, figures->job.job_instances);
    if (figures->kind == INTERVAL_WARM)
        return;
    for (size_t i = 0; i < figures->priced_count; i++)
        add_cost(figures, &figures->priced[i]);
    figures->job_seconds = plus(figures->job_seconds, figures->longest);
    figures->job_attempts++;
}

static void begin_attempt(struct figures *figures, const struct audit_row *row)
{
    figures->in_attempt = true;
    figures->kind = row->kind;
    figures->attempt = row->attempt;
    figures->first_open_seq = row->open_seq;
    figures->workers = 0;
    figures->longest = 0;
    figures->priced_count = 0;
}

/* --- an interval --- */

/* What a row names comes before it; 0: it names none. */
static void check_order(struct figures *figures, const struct finding *where,
                        const char *column, int64_t names)
{
    struct finding finding = *where;

    finding.column = column;
    finding.reason = "there is no such row before it";
    finding.is = cell_number(names);
    if (names >= where->seq)
        find(figures, &finding);
}

/* What it is charged to is the job's own, at a price of the same instance type. */
static void check_names(struct figures *figures, const struct audit_row *row)
{
    struct finding where = { .seq = row->open_seq, .table = "interval_open" };

    check_order(figures, &where, "label", row->label);
    check_order(figures, &where, "price", row->price);
    where.column = "label";
    where.reason = "its label is of another owner than its job";
    expect_text(figures, &where, row->label_owner, row->job_owner);
    where.reason = "its label is of another instance type than its job";
    expect_text(figures, &where, row->label_instance_type, row->job_instance_type);
    where.reason = "its label is of another scheduler than its job";
    expect_text(figures, &where, row->label_scheduler, row->job_scheduler);
    where.reason = "its label says otherwise than its job whether it is emulated";
    expect(figures, &where, row->label_emulated, row->job_emulated);
    where.column = "price";
    where.reason = "its price is of another instance type than its job";
    if (row->price)
        expect_text(figures, &where, row->price_instance_type, row->job_instance_type);
    verify_price(figures->verdict, figures->book, row);
}

/* Its figures rest on both clocks at its start, and on the boot clock at its end. */
static void check_close(struct figures *figures, const struct audit_row *row)
{
    bool failed =
        row->close_evidence && strcmp(row->close_evidence, launch_failed) == 0;
    usec_t span = minus(row->close_boot_us, row->open_boot_us);
    struct finding where = { .seq = row->close_seq,
                             .table = "interval_close",
                             .column = "seconds",
                             .reason = failed ? "a launch that failed is not billed"
                                              : "the boot clock says otherwise" };

    expect(figures, &where, row->seconds, failed ? 0 : money_billable_seconds(span));
    where.column = "start_s";
    where.reason = "it was opened in another second";
    expect(figures, &where, row->start_s, row->open_wall_us / USEC_PER_SEC);
    where.column = "boot_us";
    where.reason = "it ends before it begins";
    if (row->close_boot_us < row->open_boot_us)
        expect(figures, &where, row->close_boot_us, row->open_boot_us);
    where.column = "busy_permille";
    where.reason = "it is more than all of the time";
    if (row->busy_is_known && row->busy_permille > 1000)
        expect(figures, &where, row->busy_permille, 1000);
    where.reason = "it is less than none of the time";
    if (row->busy_is_known && row->busy_permille < 0)
        expect(figures, &where, row->busy_permille, 0);
}

/* Seconds of one price within an interval. */
static void take_charge(struct figures *figures, const struct finding *where,
                        const struct priced *charge, int64_t base)
{
    struct priced *priced = priced_at(figures, charge->price, charge->hourly);

    expect(figures, where, base, priced->seconds);
    priced->seconds = plus(priced->seconds, charge->seconds);
}

/* An interval charge by charge, as its changes of price cut it. */
struct cutting {
    struct figures *figures;
    const struct audit_row *row;
    struct price_changes changes;
    struct finding where; /* the row that has the base of `charge` */
    int64_t base;
    struct priced charge; /* the last one so far */
    int64_t from_second;  /* of it */
};

static int take_cut(void *context, const struct audit_cut *cut, struct err *err)
{
    struct cutting *cutting = context;
    struct finding where = { .seq = cut->seq, .table = "interval_price" };
    int64_t from = cut->from_second;

    (void)err;
    check_order(cutting->figures, &where, "price", cut->price);
    where.column = "from_second";
    where.reason = "the interval ends before that";
    if (from >= cutting->row->seconds) {
        expect(cutting->figures, &where, from, minus(cutting->row->seconds, 1));
        from = cutting->row->seconds;
    }
    where.reason = "the interval begins after that";
    if (from < cutting->from_second) {
        expect(cutting->figures, &where, from, cutting->from_second);
        from = cutting->from_second;
    }
    where.column = "price";
    where.reason = "its price is of another instance type than its job";
    expect_text(cutting->figures, &where, cut->price_instance_type,
                cutting->row->job_instance_type);
    verify_change(&cutting->changes, cut);
    cutting->charge.seconds = from - cutting->from_second;
    take_charge(cutting->figures, &cutting->where, &cutting->charge, cutting->base);
    cutting->charge = (struct priced){ .price = cut->price, .hourly = cut->hourly };
    cutting->from_second = from;
    cutting->base = cut->base;
    cutting->where.seq = cut->seq;
    cutting->where.table = "interval_price";
    return 0;
}

static int take_charges(struct figures *figures, const struct audit_row *row,
                        struct err *err)
{
    struct cutting cutting = {
        .figures = figures,
        .row = row,
        .where = { .seq = row->close_seq,
                   .table = "interval_close",
                   .column = "base",
                   .reason = "it is not what those before it have at this price" },
        .base = row->base,
        .charge = { .price = row->price, .hourly = row->hourly },
    };

    cutting.changes = verify_changes_of(figures->verdict, figures->book, row);
    if (store_each_audit_cut(figures->store, row->open_seq, take_cut, &cutting, err)
        < 0)
        return -1;
    verify_no_more_changes(&cutting.changes);
    cutting.charge.seconds = row->seconds - cutting.from_second;
    take_charge(figures, &cutting.where, &cutting.charge, cutting.base);
    return 0;
}

static int take_interval(struct figures *figures, const struct audit_row *row,
                         struct err *err)
{
    struct finding where = { .seq = row->open_seq, .table = "interval_open" };

    if (figures->in_attempt
        && (row->kind != figures->kind || row->attempt != figures->attempt))
        end_attempt(figures);
    if (!figures->in_attempt)
        begin_attempt(figures, row);
    check_names(figures, row);
    where.column = "worker";
    where.reason = "it does not follow the worker before it";
    expect(figures, &where, row->worker, (int64_t)figures->workers);
    verify_worker(&figures->seats, row, figures->workers++);
    if (row->seconds > figures->longest)
        figures->longest = row->seconds;
    if (row->close_seq) {
        check_close(figures, row);
        return take_charges(figures, row, err);
    }
    where.column = NULL;
    where.reason = "it was not closed, and its job has ended";
    if (row->job_is_over || (row->job_is_final && row->kind == INTERVAL_RUN))
        find(figures, &where);
    return 0;
}

/* --- a job --- */

static int count_ready(void *context, const struct job_event *event, struct err *err)
{
    int *count = context;

    (void)err;
    *count += event->kind == EV_READY;
    return 0;
}

/* Every attempt that was ready has intervals.  Of a job that has ended with some, its
 * bill tells whether they are all; of others their events must. */
static int check_attempts(struct figures *figures, struct err *err)
{
    int ready = 0;

    if (figures->job.job_is_over && figures->job_attempts)
        return 0;
    if (store_each_event(figures->store, figures->job.job_id, count_ready, &ready, err)
        < 0)
        return -1;
    expect(figures,
           &(struct finding){ .table = "interval_open",
                              .reason = "its job has not an attempt with intervals for"
                                        " each that was ready" },
           figures->job_attempts, ready);
    return 0;
}

static struct ledger_cell money_or_null(bool is_priced, nanousd_t cost)
{
    return is_priced ? cell_number(cost) : cell_null();
}

static void check_bill(struct figures *figures)
{
    const struct audit_row *job = &figures->job;
    struct finding where = { .table = "job",
                             .column = "billable_seconds",
                             .reason = "its intervals add up to another number" };

    if (job->job_has_bill != job->job_is_final) {
        where.reason = job->job_is_final ? "it has ended and has no bill"
                                         : "it has not ended and has a bill";
        expect(figures, &where, job->job_has_bill, job->job_is_final);
        return;
    }
    if (!job->job_is_final)
        return;
    expect(figures, &where, job->job_seconds, figures->job_seconds);
    where.column = "cost_nanousd";
    where.reason = "its intervals cost another amount";
    expect_cell(figures, &where, money_or_null(job->job_is_priced, job->job_cost),
                money_or_null(figures->job_has_price || !figures->job_attempts,
                              figures->job_cost));
    where.column = "unpriced_seconds";
    where.reason = "its intervals have another number without a price";
    expect(figures, &where, job->job_unpriced_seconds, figures->job_unpriced_seconds);
}

static int end_job(struct figures *figures, struct err *err)
{
    end_attempt(figures);
    if (!figures->job.job_id)
        return 0;
    check_bill(figures);
    return check_attempts(figures, err);
}

static void begin_job(struct figures *figures, const struct audit_row *row)
{
    figures->job = *row;
    snprintf(figures->job_name, sizeof figures->job_name, "%s", row->job_name);
    figures->job_seconds = 0;
    figures->job_cost = 0;
    figures->job_has_price = false;
    figures->job_unpriced_seconds = 0;
    figures->job_attempts = 0;
    figures->seats.count = 0;
}

static int take_row(void *context, const struct audit_row *row, struct err *err)
{
    struct figures *figures = context;

    if (row->job_id != figures->job.job_id) {
        if (end_job(figures, err) < 0)
            return -1;
        begin_job(figures, row);
    }
    return row->open_seq ? take_interval(figures, row, err) : 0;
}

static int find_stray(struct figures *figures, struct err *err)
{
    struct audit_stray stray;

    if (store_find_stray(figures->store, &stray, err) < 0)
        return -1;
    if (stray.seq)
        verdict_find(figures->verdict,
                     &(struct finding){ .seq = stray.seq,
                                        .table = stray.table,
                                        .column = stray.column,
                                        .reason = stray.reason,
                                        .is = cell_number(stray.names) });
    return 0;
}

int verify_figures(struct store *store, struct verdict *verdict, struct err *err)
{
    struct figures figures = { .store = store,
                               .verdict = verdict,
                               .seats.verdict = verdict };
    int result = audit_book_read(store, &figures.book, err);

    if (result == 0)
        result = store_each_audit_row(store, take_row, &figures, err);
    if (result == 0)
        result = end_job(&figures, err);
    if (result == 0)
        result = find_stray(&figures, err);
    audit_book_free(figures.book);
    free(figures.priced);
    free(figures.seats.items);
    return result;
}
