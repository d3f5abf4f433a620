/* Gangs, order, backfill that never delays the head, and what a waiting job is told. */

#include "daemon/queue.h"
#include "src/clock.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char big_name[] = "ml.p4d.24xlarge";
static char small_name[] = "ml.c5.xlarge";
static const struct profile big = { .name = big_name };
static const struct profile small = { .name = small_name };

static struct offer items[2] = { { .profile = &big, .capacity = 4 },
                                 { .profile = &small, .capacity = 2 } };
static const struct offers offers = { .items = items, .count = 2 };

static struct queue *queue;

static void make_queue(void)
{
    items[0].capacity = 4;
    queue = queue_new(&offers);
}

static void free_queue(void)
{
    queue_free(queue);
}

static struct queue_job job(int64_t id, int count, int priority, int64_t longest_s)
{
    return (struct queue_job){ id, "ana", big_name, count, priority, longest_s };
}

static void add(int64_t id, int count, int priority, int64_t longest_s)
{
    const struct queue_job one = job(id, count, priority, longest_s);

    queue_add(queue, &one);
}

static int64_t pool; /* that the last one took over */

static int64_t next(int64_t at_s)
{
    return queue_next(queue, at_s * USEC_PER_SEC, &pool);
}

START_TEST(an_empty_queue_has_no_next)
{
    ck_assert_int_eq(next(0), 0);
    ck_assert_int_eq(queue_in_use(queue, big_name), 0);
    ck_assert_int_eq(queue_in_use(queue, "ml.unknown"), 0);
    queue_remove(queue, 7);
}
END_TEST

START_TEST(a_gang_gets_all_its_instances_or_none)
{
    add(1, 3, 50, 100);
    add(2, 2, 50, 100);
    ck_assert_int_eq(next(0), 1);
    ck_assert_int_eq(queue_in_use(queue, big_name), 3);
    ck_assert_int_eq(next(0), 0);
    queue_remove(queue, 1);
    ck_assert_int_eq(next(0), 2);
    ck_assert_int_eq(queue_in_use(queue, big_name), 2);
}
END_TEST

START_TEST(priority_goes_before_age)
{
    static const struct {
        int64_t id;
        int priority;
    } jobs[] = { { 1, 50 }, { 2, 0 }, { 3, 100 }, { 4, 50 }, { 5, 100 }, { 6, 51 } };
    static const int64_t order[] = { 3, 5, 6, 1, 4, 2 };

    for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
        add(jobs[i].id, 4, jobs[i].priority, 100);
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        ck_assert_int_eq(next(0), order[i]);
        ck_assert_int_eq(next(0), 0);
        queue_remove(queue, order[i]);
    }
}
END_TEST

START_TEST(age_is_the_row_and_not_the_time_of_arrival)
{
    add(9, 4, 50, 100);
    add(3, 4, 50, 100); /* put back after a failed placement */
    add(5, 4, 50, 100);
    ck_assert_int_eq(next(0), 3);
    queue_remove(queue, 3);
    ck_assert_int_eq(next(0), 5);
    queue_remove(queue, 5);
    ck_assert_int_eq(next(0), 9);
}
END_TEST

START_TEST(pools_do_not_wait_for_each_other)
{
    const struct queue_job other = { 3, "bo", small_name, 2, 50, 100 };

    add(1, 4, 50, 100);
    add(2, 4, 50, 100);
    queue_add(queue, &other);
    ck_assert_int_eq(next(0), 1);
    ck_assert_int_eq(next(0), 3);
    ck_assert_int_eq(next(0), 0);
    ck_assert_int_eq(queue_in_use(queue, small_name), 2);
}
END_TEST

START_TEST(a_pool_that_is_always_busy_keeps_no_other_waiting)
{
    const struct queue_job other = { 100, "bo", small_name, 1, 50, 100 };

    for (int64_t id = 1; id <= 4; id++)
        add(id, 1, 50, 100);
    queue_add(queue, &other);
    ck_assert_int_eq(next(0), 1);
    ck_assert_int_eq(next(0), 100); /* though the first pool has room for more */
    ck_assert_int_eq(next(0), 2);
}
END_TEST

