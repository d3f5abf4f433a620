/* Lists of jobs against a model: every job is kept here, too, and looked at one by
 * one. */

#include "daemon/store_list.h"
#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOBS = 2600, /* some pieces of every kind */
    RANDOM_FILTERS = 300
};

static char *folder;
static struct store *store;
static struct job *jobs[JOBS + 1];
static size_t job_count;
static uint64_t seed;

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

static void make_store(void)
{
    store = store_made(&folder);
    job_count = 0;
    seed = 5;
}

static void free_store(void)
{
    for (size_t i = 0; i < job_count; i++)
        job_free(jobs[i]);
    store_gone(store, folder);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static int below(int bound)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (int)(z % (uint64_t)bound);
}

/* --- jobs --- */

/* The first ones are the most frequent. */
static const char *const owners[] = { "ana", "bo", "carl", "nobody" };
static const char *const types[] = { "ml.c5.xlarge", "local", "ml.p4d.24xlarge",
                                     "none" };
static const char *const tags[] = { "project=reviews", "project=speech",
                                    "team=", "odd=a=b", "project=none" };
static const char *const parts[] = { "job",   "-1",  "77",   "b-2500",
                                     "JOB",   "%",   "",     "250",
                                     "job-1", "-25", "b-77", "job-2600x" };

static int mostly_first(int count)
{
    int first = below(count);

    return below(8) ? below(first + 1) : first;
}

static enum job_state some_state(void)
{
    return (enum job_state)(JOB_PENDING + below(JOB_STATE_COUNT - JOB_PENDING));
}

static char *some_tags(void)
{
    auto_json struct cJSON *json = json_object_new();

    if (below(2))
        json_set_text(json, "project", below(3) ? "reviews" : "speech");
    if (below(9) == 0)
        json_set_text(json, "odd", "a=b");
    if (below(30) == 0)
        json_set_text(json, "team", "");
    return json_print(json);
}

static struct job *add(const char *owner, const char *type, usec_t created)
{
    struct job *job = job_new(store_next_job_id(store));
    struct err err;

    job_id_make(LIFE_WALL_ZERO, job->id);
    job->name = xasprintf("job-%" PRId64, job->job_id);
    job->owner = xstrdup(owner);
    job->instance_type = xstrdup(type);
    job->scheduler = xstrdup("local");
    job->tags = some_tags();
    job->instance_count = 1;
    job->state = JOB_PENDING;
    job->created_us = created;
    must(store_insert_job(store, job, &err), &err);
    jobs[job_count++] = job;
    return job;
}

static void move(struct job *job, enum job_state state)
{
    struct err err;

    job->state = state;
    job->stop_asked = below(4) == 0;
    job->warm =
        job_state_is_final(state) && below(20) == 0 ? WARM_AVAILABLE : WARM_NONE;
    must(store_update_state(store, job, &err), &err);
}

/* Most have ended; the clock is set back now and then, to before all of them, too. */
static void live(void)
{
    usec_t now = LIFE_WALL_ZERO;

    for (int i = 0; i < JOBS; i++) {
        struct job *job;

        now += below(3) * USEC_PER_SEC;
        if (below(200) == 0)
            now -= below(2000) * USEC_PER_SEC;
        job = add(owners[mostly_first(3)], types[mostly_first(3)], now);
        if (below(10))
            move(job, some_state());
        if (below(5))
            move(job, below(3) ? JOB_COMPLETED : some_state());
    }
}

/* --- the model --- */

static bool has_tag(const struct job *job, const char *tag)
{
    auto_json struct cJSON *json = NULL;
    auto_free char *key = xstrndup(tag, strcspn(tag, "="));

    must(json_parse(job->tags, strlen(job->tags), &json, NULL), NULL);
    return text_is_same(json_get_text(json, key), strchr(tag, '=') + 1);
}

static bool passes(const struct job *job, const struct job_filter *filter)
{
    const char *primary = job_state_primary(job->state, job->stop_asked);

    return (!filter->owner || strcmp(filter->owner, job->owner) == 0)
           && (!filter->status || strcmp(filter->status, primary) == 0
               || strcmp(filter->status, job_state_name(job->state)) == 0)
           && (!filter->instance_type
               || strcmp(filter->instance_type, job->instance_type) == 0)
           && (!filter->tag || has_tag(job, filter->tag))
           && (!filter->name_part || strstr(job->name, filter->name_part))
           && job->created_us >= filter->created_from
           && (!filter->created_until || job->created_us < filter->created_until);
}

