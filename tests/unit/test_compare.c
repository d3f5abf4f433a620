/* Comparisons of synthetic runs whose truth is known, of published ones, and of runs
 * that must not be compared. */

#include "daemon/compare.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- runs --- */

/* As imported: {"name":"a","instance_type":"x", ...}, separated by commas. */
static void read_runs(const char *text, const char *by, struct compare_run **runs,
                      size_t *count)
{
    auto_problems struct problems problems = { 0 };
    const struct member_place place = { .problems = &problems };
    auto_free char *words = xasprintf("[%s]", text);
    auto_json struct cJSON *json = NULL;
    struct err err;

    *runs = NULL;
    *count = 0;
    ck_assert_msg(json_parse(words, strlen(words), &json, &err) == 0, "%s", err.text);
    compare_import(json, &place, by, runs, count);
    ck_assert_msg(problems.count == 0, "%s: %s", problems.items[0].path,
                  problems.items[0].message);
}

static const struct compare_ask by_type = { .by = "instance_type",
                                            .objective_band = 0.01,
                                            .work_band = 0.01,
                                            .seed = 1 };

static void compare_text(const char *text, struct comparison *out)
{
    struct compare_run *runs;
    size_t count;
    struct err err;

    read_runs(text, by_type.by, &runs, &count);
    ck_assert_msg(compare_make(&by_type, runs, count, out, &err) == 0, "%s", err.text);
}

/* Members that every run needs to be like the others. */
#define ALIKE                                                           \
    ",\"code\":\"c\",\"data\":\"d\",\"hyperparameters\":{\"lr\":0.1},"  \
    "\"batch_size\":\"8\",\"work\":\"1000\",\"work_unit\":\"samples\"," \
    "\"objective_metric\":\"acc\",\"objective\":0.9}"
#define RUN(type, seconds, price)                                    \
    "{\"instance_type\":\"" type "\",\"billable_seconds\":" #seconds \
    ",\"usd_per_hour\":\"" price "\""

#define FIRST           RUN("a", 100, "1") ALIKE "," RUN("a", 103, "1") ALIKE ","
#define SECOND(members) RUN("b", 100, "1") members

static const struct compare_figure *figure(const struct comparison *comparison,
                                           size_t arm, enum compare_what what)
{
    return &comparison->arms[arm].figures[what];
}

static void assert_near(double got, double wanted)
{
    ck_assert_msg(fabs(got - wanted) <= 1e-6 * fabs(wanted), "%.9g is not %.9g", got,
                  wanted);
}

static void assert_says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" does not say \"%s\"", text, part);
}

/* --- published runs --- */

/* A table without quotes as JSON objects, all text. */
static char *objects_of(const char *csv)
{
    auto_free char *copy = xstrdup(csv);
    char *rest = copy;
    char *head = strsep(&rest, "\n");
    struct text words = { 0 };

    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        auto_free char *names = xstrdup(head);
        char *name_at = names;
        const char *between = words.len ? ",{" : "{";

        for (char *cell; (cell = strsep(&line, ","));) {
            text_printf(&words, "%s\"%s\":\"%s\"", between, strsep(&name_at, ","),
                        cell);
            between = ",";
        }
        text_puts(&words, "}");
    }
    return text_steal(&words);
}

static void compare_published(struct comparison *out)
{
    auto_free char *csv = source_file("tests/data/roberta-sst2.csv");
    auto_free char *objects = objects_of(csv);

    compare_text(objects, out);
}

START_TEST(the_published_runs_come_out_to_the_cent)
{
    auto_comparison struct comparison comparison = { 0 };
    char text[MONEY_TEXT_SIZE];
    const struct compare_arm *g5;

    compare_published(&comparison);
    ck_assert_uint_eq(comparison.arm_count, 2);
    g5 = &comparison.arms[1];
    ck_assert_str_eq(money_format_short(comparison.arms[0].spent, text), "4.65");
    ck_assert_str_eq(money_format(comparison.arms[0].spent, text), "4.64525");
    ck_assert_str_eq(money_format_short(g5->spent, text), "2.46");
    ck_assert_str_eq(money_format(g5->spent, text), "2.455983333");
    assert_near(g5->cost.ratio.value, 2.455983333 / 4.64525);
    assert_near(g5->time.ratio.value, 5836.0 / 4372);
    assert_near(figure(&comparison, 0, COMPARE_WORK_PER_USD)->median, 269396 / 4.64525);
    assert_near(figure(&comparison, 1, COMPARE_OBJECTIVE)->best, 0.950335);
}
END_TEST

