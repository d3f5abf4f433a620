/* Ids that sort by time; which names a job may have; names that are made. */

#include "src/job_id.h"

#include <check.h>
#include <string.h>

/* 2026-11-30T10:15:00.123456Z */
#define MORNING INT64_C(1796033700123456)

START_TEST(an_id_is_valid_and_begins_with_its_time)
{
    char id[JOB_ID_SIZE];

    job_id_make(MORNING, id);
    ck_assert_uint_eq(strlen(id), 26);
    ck_assert(job_id_is_valid(id));
    ck_assert_int_eq(strncmp(id, "01M8NZ6R8V", 10), 0);
    job_id_make(0, id);
    ck_assert_int_eq(strncmp(id, "0000000000", 10), 0);
}
END_TEST

START_TEST(ids_sort_by_time)
{
    char before[JOB_ID_SIZE];
    char after[JOB_ID_SIZE];

    for (usec_t span = USEC_PER_MSEC; span < MORNING; span *= 3) {
        job_id_make(MORNING, before);
        job_id_make(MORNING + span, after);
        ck_assert_str_lt(before, after);
    }
}
END_TEST

/* 80 random bits: by chance once in 10^18 runs. */
START_TEST(ids_of_one_moment_differ)
{
    char ids[500][JOB_ID_SIZE];

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        job_id_make(MORNING, ids[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(ids[i], ids[j]) == 0)
                ck_abort_msg("%zu and %zu are %s", j, i, ids[i]);
    }
}
END_TEST

START_TEST(every_random_character_uses_the_whole_alphabet)
{
    bool seen[JOB_ID_SIZE][128] = { { false } };
    char id[JOB_ID_SIZE];

    /* One of 16 * 32 misses 2,000 draws by chance once in 10^24 runs. */
    for (int i = 0; i < 2000; i++) {
        job_id_make(MORNING, id);
        for (size_t at = 10; at < 26; at++)
            seen[at][(unsigned char)id[at]] = true;
    }
    for (size_t at = 10; at < 26; at++)
        for (const char *c = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; *c; c++)
            ck_assert_msg(seen[at][(unsigned char)*c], "no %c at %zu", *c, at);
}
END_TEST

START_TEST(what_is_no_id_is_told)
{
    ck_assert(job_id_is_valid("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    ck_assert(job_id_is_valid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
    ck_assert(!job_id_is_valid("8ZZZZZZZZZZZZZZZZZZZZZZZZZ")); /* past 48 bits */
    ck_assert(!job_id_is_valid(""));
    ck_assert(!job_id_is_valid("01ARZ3NDEKTSV4RRFFQ69G5FA"));
    ck_assert(!job_id_is_valid("01ARZ3NDEKTSV4RRFFQ69G5FAVX"));
    ck_assert(!job_id_is_valid("01arz3ndektsv4rrffq69g5fav"));
    ck_assert(!job_id_is_valid("01ARZ3NDEKTSV4RRFFQ69G5FAI"));
    ck_assert(!job_id_is_valid("01ARZ3NDEKTSV4RRFFQ69G5FA/"));
}
END_TEST

#define SIXTY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* clang-format off */
static const struct {
    const char *name;
    bool valid;
} names[] = {
    { "a", true },
    { "7", true },
    { "bert-polarity-01", true },
    { "A-1", true },
    { "a--b", true },
    { SIXTY "123", true },
    { SIXTY "1234", false },
    { SIXTY "12-", false },
    { "", false },
    { "-", false },
    { "-a", false },
    { "a-", false },
    { "a_b", false },
    { "a.b", false },
    { "a b", false },
    { "a/b", false },
    { "..", false },
    { "a\n", false },
    { "\xc3\xa9", false },
    { "a\xc3\xa9z", false },
};
/* clang-format on */

START_TEST(a_name_is_valid_as_the_pattern_says)
{
    ck_assert_int_eq(job_name_is_valid(names[_i].name), names[_i].valid);
}
END_TEST

/* clang-format off */
static const struct {
    const char *base;
    const char *name;
} made[] = {
    { "bert", "bert-20261130-101500-123" },
    { "my_train.v2", "my-train-v2-20261130-101500-123" },
    { "_x_", "x-20261130-101500-123" },
    { "a b/c", "a-b-c-20261130-101500-123" },
    { "", "job-20261130-101500-123" },
    { "___", "job-20261130-101500-123" },
    { "\xc3\xa9t\xc3\xa9", "t-20261130-101500-123" },
    { SIXTY, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-20261130-101500-123" },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_bbb",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-20261130-101500-123" },
};
/* clang-format on */

START_TEST(a_name_is_made_of_its_base_and_the_time)
{
    char name[64];

    job_name_make(made[_i].base, MORNING, name);
    ck_assert_str_eq(name, made[_i].name);
    ck_assert(job_name_is_valid(name));
}
END_TEST

Suite *suite_job_id(void)
{
    Suite *suite = suite_create("job_id");
    TCase *cases = tcase_create("job_id");

    tcase_add_test(cases, an_id_is_valid_and_begins_with_its_time);
    tcase_add_test(cases, ids_sort_by_time);
    tcase_add_test(cases, ids_of_one_moment_differ);
    tcase_add_test(cases, every_random_character_uses_the_whole_alphabet);
    tcase_add_test(cases, what_is_no_id_is_told);
    tcase_add_loop_test(cases, a_name_is_valid_as_the_pattern_says, 0,
                        ARRAY_SIZE(names));
    tcase_add_loop_test(cases, a_name_is_made_of_its_base_and_the_time, 0,
                        ARRAY_SIZE(made));
    suite_add_tcase(suite, cases);
    return suite;
}
