/* The order of an epoch, whose objects are whose, and how records are framed. */

#include "src/stage/order.h"
#include "src/stage/record_io.h"

#include <check.h>
#include <string.h>

enum {
    COUNT = 100
};

START_TEST(a_shuffle_has_every_place_once)
{
    uint32_t order[COUNT];
    bool seen[COUNT] = { false };

    order_shuffle(order, COUNT, 42, 3);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_uint_lt(order[i], COUNT);
        ck_assert(!seen[order[i]]);
        seen[order[i]] = true;
    }
}
END_TEST

/* splitmix64 of seed 0 begins with e220a8397b1dcdaf; the rest was computed from the
 * words of railhead-stage(8) by another implementation. */
START_TEST(a_shuffle_is_as_it_is_documented)
{
    static const uint32_t wanted[2][10] = { { 7, 6, 9, 2, 8, 4, 0, 3, 5, 1 },
                                            { 3, 9, 0, 1, 4, 5, 8, 2, 6, 7 } };
    uint32_t order[10];

    for (int epoch = 0; epoch < 2; epoch++) {
        order_shuffle(order, 10, 7, epoch);
        ck_assert_mem_eq(order, wanted[epoch], sizeof order);
    }
}
END_TEST

START_TEST(another_seed_or_epoch_is_another_order)
{
    uint32_t one[COUNT];
    uint32_t other[COUNT];

    order_shuffle(one, COUNT, 1, 0);
    order_shuffle(other, COUNT, 2, 0);
    ck_assert_mem_ne(one, other, sizeof one);
    order_shuffle(other, COUNT, 1, 1);
    ck_assert_mem_ne(one, other, sizeof one);
    order_shuffle(other, COUNT, 1, 0);
    ck_assert_mem_eq(one, other, sizeof one);
}
END_TEST

START_TEST(nothing_and_one_can_be_shuffled)
{
    uint32_t order[1] = { 9 };

    order_shuffle(order, 0, 1, 0);
    ck_assert_uint_eq(order[0], 9);
    order_shuffle(order, 1, -1, 0);
    ck_assert_uint_eq(order[0], 0);
}
END_TEST

/* How many shares have place k, and how many places each share has. */
static void count_shares(int workers, int locals, size_t places, int each[])
{
    for (size_t k = 0; k < places; k++) {
        int owners = 0;

        for (int i = 0; i < workers * locals; i++) {
            const struct share share = { i / locals, workers, i % locals, locals };

            owners += share_has(&share, k);
            each[i] += share_has(&share, k);
        }
        ck_assert_int_eq(owners, 1);
    }
}

START_TEST(every_place_is_for_one_share_and_shares_are_even)
{
    for (int workers = 1; workers <= 4; workers++)
        for (int locals = 1; locals <= 3; locals++) {
            int each[12] = { 0 };

            count_shares(workers, locals, 25, each);
            for (int i = 0; i < workers * locals; i++) {
                ck_assert_int_ge(each[i], 25 / (workers * locals));
                ck_assert_int_le(each[i], 25 / (workers * locals) + 1);
            }
        }
}
END_TEST

START_TEST(a_record_begins_with_magic_and_length)
{
    static const unsigned char wanted[RECORD_IO_HEADER] = { 0x0a, 0x23, 0xd7, 0xce,
                                                            0x02, 0x01, 0x00, 0x00 };
    unsigned char header[RECORD_IO_HEADER];
    struct err err = { 0 };

    ck_assert_int_eq(record_io_header(0x102, header, &err), 0);
    ck_assert_mem_eq(header, wanted, sizeof wanted);
}
END_TEST

START_TEST(a_record_ends_at_a_multiple_of_four)
{
    static const size_t wanted[] = { 0, 3, 2, 1, 0, 3 };

    for (int64_t len = 0; len < 6; len++)
        ck_assert_uint_eq(record_io_padding(len), wanted[len]);
}
END_TEST

START_TEST(what_is_too_long_is_no_record)
{
    unsigned char header[RECORD_IO_HEADER];
    struct err err = { 0 };

    ck_assert_int_eq(record_io_header((INT64_C(1) << 29) - 1, header, &err), 0);
    ck_assert_int_lt(record_io_header(INT64_C(1) << 29, header, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

Suite *suite_stage_order(void)
{
    Suite *suite = suite_create("stage_order");
    TCase *cases = tcase_create("all");

    tcase_add_test(cases, a_shuffle_has_every_place_once);
    tcase_add_test(cases, a_shuffle_is_as_it_is_documented);
    tcase_add_test(cases, another_seed_or_epoch_is_another_order);
    tcase_add_test(cases, nothing_and_one_can_be_shuffled);
    tcase_add_test(cases, every_place_is_for_one_share_and_shares_are_even);
    tcase_add_test(cases, a_record_begins_with_magic_and_length);
    tcase_add_test(cases, a_record_ends_at_a_multiple_of_four);
    tcase_add_test(cases, what_is_too_long_is_no_record);
    suite_add_tcase(suite, cases);
    return suite;
}
