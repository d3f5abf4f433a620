/* The plan as people see it: who runs where, and what is not shown. */

#include "daemon/jobs_private.h"
#include "src/text.h"
#include "tests/unit/plans.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct cJSON *shown(const char *members, int count)
{
    auto_job_spec struct job_spec *spec = plans_spec(members, "ml.c5.xlarge", count);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan **plans = xcalloc((size_t)count, sizeof(struct worker_plan *));
    struct cJSON *json;

    for (int i = 0; i < count; i++)
        plans[i] = plans_make(&input, i);
    json = jobs_plan_to_json(spec, plans, count);
    jobs_free_plans(plans, count);
    return json;
}

static bool has_word(const struct cJSON *list, const char *word)
{
    json_each (item, list)
        if (strcmp(json_text(item), word) == 0)
            return true;
    return false;
}

/* clang-format off */
static const struct {
    const char *name;
    const char *value;
    const char *shown;
} secrets[] = {
    { "HF_TOKEN",               "abcdef", "HF_TOKEN=***" },
    { "aws_secret_access_key",  "abcdef", "aws_secret_access_key=***" },
    { "AWS_ACCESS_KEY_ID",      "abcdef", "AWS_ACCESS_KEY_ID=***" },
    { "WANDB_API_KEY",          "x",      "WANDB_API_KEY=***" },
    { "DB_PASSWORD",            "abcdef", "DB_PASSWORD=***" },
    { "APIKEY",                 "abcdef", "APIKEY=***" },
    { "TOKENIZERS_PARALLELISM", "false",  "TOKENIZERS_PARALLELISM=false" },
    { "KEYBOARD",               "abcdef", "KEYBOARD=abcdef" },
};
/* clang-format on */

START_TEST(a_secret_is_masked_by_its_name)
{
    auto_free char *members =
        xasprintf("\"command\": [\"x\"], \"environment\": {\"%s\": \"%s\"}",
                  secrets[_i].name, secrets[_i].value);
    auto_json struct cJSON *json = shown(members, 1);
    const struct cJSON *rank = json_first(json_get(json, "ranks"));

    ck_assert(has_word(json_get(rank, "environment"), secrets[_i].shown));
}
END_TEST

START_TEST(a_secret_is_shown_nowhere_else)
{
    auto_json struct cJSON *json = shown(
        "\"entry_point\": \"t.py\", \"hyperparameters\": {\"api-key\": \"12\\\"34\"}, "
        "\"environment\": {\"HF_TOKEN\": \"hf-secret\", \"URL\": \"http://hf-secret@x\"}",
        1);
    auto_free char *text = json_print(json);
    const struct cJSON *rank = json_first(json_get(json, "ranks"));

    ck_assert_ptr_null(strstr(text, "hf-secret"));
    ck_assert_ptr_null(strstr(text, "34"));
    ck_assert(has_word(json_get(rank, "environment"), "URL=http://***@x"));
    ck_assert(has_word(json_get(rank, "command"), "***"));
}
END_TEST

START_TEST(nothing_stays_of_a_secret_that_another_one_begins)
{
    auto_json struct cJSON *json =
        shown("\"command\": [\"x\", \"at hunter2-and-more\"], \"environment\": "
              "{\"A_TOKEN\": \"hunter2\", \"B_TOKEN\": \"hunter2-and-more\"}",
              1);
    const struct cJSON *rank = json_first(json_get(json, "ranks"));

    ck_assert(has_word(json_get(rank, "command"), "at ***"));
}
END_TEST

