/* The loop calls who waits, in the order that callers rely on, and lets go of them at
 * any time. */

#include "src/clock.h"
#include "src/loop.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test's callbacks share. */
static struct {
    struct loop *loop;
    struct loop_source *source; /* the one under test */
    struct loop_source *other;
    int pipe[2];
    int calls;
    char order[64]; /* a letter a call */
} t;

static void note(char letter)
{
    size_t used = strlen(t.order);

    if (used + 1 < sizeof t.order)
        t.order[used] = letter;
}

static void set_up(void)
{
    struct err err;

    memset(&t, 0, sizeof t);
    ck_assert_int_eq(loop_new(&t.loop, &err), 0);
    ck_assert_int_eq(pipe2(t.pipe, O_CLOEXEC | O_NONBLOCK), 0);
}

static void tear_down(void)
{
    loop_source_free(t.source);
    loop_source_free(t.other);
    base_close(&t.pipe[0]);
    base_close(&t.pipe[1]);
    loop_free(t.loop);
}

static void exit_with_7(void *context)
{
    (void)context;
    loop_exit(t.loop, 7);
}

static void read_one(void *context)
{
    char byte;

    ck_assert_ptr_eq(context, &t);
    ck_assert_int_eq(read(t.pipe[0], &byte, 1), 1);
    t.calls++;
    note('r');
    if (byte == '.')
        loop_exit(t.loop, 0);
}

START_TEST(a_descriptor_calls_as_long_as_there_is_something_to_read)
{
    struct err err;

    ck_assert_int_eq(loop_add_fd(t.loop, t.pipe[0], read_one, &t, &t.source, &err), 0);
    ck_assert_int_eq(write(t.pipe[1], "abc.", 4), 4);
    ck_assert_int_eq(loop_run(t.loop), 0);
    ck_assert_int_eq(t.calls, 4);
}
END_TEST

START_TEST(a_descriptor_calls_at_its_end)
{
    struct err err;

    ck_assert_int_eq(loop_add_fd(t.loop, t.pipe[0], exit_with_7, NULL, &t.source, &err),
                     0);
    base_close(&t.pipe[1]);
    t.pipe[1] = -1;
    ck_assert_int_eq(loop_run(t.loop), 7);
}
END_TEST

START_TEST(what_cannot_be_waited_for_is_an_error)
{
    auto_close int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct err err;

    ck_assert_int_lt(loop_add_fd(t.loop, file, exit_with_7, NULL, &t.source, &err), 0);
    ck_assert_ptr_null(t.source);
    ck_assert_int_lt(loop_add_fd(t.loop, -1, exit_with_7, NULL, &t.source, &err), 0);
    ck_assert_ptr_null(t.source);
}
END_TEST

static void note_late(void *context)
{
    ck_assert_int_ge(clock_boot(), *(const usec_t *)context);
    t.calls++;
    note('t');
    loop_exit(t.loop, 0);
}

START_TEST(a_timer_calls_once_and_not_before_its_time)
{
    usec_t at = clock_boot() + 20 * USEC_PER_MSEC;
    struct err err;

    ck_assert_int_eq(loop_add_timer(t.loop, note_late, &at, &t.source, &err), 0);
    loop_timer_set(t.source, at);
    ck_assert_int_eq(loop_run(t.loop), 0);
    ck_assert_int_eq(t.calls, 1);
    ck_assert_int_lt(clock_boot(), at + USEC_PER_SEC);
}
END_TEST

static void note_timer(void *context)
{
    (void)context;
    note('t');
}

START_TEST(a_timer_that_is_not_set_does_not_call)
{
    struct err err;
    usec_t now = clock_boot();

    ck_assert_int_eq(loop_add_timer(t.loop, note_timer, NULL, &t.source, &err), 0);
    ck_assert_int_eq(loop_add_timer(t.loop, exit_with_7, NULL, &t.other, &err), 0);
    loop_timer_set(t.source, now);
    loop_timer_set(t.source, INT64_MAX);
    loop_timer_set(t.other, now + 20 * USEC_PER_MSEC);
    ck_assert_int_eq(loop_run(t.loop), 7);
    ck_assert_str_eq(t.order, "");
}
END_TEST