/* Where the model is; it goes from the newest job to the oldest. */
struct walk {
    const struct job_filter *filter;
    size_t left;
    int given; /* by this piece */
};

static int64_t next_of_model(struct walk *walk)
{
    while (walk->left > 0)
        if (passes(jobs[--walk->left], walk->filter))
            return jobs[walk->left]->job_id;
    return 0;
}

static int compare(void *context, const struct job_row *row, struct err *err)
{
    struct walk *walk = context;

    (void)err;
    walk->given++;
    ck_assert_int_eq(row->job_id, next_of_model(walk));
    return 0;
}

/* Reads a list to its end; how many pieces it took. */
static int read_list(const struct job_filter *filter, int limit)
{
    struct walk walk = { .filter = filter, .left = job_count };
    struct store_list list = { .filter = *filter,
                               .before = INT64_MAX,
                               .callback = compare,
                               .context = &walk };
    int pieces = 0;

    for (; list.before; pieces++) {
        int64_t before = list.before;
        struct err err;

        walk.given = 0;
        list.limit = limit ? limit : 1 + below(100);
        must(store_list_piece(store, &list, &err), &err);
        ck_assert_int_le(walk.given, list.limit);
        ck_assert_int_lt(list.before, before);
    }
    ck_assert_int_eq(next_of_model(&walk), 0);
    return pieces;
}

static const char *some(const char *const *choices, int count)
{
    return below(3) ? NULL : choices[below(count)];
}

static const char *some_status(void)
{
    switch (below(6)) {
    case 0:
        return job_state_name(some_state());
    case 1:
        return "InProgress";
    case 2:
        return below(2) ? "Completed" : "Stopping";
    default:
        return NULL;
    }
}

static usec_t some_time(void)
{
    return below(3) ? 0 : LIFE_WALL_ZERO + (below(4000) - 1000) * USEC_PER_SEC;
}

START_TEST(a_list_has_every_job_that_passes_all_filters_once_newest_first)
{
    live();
    for (int i = 0; i < RANDOM_FILTERS; i++) {
        const struct job_filter filter = {
            .owner = some(owners, ARRAY_SIZE(owners)),
            .status = some_status(),
            .instance_type = some(types, ARRAY_SIZE(types)),
            .tag = some(tags, ARRAY_SIZE(tags)),
            .name_part = some(parts, ARRAY_SIZE(parts)),
            .created_from = some_time(),
            .created_until = some_time(),
        };

        read_list(&filter, 0);
    }
}
END_TEST

START_TEST(each_status_is_found_by_its_own_index)
{
    live();
    for (int state = JOB_PENDING; state < JOB_STATE_COUNT; state++) {
        const struct job_filter filter = { .status =
                                               job_state_name((enum job_state)state) };

        read_list(&filter, 0);
    }
    read_list(&(struct job_filter){ .status = "InProgress" }, 0);
}
END_TEST

START_TEST(an_empty_list_is_one_piece)
{
    ck_assert_int_eq(read_list(&(struct job_filter){ 0 }, 10), 1);
}
END_TEST

START_TEST(what_is_committed_or_not_is_listed_alike_after_a_restart)
{
    auto_free char *path = xasprintf("%s/railhead.db", folder);
    struct err err;

    add("ana", "local", LIFE_WALL_ZERO + 10 * USEC_PER_SEC);
    must(store_commit(store, &err), &err);
    store_close(store);
    must(store_open(path, &store, &err), &err);
    /* The clock was set back while there was no daemon. */
    add("ana", "local", LIFE_WALL_ZERO + 5 * USEC_PER_SEC);
    add("ana", "local", LIFE_WALL_ZERO + 6 * USEC_PER_SEC);
    read_list(&(struct job_filter){ .created_from = LIFE_WALL_ZERO + 6 * USEC_PER_SEC },
              10);
    read_list(&(struct job_filter){ .created_until =
                                        LIFE_WALL_ZERO + 6 * USEC_PER_SEC },
              10);
}
END_TEST

static int refuse_row(void *context, const struct job_row *row, struct err *err)
{
    (void)context;
    return err_set(err, ERR_LIMIT, "enough of %s", row->name);
}

