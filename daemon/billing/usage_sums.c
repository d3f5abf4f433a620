/* Adds parts up.  Decides what counts as what, and in which order rows are. */

#include "daemon/billing/usage_sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const share_names[USAGE_SHARES] = {
    [USAGE_WHOLE] = "",
    [USAGE_EMULATED] = "emulated",
    [USAGE_SPOT] = "spot",
    [USAGE_RESERVED] = "reserved",
    [USAGE_FREE] = "free",
    [USAGE_WARM] = "warm",
    [USAGE_ESTIMATED] = "estimated",
};

const char *usage_share_name(enum usage_share share)
{
    return share_names[share];
}

bool usage_is_unpriced(const struct usage_total *total)
{
    return total->unpriced_seconds > 0
           && total->unpriced_seconds == total->shares[USAGE_WHOLE].seconds;
}

const char *usage_busy_seconds(const struct usage_total *total,
                               char out[MONEY_TEXT_SIZE])
{
    snprintf(out, MONEY_TEXT_SIZE, "%" PRId64 ".%03" PRId64,
             total->busy_permille_seconds / 1000, total->busy_permille_seconds % 1000);
    return out;
}

const char *usage_busy_percent(const struct usage_total *total,
                               char out[MONEY_TEXT_SIZE])
{
    int64_t permille;

    if (total->busy_known_seconds == 0)
        return NULL;
    permille = (total->busy_permille_seconds + total->busy_known_seconds / 2)
               / total->busy_known_seconds;
    snprintf(out, MONEY_TEXT_SIZE, "%" PRId64 ".%" PRId64, permille / 10,
             permille % 10);
    return out;
}

/* --- one part --- */

/* Which shares a part is in, as bits. */
static unsigned shares_of(const struct usage_part *part)
{
    const struct usage_label *label = part->label;
    unsigned shares = 1U << USAGE_WHOLE;

    for (enum usage_share share = USAGE_SPOT; share <= USAGE_FREE; share++)
        if (strcmp(label->words.pricing, share_names[share]) == 0)
            shares |= 1U << share;
    if (label->words.emulated)
        shares |= 1U << USAGE_EMULATED;
    if (part->charge->kind == INTERVAL_WARM)
        shares |= 1U << USAGE_WARM;
    if (part->price && part->price->is_estimate)
        shares |= 1U << USAGE_ESTIMATED;
    return shares;
}

/* Seconds of a warm pool are known to have worked nothing. */
static void add_busy(struct usage_total *total, const struct usage_part *part)
{
    bool is_warm = part->charge->kind == INTERVAL_WARM;

    if (part->charge->busy_permille < 0 && !is_warm)
        return;
    total->busy_known_seconds += part->seconds;
    if (!is_warm)
        total->busy_permille_seconds += part->charge->busy_permille * part->seconds;
}

static int too_large(struct err *err)
{
    return err_set(err, ERR_LIMIT, "a sum is too large to be written down");
}

static int add_part(struct usage_total *total, const struct usage_part *part,
                    unsigned shares, struct err *err)
{
    for (enum usage_share share = 0; share < USAGE_SHARES; share++) {
        struct usage_amount *amount = &total->shares[share];

        if (!(shares & 1U << share))
            continue;
        amount->seconds += part->seconds;
        if (__builtin_add_overflow(amount->cost, part->cost, &amount->cost))
            return too_large(err);
    }
    if (!part->price)
        total->unpriced_seconds += part->seconds;
    if (part->charge->open)
        total->open_seconds += part->seconds;
    add_busy(total, part);
    return 0;
}

/* --- groups: labels that have the same values of the keys --- */

static const char *label_value(const struct usage_label *label,
                               const struct usage_key *key)
{
    switch (key->kind) {
    case USAGE_OWNER:
        return label->words.owner;
    case USAGE_INSTANCE_TYPE:
        return label->words.instance_type;
    case USAGE_POOL:
        return label->words.pool;
    case USAGE_PRICING:
        return label->words.pricing;
    case USAGE_TAG:
        return usage_tag(label, key->tag);
    case USAGE_DAY:
    case USAGE_WEEK:
    case USAGE_MONTH:
    case USAGE_JOB:
    case USAGE_ATTEMPT:
        break;
    }
    return NULL;
}

