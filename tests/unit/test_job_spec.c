/* Specs, good and bad, from tests/data/specs and the examples of railhead-job(5). */

#include "src/job_spec.h"
#include "src/text.h"
#include "src/yaml.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cJSON *json_of(const char *yaml)
{
    struct cJSON *json = NULL;
    struct err err;

    if (yaml_parse(yaml, strlen(yaml), &json, &err) < 0)
        ck_abort_msg("%s in:\n%s", err.text, yaml);
    return json;
}

/* One problem a line: path | message | hint. */
static char *told(const struct problems *problems)
{
    struct text text = { 0 };

    for (size_t i = 0; i < problems->count; i++)
        text_printf(&text, "%s | %s | %s\n", problems->items[i].path,
                    problems->items[i].message,
                    problems->items[i].hint ? problems->items[i].hint : "-");
    return text_steal(&text);
}

static struct job_spec *good(const struct cJSON *json, const char *title)
{
    auto_problems struct problems problems = { 0 };
    struct job_spec *spec = job_spec_parse(json, &problems);
    auto_free char *lines = told(&problems);

    ck_assert_msg(spec != NULL, "%s:\n%s", title, lines);
    return spec;
}

static char *problems_of_json(const struct cJSON *json)
{
    auto_problems struct problems problems = { 0 };
    auto_job_spec struct job_spec *spec = job_spec_parse(json, &problems);

    ck_assert_msg((spec == NULL) == (problems.count > 0), "a spec or problems");
    return told(&problems);
}

static char *problems_of(const char *yaml)
{
    auto_json struct cJSON *json = json_of(yaml);

    return problems_of_json(json);
}

static char *printed(const struct job_spec *spec)
{
    auto_json struct cJSON *json = job_spec_to_json(spec);
    auto_free char *bare = json_print(json);

    return xasprintf("%s\n", bare);
}

static void check_valid(const struct test_case *one)
{
    auto_json struct cJSON *json = json_of(one->input);
    auto_job_spec struct job_spec *spec = good(json, one->title);
    auto_free char *first = printed(spec);
    auto_json struct cJSON *complete = job_spec_to_json(spec);
    auto_job_spec struct job_spec *again = good(complete, one->title);
    auto_free char *second = printed(again);

    case_expects(one, first);
    case_expects(one, second);
}

static void check_invalid(const struct test_case *one)
{
    auto_free char *lines = problems_of(one->input);

    case_expects(one, lines);
}

START_TEST(a_valid_spec_is_completed_and_reads_the_same_again)
{
    cases_run("specs/valid.txt", check_valid);
}
END_TEST

START_TEST(an_invalid_spec_gives_all_its_problems_at_once)
{
    cases_run("specs/invalid.txt", check_invalid);
}
END_TEST

START_TEST(values_reach_the_members_they_are_meant_for)
{
    auto_json struct cJSON *json =
        json_of("name: n\ncommand: [/bin/echo, '']\ninstance_type: ml.c5.xlarge\n"
                "instance_count: 3\nmax_run: 2h\nmax_wait: 3h\ngrace: 0\npriority: 7\n"
                "budget_usd: 40.00\n"
                "distribution: {torch_distributed: {enabled: true, "
                "processes_per_host: 4}}\n"
                "metric_definitions: [{name: m, regex: x}]\n"
                "work: {unit: samples, metric: m, planned: 1e6}\n"
                "objective: {metric: m, goal: minimize, target: -0.5}\n"
                "fake: {start_ms: 1, run_ms: 2, exit_code: 3, worker: 2, "
                "ignore_stop: true, lost: true}\n");
    auto_job_spec struct job_spec *spec = good(json, "values");

    ck_assert_str_eq(spec->name, "n");
    ck_assert_ptr_null(spec->base_name);
    ck_assert_str_eq(spec->command[0], "/bin/echo");
    ck_assert_str_eq(spec->command[1], "");
    ck_assert_ptr_null(spec->command[2]);
    ck_assert_int_eq(spec->framework, FRAMEWORK_PYTORCH);
    ck_assert_int_eq(spec->instance_count, 3);
    ck_assert_int_eq(spec->max_run_s, 7200);
    ck_assert_int_eq(spec->max_wait_s, 10800);
    ck_assert_int_eq(spec->grace_s, 0);
    ck_assert_int_eq(spec->priority, 7);
    ck_assert_int_eq(spec->budget, 40 * NANOUSD_PER_USD);
    ck_assert_int_eq(spec->distribution, DISTRIBUTION_TORCH_DISTRIBUTED);
    ck_assert_int_eq(spec->launcher, LAUNCHER_RAILHEAD);
    ck_assert_int_eq(spec->processes_per_host, 4);
    ck_assert_uint_eq(spec->metric_count, 1);
    ck_assert_str_eq(spec->work_metric, "m");
    ck_assert_str_eq(spec->work_planned, "1e6");
    ck_assert_ptr_null(spec->work_amount);
    ck_assert_int_eq(spec->objective_goal, GOAL_MINIMIZE);
    ck_assert_str_eq(spec->objective_target, "-0.5");
    ck_assert(spec->has_fake && spec->fake.ignore_stop && spec->fake.lost);
    ck_assert_int_eq(spec->fake.start_ms, 1);
    ck_assert_int_eq(spec->fake.run_ms, 2);
    ck_assert_int_eq(spec->fake.exit_code, 3);
    ck_assert_int_eq(spec->fake.worker, 2);
}
END_TEST

