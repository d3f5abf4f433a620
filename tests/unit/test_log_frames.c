/* A log that comes over several connections is given once, to the byte, whatever the
 * order and the cuts; what is missing is told. */

#include "src/cli/log_frames.h"

#include <check.h>
#include <string.h>

static struct log_frames frames;
static struct text out;
static struct text notes;

static void set_up(void)
{
    frames = (struct log_frames){ 0 };
    out = (struct text){ 0 };
    notes = (struct text){ 0 };
}

static void tear_down(void)
{
    log_frames_clear(&frames);
    text_clear(&out);
    text_clear(&notes);
}

static void feed(const char *words)
{
    log_frames_feed(&frames, words, strlen(words), &out, &notes);
}

static void assert_out(const char *expected)
{
    ck_assert_str_eq(out.bytes ? out.bytes : "", expected);
}

static void assert_notes(const char *expected)
{
    ck_assert_str_eq(notes.bytes ? notes.bytes : "", expected);
}

static const char merged[] = "1 0/2 0 0\n1 1/2 0 0\n"
                             "1 0/2 0 4\none\n1 1/2 0 5\neins\n1 0/2 4 4\ntwo\n"
                             "1 1/2 5 5\nzwei\n";
static const char shown[] = "[0] one\n[1] eins\n[0] two\n[1] zwei\n";

START_TEST(lines_of_several_ranks_have_their_rank)
{
    feed(merged);
    assert_out(shown);
    assert_notes("");
}
END_TEST

START_TEST(the_bytes_of_a_rank_that_is_alone_are_given_as_they_are)
{
    log_frames_feed(&frames, "1 0/1 0 0\n1 0/1 0 8\na\0\r\xff\n\nb1", 28, &out, &notes);
    log_frames_finish(&frames, &out);
    ck_assert_uint_eq(out.len, 8);
    ck_assert_mem_eq(out.bytes, "a\0\r\xff\n\nb1", 8);
}
END_TEST

START_TEST(one_rank_of_several_is_plain_when_it_was_asked_for)
{
    frames.plain = true;
    feed("1 3/8 0 0\n1 3/8 0 6\na\n1 2/");
    log_frames_finish(&frames, &out);
    assert_out("a\n1 2/");
}
END_TEST

START_TEST(a_loss_at_any_byte_loses_and_doubles_nothing)
{
    for (size_t cut = 0; cut <= strlen(merged); cut++) {
        tear_down();
        set_up();
        log_frames_feed(&frames, merged, cut, &out, &notes);
        log_frames_restart(&frames);
        feed(merged);
        log_frames_finish(&frames, &out);
        assert_notes("");
        /* A line that was lost on the way goes on on the same line. */
        assert_out(shown);
    }
}
END_TEST

START_TEST(bytes_may_come_one_by_one)
{
    for (const char *at = merged; *at; at++)
        log_frames_feed(&frames, at, 1, &out, &notes);
    assert_out(shown);
}
END_TEST

START_TEST(ranks_may_come_in_another_order)
{
    feed("1 0/2 0 0\n1 1/2 0 0\n1 0/2 0 4\none\n1 1/2 0 5\neins\n");
    log_frames_restart(&frames);
    feed("1 0/2 0 0\n1 1/2 0 0\n1 1/2 0 5\neins\n1 0/2 0 4\none\n1 0/2 4 4\ntwo\n");
    assert_out("[0] one\n[1] eins\n[0] two\n");
}
END_TEST

START_TEST(what_an_earlier_connection_gave_may_come_in_other_pieces)
{
    feed("1 0/1 0 0\n1 0/1 0 4\nabcd");
    log_frames_restart(&frames);
    feed("1 0/1 0 0\n1 0/1 0 2\nab1 0/1 2 6\ncdefgh");
    assert_out("abcdefgh");
}
END_TEST

START_TEST(a_log_that_is_shown_from_its_end_on_misses_nothing_before)
{
    feed("1 0/2 500 0\n1 1/2 900 0\n1 0/2 500 2\na\n");
    log_frames_restart(&frames);
    /* All of it: rank 1 had said nothing since. */
    feed("1 0/2 0 0\n1 1/2 0 0\n1 1/2 898 2\nx\n1 0/2 498 4\n_\na\n1 1/2 900 2\nb\n");
    assert_out("[0] a\n[1] b\n");
    assert_notes("");
}
END_TEST

