/* A rank's log in segments: what is written is read, the oldest goes, and offsets stay
 * true. */

#include "src/rank_log.h"
#include "src/worker/log_writer.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 1 << 20
};
#define PIECES (RANK_LOG_SEGMENT / PIECE) /* a segment */

static char *folder;
static char *path;
static struct log_writer writer;
static uint64_t piece[PIECE / sizeof(uint64_t)];

static void begin(uint64_t limit)
{
    log_writer_init(&writer, xasprintf("%s/rank-0.log", folder), limit);
    path = writer.path;
}

static void set_up(void)
{
    folder = scratch_folder();
}

static void tear_down(void)
{
    log_writer_clear(&writer);
    scratch_remove(folder);
}

/* Every 8 bytes of the log are their offset. */
static void add_pieces(uint64_t count)
{
    int errno_value = 0;

    for (uint64_t i = 0; i < count; i++) {
        for (size_t at = 0; at < ARRAY_SIZE(piece); at++)
            piece[at] = writer.size + at * sizeof *piece;
        ck_assert_uint_eq(log_writer_add(&writer, piece, sizeof piece, &errno_value),
                          sizeof piece);
    }
}

static void assert_reads(uint64_t offset)
{
    uint64_t found[4] = { 0 };

    ck_assert_uint_eq(rank_log_read(path, offset, found, sizeof found), sizeof found);
    for (size_t i = 0; i < ARRAY_SIZE(found); i++)
        ck_assert_uint_eq(found[i], offset + i * sizeof *found);
}

static bool has_segment(uint64_t segment)
{
    auto_free char *name = rank_log_segment(path, segment);

    return access(name, F_OK) == 0;
}

static uint64_t size_anew(void)
{
    uint64_t segment = 0;

    return rank_log_size(path, &segment);
}

START_TEST(a_log_that_nobody_wrote_is_empty)
{
    char byte;

    begin(0);
    ck_assert_uint_eq(size_anew(), 0);
    ck_assert_uint_eq(rank_log_kept(path), 0);
    ck_assert_uint_eq(rank_log_read(path, 0, &byte, 1), 0);
    ck_assert(!has_segment(0));
}
END_TEST

START_TEST(a_read_goes_over_the_end_of_a_segment)
{
    begin(0);
    add_pieces(PIECES + 1);
    assert_reads(RANK_LOG_SEGMENT - 16);
    assert_reads(RANK_LOG_SEGMENT);
    ck_assert(has_segment(1));
    ck_assert_uint_eq(size_anew(), RANK_LOG_SEGMENT + PIECE);
}
END_TEST

START_TEST(one_write_may_fill_a_segment_and_begin_the_next)
{
    uint64_t half[2] = { RANK_LOG_SEGMENT - 8, RANK_LOG_SEGMENT };
    int errno_value;

    begin(0);
    add_pieces(PIECES - 1);
    ck_assert_uint_eq(log_writer_add(&writer, piece, PIECE - 8, &errno_value),
                      PIECE - 8);
    ck_assert_uint_eq(log_writer_add(&writer, half, sizeof half, &errno_value),
                      sizeof half);
    ck_assert_uint_eq(size_anew(), RANK_LOG_SEGMENT + 8);
}
END_TEST

START_TEST(a_full_segment_alone_is_the_last_one)
{
    begin(0);
    add_pieces(PIECES);
    ck_assert(!has_segment(1));
    ck_assert_uint_eq(size_anew(), RANK_LOG_SEGMENT);
}
END_TEST

START_TEST(the_oldest_segments_go_and_offsets_stay)
{
    char byte;

    begin(2 * RANK_LOG_SEGMENT);
    add_pieces(4 * PIECES + 1);
    ck_assert_uint_eq(rank_log_kept(path), 3 * RANK_LOG_SEGMENT);
    ck_assert(!has_segment(0) && !has_segment(1) && !has_segment(2));
    ck_assert_uint_eq(size_anew(), 4 * RANK_LOG_SEGMENT + PIECE);
    ck_assert_uint_eq(rank_log_read(path, 0, &byte, 1), 0);
    assert_reads(3 * RANK_LOG_SEGMENT);
    assert_reads(4 * RANK_LOG_SEGMENT + 64);
}
END_TEST

START_TEST(a_disk_holds_no_more_than_the_limit_at_any_time)
{
    begin(2 * RANK_LOG_SEGMENT);
    for (int i = 0; i < 70; i++) {
        uint64_t sum = 0;

        add_pieces(1);
        for (uint64_t segment = 0; segment < 8; segment++) {
            auto_free char *name = rank_log_segment(path, segment);
            struct stat info;

            if (stat(name, &info) == 0)
                sum += (uint64_t)info.st_size;
        }
        ck_assert_uint_le(sum, 2 * RANK_LOG_SEGMENT);
    }
}
END_TEST