START_TEST(channels_and_what_becomes_of_outputs_reach_their_members)
{
    auto_json struct cJSON *json =
        json_of("command: [a]\ninstance_type: t\n"
                "distribution: {mpi: {enabled: true, processes_per_host: 2, "
                "oversubscribe: true, custom_mpi_options: -v}}\n"
                "inputs: {b: /d, a: {uri: 's3://bucket/k', mode: Pipe, "
                "shuffle: {seed: 3}}}\n"
                "output_path: /out\noutput_compression: NONE\n"
                "checkpoint: {uri: 's3://bucket/c'}\n"
                "retry: {on: [oom, input]}\nkeep_alive: 90s\n");
    auto_job_spec struct job_spec *spec = good(json, "data");

    ck_assert_int_eq(spec->distribution, DISTRIBUTION_MPI);
    ck_assert_int_eq(spec->framework, FRAMEWORK_MPI);
    ck_assert_int_eq(spec->processes_per_host, 2);
    ck_assert(spec->oversubscribe);
    ck_assert_str_eq(spec->custom_mpi_options, "-v");
    ck_assert_uint_eq(spec->channel_count, 2);
    ck_assert_str_eq(spec->channels[0].name, "a");
    ck_assert_int_eq(spec->channels[0].mode, CHANNEL_PIPE);
    ck_assert(spec->channels[0].shuffle);
    ck_assert_int_eq(spec->channels[0].shuffle_seed, 3);
    ck_assert_str_eq(spec->channels[1].name, "b");
    ck_assert_str_eq(spec->channels[1].uri, "file:///d");
    ck_assert_str_eq(spec->output_path, "file:///out");
    ck_assert(!spec->output_compressed);
    ck_assert_str_eq(spec->checkpoint_uri, "s3://bucket/c");
    ck_assert_str_eq(spec->checkpoint_path, "/opt/ml/checkpoints");
    ck_assert_int_eq(spec->max_attempts, 3);
    ck_assert_uint_eq(spec->retry_on, RETRY_OOM | RETRY_INPUT);
    ck_assert_int_eq(spec->keep_alive_s, 90);
}
END_TEST

START_TEST(without_a_word_about_them_there_is_one_attempt_and_no_checkpoint)
{
    auto_json struct cJSON *json = json_of("{command: [a], instance_type: t}");
    auto_job_spec struct job_spec *spec = good(json, "nothing");

    ck_assert_int_eq(spec->max_attempts, 1);
    ck_assert_uint_eq(spec->retry_on, RETRY_INFRASTRUCTURE | RETRY_INTERRUPTED);
    ck_assert(spec->output_compressed);
    ck_assert_ptr_null(spec->output_path);
    ck_assert_ptr_null(spec->checkpoint_uri);
    ck_assert_ptr_null(spec->checkpoint_path);
    ck_assert_uint_eq(spec->channel_count, 0);
}
END_TEST

/* --- sizes, which are made rather than written --- */

static struct cJSON *small_spec(void)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "instance_type", "ml.c5.xlarge");
    return json;
}