START_TEST(one_run_an_arm_shows_no_difference_beyond_itself)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_published(&comparison);
    ck_assert_int_eq(comparison.verdict, VERDICT_SINGLE_RUNS);
    ck_assert(comparison.comparable);
    ck_assert_str_eq(
        comparison.sentence,
        "One run an arm shows no difference beyond itself: this run of "
        "ml.g5.2xlarge cost 47.1 % less than this run of ml.p3.2xlarge, and "
        "took 33.5 % more time.");
    ck_assert(isnan(comparison.arms[1].cost.ratio.low));
    ck_assert_str_eq(figure(&comparison, 0, COMPARE_COST)->missing,
                     "one run has no interval");
}
END_TEST

/* --- synthetic runs --- */

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* Whole seconds about `center`, lognormal. */
static int64_t noisy(double center, double spread, uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));

    return (int64_t)ceil(center
                         * exp(spread * radius * cos(2 * M_PI * uniform(state))));
}

struct truth {
    size_t runs; /* an arm */
    double seconds[2];
    double spread[2];
    const char *price[2];
};

static void simulate(const struct truth *truth, uint64_t *state, struct comparison *out)
{
    auto_text struct text words = { 0 };

    for (size_t i = 0; i < truth->runs * 2; i++) {
        size_t arm = i % 2;

        text_printf(&words,
                    "%s{\"name\":\"%zu\",\"instance_type\":\"%s\","
                    "\"billable_seconds\":%lld,\"usd_per_hour\":\"%s\"}",
                    i ? "," : "", i, arm ? "new" : "old",
                    (long long)noisy(truth->seconds[arm], truth->spread[arm], state),
                    truth->price[arm]);
    }
    compare_text(words.bytes, out);
}

enum {
    TRIALS = 1000
};

static const struct truth different[] = {
    { 3, { 5000, 3900 }, { 0.05, 0.05 }, { "37.688", "24.725" } },
    { 5, { 5000, 4100 }, { 0.05, 0.01 }, { "37.688", "24.725" } },
    { 10, { 5000, 4500 }, { 0.02, 0.1 }, { "3.825", "1.515" } },
    { 20, { 5000, 6000 }, { 0.05, 0.05 }, { "3.825", "1.515" } },
};

static double true_cost_ratio(const struct truth *truth)
{
    return truth->seconds[1] * strtod(truth->price[1], NULL)
           / (truth->seconds[0] * strtod(truth->price[0], NULL));
}

START_TEST(the_interval_covers_the_truth_in_93_to_97_of_100_trials)
{
    const struct truth *truth = &different[_i];
    const double ratio = true_cost_ratio(truth);
    uint64_t state = 4;
    int covered = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        auto_comparison struct comparison comparison = { 0 };
        const struct compare_ratio *cost;

        simulate(truth, &state, &comparison);
        cost = &comparison.arms[1].cost;
        ck_assert_int_eq(cost->method, truth->runs < STATS_BOOTSTRAP_MIN
                                           ? METHOD_T
                                           : METHOD_BOOTSTRAP);
        covered += cost->ratio.low <= ratio && ratio <= cost->ratio.high;
    }
    ck_assert_msg(covered >= 930 && covered <= 970, "%d of %d are covered", covered,
                  TRIALS);
}
END_TEST

static const struct truth same[] = {
    { 3, { 5000, 5000 }, { 0.05, 0.05 }, { "24.725", "24.725" } },
    { 5, { 5000, 5000 }, { 0.01, 0.05 }, { "24.725", "24.725" } },
    { 20, { 5000, 5000 }, { 0.05, 0.05 }, { "24.725", "24.725" } },
    /* So short that rounding to whole seconds is most of the noise. */
    { 4, { 2.5, 2.5 }, { 0.01, 0.01 }, { "24.725", "24.725" } },
};

