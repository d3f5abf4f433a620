/* Growing text, UTF-8 by the table of Unicode, the nearest word, lists of words. */

#include "src/text.h"

#include <check.h>
#include <string.h>

START_TEST(text_grows_and_ends_in_nul)
{
    auto_text struct text text = { 0 };

    text_puts(&text, "one");
    text_add(&text, " two", 4);
    text_printf(&text, " %d", 3);
    ck_assert_str_eq(text.bytes, "one two 3");
    ck_assert_uint_eq(text.len, 9);
    for (int i = 0; i < 10000; i++)
        text_puts(&text, "x");
    ck_assert_uint_eq(text.len, 10009);
    ck_assert_uint_eq(strlen(text.bytes), 10009);
}
END_TEST

START_TEST(a_number_of_bytes_has_the_unit_of_its_fewest_digits)
{
    static const struct {
        double bytes;
        const char *unit;
        double size;
    } rows[] = {
        { 0, "B", 1 },
        { 1023, "B", 1 },
        { 1024, "KiB", 1024 },
        { 1048575, "KiB", 1024 },
        { 1048576, "MiB", 1048576 },
        { 1e18, "TiB", 1099511627776 }, /* there is none above */
    };
    double size;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        ck_assert_str_eq(text_bytes_unit(rows[i].bytes, &size), rows[i].unit);
        ck_assert_double_eq_tol(size, rows[i].size, 0.5);
    }
}
END_TEST

START_TEST(no_text_is_the_same_as_no_text_alone)
{
    char word[] = "word";

    ck_assert(text_is_same(word, "word"));
    ck_assert(!text_is_same(word, "words"));
    ck_assert(text_is_same(NULL, NULL));
    ck_assert(!text_is_same("", NULL));
    ck_assert(!text_is_same(NULL, ""));
}
END_TEST

START_TEST(adding_nothing_makes_empty_text)
{
    auto_text struct text text = { 0 };

    text_add(&text, NULL, 0);
    ck_assert_str_eq(text.bytes, "");
}
END_TEST

START_TEST(text_may_hold_nul_bytes)
{
    auto_text struct text text = { 0 };

    text_add(&text, "a\0b", 3);
    ck_assert_uint_eq(text.len, 3);
    ck_assert_mem_eq(text.bytes, "a\0b", 4);
}
END_TEST

START_TEST(the_first_bytes_are_dropped)
{
    auto_text struct text text = { 0 };

    text_drop(&text, 5);
    ck_assert_ptr_null(text.bytes);
    text_puts(&text, "abcdef");
    text_drop(&text, 0);
    ck_assert_str_eq(text.bytes, "abcdef");
    text_drop(&text, 2);
    ck_assert_str_eq(text.bytes, "cdef");
    ck_assert_uint_eq(text.len, 4);
    text_drop(&text, 99);
    ck_assert_str_eq(text.bytes, "");
    ck_assert_uint_eq(text.len, 0);
    text_puts(&text, "again");
    ck_assert_str_eq(text.bytes, "again");
}
END_TEST

START_TEST(stolen_text_is_the_callers)
{
    struct text text = { 0 };
    auto_free char *nothing = text_steal(&text);
    auto_free char *words = NULL;

    ck_assert_str_eq(nothing, "");
    text_puts(&text, "words");
    words = text_steal(&text);
    ck_assert_str_eq(words, "words");
    ck_assert_ptr_null(text.bytes);
    ck_assert_uint_eq(text.len, 0);
    ck_assert_uint_eq(text.room, 0);
}
END_TEST

START_TEST(cleared_text_may_be_used_again)
{
    auto_text struct text text = { 0 };

    text_puts(&text, "a");
    text_clear(&text);
    ck_assert_ptr_null(text.bytes);
    text_puts(&text, "b");
    ck_assert_str_eq(text.bytes, "b");
}
END_TEST

/* `prefix` is how many bytes are valid. */
/* clang-format off */
static const struct {
    const char *bytes;
    size_t len;
    size_t prefix;
} utf8[] = {
    { "", 0, 0 },
    { "plain", 5, 5 },
    { "longer than eight bytes", 23, 23 },
    { "\xc2\x80", 2, 2 },
    { "\xdf\xbf", 2, 2 },
    { "\xe0\xa0\x80", 3, 3 },
    { "\xec\xbf\xbf", 3, 3 },
    { "\xed\x9f\xbf", 3, 3 },
    { "\xee\x80\x80", 3, 3 },
    { "\xef\xbf\xbf", 3, 3 },
    { "\xf0\x90\x80\x80", 4, 4 },
    { "\xf3\xbf\xbf\xbf", 4, 4 },
    { "\xf4\x8f\xbf\xbf", 4, 4 },
    { "12345678\xc3\xa9" "12345678", 18, 18 },
    { "\x7f", 1, 1 },
    { "\0", 1, 0 },                    /* NUL */
    { "ab\0cd", 5, 2 },
    { "12345678" "1234\0" "678", 16, 12 },
    { "12345678" "\0" "2345678", 16, 8 },
    { "12345678" "123456\x80" "8", 16, 14 },
    { "\x80", 1, 0 },                  /* a lone continuation */
    { "\xbf", 1, 0 },
    { "\xc0\x80", 2, 0 },              /* overlong NUL */
    { "\xc1\xbf", 2, 0 },              /* overlong */
    { "\xe0\x9f\xbf", 3, 0 },
    { "\xf0\x8f\xbf\xbf", 4, 0 },
    { "\xed\xa0\x80", 3, 0 },          /* surrogates */
    { "\xed\xbf\xbf", 3, 0 },
    { "\xf4\x90\x80\x80", 4, 0 },      /* above 10FFFF */
    { "\xf5\x80\x80\x80", 4, 0 },
    { "\xff", 1, 0 },
    { "\xc3", 1, 0 },                  /* cut short */
    { "a\xe2\x82", 3, 1 },
    { "a\xf0\x9f\x98", 4, 1 },
    { "\xc3\x28", 2, 0 },              /* no continuation where one is due */
    { "\xe2\x82\x28", 3, 0 },
    { "\xf0\x9f\x28\x80", 4, 0 },
    { "\xf0\x9f\x98\x28", 4, 0 },
};
/* clang-format on */