/* Labels are of one group when they have the same values, each with its end behind; no
 * value is told from an empty one by the byte before. */
static size_t find_group(struct usage_sums *sums, const struct usage_label *label)
{
    auto_text struct text words = { 0 };
    size_t count = sums->groups.count;
    size_t group;

    for (size_t i = 0; i < sums->key_count; i++) {
        const char *value = label_value(label, &sums->keys[i]);

        text_puts(&words, value ? "=" : "-");
        text_add(&words, value ? value : "", value ? strlen(value) + 1 : 1);
    }
    group = key_table_put(&sums->groups, words.bytes ? words.bytes : "", words.len);
    if (group < count)
        return group;
    sums->group_values =
        xrealloc(sums->group_values, sums->groups.count * sizeof *sums->group_values);
    for (size_t i = 0; i < sums->key_count; i++)
        sums->group_values[group].words[i] = label_value(label, &sums->keys[i]);
    return group;
}

static size_t group_of(struct usage_sums *sums, const struct usage_label *label)
{
    while (label->index >= sums->label_room) {
        size_t room = sums->label_room ? 2 * sums->label_room : 64;

        sums->group_of_label =
            xrealloc(sums->group_of_label, room * sizeof *sums->group_of_label);
        memset(sums->group_of_label + sums->label_room, 0xff,
               (room - sums->label_room) * sizeof *sums->group_of_label);
        sums->label_room = room;
    }
    if (sums->group_of_label[label->index] < 0)
        sums->group_of_label[label->index] = (int64_t)find_group(sums, label);
    return (size_t)sums->group_of_label[label->index];
}

/* --- rows --- */

struct row_key {
    int64_t span;
    int64_t group;
    int64_t job_id;
    int64_t attempt;
};

/* The row of this key, which is made when it is new; NULL with `err` when there are too
 * many.  It stays where it is until the next one is made. */
static struct usage_row *find_row(struct usage_sums *sums, const struct row_key *key,
                                  struct err *err)
{
    size_t number = key_table_put(&sums->row_keys, key, sizeof *key);

    if (number < sums->row_count)
        return &sums->rows[number];
    if (number == USAGE_ROWS_MAX) {
        err_set(err, ERR_LIMIT,
                "the report would have more than %d rows: ask for less time or for"
                " fewer keys",
                USAGE_ROWS_MAX);
        return NULL;
    }
    if (sums->row_count == sums->row_room) {
        sums->row_room = sums->row_room ? 2 * sums->row_room : 64;
        sums->rows = xrealloc(sums->rows, sums->row_room * sizeof *sums->rows);
    }
    sums->rows[sums->row_count++] = (struct usage_row){
        .span = (size_t)key->span,
        .group = (size_t)key->group,
        .job_id = key->job_id,
        .attempt = key->attempt,
    };
    return &sums->rows[number];
}

/* A job is counted once a row, and once in the total (row -1). */
static void count_job(struct usage_sums *sums, int64_t row, int64_t job_id,
                      struct usage_total *total)
{
    const int64_t key[] = { row, job_id };
    size_t count = sums->jobs.count;

    total->jobs += key_table_put(&sums->jobs, key, sizeof key) == count;
}

static bool has_key(const struct usage_sums *sums, enum usage_key_kind kind)
{
    for (size_t i = 0; i < sums->key_count; i++)
        if (sums->keys[i].kind == kind)
            return true;
    return false;
}

/* --- idle time: rows of nobody --- */

static int add_idle(void *context, const struct usage_idle_part *part, struct err *err)
{
    struct usage_sums *sums = context;
    const struct row_key key = {
        .span = (int64_t)part->span,
        .group = (int64_t)find_group(sums, &part->reserved->label),
    };
    struct usage_row *row = find_row(sums, &key, err);

    if (!row)
        return -1;
    row->total.idle.seconds += part->seconds;
    sums->total.idle.seconds += part->seconds;
    if (__builtin_add_overflow(row->total.idle.cost, part->cost, &row->total.idle.cost)
        || __builtin_add_overflow(sums->total.idle.cost, part->cost,
                                  &sums->total.idle.cost))
        return too_large(err);
    return 0;
}

