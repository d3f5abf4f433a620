/* Logs of several ranks as one: order, tail, since, unfinished and long lines,
 * following. */

#include "tests/unit/rank_logs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(lines_of_all_ranks_come_by_their_times)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    write_log(1, 12, "c\n");
    write_log(0, 13, "d\n");
    assert_next("[0] a\n[1] b\n[1] c\n[0] d\n");
}
END_TEST

START_TEST(of_equal_times_the_lower_rank_comes_first)
{
    write_log(1, 10, "one\n");
    write_log(0, 10, "zero\n");
    assert_next("[0] zero\n[1] one\n");
}
END_TEST

START_TEST(small_pieces_make_the_same_whole)
{
    write_log(0, 10, "first line\n");
    write_log(1, 11, "second line\n");
    auto_free char *got = take(3);

    ck_assert_str_eq(got, "[0] first line\n[1] second line\n");
}
END_TEST

START_TEST(one_rank_is_given_as_it_is)
{
    write_log(0, 10, "a\r50%\r100%\n");
    write_log(0, 11, "no end");
    write_log(1, 10, "other\n");
    query.rank = 0;
    assert_next("a\r50%\r100%\nno end");
}
END_TEST

START_TEST(a_job_of_one_rank_has_no_prefix)
{
    free(logs[1].path);
    free(logs[1].times_path);
    ranks = 1;
    write_log(0, 10, "a\nb");
    assert_next("a\nb");
}
END_TEST

START_TEST(a_worker_has_its_ranks_alone)
{
    add_rank();
    write_log(0, 10, "a\n");
    write_log(2, 11, "c\n");
    query.worker = 1;
    assert_next("[2] c\n");
}
END_TEST

START_TEST(an_unknown_rank_has_no_source)
{
    write_log(0, 10, "a\n");
    query.rank = 7;
    assert_next("");
    ck_assert_uint_eq(log_stream_sources(stream), 0);
}
END_TEST

START_TEST(tail_counts_lines_of_the_merged_order)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    write_log(1, 12, "c\n");
    write_log(0, 13, "d\n");
    query.tail = 3;
    assert_next("[1] b\n[1] c\n[0] d\n");
}
END_TEST

START_TEST(tail_counts_an_unfinished_line)
{
    write_log(0, 10, "a\n");
    write_log(0, 11, "b");
    query.rank = 0;
    query.tail = 1;
    assert_next("b");
}
END_TEST

START_TEST(tail_0_gives_nothing_of_what_is_there)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    query.tail = 0;
    assert_next("");
}
END_TEST

START_TEST(tail_above_all_lines_gives_all)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    query.tail = LOG_TAIL_MAX;
    assert_next("[0] a\n[1] b\n");
}
END_TEST

START_TEST(tail_looks_back_over_many_records)
{
    char line[32];

    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "line %d\n", i);
        write_log((size_t)i % 2, i, line);
    }
    query.tail = 300;
    auto_free char *got = take(65536);

    ck_assert_ptr_eq(strstr(got, "[0] line 700\n[1] line 701\n"), got);
    ck_assert_str_eq(got + strlen(got) - strlen("[1] line 999\n"), "[1] line 999\n");
}
END_TEST

/* Many of their lines have the same time. */
START_TEST(every_tail_of_several_ranks_is_the_end_of_the_whole)
{
    char line[32];
    size_t rank = 0;

    add_rank();
    add_rank();
    for (int i = 0; i < 40; i++) {
        rank = (rank * 5 + (size_t)i) % ranks;
        snprintf(line, sizeof line, "line %02d\n", i);
        write_log(rank, i / 3, line);
    }
    auto_free char *whole = take(4096);

    for (query.tail = 0; query.tail <= 40; query.tail++) {
        log_stream_free(stream);
        stream = NULL;
        assert_next(whole + strlen(whole)
                    - (size_t)query.tail * strlen("[0] line 00\n"));
    }
}
END_TEST

START_TEST(since_takes_lines_begun_then_or_later)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    write_log(0, 12, "c\n");
    query.since = 11 * USEC_PER_SEC;
    assert_next("[1] b\n[0] c\n");
}
END_TEST

START_TEST(since_and_tail_both_hold)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    write_log(0, 12, "c\n");
    query.since = 11 * USEC_PER_SEC;
    query.tail = 5;
    assert_next("[1] b\n[0] c\n");
}
END_TEST

START_TEST(since_after_all_gives_nothing)
{
    write_log(0, 10, "a\n");
    query.since = 99 * USEC_PER_SEC;
    assert_next("");
}
END_TEST

START_TEST(an_unfinished_line_is_held_while_it_may_grow)
{
    query.follow = true;
    write_log(0, 10, "half");
    write_log(1, 11, "whole\n");
    assert_next("[1] whole\n");
    write_log(0, 12, " and half\n");
    assert_next("[0] half and half\n");
}
END_TEST

START_TEST(an_unfinished_line_ends_with_its_worker)
{
    query.follow = true;
    write_log(0, 10, "last words");
    assert_next("");
    logs[0].ended = true;
    assert_next("[0] last words\n");
}
END_TEST

START_TEST(an_unfinished_line_is_a_line_without_follow)
{
    write_log(0, 10, "half");
    assert_next("[0] half\n");
}
END_TEST