static char *filled(size_t len)
{
    char *text = xmalloc(len + 1);

    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

static void one_variable(size_t value_len, const char *expected)
{
    auto_json struct cJSON *json = small_spec();
    struct cJSON *environment = json_object_new();
    struct cJSON *command = json_array_new();
    auto_free char *value = filled(value_len);
    auto_free char *lines = NULL;

    json_append_text(command, "true");
    json_set(json, "command", command);
    json_set_text(environment, "A", value);
    json_set(json, "environment", environment);
    lines = problems_of_json(json);
    ck_assert_str_eq(lines, expected);
}

START_TEST(a_variable_may_fill_what_linux_takes_and_not_a_byte_more)
{
    one_variable(131071 - 2, "");
    one_variable(131071 - 1,
                 "environment.A | is 131072 bytes with its name, Linux takes at "
                 "most 131071 | put it into a file in source_dir\n");
}
END_TEST

static void words_of(size_t count, size_t len, const char *expected)
{
    auto_json struct cJSON *json = small_spec();
    struct cJSON *command = json_array_new();
    auto_free char *word = filled(len);
    auto_free char *lines = NULL;

    for (size_t i = 0; i < count; i++)
        json_append_text(command, word);
    json_set(json, "command", command);
    lines = problems_of_json(json);
    ck_assert_str_eq(lines, expected);
}

START_TEST(a_command_is_bounded_in_words_in_each_word_and_in_all)
{
    words_of(1000, 1, "");
    words_of(1001, 1, "command | has 1001 entries, at most 1000 are allowed | -\n");
    words_of(2, 131071, "");
    words_of(1, 131072,
             "command[0] | is 131072 bytes long, at most 131071 are allowed | -\n");
    words_of(8, 131071, "");
    words_of(
        9, 131071,
        " | command and environment are 1179648 bytes together, at most 1048576 are "
        "allowed | put large values into a file in source_dir\n");
}
END_TEST

START_TEST(hyperparameters_are_bounded_by_what_one_variable_carries)
{
    auto_json struct cJSON *json = json_of("{command: [a], instance_type: t}");
    struct cJSON *hyperparameters = json_object_new();
    auto_free char *value = filled(32768);
    auto_free char *lines = NULL;

    json_set_text(hyperparameters, "a", value);
    json_set(json, "hyperparameters", hyperparameters);
    lines = problems_of_json(json);
    ck_assert_str_eq(lines,
                     "hyperparameters | are 32776 bytes as JSON, at most 32768 are "
                     "allowed | put large values into a file in source_dir\n");
}
END_TEST

/* `count` members or elements, to be refused above `max`. */
static void counted(const char *member, bool is_array, size_t count, bool is_allowed)
{
    auto_json struct cJSON *json = json_of("{command: [a], instance_type: t}");
    struct cJSON *items = is_array ? json_array_new() : json_object_new();
    auto_free char *lines = NULL;
    auto_free char *start = xasprintf("%s | has %zu entries", member, count);

    for (size_t i = 0; i < count; i++) {
        auto_free char *name = xasprintf("n%zu", i);
        struct cJSON *metric = NULL;

        if (!is_array) {
            json_set_text(items, name, "/1");
            continue;
        }
        metric = json_object_new();
        json_set_text(metric, "name", name);
        json_set_text(metric, "regex", "x");
        json_append(items, metric);
    }
    json_set(json, member, items);
    lines = problems_of_json(json);
    ck_assert_msg(is_allowed ? !*lines : text_starts_with(lines, start), "%s %zu: %s",
                  member, count, lines);
}

START_TEST(counts_are_bounded)
{
    counted("hyperparameters", false, 1000, true);
    counted("hyperparameters", false, 1001, false);
    counted("environment", false, 200, true);
    counted("environment", false, 201, false);
    counted("tags", false, 50, true);
    counted("tags", false, 51, false);
    counted("inputs", false, 20, true);
    counted("inputs", false, 21, false);
    counted("metric_definitions", true, 100, true);
    counted("metric_definitions", true, 101, false);
}
END_TEST

START_TEST(a_flood_of_problems_ends_at_the_limit)
{
    auto_json struct cJSON *json = json_object_new();
    auto_problems struct problems problems = { 0 };

    for (int i = 0; i < 1000; i++) {
        auto_free char *name = xasprintf("instance_type%d", i);

        json_set_int(json, name, i);
    }
    ck_assert_ptr_null(job_spec_parse(json, &problems));
    ck_assert_uint_eq(problems.count, PROBLEMS_MAX);
}
END_TEST

/* --- the manual --- */

static void check_example(const char *yaml)
{
    auto_json struct cJSON *json = json_of(yaml);
    auto_job_spec struct job_spec *spec = good(json, yaml);

    ck_assert_ptr_nonnull(spec);
}

START_TEST(the_examples_of_the_manual_are_valid)
{
    manual_examples("railhead-job.5", check_example);
}
END_TEST

Suite *suite_job_spec(void)
{
    Suite *suite = suite_create("job_spec");
    TCase *cases = tcase_create("job_spec");

    tcase_add_test(cases, a_valid_spec_is_completed_and_reads_the_same_again);
    tcase_add_test(cases, an_invalid_spec_gives_all_its_problems_at_once);
    tcase_add_test(cases, values_reach_the_members_they_are_meant_for);
    tcase_add_test(cases, channels_and_what_becomes_of_outputs_reach_their_members);
    tcase_add_test(cases,
                   without_a_word_about_them_there_is_one_attempt_and_no_checkpoint);
    tcase_add_test(cases, a_variable_may_fill_what_linux_takes_and_not_a_byte_more);
    tcase_add_test(cases, a_command_is_bounded_in_words_in_each_word_and_in_all);
    tcase_add_test(cases, hyperparameters_are_bounded_by_what_one_variable_carries);
    tcase_add_test(cases, counts_are_bounded);
    tcase_add_test(cases, a_flood_of_problems_ends_at_the_limit);
    tcase_add_test(cases, the_examples_of_the_manual_are_valid);
    suite_add_tcase(suite, cases);
    return suite;
}