START_TEST(a_secret_among_the_options_of_mpirun_is_shown_nowhere)
{
    auto_json struct cJSON *json = shown(
        "\"entry_point\": \"t.py\", \"distribution\": {\"mpi\": {\"enabled\": true, "
        "\"custom_mpi_options\": \"-x API_TOKEN=mpi-secret -x PIN_KEY=7 -x LEVEL=high\"}}",
        2);
    auto_free char *text = json_print(json);
    const struct cJSON *rank = json_first(json_get(json, "ranks"));

    ck_assert_ptr_null(strstr(text, "mpi-secret"));
    ck_assert(has_word(json_get(rank, "command"), "API_TOKEN=***"));
    ck_assert(has_word(json_get(rank, "command"), "PIN_KEY=***"));
    ck_assert(has_word(json_get(rank, "command"), "LEVEL=high"));
}
END_TEST

/* clang-format off */
static const struct {
    const char *url;
    const char *shown;
} urls[] = {
    { "postgres://ana:pw@db/x",             "postgres://ana:***@db/x" },
    { "http://:p@h and http://a:b:c@d@h:8", "http://:***@h and http://a:***@h:8" },
    { "http://ana@host:80/a:b@c",           "http://ana@host:80/a:b@c" },
    { "http://host:80/",                    "http://host:80/" },
    { "mail me: ana@host",                  "mail me: ana@host" },
};
/* clang-format on */

START_TEST(a_password_in_a_url_is_masked)
{
    auto_free char *members =
        xasprintf("\"command\": [\"x\", \"%s\"], \"environment\": {\"AT\": \"%s\"}",
                  urls[_i].url, urls[_i].url);
    auto_free char *variable = xasprintf("AT=%s", urls[_i].shown);
    auto_json struct cJSON *json = shown(members, 1);
    const struct cJSON *rank = json_first(json_get(json, "ranks"));

    ck_assert(has_word(json_get(rank, "environment"), variable));
    ck_assert(has_word(json_get(rank, "command"), urls[_i].shown));
}
END_TEST

START_TEST(every_rank_says_what_it_is_and_where)
{
    auto_json struct cJSON *json =
        shown("\"entry_point\": \"t.py\", \"distribution\": {\"parameter_server\": "
              "{\"enabled\": true}}",
              2);
    const struct cJSON *ranks = json_get(json, "ranks");
    const struct cJSON *server = json_next(json_first(ranks));

    ck_assert_int_eq(json_get_int(json, "world_size", 0), 4);
    ck_assert_uint_eq(json_count(ranks), 4);
    ck_assert_str_eq(json_get_text(json, "launcher"), "parameter_server");
    ck_assert_str_eq(json_get_text(json, "started_by"), "railhead");
    ck_assert_str_eq(json_get_text(server, "kind"), "server");
    ck_assert_str_eq(json_get_text(server, "host"), "algo-1");
    ck_assert_int_eq(json_get_int(server, "rank", 0), 2);
}
END_TEST

START_TEST(an_mpi_job_is_started_by_mpirun)
{
    auto_json struct cJSON *json =
        shown("\"entry_point\": \"t.py\", \"distribution\": {\"mpi\": {\"enabled\": "
              "true, \"processes_per_host\": 2}}",
              2);

    ck_assert_int_eq(json_get_int(json, "world_size", 0), 4);
    ck_assert_str_eq(json_get_text(json, "started_by"), "mpirun");
}
END_TEST

Suite *suite_jobs_plan(void)
{
    Suite *suite = suite_create("jobs_plan");
    TCase *tests = tcase_create("jobs_plan");

    tcase_add_loop_test(tests, a_secret_is_masked_by_its_name, 0, ARRAY_SIZE(secrets));
    tcase_add_test(tests, a_secret_is_shown_nowhere_else);
    tcase_add_test(tests, nothing_stays_of_a_secret_that_another_one_begins);
    tcase_add_test(tests, a_secret_among_the_options_of_mpirun_is_shown_nowhere);
    tcase_add_loop_test(tests, a_password_in_a_url_is_masked, 0, ARRAY_SIZE(urls));
    tcase_add_test(tests, every_rank_says_what_it_is_and_where);
    tcase_add_test(tests, an_mpi_job_is_started_by_mpirun);
    suite_add_tcase(suite, tests);
    return suite;
}
