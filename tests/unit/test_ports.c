/* Ports in a row for a job, never one that is taken here or bound by a stranger. */

#include "daemon/ports.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct ports *ports;

static void make_ports(void)
{
    ports = xcalloc(1, sizeof *ports);
}

static void free_ports(void)
{
    free(ports);
}

static int take(void)
{
    int port = -1;
    struct err err;

    if (ports_take(ports, 1, &port, &err) < 0)
        ck_abort_msg("%s", err.text);
    return port;
}

START_TEST(no_port_is_given_twice)
{
    static bool seen[PORTS_COUNT];

    memset(seen, 0, sizeof seen);
    for (int i = 0; i < 300; i++) {
        int port = take();

        ck_assert_int_ge(port, PORTS_FIRST);
        ck_assert_int_lt(port, PORTS_FIRST + PORTS_COUNT);
        ck_assert(!seen[port - PORTS_FIRST]);
        seen[port - PORTS_FIRST] = true;
    }
}
END_TEST

/* All but a few ports are held, so that the walk must come to these. */
static void hold_all_but(const int *except, int count)
{
    for (int i = 0; i < PORTS_COUNT; i++)
        ports_hold(ports, PORTS_FIRST + i, 1);
    for (int i = 0; i < count; i++)
        ports_release(ports, except[i], 1);
}

START_TEST(a_port_that_was_given_back_is_given_again)
{
    int port = take();
    int again = -1;
    struct err err;

    hold_all_but(&port, 1);
    ck_assert_int_eq(take(), port);
    ck_assert_int_lt(ports_take(ports, 1, &again, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE);
    ck_assert_int_eq(again, -1);
    ports_release(ports, port, 1);
    ck_assert_int_eq(take(), port);
}
END_TEST

START_TEST(ports_outside_the_range_are_left_alone)
{
    ports_hold(ports, 0, 1);
    ports_hold(ports, PORTS_FIRST - 4, 4);
    ports_hold(ports, PORTS_FIRST + PORTS_COUNT, 2);
    ports_release(ports, 29500 + PORTS_COUNT, 1);
    for (int i = 0; i < PORTS_COUNT; i++)
        ck_assert(!ports->taken[i]);
}
END_TEST

/* A stranger on one address is enough: the job will bind all of them. */
START_TEST(a_port_that_a_stranger_has_is_passed_over)
{
    int two[] = { take(), take() };
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)two[0]),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    hold_all_but(two, 2);
    ck_assert_int_eq(take(), two[1]);
}
END_TEST

START_TEST(as_many_as_were_asked_for_lie_in_a_row)
{
    int first = take();
    int got = -1;
    struct err err;

    /* Free: three in a row, then one alone, then four. */
    if (first > PORTS_FIRST + PORTS_COUNT - 10)
        first = PORTS_FIRST;
    hold_all_but(NULL, 0);
    ports_release(ports, first, 3);
    ports_release(ports, first + 4, 1);
    ports_release(ports, first + 6, 4);
    ck_assert_int_eq(ports_take(ports, 4, &got, &err), 0);
    ck_assert_int_eq(got, first + 6);
    ck_assert_int_lt(ports_take(ports, 4, &got, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE);
    ck_assert_int_eq(ports_take(ports, 3, &got, &err), 0);
    ck_assert_int_eq(got, first);
    ck_assert_int_eq(take(), first + 4);
    ports_release(ports, first + 6, 4);
    ck_assert_int_eq(ports_take(ports, 4, &got, &err), 0);
    ck_assert_int_eq(got, first + 6);
}
END_TEST

START_TEST(a_row_does_not_go_over_the_end)
{
    const int last = PORTS_FIRST + PORTS_COUNT - 1;
    int got = -1;
    struct err err;

    hold_all_but(NULL, 0);
    ports_release(ports, last, 1);
    ports_release(ports, PORTS_FIRST, 1);
    ck_assert_int_lt(ports_take(ports, 2, &got, &err), 0);
    ck_assert_int_eq(got, -1);
}
END_TEST

Suite *suite_ports(void);

Suite *suite_ports(void)
{
    Suite *suite = suite_create("ports");
    TCase *tests = tcase_create("ports");

    tcase_add_checked_fixture(tests, make_ports, free_ports);
    tcase_add_test(tests, no_port_is_given_twice);
    tcase_add_test(tests, a_port_that_was_given_back_is_given_again);
    tcase_add_test(tests, ports_outside_the_range_are_left_alone);
    tcase_add_test(tests, a_port_that_a_stranger_has_is_passed_over);
    tcase_add_test(tests, as_many_as_were_asked_for_lie_in_a_row);
    tcase_add_test(tests, a_row_does_not_go_over_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
