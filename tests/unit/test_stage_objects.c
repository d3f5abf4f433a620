/* Listings: names that a folder can hold, their order, and their shares. */

#include "src/stage/objects.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Of names that end in NULL; the caller clears. */
static struct objects list(const char *const *names)
{
    struct objects objects = { .base = xstrdup("/base/") };

    for (; *names; names++) {
        struct object_facts facts = { .name = *names, .size = (int64_t)strlen(*names) };
        struct err err;

        ck_assert_int_eq(objects_add(&objects, &facts, &err), 0);
    }
    return objects;
}

static void check_names(const struct objects *objects, const char *const *names)
{
    size_t i = 0;

    for (; names[i]; i++) {
        ck_assert_uint_lt(i, objects->count);
        ck_assert_str_eq(object_name(objects, i), names[i]);
    }
    ck_assert_uint_eq(i, objects->count);
}

START_TEST(names_are_ordered_by_their_bytes)
{
    static const char *const names[] = { "b", "a/x", "a.txt", "\xc3\xbc", "A", NULL };
    static const char *const wanted[] = { "A", "a.txt", "a/x", "b", "\xc3\xbc", NULL };
    auto_objects struct objects objects = list(names);
    struct err err = { 0 };

    ck_assert_int_eq(objects_arrange(&objects, &err), 0);
    check_names(&objects, wanted);
    ck_assert_int_eq(objects_bytes(&objects), 1 + 5 + 3 + 1 + 2);
}
END_TEST

START_TEST(what_is_listed_twice_is_there_once)
{
    static const char *const names[] = { "b", "a", "b", NULL };
    static const char *const wanted[] = { "a", "b", NULL };
    auto_objects struct objects objects = list(names);
    struct err err = { 0 };

    ck_assert_int_eq(objects_arrange(&objects, &err), 0);
    check_names(&objects, wanted);
}
END_TEST

START_TEST(two_objects_cannot_have_one_name)
{
    static const char *const names[] = { "a", NULL };
    auto_objects struct objects objects = list(names);
    struct object_facts facts = { .name = "a", .source = "s3://bucket/other/a" };
    struct err err = { 0 };

    ck_assert_int_eq(objects_add(&objects, &facts, &err), 0);
    ck_assert_int_lt(objects_arrange(&objects, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.text, "/base/a and s3://bucket/other/a would both become a");
}
END_TEST

START_TEST(a_name_cannot_be_a_file_and_a_folder)
{
    static const char *const names[] = { "x/a", "x/a-b", "x/a.txt", "x/a/b", NULL };
    auto_objects struct objects objects = list(names);
    struct err err = { 0 };

    ck_assert_int_lt(objects_arrange(&objects, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(
        strstr(err.text, "x/a is both an object and the folder of x/a/b"));
}
END_TEST

START_TEST(names_that_only_look_alike_are_well)
{
    static const char *const names[] = { "a-b", "a.txt", "a/b", "a/b-c/d", "ab", NULL };
    auto_objects struct objects objects = list(names);
    struct err err = { 0 };

    ck_assert_int_eq(objects_arrange(&objects, &err), 0);
    check_names(&objects, names);
}
END_TEST

static const struct {
    const char *name;
    bool is_safe;
} names_to_judge[] = {
    { "a", true },       { "a/b", true },   { "..a/b..", true }, { ".hidden", true },
    { "...", true },     { "", false },     { "/a", false },     { "a/", false },
    { "a//b", false },   { ".", false },    { "..", false },     { "../a", false },
    { "a/../b", false }, { "a/..", false }, { "a/./b", false },
};

START_TEST(a_name_stays_in_its_folder)
{
    ck_assert_int_eq(object_name_is_safe(names_to_judge[_i].name),
                     names_to_judge[_i].is_safe);
}
END_TEST

START_TEST(shares_are_every_object_once)
{
    static const char *const names[] = { "0", "1", "2", "3", "4", "5", "6", NULL };
    static const char *const wanted[3][4] = { { "0", "3", "6", NULL },
                                              { "1", "4", NULL },
                                              { "2", "5", NULL } };

    for (int i = 0; i < 3; i++) {
        auto_objects struct objects objects = list(names);

        objects_keep_share(&objects, i, 3);
        check_names(&objects, wanted[i]);
    }
}
END_TEST

START_TEST(a_share_can_be_empty)
{
    static const char *const names[] = { "0", NULL };
    auto_objects struct objects objects = list(names);

    objects_keep_share(&objects, 1, 2);
    ck_assert_uint_eq(objects.count, 0);
}
END_TEST

START_TEST(a_listing_ends_where_memory_would)
{
    auto_objects struct objects objects = { .limit = 1000 };
    struct object_facts facts = { .name = "a name of some length" };
    struct err err = { 0 };
    int added = 0;

    while (objects_add(&objects, &facts, &err) == 0)
        ck_assert_int_lt(added++, 100);
    ck_assert_int_gt(added, 5);
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

Suite *suite_stage_objects(void)
{
    Suite *suite = suite_create("stage_objects");
    TCase *cases = tcase_create("all");

    tcase_add_test(cases, names_are_ordered_by_their_bytes);
    tcase_add_test(cases, what_is_listed_twice_is_there_once);
    tcase_add_test(cases, two_objects_cannot_have_one_name);
    tcase_add_test(cases, a_name_cannot_be_a_file_and_a_folder);
    tcase_add_test(cases, names_that_only_look_alike_are_well);
    tcase_add_loop_test(cases, a_name_stays_in_its_folder, 0,
                        (int)ARRAY_SIZE(names_to_judge));
    tcase_add_test(cases, shares_are_every_object_once);
    tcase_add_test(cases, a_share_can_be_empty);
    tcase_add_test(cases, a_listing_ends_where_memory_would);
    suite_add_tcase(suite, cases);
    return suite;
}