START_TEST(what_ends_before_the_head_can_start_goes_first)
{
    add(1, 3, 50, 100); /* holds 3 until 100 */
    ck_assert_int_eq(next(0), 1);
    add(2, 4, 50, 10);  /* the head: needs all, at 100 */
    add(3, 1, 50, 101); /* would end at 101: delays the head */
    ck_assert_int_eq(next(0), 0);
    add(4, 1, 50, 100); /* ends at 100: does not */
    ck_assert_int_eq(next(0), 4);
    ck_assert_int_eq(next(0), 0);
}
END_TEST

START_TEST(what_the_head_leaves_over_is_free_for_any_length)
{
    add(1, 3, 50, 100);
    ck_assert_int_eq(next(0), 1);
    add(2, 3, 50, 10);   /* at 100 it leaves one over */
    add(3, 1, 0, 86400); /* takes that one, however long */
    ck_assert_int_eq(next(0), 3);
    add(4, 1, 100, 5);
    ck_assert_int_eq(next(0), 0);
}
END_TEST

START_TEST(a_head_that_can_never_fit_holds_up_nobody)
{
    char *reason;
    int position;

    add(1, 1, 50, 100);
    ck_assert_int_eq(next(0), 1);
    items[0].capacity = 2; /* the pool was made smaller */
    add(2, 4, 90, 10);
    add(3, 1, 50, 86400);
    ck_assert_int_eq(next(0), 3);
    ck_assert(queue_explain(queue, 2, &position, &reason));
    ck_assert_int_eq(position, 1);
    ck_assert_str_eq(
        reason,
        "needs 4 ml.p4d.24xlarge and its pool has 2 by now: enlarge the pool in "
        "railhead.yaml, or stop the job");
    free(reason);
}
END_TEST

START_TEST(more_than_the_pool_may_run_after_it_shrank)
{
    const struct queue_job running = job(1, 4, 50, 100);

    items[0].capacity = 2;
    queue_add_placed(queue, &running, 0);
    add(2, 1, 50, 1);
    add(3, 1, 50, 1);
    ck_assert_int_eq(queue_in_use(queue, big_name), 4);
    ck_assert_int_eq(next(0), 0);
    queue_remove(queue, 1);
    ck_assert_int_eq(next(0), 2);
    ck_assert_int_eq(next(0), 3);
    ck_assert_int_eq(next(0), 0);
}
END_TEST

START_TEST(a_placed_job_does_not_wait)
{
    char *reason = NULL;
    int position = -1;

    add(1, 1, 50, 100);
    ck_assert_int_eq(next(0), 1);
    ck_assert(!queue_explain(queue, 1, &position, &reason));
    ck_assert(!queue_explain(queue, 99, &position, &reason));
    ck_assert_ptr_null(reason);
    ck_assert_int_eq(position, -1);
}
END_TEST

/* clang-format off */
static const struct {
    int64_t id;
    int position;
    const char *reason;
} waiting[] = {
    { 3, 1, "needs 4 of 4 ml.p4d.24xlarge, 3 in use; 0 before it in line: starts as they end, "
            "sooner with a higher priority than 70 or a larger pool" },
    { 2, 2, "needs 2 of 4 ml.p4d.24xlarge, 3 in use; 1 before it in line: starts as they end, "
            "sooner with a higher priority than 50 or a larger pool" },
    { 4, 3, "needs 2 of 4 ml.p4d.24xlarge, 3 in use; 2 before it in line: starts as they end, "
            "sooner with a higher priority than 50 or a larger pool" },
    { 5, 4, "needs 1 of 4 ml.p4d.24xlarge, 3 in use; 3 before it in line: starts as they end, "
            "sooner with a higher priority than 0 or a larger pool" },
};
/* clang-format on */

START_TEST(a_waiting_job_says_its_place_and_what_would_change_it)
{
    char *reason;
    int position;

    add(1, 3, 50, 100);
    ck_assert_int_eq(next(0), 1);
    add(2, 2, 50, 100);
    add(3, 4, 70, 100);
    add(4, 2, 50, 100);
    add(5, 1, 0, 100);
    ck_assert(queue_explain(queue, waiting[_i].id, &position, &reason));
    ck_assert_int_eq(position, waiting[_i].position);
    ck_assert_str_eq(reason, waiting[_i].reason);
    free(reason);
}
END_TEST

