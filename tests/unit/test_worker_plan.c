/* A worker's plan as JSON, there and back, and what is refused of a damaged one. */

#include "src/text.h"
#include "tests/unit/plans.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct worker_plan *through_json(const struct worker_plan *plan, char **text)
{
    auto_json struct cJSON *json = worker_plan_to_json(plan);
    auto_json struct cJSON *parsed = NULL;
    struct worker_plan *back;
    struct err err;

    *text = json_print(json);
    ck_assert_int_eq(json_parse(*text, strlen(*text), &parsed, &err), 0);
    ck_assert_msg(worker_plan_from_json(parsed, &back, &err) == 0, "%s", err.text);
    return back;
}

/* Everything that a plan can have. */
static struct worker_plan *full_plan(struct job_spec *spec)
{
    static char key[] = "AKIA";
    static char secret[] = "s3cr3t";
    static char region[] = "eu-west-1";
    const struct storage storage = { .region = region,
                                     .addressing = S3_VIRTUAL,
                                     .access_key = key,
                                     .secret_key = secret };
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan;

    input.storage = &storage;
    input.host_memory_mib = 16384;
    plan = plans_make(&input, 1);
    plan->cgroup = xstrdup("/sys/fs/cgroup/x");
    plan->memory_cgroup = xstrdup("/sys/fs/cgroup/memory/x");
    return plan;
}

START_TEST(a_plan_comes_back_from_its_json)
{
    auto_job_spec struct job_spec *spec = plans_spec(
        "\"entry_point\": \"t.py\", \"hyperparameters\": {\"t\": \"a\\nb \xe2\x82\xac\"}, "
        "\"metric_definitions\": [{\"name\": \"loss\", \"regex\": \"loss=(\\\\S+)\"}], "
        "\"inputs\": {\"train\": {\"uri\": \"s3://bkt/p/\", \"mode\": \"Pipe\", \"shuffle\": {\"seed\": 7}}}, "
        "\"output_path\": \"s3://bkt/out\", \"checkpoint\": {\"uri\": \"s3://bkt/ckpt\"}, "
        "\"distribution\": {\"parameter_server\": {\"enabled\": true}}",
        "ml.c5.xlarge", 2);
    struct worker_plan *plan = full_plan(spec);
    auto_free char *text = NULL;
    auto_free char *text_again = NULL;
    struct worker_plan *back = through_json(plan, &text);

    worker_plan_free(through_json(back, &text_again));
    ck_assert_str_eq(text, text_again);
    ck_assert_str_eq(back->metrics[0].regex, "loss=(\\S+)");
    ck_assert_int_eq(back->ranks[1].kind, RANK_SERVER);
    ck_assert_str_eq(back->channels[0].uri, "s3://bkt/p/");
    ck_assert_int_eq(back->channels[0].mode, CHANNEL_PIPE);
    ck_assert_str_eq(back->configs[0].name, "hyperparameters.json");
    ck_assert_str_eq(back->configs[0].text, plan->configs[0].text);
    ck_assert_str_eq(back->storage.secret_key, "s3cr3t");
    ck_assert_int_eq(back->storage.addressing, S3_VIRTUAL);
    ck_assert_str_eq(back->output_uri, "s3://bkt/out/job/output");
    ck_assert_str_eq(back->checkpoint_uri, "s3://bkt/ckpt");
    ck_assert_str_eq(back->peers[1], "/jobs/01JOB-1-1");
    ck_assert_str_eq(back->hosts, "127.1.0.1 algo-1\n127.1.0.2 algo-2\n");
    ck_assert_int_eq(back->memory_bytes, INT64_C(8) << 30);
    ck_assert_int_eq(back->local_processes, 1);
    ck_assert_int_eq(back->grace_s, spec->grace_s);
    worker_plan_free(plan);
    worker_plan_free(back);
}
END_TEST