START_TEST(equal_arms_are_called_no_difference_shown_in_93_of_100_trials)
{
    uint64_t state = 4;
    int none = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        auto_comparison struct comparison comparison = { 0 };

        simulate(&same[_i], &state, &comparison);
        none += comparison.verdict == VERDICT_NO_DIFFERENCE;
    }
    ck_assert_msg(none >= 930, "%d of %d", none, TRIALS);
}
END_TEST

/* The other way about: a difference that is large against the noise is found. */
START_TEST(a_large_difference_is_found_and_said)
{
    uint64_t state = 4;
    auto_comparison struct comparison comparison = { 0 };

    simulate(&different[0], &state, &comparison);
    ck_assert_int_eq(comparison.verdict, VERDICT_DIFFERENCE);
    ck_assert_int_eq(comparison.arms[1].cost_shown, SHOWN_LESS);
    ck_assert_int_eq(comparison.arms[1].time_shown, SHOWN_LESS);
    assert_says(comparison.sentence, "new costs ");
    assert_says(comparison.sentence, " % less a run than old (95 % interval ");
    assert_says(comparison.sentence, "; 3 and 3 runs) and takes ");
    assert_says(
        comparison.sentence,
        "; not known to be equal: code, hyperparameters, data, work, objective.");
}
END_TEST

/* --- what is compared with what --- */

START_TEST(the_first_run_is_of_the_baseline_unless_another_is_asked_for)
{
    static const char text[] = RUN("a", 10, "1") ALIKE "," RUN("b", 10, "1") ALIKE;
    struct compare_ask ask = by_type;
    struct compare_run *runs;
    size_t count;
    struct err err;

    for (int i = 0; i < 2; i++) {
        auto_comparison struct comparison comparison = { 0 };

        ask.baseline = i ? "b" : NULL;
        read_runs(text, ask.by, &runs, &count);
        ck_assert_int_eq(compare_make(&ask, runs, count, &comparison, &err), 0);
        ck_assert_str_eq(comparison.arms[0].name, i ? "b" : "a");
        ck_assert_str_eq(comparison.arms[1].name, i ? "a" : "b");
    }
    ask.baseline = "c";
    read_runs(text, ask.by, &runs, &count);
    ck_assert_int_lt(compare_make(&ask, runs, count, &(struct comparison){ 0 }, &err),
                     0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.text, "baseline: there is no arm 'c'; there are a, b");
}
END_TEST

START_TEST(arms_may_be_made_by_a_tag)
{
    static const char text[] =
        RUN("a", 10, "1") ",\"tags.v\":\"1\"}," RUN("a", 10,
                                                    "1") ",\"tags\":{\"v\":\"2\"}}";
    struct compare_ask ask = by_type;
    struct compare_run *runs;
    size_t count;
    struct err err;
    auto_comparison struct comparison comparison = { 0 };

    ask.by = "tag:v";
    read_runs(text, ask.by, &runs, &count);
    ck_assert_int_eq(compare_make(&ask, runs, count, &comparison, &err), 0);
    ck_assert_uint_eq(comparison.arm_count, 2);
    ck_assert_str_eq(comparison.arms[1].name, "2");
}
END_TEST