START_TEST(a_type_that_is_not_offered_any_more_waits_and_says_so)
{
    const struct queue_job gone = { 1, "ana", "ml.gone", 1, 50, 100 };
    const struct queue_job running = { 2, "ana", "ml.gone", 1, 50, 100 };
    char *reason;
    int position;

    queue_add(queue, &gone);
    queue_add_placed(queue, &running, 0);
    ck_assert_int_eq(next(0), 0);
    ck_assert(queue_explain(queue, 1, &position, &reason));
    ck_assert_int_eq(position, 1);
    ck_assert_ptr_nonnull(strstr(reason, "not offered any more"));
    free(reason);
    /* It runs: that it has no pool is no reason to wait. */
    ck_assert(!queue_explain(queue, 2, &position, &reason));
    queue_remove(queue, 1);
    queue_remove(queue, 2);
    ck_assert(!queue_explain(queue, 1, &position, &reason));
}
END_TEST

START_TEST(a_removed_job_gives_its_instances_back_and_leaves_the_line)
{
    add(1, 4, 50, 100);
    add(2, 4, 50, 100);
    add(3, 4, 50, 100);
    ck_assert_int_eq(next(0), 1);
    queue_remove(queue, 2);
    queue_remove(queue, 1);
    ck_assert_int_eq(queue_in_use(queue, big_name), 0);
    ck_assert_int_eq(next(0), 3);
    queue_remove(queue, 3);
    ck_assert_int_eq(next(0), 0);
}
END_TEST

/* Job `id` has run and holds `count` on until `until_s`. */
static void warm(int64_t id, int count, int64_t until_s)
{
    add(id, count, 100, 10);
    ck_assert_int_eq(next(0), id);
    queue_keep_warm(queue, id, until_s * USEC_PER_SEC);
}

static void add_of(const char *owner, int64_t id, int count, int priority)
{
    const struct queue_job one = { id, owner, big_name, count, priority, 100 };

    queue_add(queue, &one);
}

START_TEST(a_warm_pool_goes_to_the_next_job_like_it_before_all_others)
{
    warm(1, 2, 60);
    ck_assert_int_eq(queue_in_use(queue, big_name), 0);
    ck_assert_int_eq(queue_warm(queue, big_name), 2);
    add_of("bo", 2, 4, 100);  /* the head: of another owner, and it does not fit */
    add_of("ana", 3, 1, 100); /* fewer instances */
    add_of("bo", 4, 2, 100);  /* another owner */
    add_of("ana", 5, 2, 0);
    ck_assert_int_eq(next(0), 5);
    ck_assert_int_eq(pool, 1);
    ck_assert_int_eq(queue_in_use(queue, big_name), 2);
    ck_assert_int_eq(queue_warm(queue, big_name), 0);
    queue_remove(queue, 1); /* it is gone already */
    ck_assert_int_eq(queue_in_use(queue, big_name), 2);
}
END_TEST

START_TEST(who_waited_already_takes_a_pool_when_it_begins)
{
    add(1, 4, 50, 100);
    ck_assert_int_eq(next(0), 1);
    add_of("bo", 2, 4, 90);
    add_of("ana", 3, 4, 10);
    add_of("ana", 4, 4, 20);
    queue_keep_warm(queue, 1, 60 * USEC_PER_SEC);
    ck_assert_int_eq(next(0), 4); /* by priority among those that match */
    ck_assert_int_eq(pool, 1);
    ck_assert_int_eq(next(0), 0);
}
END_TEST

START_TEST(a_pool_holds_its_instances_until_it_is_given_up)
{
    warm(1, 3, 60);
    add_of("bo", 2, 2, 50);
    ck_assert_int_eq(next(0), 0);
    queue_remove(queue, 1);
    ck_assert_int_eq(queue_warm(queue, big_name), 0);
    ck_assert_int_eq(next(0), 2);
    ck_assert_int_eq(pool, 0);
}
END_TEST

