/* The reserve of disk: what it takes up, gives and makes up again. */

#include "daemon/reserve.h"
#include "src/clock.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <sys/stat.h>

#define MIB (INT64_C(1) << 20)
/* What a file system may need to note where the blocks are. */
#define EXTENTS_BYTES (INT64_C(64) << 10)

static char *folder;
static char *path;
static struct reserve reserve;

static void make_reserve(void)
{
    struct err err;

    folder = scratch_folder();
    path = xasprintf("%s/reserve", folder);
    if (reserve_open(path, &reserve, &err) < 0)
        ck_abort_msg("%s", err.text);
}

static void free_reserve(void)
{
    reserve_close(&reserve);
    base_free(&path);
    scratch_remove(folder);
}

static int64_t taken_bytes(void)
{
    struct stat status;

    ck_assert_int_eq(stat(path, &status), 0);
    return (int64_t)status.st_blocks * 512;
}

START_TEST(it_takes_up_disk_and_not_only_a_length)
{
    ck_assert_int_ge(taken_bytes(), RESERVE_BYTES);
    ck_assert(reserve_has_room(&reserve));
}
END_TEST

START_TEST(it_gives_disk_back_until_it_has_none)
{
    int given = 0;

    while (reserve_give(&reserve)) {
        given++;
        ck_assert_int_le(taken_bytes(), RESERVE_BYTES - given * MIB + EXTENTS_BYTES);
        ck_assert_msg(!reserve_has_room(&reserve), "it is not whole");
    }
    ck_assert_int_eq(given, 16);
    ck_assert_int_eq(taken_bytes(), 0);
}
END_TEST

START_TEST(it_is_made_whole_at_the_next_look)
{
    ck_assert(reserve_give(&reserve));
    reserve.looked_boot = clock_boot() - USEC_PER_SEC;
    ck_assert(reserve_has_room(&reserve));
    ck_assert_int_ge(taken_bytes(), RESERVE_BYTES);
}
END_TEST

START_TEST(what_was_given_before_a_restart_is_made_up_at_the_start)
{
    struct err err;

    ck_assert(reserve_give(&reserve));
    reserve_close(&reserve);
    ck_assert_int_eq(reserve_open(path, &reserve, &err), 0);
    ck_assert(reserve_has_room(&reserve));
    ck_assert_int_ge(taken_bytes(), RESERVE_BYTES);
}
END_TEST

Suite *suite_reserve(void)
{
    Suite *suite = suite_create("reserve");
    TCase *cases = tcase_create("reserve");

    tcase_add_checked_fixture(cases, make_reserve, free_reserve);
    tcase_add_test(cases, it_takes_up_disk_and_not_only_a_length);
    tcase_add_test(cases, it_gives_disk_back_until_it_has_none);
    tcase_add_test(cases, it_is_made_whole_at_the_next_look);
    tcase_add_test(cases, what_was_given_before_a_restart_is_made_up_at_the_start);
    suite_add_tcase(suite, cases);
    return suite;
}