START_TEST(nothing_is_no_comparison_and_one_arm_has_no_verdict)
{
    auto_comparison struct comparison comparison = { 0 };
    struct err err;

    ck_assert_int_lt(compare_make(&by_type, NULL, 0, &comparison, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    compare_text(RUN("a", 10, "1") ALIKE, &comparison);
    ck_assert_int_eq(comparison.verdict, VERDICT_NONE);
    ck_assert_str_eq(comparison.sentence, "No verdict: a is the only arm.");
}
END_TEST

/* --- failures, prices, work --- */

START_TEST(a_failed_run_costs_and_is_in_no_other_figure)
{
    auto_comparison struct comparison comparison = { 0 };
    auto_json struct cJSON *json = NULL;
    const struct cJSON *arm;

    compare_text(RUN("a", 3600, "1") ",\"name\":\"first\"" ALIKE "," RUN(
                     "a", 1800, "1") ",\"status\":\"Failed\"}," RUN("a", 3600, "1")
                     ALIKE "," RUN("b", 10, "1") ALIKE,
                 &comparison);
    json = compare_to_json(&comparison);
    arm = json_first(json_get(json, "arms"));
    ck_assert_str_eq(json_get_text(arm, "spent_usd"), "2.5");
    ck_assert_str_eq(json_get_text(arm, "usd_per_success"), "1.25");
    ck_assert_int_eq(json_get_int(arm, "failed", -1), 1);
    ck_assert_int_eq(json_get_int(arm, "counted", -1), 2);
    assert_near(figure(&comparison, 0, COMPARE_SECONDS)->median, 3600);
    assert_says(comparison.remarks[0], "1 of 3 runs failed or were stopped");
}
END_TEST

START_TEST(without_a_price_time_alone_is_compared)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text("{\"instance_type\":\"a\",\"billable_seconds\":100" ALIKE
                 ",{\"instance_type\":\"a\",\"billable_seconds\":101" ALIKE
                 "," RUN("b", 200, "1") ALIKE "," RUN("b", 202, "1") ALIKE,
                 &comparison);
    ck_assert_int_eq(comparison.verdict, VERDICT_DIFFERENCE);
    ck_assert_str_eq(comparison.arms[1].cost.missing, "it has no price");
    assert_says(comparison.sentence,
                "What b costs against a is not known (it has no price); b takes");
    ck_assert(!comparison.arms[0].has_spent);
}
END_TEST

START_TEST(runs_without_a_price_are_said_to_be_in_no_cost)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(FIRST "{\"instance_type\":\"a\",\"billable_seconds\":9" ALIKE,
                 &comparison);
    assert_says(comparison.remarks[0], "a: 1 of 3 completed runs have no price");
}
END_TEST

START_TEST(a_price_of_zero_has_no_ratio_and_no_work_a_dollar)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(RUN("a", 100, "0") ALIKE "," RUN("b", 200, "1") ALIKE, &comparison);
    ck_assert_int_eq(comparison.arms[1].cost_shown, SHOWN_UNKNOWN);
    ck_assert_str_eq(figure(&comparison, 0, COMPARE_WORK_PER_USD)->missing,
                     "the cost is zero");
}
END_TEST

START_TEST(the_work_at_which_a_dear_start_pays_is_where_the_costs_meet)
{
    auto_comparison struct comparison comparison = { 0 };

    /* 100 s of start at 1 cent a second and 10 samples a second; 600 s and 40. */
    compare_text(RUN("a", 1100,
                     "36") ",\"work\":10000,\"work_unit\":\"samples\","
                           "\"steady_per_second\":10}," RUN(
                               "b", 850,
                               "36") ",\"work\":\"10000\",\"work_unit\":\"samples\","
                                     "\"steady_per_second\":\"40\"}",
                 &comparison);
    ck_assert_ptr_null(comparison.arms[1].break_even.missing);
    assert_near(comparison.arms[1].break_even.value, 500 / (0.1 - 0.025));
}
END_TEST

/* --- what is not alike --- */