START_TEST(a_callback_ends_a_list_by_its_error)
{
    struct store_list list = { .before = INT64_MAX,
                               .limit = 10,
                               .callback = refuse_row };
    struct err err;

    add("ana", "local", LIFE_WALL_ZERO);
    ck_assert_int_lt(store_list_piece(store, &list, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_str_eq(err.text, "enough of job-1");
}
END_TEST

/* --- how much is looked at --- */

START_TEST(a_piece_looks_at_no_more_than_it_may)
{
    live();
    ck_assert_int_eq(read_list(&(struct job_filter){ .name_part = "zz" }, 10),
                     (JOBS + STORE_LIST_PIECE - 1) / STORE_LIST_PIECE);
}
END_TEST

/* Also where most have not been written yet, or are read again. */
START_TEST(jobs_are_passed_over_that_cannot_have_a_part_in_their_names)
{
    auto_free char *path = xasprintf("%s/railhead.db", folder);
    struct err err;

    live();
    ck_assert_int_eq(read_list(&(struct job_filter){ .name_part = "nothing" }, 10), 1);
    ck_assert_int_eq(read_list(&(struct job_filter){ .name_part = "xyz" }, 10), 1);
    ck_assert_int_le(read_list(&(struct job_filter){ .name_part = "job-2222" }, 10), 3);
    must(store_commit(store, &err), &err);
    store_close(store);
    must(store_open(path, &store, &err), &err);
    add("ana", "local", LIFE_WALL_ZERO);
    ck_assert_int_eq(read_list(&(struct job_filter){ .name_part = "nothing" }, 10), 1);
    read_list(&(struct job_filter){ .name_part = "job-2599" }, 10);
    read_list(&(struct job_filter){ .name_part = "job-2601" }, 10);
}
END_TEST

START_TEST(a_part_is_found_in_the_first_and_the_last_job_of_every_block)
{
    for (int i = 0; i < 600; i++)
        add("ana", "local", LIFE_WALL_ZERO);
    for (int i = 1; i < 600; i++) {
        auto_free char *name = xasprintf("job-%d", i);

        read_list(&(struct job_filter){ .name_part = name }, 10);
    }
}
END_TEST

START_TEST(the_filter_that_passes_the_fewest_leads)
{
    for (int i = 0; i < JOBS; i++)
        add(i % 1000 ? "ana" : "bo", "local", LIFE_WALL_ZERO);
    ck_assert_int_eq(
        read_list(&(struct job_filter){ .owner = "bo", .tag = "project=reviews" }, 10),
        1);
    ck_assert_int_eq(
        read_list(&(struct job_filter){ .owner = "ana", .tag = "project=none" }, 10),
        1);
    ck_assert_int_eq(
        read_list(&(struct job_filter){ .owner = "bo", .status = "InProgress" }, 10),
        1);
}
END_TEST

START_TEST(jobs_are_passed_over_that_cannot_be_of_a_type)
{
    for (int i = 0; i < JOBS; i++)
        add("ana", i == 1000 ? "ml.c5.xlarge" : "local", LIFE_WALL_ZERO);
    ck_assert_int_le(read_list(&(struct job_filter){ .instance_type = "ml.c5.xlarge" },
                               10),
                     2);
    ck_assert_int_eq(read_list(&(struct job_filter){ .instance_type = "none" }, 10), 1);
}
END_TEST

START_TEST(times_are_not_walked_to)
{
    for (int i = 0; i < JOBS; i++)
        add("ana", "local", LIFE_WALL_ZERO + i * USEC_PER_SEC);
    ck_assert_int_le(read_list(
                         &(struct job_filter){
                             .created_from = LIFE_WALL_ZERO + 20 * USEC_PER_SEC,
                             .created_until = LIFE_WALL_ZERO + 40 * USEC_PER_SEC },
                         100),
                     2);
}
END_TEST

Suite *suite_store_list(void)
{
    Suite *suite = suite_create("store_list");
    TCase *tests = tcase_create("lists");

    tcase_add_checked_fixture(tests, make_store, free_store);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests,
                   a_list_has_every_job_that_passes_all_filters_once_newest_first);
    tcase_add_test(tests, each_status_is_found_by_its_own_index);
    tcase_add_test(tests, an_empty_list_is_one_piece);
    tcase_add_test(tests, what_is_committed_or_not_is_listed_alike_after_a_restart);
    tcase_add_test(tests, a_callback_ends_a_list_by_its_error);
    tcase_add_test(tests, a_piece_looks_at_no_more_than_it_may);
    tcase_add_test(tests, jobs_are_passed_over_that_cannot_have_a_part_in_their_names);
    tcase_add_test(tests, a_part_is_found_in_the_first_and_the_last_job_of_every_block);
    tcase_add_test(tests, the_filter_that_passes_the_fewest_leads);
    tcase_add_test(tests, jobs_are_passed_over_that_cannot_be_of_a_type);
    tcase_add_test(tests, times_are_not_walked_to);
    suite_add_tcase(suite, tests);
    return suite;
}