START_TEST(what_cannot_be_told_is_not_cut_and_the_writer_says_why)
{
    auto_free char *kept_path = NULL;
    int errno_value = 0;

    begin(2 * RANK_LOG_SEGMENT);
    kept_path = rank_log_kept_path(path);
    ck_assert_int_eq(mkdir(kept_path, 0700), 0);
    add_pieces(2 * PIECES);
    ck_assert_uint_eq(log_writer_add(&writer, piece, sizeof piece, &errno_value), 0);
    ck_assert_int_ne(errno_value, 0);
    ck_assert(has_segment(0));
    ck_assert_int_eq(rmdir(kept_path), 0);
    add_pieces(1);
    ck_assert(!has_segment(0));
}
END_TEST

START_TEST(the_size_is_found_from_any_segment_that_was_the_last)
{
    uint64_t segment = 0;

    begin(2 * RANK_LOG_SEGMENT);
    add_pieces(1);
    ck_assert_uint_eq(rank_log_size(path, &segment), PIECE);
    add_pieces(PIECES);
    ck_assert_uint_eq(rank_log_size(path, &segment), RANK_LOG_SEGMENT + PIECE);
    ck_assert_uint_eq(segment, 1);
    add_pieces(5 * PIECES); /* now it is gone */
    ck_assert_uint_eq(rank_log_size(path, &segment), writer.size);
    ck_assert_uint_eq(segment, 6);
}
END_TEST

START_TEST(the_size_of_many_segments_is_found)
{
    begin(0);
    for (uint64_t i = 0; i < 100; i++) {
        auto_free char *name = rank_log_segment(path, i);
        auto_close int fd = open(name, O_WRONLY | O_CREAT, 0600);

        ck_assert_int_eq(ftruncate(fd, i < 99 ? (off_t)RANK_LOG_SEGMENT : 7), 0);
    }
    ck_assert_uint_eq(size_anew(), 99 * RANK_LOG_SEGMENT + 7);
}
END_TEST

START_TEST(bytes_that_were_taken_back_are_not_in_it)
{
    int errno_value;

    begin(0);
    add_pieces(1);
    log_writer_undo(&writer, 5);
    ck_assert_uint_eq(size_anew(), PIECE - 5);
    log_writer_add(&writer, "hello", 5, &errno_value);
    ck_assert_uint_eq(size_anew(), PIECE);
    log_writer_sync(&writer);
    ck_assert_uint_eq(writer.synced, PIECE);
}
END_TEST

START_TEST(what_a_job_puts_there_is_not_believed)
{
    auto_free char *kept_path = NULL;
    uint64_t lie = htole64(UINT64_MAX);
    char byte;

    begin(0);
    kept_path = rank_log_kept_path(path);
    FILE *file = fopen(kept_path, "we");

    ck_assert_uint_eq(fwrite(&lie, sizeof lie, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_uint_eq(rank_log_read(path, rank_log_kept(path), &byte, 1), 0);
    ck_assert_uint_gt(size_anew(), 0); /* and it returns */
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_uint_eq(rank_log_read(path, 0, &byte, 1), 0);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    ck_assert_uint_eq(rank_log_read(path, 0, &byte, 1), 0);
}
END_TEST

Suite *suite_rank_log(void)
{
    Suite *suite = suite_create("rank_log");
    TCase *tests = tcase_create("rank_log");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_log_that_nobody_wrote_is_empty);
    tcase_add_test(tests, a_read_goes_over_the_end_of_a_segment);
    tcase_add_test(tests, one_write_may_fill_a_segment_and_begin_the_next);
    tcase_add_test(tests, a_full_segment_alone_is_the_last_one);
    tcase_add_test(tests, the_oldest_segments_go_and_offsets_stay);
    tcase_add_test(tests, a_disk_holds_no_more_than_the_limit_at_any_time);
    tcase_add_test(tests, what_cannot_be_told_is_not_cut_and_the_writer_says_why);
    tcase_add_test(tests, the_size_is_found_from_any_segment_that_was_the_last);
    tcase_add_test(tests, the_size_of_many_segments_is_found);
    tcase_add_test(tests, bytes_that_were_taken_back_are_not_in_it);
    tcase_add_test(tests, what_a_job_puts_there_is_not_believed);
    suite_add_tcase(suite, tests);
    return suite;
}