/* clang-format off */
static const struct {
    const char *run; /* beside two of arm a */
    enum compare_check_kind kind;
    enum compare_result result;
    bool flagged;
    const char *message;
} unlike[] = {
    { SECOND(ALIKE), CHECK_CODE, CHECK_EQUAL, false, "the code is the same" },
    { SECOND(",\"code\":\"x\"}"), CHECK_CODE, CHECK_DIFFERS, true, "the code differs: c of import 1, x of import 3" },
    { SECOND("}"), CHECK_CODE, CHECK_UNKNOWN, false, "the code of 1 run is not known" },
    { SECOND(",\"data\":\"x\"}"), CHECK_DATA, CHECK_DIFFERS, true, "the data differs: d of import 1, x of import 3" },
    { SECOND(",\"hyperparameters\":{\"lr\":0.2,\"epochs\":1}}"), CHECK_HYPERPARAMETERS, CHECK_DIFFERS, true,
      "hyperparameters differ: lr, epochs" },
    { SECOND(",\"hyperparameters\":{\"lr\":\"0.1\"}}"), CHECK_HYPERPARAMETERS, CHECK_EQUAL, false,
      "hyperparameters are the same" },
    { SECOND(",\"hyperparameters\":{\"lr\":0.1,\"train_batch_size\":1}}"), CHECK_HYPERPARAMETERS, CHECK_EQUAL, false,
      "hyperparameters are the same" },
    { SECOND(",\"hyperparameters\":{\"lr\":0.1,\"train_batch_size\":1}}"), CHECK_BATCH_SIZE, CHECK_DIFFERS, false,
      "the batch size differs, or may do so where it is that of a process: 8 of import 1, train_batch_size=1 of import 3" },
    { SECOND(",\"work\":1020,\"work_unit\":\"samples\"}"), CHECK_WORK, CHECK_DIFFERS, true,
      "the work differs: 1000 of import 1, 1020 of import 3 (samples)" },
    { SECOND(",\"work\":1009,\"work_unit\":\"samples\"}"), CHECK_WORK, CHECK_EQUAL, false, "the same work was done" },
    { SECOND(",\"work\":1000,\"work_unit\":\"steps\"}"), CHECK_WORK, CHECK_DIFFERS, true,
      "the work is counted in different units" },
    { SECOND("}"), CHECK_WORK, CHECK_UNKNOWN, false, "how much work was done is not known of every run" },
    { SECOND(",\"objective_metric\":\"acc\",\"objective\":0.88}"), CHECK_OBJECTIVE, CHECK_DIFFERS, true,
      "the objective differs: its median is 0.9 in a, 0.88 in b" },
    { SECOND(",\"objective_metric\":\"acc\",\"objective\":0.892}"), CHECK_OBJECTIVE, CHECK_EQUAL, false,
      "the objective is the same within the band" },
    { SECOND(",\"objective_metric\":\"f1\",\"objective\":0.9}"), CHECK_OBJECTIVE, CHECK_DIFFERS, true,
      "the objective differs: acc of import 1, f1 of import 3" },
    { SECOND(",\"emulated\":true}"), CHECK_EMULATED, CHECK_DIFFERS, true, "import 3 is emulated and import 1 is not" },
    { SECOND(",\"compile_cache\":\"warm\"}"), CHECK_CACHE, CHECK_UNKNOWN, false,
      "whether a compile cache was cold or warm is not told of every run (tag compile_cache: cold or warm)" },
    { SECOND(",\"pricing\":\"spot\"}"), CHECK_PRICING, CHECK_DIFFERS, false,
      "pricing differs: import 1 is standard, import 3 is spot" },
    { SECOND("}"), CHECK_INTERLEAVED, CHECK_UNKNOWN, false,
      "whether the arms took turns is not known: it takes two runs an arm, with their times" },
};
/* clang-format on */

START_TEST(what_differs_is_said_and_unlike_work_has_no_verdict)
{
    auto_free char *text = xasprintf("%s%s", FIRST, unlike[_i].run);
    auto_comparison struct comparison comparison = { 0 };
    const struct compare_check *check;

    compare_text(text, &comparison);
    check = &comparison.checks[unlike[_i].kind];
    ck_assert_str_eq(check->message, unlike[_i].message);
    ck_assert_int_eq(check->result, unlike[_i].result);
    ck_assert_int_eq(check->flagged, unlike[_i].flagged);
    if (!unlike[_i].flagged)
        return;
    ck_assert(!comparison.comparable);
    ck_assert_int_eq(comparison.verdict, VERDICT_NONE);
    assert_says(comparison.sentence, "No verdict, for the runs are not alike: ");
    assert_says(comparison.sentence, unlike[_i].message);
}
END_TEST

START_TEST(emulated_and_real_runs_make_no_figure_together)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(FIRST SECOND(ALIKE) "," RUN("a", 1, "1") ",\"emulated\":true}",
                 &comparison);
    ck_assert_ptr_nonnull(comparison.arms[0].mixed);
    ck_assert_uint_eq(figure(&comparison, 0, COMPARE_COST)->runs, 0);
    ck_assert(!comparison.arms[0].has_spent);
    ck_assert(isnan(comparison.arms[1].cost.ratio.value));
    ck_assert_int_eq(comparison.verdict, VERDICT_NONE);
}
END_TEST

START_TEST(what_all_arms_emulate_is_said_to_tell_nothing_of_the_real_one)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(RUN("a", 100, "1") ",\"emulated\":true" ALIKE
                                    "," RUN("b", 100, "1") ",\"emulated\":true" ALIKE,
                 &comparison);
    assert_says(comparison.sentence,
                "On emulated hardware, which tells nothing of the real one: one run");
}
END_TEST