/* --- all of it --- */

struct adder {
    struct usage_sums *sums;
    bool by_job;
    bool by_attempt;
};

static int take_part(void *context, const struct usage_part *part, struct err *err)
{
    const struct adder *adder = context;
    struct usage_sums *sums = adder->sums;
    const struct charge *charge = part->charge;
    const unsigned shares = shares_of(part);
    const struct row_key key = {
        .span = (int64_t)part->span,
        .group = (int64_t)group_of(sums, part->label),
        .job_id = adder->by_job ? charge->job_id : 0,
        .attempt = adder->by_attempt ? charge->attempt : 0,
    };
    struct usage_row *row;

    row = find_row(sums, &key, err);
    if (!row)
        return -1;
    count_job(sums, row - sums->rows, charge->job_id, &row->total);
    count_job(sums, -1, charge->job_id, &sums->total);
    if (add_part(&row->total, part, shares, err) < 0)
        return -1;
    return add_part(&sums->total, part, shares, err);
}

static const struct usage_label nobody;

static bool has_label_key(const struct usage_sums *sums)
{
    for (size_t i = 0; i < sums->key_count; i++)
        if (sums->keys[i].kind >= USAGE_OWNER && sums->keys[i].kind <= USAGE_PRICING)
            return true;
    return false;
}

static void add_subject(struct key_table *subjects, size_t group, int64_t job_id,
                        int64_t attempt)
{
    const struct row_key key = { .group = (int64_t)group,
                                 .job_id = job_id,
                                 .attempt = attempt };

    key_table_put(subjects, &key, sizeof key);
}

/* What has a row in any span; and unless it is by job, whatever the ledger has a label
 * of. */
static int list_subjects(struct usage *usage, struct usage_sums *sums, bool by_job,
                         struct key_table *subjects, struct err *err)
{
    const struct usage_book *book = &usage->book;

    for (size_t i = 0; i < sums->row_count; i++)
        add_subject(subjects, sums->rows[i].group, sums->rows[i].job_id,
                    sums->rows[i].attempt);
    if (by_job)
        return 0;
    if (!has_label_key(sums)) { /* one group, of no values */
        add_subject(subjects, find_group(sums, &nobody), 0, 0);
        return 0;
    }
    if (usage_book_all_labels(usage, err) < 0)
        return -1;
    for (int64_t i = 0; i < book->seq_count; i++)
        if (book->labels[i] && book->labels[i]->is_wanted)
            add_subject(subjects, group_of(sums, book->labels[i]), 0, 0);
    return 0;
}

/* Every subject has a row in every span. */
static int add_zero_rows(struct usage *usage, struct usage_sums *sums, bool by_job,
                         struct err *err)
{
    struct key_table subjects = { 0 };
    int result = list_subjects(usage, sums, by_job, &subjects, err);

    for (size_t i = 0; result == 0 && i < subjects.count * sums->spans.count; i++) {
        struct row_key key;

        memcpy(&key, key_table_key(&subjects, i / sums->spans.count), sizeof key);
        key.span = (int64_t)(i % sums->spans.count);
        result = find_row(sums, &key, err) ? 0 : -1;
    }
    key_table_clear(&subjects);
    return result;
}

/* --- order --- */

const char *usage_row_value(const struct usage_sums *sums, const struct usage_row *row,
                            size_t key, char out[MONEY_TEXT_SIZE])
{
    switch (sums->keys[key].kind) {
    case USAGE_DAY:
        return sums->spans.items[row->span].day;
    case USAGE_WEEK:
        return sums->spans.items[row->span].week;
    case USAGE_MONTH:
        return sums->spans.items[row->span].month;
    case USAGE_JOB:
        return row->job;
    case USAGE_ATTEMPT:
        if (!row->job_id)
            return NULL;
        snprintf(out, MONEY_TEXT_SIZE, "%" PRId64, row->attempt);
        return out;
    case USAGE_OWNER:
    case USAGE_TAG:
    case USAGE_INSTANCE_TYPE:
    case USAGE_POOL:
    case USAGE_PRICING:
        break;
    }
    return sums->group_values[row->group].words[key];
}