static void set_again(void *context)
{
    (void)context;
    note('t');
    if (++t.calls < 3)
        loop_timer_set(t.source, 0); /* long past */
    else
        loop_exit(t.loop, 0);
}

START_TEST(a_timer_can_be_set_again_by_its_own_callback)
{
    struct err err;

    ck_assert_int_eq(loop_add_timer(t.loop, set_again, NULL, &t.source, &err), 0);
    loop_timer_set(t.source, -5);
    ck_assert_int_eq(loop_run(t.loop), 0);
    ck_assert_str_eq(t.order, "ttt");
}
END_TEST

START_TEST(a_signal_calls_instead_of_killing)
{
    struct err err;

    ck_assert_int_eq(loop_add_signal(t.loop, SIGTERM, exit_with_7, NULL, &t.source,
                                     &err),
                     0);
    ck_assert_int_eq(raise(SIGTERM), 0);
    ck_assert_int_eq(loop_run(t.loop), 7);
}
END_TEST

static void note_last(void *context)
{
    (void)context;
    note('l');
    if (strlen(t.order) >= 6)
        loop_exit(t.loop, 0);
}

static void read_and_wake(void *context)
{
    read_one(context);
    loop_wake(t.other);
}

START_TEST(last_comes_after_all_that_had_arrived)
{
    struct err err;

    ck_assert_int_eq(loop_add_last(t.loop, note_last, NULL, &t.other, &err), 0);
    ck_assert_int_eq(loop_add_fd(t.loop, t.pipe[0], read_and_wake, &t, &t.source, &err),
                     0);
    ck_assert_int_eq(write(t.pipe[1], "abcde", 5), 5);
    ck_assert_int_eq(loop_run(t.loop), 0);
    ck_assert_str_eq(t.order, "rrrrrl");
}
END_TEST

START_TEST(last_comes_once_however_often_it_is_woken)
{
    usec_t soon = clock_boot() + 50 * USEC_PER_MSEC; /* beyond its patience */
    struct err err;

    ck_assert_int_eq(loop_add_last(t.loop, note_last, NULL, &t.source, &err), 0);
    ck_assert_int_eq(loop_add_timer(t.loop, exit_with_7, NULL, &t.other, &err), 0);
    loop_wake(t.source);
    loop_wake(t.source);
    loop_timer_set(t.other, soon);
    ck_assert_int_eq(loop_run(t.loop), 7);
    ck_assert_str_eq(t.order, "l");
}
END_TEST

START_TEST(last_is_not_called_unless_woken)
{
    struct err err;

    ck_assert_int_eq(loop_add_last(t.loop, note_last, NULL, &t.source, &err), 0);
    ck_assert_int_eq(loop_add_timer(t.loop, exit_with_7, NULL, &t.other, &err), 0);
    loop_timer_set(t.other, clock_boot() + 20 * USEC_PER_MSEC);
    ck_assert_int_eq(loop_run(t.loop), 7);
    ck_assert_str_eq(t.order, "");
}
END_TEST

static void count_and_wake(void *context)
{
    (void)context;
    if (t.calls++ == 0)
        loop_wake(t.other);
}

static void end_test(void *context)
{
    (void)context;
    loop_exit(t.loop, 0);
}

START_TEST(last_has_its_turn_even_when_descriptors_never_fall_silent)
{
    struct err err;

    ck_assert_int_eq(loop_add_last(t.loop, end_test, NULL, &t.other, &err), 0);
    ck_assert_int_eq(loop_add_fd(t.loop, t.pipe[0], count_and_wake, NULL, &t.source,
                                 &err),
                     0);
    ck_assert_int_eq(write(t.pipe[1], "x", 1), 1); /* nobody reads it */
    ck_assert_int_eq(loop_run(t.loop), 0);
    ck_assert_int_gt(t.calls, 1);
}
END_TEST

static void free_self(void *context)
{
    struct loop_source **own = context;

    loop_source_free(steal_ptr(own));
    note('f');
    loop_exit(t.loop, 3);
}