START_TEST(what_was_cut_is_told_to_the_byte)
{
    feed("1 0/1 0 0\n1 0/1 0 4\none\n1 0/1 1004 4\nend\n");
    assert_out("one\nend\n");
    assert_notes("1000 bytes of rank 0 were cut before they could be read\n");
}
END_TEST

START_TEST(what_was_cut_while_the_connection_was_lost_is_told)
{
    feed("1 0/1 0 0\n1 0/1 0 4\none\n");
    log_frames_restart(&frames);
    feed("1 0/1 0 0\n1 0/1 1004 4\nend\n");
    assert_out("one\nend\n");
    assert_notes("1000 bytes of rank 0 were cut before they could be read\n");
}
END_TEST

START_TEST(a_log_that_was_cut_before_it_was_asked_for_says_so)
{
    feed("1 2/4 0 0\n1 2/4 77 2\na\n");
    assert_notes("77 bytes of rank 2 were cut before they could be read\n");
}
END_TEST

START_TEST(a_line_that_another_rank_breaks_into_is_ended_and_goes_on_as_a_line)
{
    feed("1 0/2 0 0\n1 1/2 0 0\n1 0/2 0 3\nhal1 1/2 0 2\nx\n1 0/2 3 2\nf\n");
    assert_out("[0] hal\n[1] x\n[0] f\n");
}
END_TEST

START_TEST(an_unfinished_last_line_is_ended_behind_its_rank)
{
    feed("1 0/2 0 0\n1 0/2 0 4\nhalf");
    log_frames_finish(&frames, &out);
    assert_out("[0] half\n");
}
END_TEST

START_TEST(another_attempt_of_a_rank_is_another_log)
{
    feed("1 0/1 0 0\n1 0/1 0 4\none\n2 0/1 0 0\n2 0/1 0 4\nuno\n");
    log_frames_restart(&frames);
    feed("2 0/1 0 0\n2 0/1 0 4\nuno\n2 0/1 4 4\ndue\n");
    assert_out("one\nuno\ndue\n");
}
END_TEST

static const char *const no_frames[] = {
    "one\n",
    "1 0/1 0\nx",
    "1 0 0 1\nx",
    "1 0/1 0 -1\nx",
    "1 0/1 0 99999999999999999999999\n",
    "\n",
    " 1 0/1 0 1\nx",
    "1 0/1 0 1 \nx",
};

START_TEST(what_is_no_frame_ends_it)
{
    feed(no_frames[_i]);
    ck_assert(frames.broken);
    feed(merged);
    assert_out("");
}
END_TEST

START_TEST(a_head_without_end_is_none)
{
    for (int i = 0; i < LOG_FRAME_HEAD_MAX; i++)
        feed("1");
    ck_assert(frames.broken);
}
END_TEST

Suite *suite_log_frames(void)
{
    Suite *suite = suite_create("log_frames");
    TCase *tests = tcase_create("log_frames");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, lines_of_several_ranks_have_their_rank);
    tcase_add_test(tests, the_bytes_of_a_rank_that_is_alone_are_given_as_they_are);
    tcase_add_test(tests, one_rank_of_several_is_plain_when_it_was_asked_for);
    tcase_add_test(tests, a_loss_at_any_byte_loses_and_doubles_nothing);
    tcase_add_test(tests, bytes_may_come_one_by_one);
    tcase_add_test(tests, ranks_may_come_in_another_order);
    tcase_add_test(tests, what_an_earlier_connection_gave_may_come_in_other_pieces);
    tcase_add_test(tests, a_log_that_is_shown_from_its_end_on_misses_nothing_before);
    tcase_add_test(tests, what_was_cut_is_told_to_the_byte);
    tcase_add_test(tests, what_was_cut_while_the_connection_was_lost_is_told);
    tcase_add_test(tests, a_log_that_was_cut_before_it_was_asked_for_says_so);
    tcase_add_test(tests,
                   a_line_that_another_rank_breaks_into_is_ended_and_goes_on_as_a_line);
    tcase_add_test(tests, an_unfinished_last_line_is_ended_behind_its_rank);
    tcase_add_test(tests, another_attempt_of_a_rank_is_another_log);
    tcase_add_loop_test(tests, what_is_no_frame_ends_it, 0, ARRAY_SIZE(no_frames));
    tcase_add_test(tests, a_head_without_end_is_none);
    suite_add_tcase(suite, tests);
    return suite;
}