START_TEST(utf8_is_checked_by_the_table)
{
    ck_assert_uint_eq(text_utf8_prefix(utf8[_i].bytes, utf8[_i].len), utf8[_i].prefix);
    ck_assert_int_eq(text_is_utf8(utf8[_i].bytes, utf8[_i].len),
                     utf8[_i].prefix == utf8[_i].len);
}
END_TEST

/* clang-format off */
static const struct {
    const char *word;
    const char *nearest; /* NULL: none */
} slips[] = {
    { "instance_type", "instance_type" },
    { "instance_typ", "instance_type" },
    { "instence_cuont", "instance_count" },
    { "nema", "name" },
    { "ame", "name" },
    { "tag", "tags" },
    { "tgas", "tags" },
    { "zzzzzz", NULL },
    { "xyzw", NULL },
    { "instance_type_of_the_job", NULL },
};
/* clang-format on */

START_TEST(the_nearest_word_is_found_when_it_is_near_enough)
{
    static const char *const choices[] = { "name", "instance_type", "instance_count",
                                           "tags", NULL };
    const char *nearest = text_nearest(slips[_i].word, choices);

    if (slips[_i].nearest)
        ck_assert_str_eq(nearest, slips[_i].nearest);
    else
        ck_assert_ptr_null(nearest);
}
END_TEST

START_TEST(of_words_equally_near_the_first_wins)
{
    static const char *const choices[] = { "cat", "bat", NULL };

    ck_assert_str_eq(text_nearest("rat", choices), "cat");
}
END_TEST

START_TEST(the_last_distance_allowed_still_counts_and_the_next_does_not)
{
    static const char *const choices[] = { "abcdef", NULL };

    ck_assert_str_eq(text_nearest("abcxyz", choices), "abcdef");
    ck_assert_ptr_null(text_nearest("abwxyz", choices));
}
END_TEST

START_TEST(very_long_words_are_near_to_nothing)
{
    char word[1000];
    const char *const choices[] = { word + 900, word, NULL };
    const char *const none[] = { NULL };

    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    ck_assert_ptr_null(text_nearest(word, choices));
    ck_assert_ptr_null(text_nearest(word + 950, choices));
    ck_assert_ptr_null(text_nearest("a", none));
}
END_TEST

START_TEST(a_start_is_told_from_other_places)
{
    ck_assert(text_starts_with("ml.c5", "ml."));
    ck_assert(text_starts_with("ml.c5", ""));
    ck_assert(text_starts_with("ml", "ml"));
    ck_assert(!text_starts_with("ml", "ml."));
    ck_assert(!text_starts_with("xml.", "ml."));
}
END_TEST

START_TEST(of_all_bytes_twenty_two_are_hexadecimal_digits)
{
    static const char digits[] = "0123456789abcdefABCDEF";

    for (int byte = 0; byte < 256; byte++) {
        const char *at = byte ? strchr(digits, byte) : NULL;
        int place = at ? (int)(at - digits) : -1;

        ck_assert_int_eq(text_hex_digit((char)byte), place < 16 ? place : place - 6);
    }
}
END_TEST

START_TEST(words_are_counted_and_owned)
{
    char **words = NULL;

    ck_assert_uint_eq(words_count(words), 0);
    words_add(&words, xstrdup("a"));
    words_add(&words, xstrdup("b"));
    words_add(&words, xstrdup("c"));
    ck_assert_uint_eq(words_count(words), 3);
    ck_assert_str_eq(words[0], "a");
    ck_assert_str_eq(words[2], "c");
    ck_assert_ptr_null(words[3]);
    words_free(words);
    words_free(NULL);
}
END_TEST

Suite *suite_text(void)
{
    Suite *suite = suite_create("text");
    TCase *cases = tcase_create("text");

    tcase_add_test(cases, text_grows_and_ends_in_nul);
    tcase_add_test(cases, no_text_is_the_same_as_no_text_alone);
    tcase_add_test(cases, a_number_of_bytes_has_the_unit_of_its_fewest_digits);
    tcase_add_test(cases, adding_nothing_makes_empty_text);
    tcase_add_test(cases, text_may_hold_nul_bytes);
    tcase_add_test(cases, the_first_bytes_are_dropped);
    tcase_add_test(cases, stolen_text_is_the_callers);
    tcase_add_test(cases, cleared_text_may_be_used_again);
    tcase_add_loop_test(cases, utf8_is_checked_by_the_table, 0, ARRAY_SIZE(utf8));
    tcase_add_loop_test(cases, the_nearest_word_is_found_when_it_is_near_enough, 0,
                        ARRAY_SIZE(slips));
    tcase_add_test(cases, of_words_equally_near_the_first_wins);
    tcase_add_test(cases, the_last_distance_allowed_still_counts_and_the_next_does_not);
    tcase_add_test(cases, very_long_words_are_near_to_nothing);
    tcase_add_test(cases, a_start_is_told_from_other_places);
    tcase_add_test(cases, of_all_bytes_twenty_two_are_hexadecimal_digits);
    tcase_add_test(cases, words_are_counted_and_owned);
    suite_add_tcase(suite, cases);
    return suite;
}