START_TEST(a_descriptor_can_be_freed_by_its_own_callback)
{
    struct err err;

    ck_assert_int_eq(loop_add_fd(t.loop, t.pipe[0], free_self, &t.source, &t.source,
                                 &err),
                     0);
    ck_assert_int_eq(write(t.pipe[1], "x", 1), 1);
    ck_assert_int_eq(loop_run(t.loop), 3);
    ck_assert_str_eq(t.order, "f");
}
END_TEST

START_TEST(a_timer_can_be_freed_by_its_own_callback)
{
    struct err err;

    ck_assert_int_eq(loop_add_timer(t.loop, free_self, &t.source, &t.source, &err), 0);
    loop_timer_set(t.source, 0);
    ck_assert_int_eq(loop_run(t.loop), 3);
}
END_TEST

START_TEST(a_signal_source_can_be_freed_by_its_own_callback)
{
    struct err err;

    ck_assert_int_eq(loop_add_signal(t.loop, SIGUSR1, free_self, &t.source, &t.source,
                                     &err),
                     0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(loop_run(t.loop), 3);
}
END_TEST

START_TEST(a_last_source_can_be_freed_by_its_own_callback)
{
    struct err err;

    ck_assert_int_eq(loop_add_last(t.loop, free_self, &t.source, &t.source, &err), 0);
    loop_wake(t.source);
    ck_assert_int_eq(loop_run(t.loop), 3);
}
END_TEST

/* Both are ready in the same round; whoever comes first frees the other. */
static void free_the_other(void *context)
{
    struct loop_source **other = context;

    note('o');
    loop_source_free(steal_ptr(other));
    loop_timer_set(t.source ? t.source : t.other, clock_boot() + 20 * USEC_PER_MSEC);
    if (++t.calls == 2)
        loop_exit(t.loop, 0);
}

START_TEST(a_source_that_is_ready_can_be_freed_by_another_ones_callback)
{
    struct err err;

    ck_assert_int_eq(loop_add_timer(t.loop, free_the_other, &t.other, &t.source, &err),
                     0);
    ck_assert_int_eq(loop_add_timer(t.loop, free_the_other, &t.source, &t.other, &err),
                     0);
    loop_timer_set(t.source, 0);
    loop_timer_set(t.other, 0);
    ck_assert_int_eq(loop_run(t.loop), 0);
    ck_assert_str_eq(t.order, "oo");
}
END_TEST

START_TEST(nothing_can_be_freed)
{
    loop_source_free(NULL);
    loop_free(NULL);
}
END_TEST

static TCase *calling_tests(void)
{
    TCase *tests = tcase_create("calling");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_descriptor_calls_as_long_as_there_is_something_to_read);
    tcase_add_test(tests, a_descriptor_calls_at_its_end);
    tcase_add_test(tests, what_cannot_be_waited_for_is_an_error);
    tcase_add_test(tests, a_timer_calls_once_and_not_before_its_time);
    tcase_add_test(tests, a_timer_that_is_not_set_does_not_call);
    tcase_add_test(tests, a_timer_can_be_set_again_by_its_own_callback);
    tcase_add_test(tests, a_signal_calls_instead_of_killing);
    tcase_add_test(tests, last_comes_after_all_that_had_arrived);
    tcase_add_test(tests, last_comes_once_however_often_it_is_woken);
    tcase_add_test(tests, last_is_not_called_unless_woken);
    tcase_add_test(tests, last_has_its_turn_even_when_descriptors_never_fall_silent);
    return tests;
}

static TCase *freeing_tests(void)
{
    TCase *tests = tcase_create("freeing");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_descriptor_can_be_freed_by_its_own_callback);
    tcase_add_test(tests, a_timer_can_be_freed_by_its_own_callback);
    tcase_add_test(tests, a_signal_source_can_be_freed_by_its_own_callback);
    tcase_add_test(tests, a_last_source_can_be_freed_by_its_own_callback);
    tcase_add_test(tests, a_source_that_is_ready_can_be_freed_by_another_ones_callback);
    tcase_add_test(tests, nothing_can_be_freed);
    return tests;
}

Suite *suite_loop(void);

Suite *suite_loop(void)
{
    Suite *suite = suite_create("loop");

    suite_add_tcase(suite, calling_tests());
    suite_add_tcase(suite, freeing_tests());
    return suite;
}