START_TEST(a_long_line_comes_in_pieces_that_are_lines)
{
    size_t len = LOG_PIECE_MAX + 10;
    auto_free char *line = xmalloc(len + 2);

    memset(line, 'x', len);
    memcpy(line + len, "\n", 2);
    write_log(0, 10, line);
    write_log(1, 11, "next\n");
    auto_free char *got = take(4096);

    ck_assert_uint_eq(strlen(got), len + strlen("[0] \n[0] \n[1] next\n"));
    ck_assert_int_eq(strncmp(got + LOG_PIECE_MAX + 4, "\n[0] xxxxxxxxxx\n[1] next\n",
                             25),
                     0);
}
END_TEST

START_TEST(following_waits_before_there_is_any_log)
{
    char byte;

    query.follow = true;
    stream = log_stream_new(&query);
    log_stream_update(stream, NULL, 0, false);
    ck_assert_int_eq(log_stream_read(stream, &byte, 1), LOG_STREAM_WAIT);
    ck_assert(!log_stream_is_ready(stream));
    assert_next("");
    write_log(0, 10, "a\n");
    ck_assert(log_stream_is_ready(stream));
    assert_next("[0] a\n");
    ck_assert(!log_stream_is_ready(stream));
}
END_TEST

START_TEST(following_ends_when_the_job_has_and_all_is_given)
{
    char out[64];

    query.follow = true;
    write_log(0, 10, "a\n");
    assert_next("[0] a\n");
    ck_assert_int_eq(log_stream_read(stream, out, sizeof out), LOG_STREAM_WAIT);
    write_log(1, 11, "b");
    job_ended = true;
    log_stream_update(stream, logs, ranks, job_ended);
    ck_assert(log_stream_is_ready(stream));
    ck_assert_int_eq(log_stream_read(stream, out, sizeof out), 6);
    ck_assert_int_eq(log_stream_read(stream, out, sizeof out), LOG_STREAM_END);
}
END_TEST

START_TEST(following_after_tail_0_gives_what_is_new)
{
    query.follow = true;
    query.tail = 0;
    write_log(0, 10, "old\n");
    assert_next("");
    write_log(0, 11, "new\n");
    assert_next("[0] new\n");
}
END_TEST

START_TEST(a_new_attempt_goes_on_behind_the_old_one)
{
    query.follow = true;
    write_log(0, 10, "old\n");
    assert_next("[0] old\n");
    begin_attempt(0, 2);
    write_log(0, 11, "new\n");
    assert_next("[0] new\n");
}
END_TEST

START_TEST(without_follow_it_ends_where_the_log_ended_when_asked)
{
    char out[64];

    write_log(0, 10, "a\n");
    stream = log_stream_new(&query);
    log_stream_update(stream, logs, ranks, false);
    write_log(0, 11, "b\n");
    ck_assert_int_eq(log_stream_read(stream, out, sizeof out), 6);
    ck_assert_int_eq(log_stream_read(stream, out, sizeof out), LOG_STREAM_END);
}
END_TEST

START_TEST(lines_without_times_are_given_all_the_same)
{
    append(logs[0].path, "a\nb\n", 4);
    assert_next("[0] a\n[0] b\n");
}
END_TEST

START_TEST(what_is_not_a_plain_file_is_not_read)
{
    ck_assert_int_eq(mkfifo(logs[0].path, 0600), 0);
    ck_assert_int_eq(symlink("/etc/passwd", logs[1].path), 0);
    assert_next("");
}
END_TEST

Suite *suite_log_stream(void)
{
    Suite *suite = suite_create("log_stream");
    TCase *tests = tcase_create("log_stream");

    tcase_add_checked_fixture(tests, rank_logs_set_up, rank_logs_tear_down);
    tcase_add_test(tests, lines_of_all_ranks_come_by_their_times);
    tcase_add_test(tests, of_equal_times_the_lower_rank_comes_first);
    tcase_add_test(tests, small_pieces_make_the_same_whole);
    tcase_add_test(tests, one_rank_is_given_as_it_is);
    tcase_add_test(tests, a_job_of_one_rank_has_no_prefix);
    tcase_add_test(tests, a_worker_has_its_ranks_alone);
    tcase_add_test(tests, an_unknown_rank_has_no_source);
    tcase_add_test(tests, tail_counts_lines_of_the_merged_order);
    tcase_add_test(tests, tail_counts_an_unfinished_line);
    tcase_add_test(tests, tail_0_gives_nothing_of_what_is_there);
    tcase_add_test(tests, tail_above_all_lines_gives_all);
    tcase_add_test(tests, tail_looks_back_over_many_records);
    tcase_add_test(tests, every_tail_of_several_ranks_is_the_end_of_the_whole);
    tcase_add_test(tests, since_takes_lines_begun_then_or_later);
    tcase_add_test(tests, since_and_tail_both_hold);
    tcase_add_test(tests, since_after_all_gives_nothing);
    tcase_add_test(tests, an_unfinished_line_is_held_while_it_may_grow);
    tcase_add_test(tests, an_unfinished_line_ends_with_its_worker);
    tcase_add_test(tests, an_unfinished_line_is_a_line_without_follow);
    tcase_add_test(tests, a_long_line_comes_in_pieces_that_are_lines);
    tcase_add_test(tests, following_waits_before_there_is_any_log);
    tcase_add_test(tests, following_ends_when_the_job_has_and_all_is_given);
    tcase_add_test(tests, following_after_tail_0_gives_what_is_new);
    tcase_add_test(tests, a_new_attempt_goes_on_behind_the_old_one);
    tcase_add_test(tests, without_follow_it_ends_where_the_log_ended_when_asked);
    tcase_add_test(tests, lines_without_times_are_given_all_the_same);
    tcase_add_test(tests, what_is_not_a_plain_file_is_not_read);
    suite_add_tcase(suite, tests);
    return suite;
}
