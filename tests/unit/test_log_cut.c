/* Logs of any size: frames with their places, what was cut and who is told, and what a
 * look at the end costs. */

#include "src/rank_log.h"
#include "src/text.h"
#include "tests/unit/rank_logs.h"

#include <check.h>
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- frames --- */

START_TEST(frames_say_whose_bytes_come_and_from_where)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b");
    write_log(0, 12, "cd\n");
    query.frames = true;
    assert_next("0 0/2 0 0\n0 1/2 0 0\n"
                "0 0/2 0 2\na\n0 1/2 0 1\nb0 0/2 2 3\ncd\n");
}
END_TEST

START_TEST(frames_of_one_rank_have_its_bytes_as_they_are)
{
    write_log(0, 10, "a\n");
    write_log(0, 11, "b\r");
    query.frames = true;
    query.rank = 0;
    assert_next("0 0/2 0 0\n0 0/2 0 4\na\nb\r");
}
END_TEST

START_TEST(frames_begin_where_tail_does)
{
    write_log(0, 10, "a\n");
    write_log(1, 11, "b\n");
    write_log(1, 12, "c\n");
    query.frames = true;
    query.tail = 1;
    assert_next("0 0/2 2 0\n0 1/2 2 0\n0 1/2 2 2\nc\n");
}
END_TEST

START_TEST(frames_keep_a_long_line_whole)
{
    size_t len = LOG_PIECE_MAX + 10;
    auto_free char *line = xmalloc(len + 2);
    char second[64];

    memset(line, 'x', len);
    memcpy(line + len, "\n", 2);
    write_log(0, 10, line);
    query.frames = true;
    auto_free char *got = take(4096);

    snprintf(second, sizeof second, "x0 0/2 %d 11\nxxxxxxxxxx\n", LOG_PIECE_MAX);
    ck_assert_ptr_nonnull(strstr(got, second));
    ck_assert_str_eq(strstr(got, second), second);
}
END_TEST

START_TEST(frames_of_a_new_attempt_say_so)
{
    query.frames = true;
    query.follow = true;
    query.rank = 0;
    write_log(0, 10, "old\n");
    assert_next("0 0/2 0 0\n0 0/2 0 4\nold\n");
    begin_attempt(0, 1);
    write_log(0, 11, "new\n");
    assert_next("1 0/2 0 0\n1 0/2 0 4\nnew\n");
}
END_TEST

/* --- what was cut --- */

static void write_kept(const char *path, uint64_t kept)
{
    auto_free char *kept_path = rank_log_kept_path(path);

    kept = htole64(kept);
    append(kept_path, &kept, sizeof kept);
}

/* Of rank 0 nothing but the second segment is left. */
static void cut_first_segment(void)
{
    auto_free char *second = rank_log_segment(logs[0].path, 1);

    unlink(logs[0].path);
    write_kept(logs[0].path, RANK_LOG_SEGMENT);
    append(second, "end of b\nc\nd\n", 13);
    write_record(logs[0].times_path, RANK_LOG_SEGMENT - 10, 11);
    write_record(logs[0].times_path, RANK_LOG_SEGMENT + 9, 12);
    write_record(logs[0].times_path, RANK_LOG_SEGMENT + 11, 13);
}

#define CUT "[railhead: 16777216 bytes of rank 0 were cut here]\n"

START_TEST(what_was_cut_is_told_before_what_is_left)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    query.rank = 0;
    assert_next(CUT "end of b\nc\nd\n");
}
END_TEST

START_TEST(what_was_cut_is_told_among_the_lines_of_all_ranks)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    write_log(1, 12, "other\n");
    assert_next("[0] " CUT "[0] end of b\n[0] c\n[1] other\n[0] d\n");
}
END_TEST

START_TEST(tail_within_what_is_kept_says_nothing_of_a_cut)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    query.rank = 0;
    query.tail = 1;
    assert_next("d\n");
}
END_TEST

START_TEST(tail_that_reaches_back_to_a_cut_tells_it)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    query.rank = 0;
    query.tail = 3;
    assert_next(CUT "end of b\nc\nd\n");
}
END_TEST

START_TEST(since_within_what_is_kept_says_nothing_of_a_cut)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    query.since = 13 * USEC_PER_SEC;
    assert_next("[0] d\n");
}
END_TEST

START_TEST(since_before_a_cut_tells_it)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    query.since = 5 * USEC_PER_SEC;
    query.rank = 0;
    assert_next(CUT "end of b\nc\nd\n");
}
END_TEST

START_TEST(a_slow_reader_is_told_what_it_missed_and_goes_on)
{
    char out[8];

    query.follow = true;
    query.rank = 0;
    write_log(0, 10, "abcd");
    ck_assert_int_eq(truncate(logs[0].path, RANK_LOG_SEGMENT), 0);
    stream = log_stream_new(&query);
    log_stream_update(stream, logs, ranks, false);
    ck_assert_int_eq(log_stream_read(stream, out, sizeof out), sizeof out);
    ck_assert_mem_eq(out, "abcd\0\0\0\0", sizeof out);
    cut_first_segment();
    auto_free char *rest = xcalloc(1, 65536);
    size_t len = 0;
    ssize_t got;

    while ((got = log_stream_read(stream, rest + len, 65536 - len)) > 0)
        len += (size_t)got;
    /* What it had read already, and what is left. */
    char expected[128];

    snprintf(expected, sizeof expected,
             "\n[railhead: %llu bytes of rank 0 were cut here]\nend of b\nc\nd\n",
             (unsigned long long)(RANK_LOG_SEGMENT - 32768));
    ck_assert_uint_gt(len, strlen(expected));
    ck_assert_mem_eq(rest + len - strlen(expected), expected, strlen(expected));
}
END_TEST