START_TEST(a_plan_without_ranks_and_peers_is_one)
{
    auto_job_spec struct job_spec *spec =
        plans_spec("\"command\": [\"x\"]", "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan;
    struct worker_plan *back;
    auto_free char *text = NULL;

    input.hosts_share_one = false;
    input.isolate = true;
    plan = plans_make(&input, 0);
    for (size_t i = 0; i < plan->rank_count; i++) {
        words_free(plan->ranks[i].argv);
        words_free(plan->ranks[i].env);
    }
    plan->rank_count = 0;
    back = through_json(plan, &text);
    ck_assert_uint_eq(back->rank_count, 0);
    ck_assert_ptr_null(back->peers);
    ck_assert_ptr_null(back->output_uri);
    ck_assert(back->isolate);
    worker_plan_free(plan);
    worker_plan_free(back);
}
END_TEST

#define FRAME                                                                          \
    "\"job_id\":\"J\",\"job_name\":\"n\",\"attempt\":1,\"worker\":0,\"world_size\":1," \
    "\"worker_count\":2,\"host_name\":\"algo-1\",\"hosts\":\"\",\"ml_folder\":\"/m\"," \
    "\"work_folder\":\"/c\",\"checkpoint_path\":\"/k\",\"memory_bytes\":0,"            \
    "\"rank_log_bytes\":0,"
#define WHOLE                                                    \
    FRAME "\"max_run_s\":0,\"grace_s\":1,\"local_processes\":1," \
          "\"storage\":{\"addressing\":\"path\"},"

/* clang-format off */
static const struct {
    const char *json;
    const char *words;
} damaged[] = {
    { "{}",                                                      "job_id" },
    { "[]",                                                      "job_id" },
    { "{\"job_id\":7}",                                          "job_id" },
    { "{" FRAME "\"ranks\":[]}",                                 "max_run_s" },
    { "{" FRAME "\"max_run_s\":-1}",                             "max_run_s" },
    { "{" FRAME "\"max_run_s\":9223372036854775807}",            "max_run_s" },
    { "{" FRAME "\"max_run_s\":0}",                              "grace_s" },
    { "{" FRAME "\"max_run_s\":0,\"grace_s\":1}",                "local_processes" },
    { "{" FRAME "\"max_run_s\":0,\"grace_s\":1,\"local_processes\":1}", "storage: addressing" },
    { "{" WHOLE "\"peers\":[1]}",                                "peers" },
    { "{" WHOLE "\"configs\":[{\"name\":\"x\"}]}",               "configs[0]: text" },
    { "{" WHOLE "\"channels\":[{}]}",                            "channels[0]: a name" },
    { "{" WHOLE "\"metrics\":[{\"name\":\"x\"}]}",               "metrics[0]: regex" },
    { "{" WHOLE "\"ranks\":[{}]}",                               "ranks[0]: kind" },
    { "{" WHOLE "\"ranks\":[{\"kind\":\"king\"}]}",              "ranks[0]: kind" },
    { "{" WHOLE "\"ranks\":[{\"kind\":\"program\"}]}",           "ranks[0]: rank" },
    { "{" WHOLE "\"ranks\":[{\"kind\":\"program\",\"rank\":0,\"local_rank\":0,\"argv\":[],\"env\":[]}]}",
      "ranks[0]: argv: is empty" },
    { "{" WHOLE "\"ranks\":[{\"kind\":\"program\",\"rank\":0,\"local_rank\":0,\"argv\":[1],\"env\":[]}]}",
      "ranks[0]: argv" },
};
/* clang-format on */

START_TEST(a_damaged_plan_is_refused_with_the_member)
{
    auto_json struct cJSON *json = NULL;
    struct worker_plan *plan = NULL;
    struct err err;

    ck_assert_int_eq(json_parse(damaged[_i].json, strlen(damaged[_i].json), &json,
                                &err),
                     0);
    ck_assert_int_lt(worker_plan_from_json(json, &plan, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(text_starts_with(err.text, damaged[_i].words), "%s", err.text);
    ck_assert_ptr_null(plan);
}
END_TEST

Suite *suite_worker_plan(void)
{
    Suite *suite = suite_create("worker_plan");
    TCase *tests = tcase_create("worker_plan");

    tcase_add_test(tests, a_plan_comes_back_from_its_json);
    tcase_add_test(tests, a_plan_without_ranks_and_peers_is_one);
    tcase_add_loop_test(tests, a_damaged_plan_is_refused_with_the_member, 0,
                        ARRAY_SIZE(damaged));
    suite_add_tcase(suite, tests);
    return suite;
}