START_TEST(who_was_to_have_a_pool_that_is_gone_waits_on)
{
    char *reason;
    int position;

    warm(1, 3, 60);
    add(2, 3, 50, 100);
    ck_assert(queue_explain(queue, 2, &position, &reason));
    ck_assert_str_eq(reason, "starts now, in the warm pool of an earlier job");
    ck_assert_int_eq(position, 1);
    free(reason);
    queue_remove(queue, 1);
    add(3, 4, 90, 100);
    ck_assert_int_eq(next(0), 3);
    queue_remove(queue, 3);
    ck_assert_int_eq(next(0), 2);
    ck_assert_int_eq(pool, 0);
}
END_TEST

START_TEST(a_pool_whose_taker_was_stopped_finds_another)
{
    warm(1, 4, 60);
    add(2, 4, 50, 100);
    add(3, 4, 50, 100);
    queue_remove(queue, 2);
    ck_assert_int_eq(next(0), 3);
    ck_assert_int_eq(pool, 1);
}
END_TEST

START_TEST(two_pools_have_two_takers)
{
    add(1, 2, 50, 10);
    add(2, 2, 50, 10);
    ck_assert_int_eq(next(0), 1);
    ck_assert_int_eq(next(0), 2);
    queue_keep_warm(queue, 1, 60 * USEC_PER_SEC);
    queue_keep_warm(queue, 2, 60 * USEC_PER_SEC);
    for (int64_t id = 3; id <= 5; id++)
        add(id, 2, 50, 100);
    ck_assert_int_eq(next(0), 3);
    ck_assert_int_eq(pool, 1);
    ck_assert_int_eq(next(0), 4);
    ck_assert_int_eq(pool, 2);
    ck_assert_int_eq(next(0), 0);
}
END_TEST

START_TEST(a_job_that_waits_is_told_of_warm_instances)
{
    char *reason;
    int position;

    warm(1, 1, 60);
    add(2, 2, 50, 100);
    ck_assert_int_eq(next(0), 2);
    add_of("bo", 3, 4, 50);
    ck_assert(queue_explain(queue, 3, &position, &reason));
    ck_assert_ptr_nonnull(
        strstr(reason, "4 of 4 ml.p4d.24xlarge, 2 in use and 1 warm;"));
    free(reason);
}
END_TEST

/* A pool in time: jobs end when they have run, never later than they said. */
enum {
    JOBS = 40
};

struct simulated {
    int count;
    int priority;
    int64_t longest;
    int64_t runs;  /* <= longest */
    int64_t start; /* -1: waits */
};

static uint32_t random_state;

/* Numerical Recipes' generator: the same cases in every run. */
static int64_t random_below(int64_t limit)
{
    random_state = random_state * 1664525U + 1013904223U;
    return (int64_t)(random_state >> 8) % limit;
}

static void make_jobs(struct simulated *jobs)
{
    for (int i = 0; i < JOBS; i++) {
        jobs[i].count = 1 + (int)random_below(4);
        jobs[i].priority = (int)random_below(3) * 50;
        jobs[i].longest = 1 + random_below(20);
        jobs[i].runs = 1 + random_below(jobs[i].longest);
        jobs[i].start = -1;
    }
}

static int head_of(const struct simulated *jobs)
{
    int head = -1;

    for (int i = 0; i < JOBS; i++)
        if (jobs[i].start < 0 && (head < 0 || jobs[i].priority > jobs[head].priority))
            head = i;
    return head;
}

/* When `head` can start at the latest, if nothing else were ever placed: all jobs that
 * run now end as late as they may. */
static int64_t latest_start(const struct simulated *jobs, int head, int64_t now)
{
    for (int64_t at = now;; at++) {
        int in_use = 0;

        for (int i = 0; i < JOBS; i++)
            if (jobs[i].start >= 0 && jobs[i].start + jobs[i].runs > now
                && jobs[i].start + jobs[i].longest > at)
                in_use += jobs[i].count;
        if (in_use + jobs[head].count <= 4)
            return at;
    }
}

static int place_all(struct simulated *jobs, int64_t now)
{
    int head = head_of(jobs);
    int64_t promised = head < 0 ? 0 : latest_start(jobs, head, now);
    int placed = 0;
    int64_t id;

    while ((id = next(now)) != 0) {
        struct simulated *one = &jobs[id - 1];

        ck_assert_int_lt(one->start, 0);
        one->start = now;
        placed++;
        if (id - 1 == head) {
            head = head_of(jobs);
            promised = head < 0 ? 0 : latest_start(jobs, head, now);
        }
        ck_assert_msg(head < 0 || latest_start(jobs, head, now) <= promised,
                      "job %" PRId64 " delays job %d at %" PRId64, id, head + 1, now);
        ck_assert_int_le(queue_in_use(queue, big_name), 4);
    }
    return placed;
}

