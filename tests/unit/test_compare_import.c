/* Runs that were measured elsewhere: what they must say, and in how many ways. */

#include "daemon/compare.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct imported {
    struct compare_run *runs;
    size_t count;
    struct problems problems;
};

static void import(const char *text, struct imported *out)
{
    const struct member_place root = { .problems = &out->problems };
    const struct member_place place = member_below(&root, "import");
    auto_free char *words = xasprintf("[%s]", text);
    auto_json struct cJSON *json = NULL;
    struct err err;

    ck_assert_msg(json_parse(words, strlen(words), &json, &err) == 0, "%s", err.text);
    compare_import(json, &place, "instance_type", &out->runs, &out->count);
}

static void imported_clear(struct imported *imported)
{
    for (size_t i = 0; i < imported->count; i++)
        compare_run_clear(&imported->runs[i]);
    free(imported->runs);
    problems_clear(&imported->problems);
}
#define auto_imported __attribute__((cleanup(imported_clear)))

START_TEST(a_run_that_is_given_twice_is_refused)
{
    auto_imported struct imported imported = { 0 };

    import("{\"instance_type\":\"a\",\"billable_seconds\":10},"
           "{\"instance_type\":\"a\",\"billable_seconds\":11},"
           "{\"billable_seconds\":10,\"instance_type\":\"a\"}",
           &imported);
    ck_assert_uint_eq(imported.problems.count, 1);
    ck_assert_str_eq(imported.problems.items[0].path, "import[2]");
    ck_assert_str_eq(imported.problems.items[0].message,
                     "is the same run as import[0], and a run counts once");
}
END_TEST

START_TEST(runs_that_took_the_same_have_names)
{
    auto_imported struct imported imported = { 0 };

    import("{\"name\":\"x\",\"instance_type\":\"a\",\"billable_seconds\":10},"
           "{\"name\":\"y\",\"instance_type\":\"a\",\"billable_seconds\":10}",
           &imported);
    ck_assert_uint_eq(imported.problems.count, 0);
}
END_TEST

/* A row of a table is all text, and its empty cells say nothing. */
START_TEST(a_row_of_a_table_is_read_as_the_same_in_json)
{
    static const char *const both[] = {
        "{\"instance_type\":\"a\",\"instance_count\":2,\"billable_seconds\":1800,"
        "\"usd_per_hour\":\"3\",\"emulated\":true,\"objective\":0.5,"
        "\"hyperparameters\":{\"train_batch_size\":\"8\"}}",
        "{\"instance_type\":\"a\",\"instance_count\":\"2\",\"billable_seconds\":\"1800\","
        "\"usd_per_hour\":\"3\",\"emulated\":\"true\",\"objective\":\"0.5\",\"status\":\"\","
        "\"work\":\"\",\"name\":\"\",\"hyperparameters.train_batch_size\":\"8\"}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
        auto_imported struct imported imported = { 0 };
        const struct compare_run *run;

        import(both[i], &imported);
        ck_assert_uint_eq(imported.problems.count, 0);
        run = imported.runs;
        ck_assert_str_eq(run->name, "import 1");
        ck_assert_str_eq(run->arm, "a");
        ck_assert_int_eq(run->outcome, COMPARE_COMPLETED);
        ck_assert_int_eq(run->instance_seconds, 3600);
        ck_assert_int_eq(run->cost, 3 * NANOUSD_PER_USD);
        ck_assert(run->emulated);
        ck_assert_double_eq_tol(run->objective.value, 0.5, DBL_MIN);
        ck_assert_ptr_null(run->work);
        ck_assert_str_eq(run->batch_size, "train_batch_size=8");
    }
}
END_TEST

START_TEST(what_an_import_does_not_tell_is_missing_and_says_so)
{
    auto_imported struct imported imported = { 0 };
    const struct compare_run *run;

    import("{\"instance_type\":\"a\",\"billable_seconds\":1}", &imported);
    run = imported.runs;
    ck_assert(!run->has_price);
    ck_assert(isnan(run->objective.value));
    ck_assert_str_eq(run->objective.missing, "the import does not tell it");
    ck_assert_ptr_null(run->code);
    ck_assert_ptr_null(run->hyperparameters);
    ck_assert_ptr_null(run->batch_size);
    ck_assert_int_eq(run->cache, CACHE_UNKNOWN);
}
END_TEST

/* clang-format off */
static const struct {
    const char *run;
    const char *path;
    const char *message;
} wrong[] = {
    { "{\"billable_seconds\":1}", "import[0].instance_type", "is missing" },
    { "{\"instance_type\":\"a\"}", "import[0].billable_seconds", "is missing" },
    { "3", "import[0]", "expected an object, got 3" },
    { "{\"instance_type\":\"a\",\"billable_seconds\":-1}", "import[0].billable_seconds",
      "expected a whole number from 0 to 1000000000, got -1" },
    { "{\"instance_type\":\"a\",\"billable_seconds\":\"x\"}", "import[0].billable_seconds",
      "expected a whole number from 0 to 1000000000, got 'x'" },
    { "{\"instance_type\":\"a\",\"billable_seconds\":1,\"usd_per_hour\":\"-1\"}", "import[0].usd_per_hour", NULL },
    { "{\"instance_type\":\"a\",\"billable_seconds\":1,\"objective\":\"nan\"}", "import[0].objective",
      "expected a finite number" },
    { "{\"instance_type\":\"a\",\"billable_seconds\":1,\"work\":-2}", "import[0].work", NULL },
    { "{\"instance_type\":\"a\",\"billable_seconds\":1,\"pricing\":\"cheap\"}", "import[0].pricing", NULL },
    { "{\"instance_type\":\"a\",\"billable_seconds\":1,\"cost_usd\":\"3\"}", "import[0].cost_usd",
      "unknown member 'cost_usd'" },
    { "{\"instance_type\":\"a\",\"billable_seconds\":1,\"started_at\":\"now\"}", "import[0].started_at", NULL },
};
/* clang-format on */

START_TEST(what_is_wrong_with_an_import_is_named_by_its_path)
{
    auto_imported struct imported imported = { 0 };
    const struct problems *problems = &imported.problems;

    import(wrong[_i].run, &imported);
    ck_assert_uint_eq(problems->count, 1);
    ck_assert_str_eq(problems->items[0].path, wrong[_i].path);
    if (wrong[_i].message)
        ck_assert_str_eq(problems->items[0].message, wrong[_i].message);
}
END_TEST

Suite *suite_compare_import(void);

Suite *suite_compare_import(void)
{
    Suite *suite = suite_create("compare_import");
    TCase *tests = tcase_create("import");

    tcase_add_test(tests, a_run_that_is_given_twice_is_refused);
    tcase_add_test(tests, runs_that_took_the_same_have_names);
    tcase_add_test(tests, a_row_of_a_table_is_read_as_the_same_in_json);
    tcase_add_test(tests, what_an_import_does_not_tell_is_missing_and_says_so);
    tcase_add_loop_test(tests, what_is_wrong_with_an_import_is_named_by_its_path, 0,
                        ARRAY_SIZE(wrong));
    suite_add_tcase(suite, tests);
    return suite;
}