static int compare_numbers(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

/* What has no value comes last. */
static int compare_words(const char *left, const char *right)
{
    if (!left || !right)
        return !left - !right;
    return strcmp(left, right);
}

static int compare_by_key(const struct usage_sums *sums, size_t key,
                          const struct usage_row *left, const struct usage_row *right)
{
    char room[MONEY_TEXT_SIZE];

    switch (sums->keys[key].kind) {
    case USAGE_ATTEMPT:
        return compare_numbers(left->attempt, right->attempt);
    case USAGE_DAY:
    case USAGE_WEEK:
    case USAGE_MONTH:
    case USAGE_JOB:
    case USAGE_OWNER:
    case USAGE_TAG:
    case USAGE_INSTANCE_TYPE:
    case USAGE_POOL:
    case USAGE_PRICING:
        break;
    }
    return compare_words(usage_row_value(sums, left, key, room),
                         usage_row_value(sums, right, key, room));
}

static int compare_rows(const void *left_row, const void *right_row, void *context)
{
    const struct usage_row *left = left_row;
    const struct usage_row *right = right_row;
    int order = 0;

    for (size_t i = 0; order == 0 && i < ((struct usage_sums *)context)->key_count; i++)
        order = compare_by_key(context, i, left, right);
    return order;
}

static int name_jobs(struct usage *usage, struct usage_sums *sums, struct err *err)
{
    for (size_t i = 0; i < sums->row_count; i++) {
        const char *name;

        if (!sums->rows[i].job_id) /* idle time */
            continue;
        if (usage_job_name(usage, sums->rows[i].job_id, &name, err) < 0)
            return -1;
        sums->rows[i].job = xstrdup(name);
    }
    return 0;
}

int usage_sum(struct usage *usage, const struct usage_key *keys, size_t key_count,
              struct usage_sums *sums, struct err *err)
{
    struct adder adder = { .sums = sums };

    *sums = (struct usage_sums){ .keys = keys, .key_count = key_count };
    adder.by_job = has_key(sums, USAGE_JOB);
    adder.by_attempt = has_key(sums, USAGE_ATTEMPT);
    if (usage_spans_make(usage->ask->from_s, usage->ask->to_s,
                         &(struct usage_units){ .days = has_key(sums, USAGE_DAY),
                                                .weeks = has_key(sums, USAGE_WEEK),
                                                .months = has_key(sums, USAGE_MONTH) },
                         &sums->spans, err)
            < 0
        || usage_idle_read(usage, &sums->idle, err) < 0
        || usage_each_part(usage, &sums->spans, &sums->idle, take_part, &adder, err) < 0
        || usage_idle_each(&sums->idle, &sums->spans, add_idle, sums, err) < 0)
        return -1;
    if (usage->ask->zero && add_zero_rows(usage, sums, adder.by_job, err) < 0)
        return -1;
    if (adder.by_job && name_jobs(usage, sums, err) < 0)
        return -1;
    if (sums->row_count)
        qsort_r(sums->rows, sums->row_count, sizeof *sums->rows, compare_rows, sums);
    return 0;
}

void usage_sums_clear(struct usage_sums *sums)
{
    for (size_t i = 0; i < sums->row_count; i++)
        free(sums->rows[i].job);
    free(sums->rows);
    free(sums->group_values);
    free(sums->group_of_label);
    key_table_clear(&sums->groups);
    key_table_clear(&sums->row_keys);
    key_table_clear(&sums->jobs);
    usage_spans_clear(&sums->spans);
    usage_idle_clear(&sums->idle);
    *sums = (struct usage_sums){ 0 };
}
