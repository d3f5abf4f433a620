/* Requests and answers between railhead-rsh and a worker, over a real socket. */

#include "src/rsh.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct ends {
    char *folder;
    int listener;
    int asks;
    int answers;
};

static struct ends ends_open(void)
{
    struct ends ends = { .folder = scratch_folder() };
    struct err err;

    ends.listener = rsh_listen(ends.folder, &err);
    ck_assert_int_ge(ends.listener, 0);
    ends.asks = rsh_connect(ends.folder, &err);
    ck_assert_int_ge(ends.asks, 0);
    ends.answers = rsh_accept(ends.listener);
    ck_assert_int_ge(ends.answers, 0);
    return ends;
}

static void ends_close(struct ends *ends)
{
    close(ends->listener);
    close(ends->asks);
    close(ends->answers);
    scratch_remove(ends->folder);
}

START_TEST(a_request_brings_the_command_and_the_callers_streams)
{
    struct ends ends = ends_open();
    auto_free char *command = NULL;
    int streams[RSH_STREAMS];
    struct stat ours;
    struct stat theirs;
    struct err err;

    ck_assert_int_eq(rsh_take(ends.answers, &command, streams), 0);
    ck_assert_int_eq(rsh_ask(ends.asks, "orted --tree 'a b'", &err), 0);
    ck_assert_int_eq(rsh_take(ends.answers, &command, streams), 1);
    ck_assert_str_eq(command, "orted --tree 'a b'");
    for (int i = 0; i < RSH_STREAMS; i++) {
        ck_assert_int_eq(fstat(i, &ours), 0);
        ck_assert_int_eq(fstat(streams[i], &theirs), 0);
        ck_assert_uint_eq(ours.st_ino, theirs.st_ino);
        ck_assert_int_eq(fcntl(streams[i], F_GETFD), FD_CLOEXEC);
        close(streams[i]);
    }
    ends_close(&ends);
}
END_TEST

START_TEST(the_longest_command_arrives_and_a_longer_one_is_refused)
{
    struct ends ends = ends_open();
    auto_free char *longest = xmalloc(RSH_COMMAND_MAX + 2);
    auto_free char *command = NULL;
    int streams[RSH_STREAMS];
    struct err err;

    memset(longest, 'x', RSH_COMMAND_MAX + 1);
    longest[RSH_COMMAND_MAX + 1] = '\0';
    ck_assert_int_lt(rsh_ask(ends.asks, longest, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    longest[RSH_COMMAND_MAX] = '\0';
    ck_assert_int_eq(rsh_ask(ends.asks, longest, &err), 0);
    ck_assert_int_eq(rsh_take(ends.answers, &command, streams), 1);
    ck_assert_str_eq(command, longest);
    for (int i = 0; i < RSH_STREAMS; i++)
        close(streams[i]);
    ends_close(&ends);
}
END_TEST

START_TEST(words_without_streams_are_told_apart)
{
    struct ends ends = ends_open();
    auto_free char *command = NULL;
    int streams[RSH_STREAMS];

    rsh_say(ends.asks, "ended %d %d", 3, 256);
    ck_assert_int_eq(rsh_take(ends.answers, &command, streams), 1);
    ck_assert_str_eq(command, "ended 3 256");
    ck_assert_int_eq(streams[0], -1);
    ends_close(&ends);
}
END_TEST

START_TEST(what_is_no_request_is_turned_away)
{
    struct ends ends = ends_open();
    char *command = NULL;
    int streams[RSH_STREAMS];

    ck_assert_int_eq(send(ends.asks, "a\0b", 3, 0), 3);
    ck_assert_int_eq(rsh_take(ends.answers, &command, streams), -1);
    shutdown(ends.asks, SHUT_WR);
    ck_assert_int_eq(rsh_take(ends.answers, &command, streams), -1);
    ck_assert_ptr_null(command);
    ends_close(&ends);
}
END_TEST

static int free_descriptor(void)
{
    int fd = dup(STDIN_FILENO);

    ck_assert_int_ge(close(fd), 0);
    return fd;
}

/* The kernel rounds the room for descriptors up. */
START_TEST(a_fourth_stream_is_turned_away_with_the_others)
{
    enum {
        SENT = 4
    };
    struct ends ends = ends_open();
    struct {
        int streams[RSH_STREAMS];
        int behind;
    } taken = { .behind = 4711 };
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(SENT * sizeof(int))] = { 0 };
    char word[] = "true";
    struct iovec part = { word, strlen(word) };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof control };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    char *command = NULL;
    int before;

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(SENT * sizeof(int)); /* four times descriptor 0 */
    before = free_descriptor();
    ck_assert_int_eq(sendmsg(ends.asks, &message, 0), (int)strlen(word));
    ck_assert_int_eq(rsh_take(ends.answers, &command, taken.streams), -1);
    ck_assert_int_eq(taken.behind, 4711);
    ck_assert_ptr_null(command);
    ck_assert_int_eq(free_descriptor(), before);
    ends_close(&ends);
}
END_TEST

START_TEST(answers_keep_their_bounds)
{
    struct ends ends = ends_open();
    char text[RSH_ANSWER_MAX];

    ck_assert_int_eq(rsh_hear(ends.answers, text), 0);
    rsh_say(ends.asks, "signal %d", 15);
    rsh_say(ends.asks, "signal %d", 2);
    ck_assert_int_eq(rsh_hear(ends.answers, text), 1);
    ck_assert_str_eq(text, "signal 15");
    ck_assert_int_eq(rsh_hear(ends.answers, text), 1);
    ck_assert_str_eq(text, "signal 2");
    close(ends.asks);
    ck_assert_int_eq(rsh_hear(ends.answers, text), -1);
    ends.asks = dup(ends.answers);
    rsh_say(ends.answers, "nobody hears this, and no signal ends us");
    ends_close(&ends);
}
END_TEST

START_TEST(a_folder_may_be_longer_than_a_sockets_path)
{
    char *folder = scratch_folder();
    auto_free char *deep = xasprintf("%s/%0100d/%0100d", folder, 1, 2);
    auto_free char *above = xasprintf("%s/%0100d", folder, 1);
    struct err err;
    int listener;
    int asks;

    ck_assert_int_eq(mkdir(above, 0700), 0);
    ck_assert_int_eq(mkdir(deep, 0700), 0);
    ck_assert_int_lt(rsh_connect(deep, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE);
    listener = rsh_listen(deep, &err);
    ck_assert_int_ge(listener, 0);
    asks = rsh_connect(deep, &err);
    ck_assert_int_ge(asks, 0);
    close(asks);
    close(listener);
    ck_assert_int_lt(rsh_connect(deep, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE); /* the file is there, nobody listens */
    listener = rsh_listen(deep, &err);
    ck_assert_int_ge(listener, 0);
    close(listener);
    scratch_remove(folder);
}
END_TEST

Suite *suite_rsh(void)
{
    Suite *suite = suite_create("rsh");
    TCase *tcase = tcase_create("rsh");

    tcase_add_test(tcase, a_request_brings_the_command_and_the_callers_streams);
    tcase_add_test(tcase, the_longest_command_arrives_and_a_longer_one_is_refused);
    tcase_add_test(tcase, words_without_streams_are_told_apart);
    tcase_add_test(tcase, what_is_no_request_is_turned_away);
    tcase_add_test(tcase, a_fourth_stream_is_turned_away_with_the_others);
    tcase_add_test(tcase, answers_keep_their_bounds);
    tcase_add_test(tcase, a_folder_may_be_longer_than_a_sockets_path);
    suite_add_tcase(suite, tcase);
    return suite;
}