START_TEST(a_half_line_before_a_cut_is_a_line)
{
    auto_free char *second = rank_log_segment(logs[0].path, 1);

    query.follow = true;
    write_log(0, 10, "half");
    assert_next("");
    unlink(logs[0].path);
    write_kept(logs[0].path, RANK_LOG_SEGMENT);
    append(second, "rest\n", 5);
    assert_next(
        "[0] half\n[0] [railhead: 16777212 bytes of rank 0 were cut here]\n[0] rest\n");
}
END_TEST

START_TEST(in_frames_a_cut_shows_by_the_offset)
{
    write_record(logs[0].times_path, 0, 10);
    cut_first_segment();
    query.rank = 0;
    query.frames = true;
    assert_next("0 0/2 0 0\n0 0/2 16777216 13\nend of b\nc\nd\n");
}
END_TEST

START_TEST(lines_whose_times_are_cut_are_given_before_those_that_have_some)
{
    auto_free char *second = rank_log_segment(logs[0].times_path, 1);

    append(logs[0].path, "a\nb\nc\n", 6);
    write_kept(logs[0].times_path, RANK_LOG_SEGMENT);
    write_record(second, 4, 12);
    write_log(1, 11, "other\n");
    assert_next("[0] a\n[0] b\n[1] other\n[0] c\n");
}
END_TEST

/* --- any size --- */

/* Bytes that this process has read of files by now. */
static int64_t bytes_read(void)
{
    FILE *file = fopen("/proc/self/io", "re");
    char line[64] = "";

    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    fclose(file);
    ck_assert_int_eq(strncmp(line, "rchar: ", 7), 0);
    return strtoll(line + 7, NULL, 10);
}

/* Full segments with nothing in them. */
static void make_sparse(const char *path, uint64_t segments)
{
    for (uint64_t i = 0; i < segments; i++) {
        auto_free char *name = rank_log_segment(path, i);
        auto_close int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        ck_assert_int_eq(ftruncate(fd, (off_t)RANK_LOG_SEGMENT), 0);
    }
}

/* What the last 100 lines of rank 0 cost, behind that many segments of the log and of
 * its times. */
static int64_t cost_of_tail(uint64_t segments, uint64_t times_segments)
{
    auto_free char *last = rank_log_segment(logs[0].path, segments);
    auto_free char *last_times = rank_log_segment(logs[0].times_path, times_segments);
    auto_text struct text all = { 0 };
    uint64_t at = segments * RANK_LOG_SEGMENT;
    int64_t before;

    make_sparse(logs[0].path, segments);
    make_sparse(logs[0].times_path, times_segments);
    for (int i = 0; i < 150; i++) {
        write_record(last_times, at + all.len, i);
        text_printf(&all, "line %03d\n", i);
    }
    append(last, all.bytes, all.len);
    query.rank = 0;
    query.tail = 100;
    before = bytes_read();
    assert_next(strstr(all.bytes, "line 050\n"));
    return bytes_read() - before;
}

START_TEST(a_tail_of_20_gb_reads_no_more_than_one_of_a_small_log)
{
    int64_t small = cost_of_tail(0, 0);

    rank_logs_tear_down();
    rank_logs_set_up();
    /* 20 GiB in lines of 100 bytes. */
    ck_assert_int_le(cost_of_tail(1280, 205), small + 16384);
}
END_TEST

Suite *suite_log_cut(void)
{
    Suite *suite = suite_create("log_cut");
    TCase *tests = tcase_create("log_cut");

    tcase_add_checked_fixture(tests, rank_logs_set_up, rank_logs_tear_down);
    tcase_add_test(tests, frames_say_whose_bytes_come_and_from_where);
    tcase_add_test(tests, frames_of_one_rank_have_its_bytes_as_they_are);
    tcase_add_test(tests, frames_begin_where_tail_does);
    tcase_add_test(tests, frames_keep_a_long_line_whole);
    tcase_add_test(tests, frames_of_a_new_attempt_say_so);
    tcase_add_test(tests, what_was_cut_is_told_before_what_is_left);
    tcase_add_test(tests, what_was_cut_is_told_among_the_lines_of_all_ranks);
    tcase_add_test(tests, tail_within_what_is_kept_says_nothing_of_a_cut);
    tcase_add_test(tests, tail_that_reaches_back_to_a_cut_tells_it);
    tcase_add_test(tests, since_within_what_is_kept_says_nothing_of_a_cut);
    tcase_add_test(tests, since_before_a_cut_tells_it);
    tcase_add_test(tests, a_slow_reader_is_told_what_it_missed_and_goes_on);
    tcase_add_test(tests, a_half_line_before_a_cut_is_a_line);
    tcase_add_test(tests, in_frames_a_cut_shows_by_the_offset);
    tcase_add_test(tests,
                   lines_whose_times_are_cut_are_given_before_those_that_have_some);
    tcase_add_test(tests, a_tail_of_20_gb_reads_no_more_than_one_of_a_small_log);
    suite_add_tcase(suite, tests);
    return suite;
}
