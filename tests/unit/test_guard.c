/* Whom a listener lets in, and what a client's requests may hold. */

#include "api/guard.h"

#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ANA = 61001,
    BEN = 61002,
    CLEO = 61003,
    RESERVED = 8
};

static struct loop *loop;
static struct guard *guard;

static void open_guard(void)
{
    const struct guard_limits limits = { .connections = 4,
                                         .connections_per_client = 2,
                                         .held_bytes = 1000,
                                         .header = USEC_PER_SEC,
                                         .body = USEC_PER_SEC,
                                         .idle = USEC_PER_SEC };
    struct err err;

    ck_assert_int_eq(loop_new(&loop, &err), 0);
    ck_assert_int_eq(guard_new(&limits, loop, &guard, &err), 0);
}

static void close_guard(void)
{
    guard_free(guard);
    loop_free(loop);
}

struct visitor {
    struct guest *guest;
    int ours;
    int theirs;
};

static struct visitor visit(uid_t uid)
{
    struct visitor visitor;
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    visitor.ours = ends[0];
    visitor.theirs = ends[1];
    visitor.guest = guard_enter(guard, visitor.ours, uid);
    return visitor;
}

static void leave(const struct visitor *visitor)
{
    guest_leave(visitor->guest);
    close(visitor->ours);
    close(visitor->theirs);
}

/* What it was told when it came: the start of an answer, "" when it was let in. */
static const char *told(const struct visitor *visitor)
{
    static char words[16];
    ssize_t got = recv(visitor->theirs, words, 12, MSG_DONTWAIT);

    words[got > 0 ? got : 0] = '\0';
    return words;
}

START_TEST(no_client_takes_all_connections)
{
    struct visitor in[4] = { visit(ANA), visit(ANA) };
    struct visitor out[2] = { visit(ANA) };

    in[2] = visit(BEN);
    in[3] = visit(BEN);
    out[1] = visit(CLEO);
    for (size_t i = 0; i < ARRAY_SIZE(in); i++) {
        ck_assert(!guest_is_refused(in[i].guest));
        ck_assert_str_eq(told(&in[i]), "");
    }
    ck_assert(guest_is_refused(out[0].guest));
    ck_assert_str_eq(told(&out[0]), "HTTP/1.1 429");
    ck_assert(guest_is_refused(out[1].guest));
    ck_assert_str_eq(told(&out[1]), "HTTP/1.1 503");
    leave(&in[0]);
    leave(&out[1]);
    in[0] = visit(CLEO);
    ck_assert(!guest_is_refused(in[0].guest));
    for (size_t i = 0; i < ARRAY_SIZE(in); i++)
        leave(&in[i]);
    leave(&out[0]);
}
END_TEST

START_TEST(an_operator_gets_in_beyond_the_limits)
{
    struct visitor in[2 + RESERVED];
    struct visitor out;

    for (size_t i = 0; i < ARRAY_SIZE(in); i++) {
        in[i] = visit(geteuid());
        ck_assert(!guest_is_refused(in[i].guest));
    }
    out = visit(geteuid());
    ck_assert_str_eq(told(&out), "HTTP/1.1 429");
    leave(&out);
    leave(&in[2]);
    in[2] = visit(0);
    ck_assert(!guest_is_refused(in[2].guest));
    /* They take nothing of what is there for others. */
    out = visit(ANA);
    ck_assert(!guest_is_refused(out.guest));
    leave(&out);
    for (size_t i = 0; i < ARRAY_SIZE(in); i++)
        leave(&in[i]);
}
END_TEST

START_TEST(everybody_at_a_port_is_one_client_and_no_operator)
{
    struct visitor in[2] = { visit(GUARD_ANYBODY), visit(GUARD_ANYBODY) };
    struct visitor out = visit(GUARD_ANYBODY);

    ck_assert_str_eq(told(&out), "HTTP/1.1 429");
    leave(&out);
    leave(&in[0]);
    leave(&in[1]);
}
END_TEST

START_TEST(a_request_is_refused_for_what_others_hold)
{
    struct visitor ana[2] = { visit(ANA), visit(ANA) };
    struct visitor ben = visit(BEN);
    struct visitor cleo = visit(CLEO);
    struct err err;

    ck_assert_int_eq(guest_holds(ana[0].guest, 5000, &err), 0);
    ck_assert_int_lt(guest_holds(ana[1].guest, 0, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_lt(guest_holds(ben.guest, 1, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE);
    ck_assert_int_eq(guest_holds(ana[0].guest, 500, &err), 0);
    ck_assert_int_eq(guest_holds(ana[1].guest, 0, &err), 0);
    ck_assert_int_eq(guest_holds(ben.guest, 501, &err), 0);
    ck_assert_int_lt(guest_holds(cleo.guest, 0, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE);
    guest_is_free(ben.guest);
    ck_assert_int_eq(guest_holds(cleo.guest, 1, &err), 0);
    leave(&ana[0]);
    leave(&ana[1]);
    leave(&ben);
    leave(&cleo);
}
END_TEST

Suite *suite_guard(void);

Suite *suite_guard(void)
{
    Suite *suite = suite_create("guard");
    TCase *tcase = tcase_create("guard");

    tcase_add_checked_fixture(tcase, open_guard, close_guard);
    tcase_add_test(tcase, no_client_takes_all_connections);
    tcase_add_test(tcase, an_operator_gets_in_beyond_the_limits);
    tcase_add_test(tcase, everybody_at_a_port_is_one_client_and_no_operator);
    tcase_add_test(tcase, a_request_is_refused_for_what_others_hold);
    suite_add_tcase(suite, tcase);
    return suite;
}