static void end_jobs(const struct simulated *jobs, int64_t now)
{
    for (int i = 0; i < JOBS; i++)
        if (jobs[i].start >= 0 && jobs[i].start + jobs[i].runs == now)
            queue_remove(queue, i + 1);
}

START_TEST(backfill_never_delays_the_head)
{
    struct simulated jobs[JOBS];
    int placed = 0;

    random_state = (uint32_t)_i + 1;
    make_jobs(jobs);
    for (int i = 0; i < JOBS; i++)
        add(i + 1, jobs[i].count, jobs[i].priority, jobs[i].longest);
    for (int64_t now = 0; placed < JOBS; now++) {
        ck_assert_int_lt(now, INT64_C(20) * JOBS);
        end_jobs(jobs, now);
        placed += place_all(jobs, now);
    }
}
END_TEST

START_TEST(a_hundred_thousand_waiting_jobs_are_cheap)
{
    enum {
        MANY = 100000
    };
    usec_t before = clock_boot();

    for (int64_t id = 1; id <= MANY; id++)
        add(id, 1 + (int)(id % 4), (int)(id % 101), 100);
    for (int64_t id = MANY; id > MANY / 2; id--)
        queue_remove(queue, id);
    for (int64_t id = 1; id <= MANY / 2; id++)
        queue_remove(queue, id);
    ck_assert_int_eq(next(0), 0);
    /* 30 ms by itself; under valgrind forty times that. */
    ck_assert_int_lt(clock_boot() - before, 5 * USEC_PER_SEC);
}
END_TEST

Suite *suite_queue(void);

Suite *suite_queue(void)
{
    Suite *suite = suite_create("queue");
    TCase *tests = tcase_create("lines");

    tcase_add_checked_fixture(tests, make_queue, free_queue);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, an_empty_queue_has_no_next);
    tcase_add_test(tests, a_gang_gets_all_its_instances_or_none);
    tcase_add_test(tests, priority_goes_before_age);
    tcase_add_test(tests, age_is_the_row_and_not_the_time_of_arrival);
    tcase_add_test(tests, pools_do_not_wait_for_each_other);
    tcase_add_test(tests, a_pool_that_is_always_busy_keeps_no_other_waiting);
    tcase_add_test(tests, what_ends_before_the_head_can_start_goes_first);
    tcase_add_test(tests, what_the_head_leaves_over_is_free_for_any_length);
    tcase_add_test(tests, a_head_that_can_never_fit_holds_up_nobody);
    tcase_add_test(tests, more_than_the_pool_may_run_after_it_shrank);
    tcase_add_test(tests, a_placed_job_does_not_wait);
    tcase_add_loop_test(tests, a_waiting_job_says_its_place_and_what_would_change_it, 0,
                        ARRAY_SIZE(waiting));
    tcase_add_test(tests, a_type_that_is_not_offered_any_more_waits_and_says_so);
    tcase_add_test(tests, a_removed_job_gives_its_instances_back_and_leaves_the_line);
    tcase_add_test(tests, a_warm_pool_goes_to_the_next_job_like_it_before_all_others);
    tcase_add_test(tests, who_waited_already_takes_a_pool_when_it_begins);
    tcase_add_test(tests, a_pool_holds_its_instances_until_it_is_given_up);
    tcase_add_test(tests, who_was_to_have_a_pool_that_is_gone_waits_on);
    tcase_add_test(tests, a_pool_whose_taker_was_stopped_finds_another);
    tcase_add_test(tests, two_pools_have_two_takers);
    tcase_add_test(tests, a_job_that_waits_is_told_of_warm_instances);
    tcase_add_loop_test(tests, backfill_never_delays_the_head, 0, 200);
    tcase_add_test(tests, a_hundred_thousand_waiting_jobs_are_cheap);
    suite_add_tcase(suite, tests);
    return suite;
}