START_TEST(cold_and_warm_caches_make_no_figure_together)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(RUN("a", 100, "1") ",\"compile_cache\":\"cold\"" ALIKE
                                    "," RUN("a", 50,
                                            "1") ",\"compile_cache\":\"warm\"" ALIKE
                                                 "," SECOND(ALIKE),
                 &comparison);
    ck_assert_ptr_nonnull(comparison.arms[0].mixed);
    ck_assert_uint_eq(figure(&comparison, 0, COMPARE_SECONDS)->runs, 0);
    ck_assert(comparison.checks[CHECK_CACHE].flagged);
}
END_TEST

START_TEST(arms_that_did_not_take_turns_are_said)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(
        RUN("a", 10, "1") ",\"started_at\":\"2026-11-01T00:00:00Z\"" ALIKE "," RUN(
            "a", 10,
            "1") ",\"started_at\":\"2026-11-02T00:00:00Z\"" ALIKE
                 "," RUN("b", 10,
                         "1") ",\"started_at\":\"2026-11-03T00:00:00Z"
                              "\"" ALIKE
                              "," RUN("b", 10,
                                      "1") ",\"started_at\":\"2026-11-04T00:00:00Z"
                                           "\"" ALIKE,
        &comparison);
    ck_assert_int_eq(comparison.checks[CHECK_INTERLEAVED].result, CHECK_DIFFERS);
    ck_assert(comparison.comparable);
    assert_says(comparison.remarks[0],
                "all runs of one came before those of the other");
}
END_TEST

START_TEST(an_estimated_price_is_said_in_the_sentence)
{
    auto_comparison struct comparison comparison = { 0 };

    compare_text(FIRST RUN("b", 100, "1") ",\"price_confidence\":\"low\"" ALIKE,
                 &comparison);
    assert_says(comparison.sentence,
                "At prices of which some are estimates: a single run "
                "of b shows no difference beyond itself");
}
END_TEST

static TCase *truth_tests(void)
{
    TCase *tests = tcase_create("truth");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, the_published_runs_come_out_to_the_cent);
    tcase_add_test(tests, one_run_an_arm_shows_no_difference_beyond_itself);
    tcase_add_loop_test(tests, the_interval_covers_the_truth_in_93_to_97_of_100_trials,
                        0, ARRAY_SIZE(different));
    tcase_add_loop_test(tests,
                        equal_arms_are_called_no_difference_shown_in_93_of_100_trials,
                        0, ARRAY_SIZE(same));
    tcase_add_test(tests, a_large_difference_is_found_and_said);
    return tests;
}

static TCase *rule_tests(void)
{
    TCase *tests = tcase_create("rules");

    tcase_add_test(tests, the_first_run_is_of_the_baseline_unless_another_is_asked_for);
    tcase_add_test(tests, arms_may_be_made_by_a_tag);
    tcase_add_test(tests, nothing_is_no_comparison_and_one_arm_has_no_verdict);
    tcase_add_test(tests, a_failed_run_costs_and_is_in_no_other_figure);
    tcase_add_test(tests, without_a_price_time_alone_is_compared);
    tcase_add_test(tests, runs_without_a_price_are_said_to_be_in_no_cost);
    tcase_add_test(tests, a_price_of_zero_has_no_ratio_and_no_work_a_dollar);
    tcase_add_test(tests, the_work_at_which_a_dear_start_pays_is_where_the_costs_meet);
    tcase_add_loop_test(tests, what_differs_is_said_and_unlike_work_has_no_verdict, 0,
                        ARRAY_SIZE(unlike));
    tcase_add_test(tests, emulated_and_real_runs_make_no_figure_together);
    tcase_add_test(tests,
                   what_all_arms_emulate_is_said_to_tell_nothing_of_the_real_one);
    tcase_add_test(tests, cold_and_warm_caches_make_no_figure_together);
    tcase_add_test(tests, arms_that_did_not_take_turns_are_said);
    tcase_add_test(tests, an_estimated_price_is_said_in_the_sentence);
    return tests;
}

Suite *suite_compare(void);

Suite *suite_compare(void)
{
    Suite *suite = suite_create("compare");

    suite_add_tcase(suite, truth_tests());
    suite_add_tcase(suite, rule_tests());
    return suite;
}
