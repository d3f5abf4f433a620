/* Plans by table: who runs what, under which names; and as JSON there and back. */

#include "src/launch_plan.h"
#include "src/text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct launch_host hosts[] = { { "algo-1", "127.1.0.1" },
                                            { "algo-2", "127.1.0.2" },
                                            { "algo-3", "127.1.0.3" } };

static char kind_none[] = "none";
static char kind_gpu[] = "gpu";
static char kind_neuron[] = "neuroncore";
static char name_c5[] = "ml.c5.xlarge";
static char name_p4d[] = "ml.p4d.24xlarge";
static char name_trn1[] = "ml.trn1.32xlarge";

static const struct profile c5 = { .name = name_c5,
                                   .vcpus = 4,
                                   .accelerator_kind = kind_none };
static const struct profile p4d = { .name = name_p4d,
                                    .vcpus = 96,
                                    .accelerator_kind = kind_gpu,
                                    .accelerator_count = 8 };
static const struct profile trn1 = { .name = name_trn1,
                                     .vcpus = 128,
                                     .accelerator_kind = kind_neuron,
                                     .accelerator_count = 16,
                                     .neuron_cores = 32 };

static const char *const base_env[] = { "PATH=/opt/bin:/usr/bin", "LANG=de_DE.UTF-8",
                                        "PYTHONPATH=/site", NULL };

static struct job_spec *spec_of(const char *members, const char *type, int count)
{
    auto_free char *text =
        xasprintf("{\"name\": \"job\", \"instance_type\": \"%s\", "
                  "\"instance_count\": %d, \"source_dir\": \"src\", %s}",
                  type, count, members);
    auto_json struct cJSON *json = NULL;
    auto_problems struct problems problems = { 0 };
    struct job_spec *spec;
    struct err err;

    ck_assert_msg(json_parse(text, strlen(text), &json, &err) == 0, "%s: %s", text,
                  err.text);
    spec = job_spec_parse(json, &problems);
    ck_assert_msg(spec != NULL, "%s: %s", problems.count ? problems.items[0].path : "",
                  problems.count ? problems.items[0].message : "");
    return spec;
}

static struct launch_input input_of(const struct job_spec *spec,
                                    const struct profile *profile)
{
    return (struct launch_input){ .spec = spec,
                                  .profile = profile,
                                  .job_id = "01JOB",
                                  .attempt = 1,
                                  .hosts = hosts,
                                  .port = 29512,
                                  .job_folder = "/jobs/01JOB",
                                  .source_archive =
                                      spec->source_dir ? "/sources/s.tar.gz" : NULL,
                                  .python = "/usr/bin/python3",
                                  .base_env = base_env };
}

static struct worker_plan *make(const struct launch_input *input, int worker)
{
    struct worker_plan *plan;
    struct err err;

    ck_assert_msg(launch_plan_make(input, worker, &plan, &err) == 0, "%s", err.text);
    return plan;
}

/* The value of a variable; fails the test when its name is there twice. */
static const char *env_of(const struct rank_plan *rank, const char *name)
{
    size_t len = strlen(name);
    const char *value = NULL;

    for (char **item = rank->env; *item; item++) {
        if (strncmp(*item, name, len) != 0 || (*item)[len] != '=')
            continue;
        ck_assert_msg(!value, "%s is there twice", name);
        value = *item + len + 1;
    }
    return value;
}

static void expect_int(const struct rank_plan *rank, const char *name, int wanted)
{
    const char *value = env_of(rank, name);

    ck_assert_msg(value != NULL, "%s is not set", name);
    ck_assert_int_eq(strtol(value, NULL, 10), wanted);
}

/* Arguments in brackets: [a][b c]. */
static char *shown(char *const *argv)
{
    auto_text struct text out = { 0 };

    for (; *argv; argv++)
        text_printf(&out, "[%s]", *argv);
    return text_steal(&out);
}

/* clang-format off */
static const struct {
    const char *distribution;
    const struct profile *profile;
    int hosts;
    int processes; /* a host */
} shapes[] = {
    { "\"base_name\": \"x\"",                                                            &c5,   1, 1 },
    { "\"base_name\": \"x\"",                                                            &c5,   2, 1 },
    { "\"base_name\": \"x\"",                                                            &c5,   3, 1 },
    { "\"base_name\": \"x\"",                                                            &p4d,  2, 1 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true}}",                  &c5,   1, 1 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true}}",                  &c5,   3, 1 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true}}",                  &p4d,  2, 8 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true}}",                  &trn1, 2, 32 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": 1}}", &c5, 2, 1 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": 2}}", &c5, 1, 2 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": 2}}", &c5, 2, 2 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": 2}}", &c5, 3, 2 },
    { "\"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": 4}}", &trn1, 2, 4 },
};
/* clang-format on */

static struct job_spec *shape_spec(int i)
{
    auto_free char *members =
        xasprintf("\"entry_point\": \"train.py\", %s", shapes[i].distribution);

    return spec_of(members, shapes[i].profile->name, shapes[i].hosts);
}

START_TEST(every_rank_is_planned_once)
{
    auto_job_spec struct job_spec *spec = shape_spec(_i);
    struct launch_input input = input_of(spec, shapes[_i].profile);
    int world = shapes[_i].hosts * shapes[_i].processes;
    int next = 0;

    ck_assert_int_eq(launch_world_size(spec, shapes[_i].profile), world);
    for (int worker = 0; worker < shapes[_i].hosts; worker++) {
        struct worker_plan *plan = make(&input, worker);

        ck_assert_int_eq(plan->worker, worker);
        ck_assert_int_eq(plan->world_size, world);
        ck_assert_uint_eq(plan->rank_count, (size_t)shapes[_i].processes);
        for (int i = 0; i < shapes[_i].processes; i++) {
            ck_assert_int_eq(plan->ranks[i].rank, next++);
            ck_assert_int_eq(plan->ranks[i].local_rank, i);
        }
        worker_plan_free(plan);
    }
    ck_assert_int_eq(next, world);
}
END_TEST

START_TEST(torch_finds_its_place_in_the_environment)
{
    auto_job_spec struct job_spec *spec = shape_spec(_i);
    struct launch_input input = input_of(spec, shapes[_i].profile);
    int count = shapes[_i].hosts;
    int processes = shapes[_i].processes;
    struct worker_plan *plan = make(&input, count - 1);
    const struct rank_plan *rank = &plan->ranks[processes - 1];

    if (spec->distribution == DISTRIBUTION_NONE) {
        ck_assert_ptr_null(env_of(rank, "RANK"));
        ck_assert_ptr_null(env_of(rank, "MASTER_ADDR"));
    } else {
        expect_int(rank, "RANK", count * processes - 1);
        expect_int(rank, "ROLE_RANK", count * processes - 1);
        expect_int(rank, "LOCAL_RANK", processes - 1);
        expect_int(rank, "NODE_RANK", count - 1);
        expect_int(rank, "GROUP_RANK", count - 1);
        expect_int(rank, "WORLD_SIZE", count * processes);
        expect_int(rank, "ROLE_WORLD_SIZE", count * processes);
        expect_int(rank, "LOCAL_WORLD_SIZE", processes);
        expect_int(rank, "GROUP_WORLD_SIZE", count);
        expect_int(rank, "MASTER_PORT", 29512);
        ck_assert_str_eq(env_of(rank, "MASTER_ADDR"), "127.1.0.1");
        ck_assert_str_eq(env_of(rank, "TORCHELASTIC_USE_AGENT_STORE"), "False");
    }
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *members;
    const char *argv;
} commands[] = {
    { "\"entry_point\": \"train.py\"", "[/usr/bin/python3][train.py]" },
    { "\"entry_point\": \"train.py\", \"python\": \"/opt/py\"", "[/opt/py][train.py]" },
    { "\"entry_point\": \"run.sh\", \"hyperparameters\": {\"a\": 1}", "[/bin/sh][run.sh][-a][1]" },
    { "\"entry_point\": \"t.py\", \"hyperparameters\": {\"lr\": 0.001, \"epochs\": 1, \"bf16\": true, \"x\": null}",
      "[/usr/bin/python3][t.py][--bf16][True][--epochs][1][--lr][0.001][-x][]" },
    { "\"entry_point\": \"t.py\", \"hyperparameters\": {\"text\": \"a b; $HOME ${VAR} `id` \\\"q\\\" 'r' \\n*\"}",
      "[/usr/bin/python3][t.py][--text][a b; $HOME ${VAR} `id` \"q\" 'r' \n*]" },
    { "\"entry_point\": \"t.py\", \"hyperparameters\": {\"\xc3\xbc\": \"\xe2\x82\xac\", \"list\": [1, \"a\"], \"map\": {\"k\": 1, \"b\": true}}",
      "[/usr/bin/python3][t.py][--list][[1, 'a']][--map][b=True,k=1][--\xc3\xbc][\xe2\x82\xac]" },
    { "\"entry_point\": \"t.py\", \"hyperparameters\": {\"big\": 9007199254740993}",
      "[/usr/bin/python3][t.py][--big][9007199254740993]" },
    { "\"command\": [\"/bin/echo\", \"a b\", \"\", \"${X}\"], \"hyperparameters\": {\"a\": 1}",
      "[/bin/echo][a b][][${X}]" },
    { "\"entry_point\": \"t.py\", \"hyperparameters\": {\"a\": 1}, \"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": 2, \"launcher\": \"torchrun\"}}",
      "[/usr/bin/python3][-m][torch.distributed.run][--nnodes=2][--nproc_per_node=2][--node_rank=1]"
      "[--master_addr=127.1.0.1][--master_port=29512][--rdzv_id=01JOB][t.py][-a][1]" },
};
/* clang-format on */

START_TEST(arguments_arrive_byte_for_byte)
{
    auto_job_spec struct job_spec *spec = spec_of(commands[_i].members, name_c5, 2);
    struct launch_input input = input_of(spec, &c5);
    struct worker_plan *plan = make(&input, 1);
    auto_free char *argv = shown(plan->ranks[0].argv);

    ck_assert_str_eq(argv, commands[_i].argv);
    worker_plan_free(plan);
}
END_TEST

START_TEST(a_torchrun_job_has_one_log_a_worker)
{
    auto_job_spec struct job_spec *spec = spec_of(commands[8].members, name_c5, 2);
    struct launch_input input = input_of(spec, &c5);
    struct worker_plan *plan;

    input.torchrun_wrapper = "/lib/railhead-torchrun.py";
    plan = make(&input, 1);
    ck_assert_uint_eq(plan->rank_count, 1);
    ck_assert_int_eq(plan->ranks[0].rank, 1);
    ck_assert_int_eq(plan->world_size, 2);
    ck_assert_int_eq(launch_world_size(spec, &c5), 4);
    ck_assert_str_eq(plan->ranks[0].argv[1], "/lib/railhead-torchrun.py");
    ck_assert_str_eq(plan->ranks[0].argv[2], "--nnodes=2");
    ck_assert_ptr_null(env_of(&plan->ranks[0], "RANK"));
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *name;
    const char *value;
} variables[] = {
    { "PATH",                     "/opt/bin:/usr/bin" },
    { "LANG",                     "de_DE.UTF-8" },
    { "HOME",                     "/jobs/01JOB-1-1/code" },
    { "PYTHONPATH",               "/jobs/01JOB-1-1/code:/site" },
    { "PYTHONUNBUFFERED",         "1" },
    { "SM_HOSTS",                 "[\"algo-1\",\"algo-2\"]" },
    { "SM_CURRENT_HOST",          "algo-2" },
    { "CURRENT_HOST",             "algo-2" },
    { "SM_NUM_CPUS",              "4" },
    { "SM_NUM_GPUS",              "0" },
    { "SM_NUM_NEURONS",           "0" },
    { "SM_CURRENT_INSTANCE_TYPE", "ml.c5.xlarge" },
    { "SM_HPS",                   "{\"batch-size\":256,\"flag\":true,\"none\":null,\"text\":\"\\u20ac\"}" },
    { "SM_HP_BATCH-SIZE",         "256" },
    { "SM_HP_FLAG",               "true" },
    { "SM_HP_NONE",               "" },
    { "SM_HP_TEXT",               "\xe2\x82\xac" },
    { "SM_USER_ARGS",
      "[\"--batch-size\",\"256\",\"--flag\",\"True\",\"--none\",\"\",\"--text\",\"\\u20ac\"]" },
    { "SM_MODEL_DIR",             "/jobs/01JOB-1-1/model" },
    { "SM_OUTPUT_DIR",            "/jobs/01JOB-1-1/output" },
    { "SM_OUTPUT_DATA_DIR",       "/jobs/01JOB-1-1/output/data" },
    { "SM_MODULE_DIR",            "/jobs/01JOB-1-1/code" },
    { "SM_MODULE_NAME",           "train" },
    { "SM_USER_ENTRY_POINT",      "train.py" },
    { "SM_NETWORK_INTERFACE_NAME", "lo" },
    { "NCCL_SOCKET_IFNAME",       "lo" },
    { "GLOO_SOCKET_IFNAME",       "wins" },
    { "SM_CHANNELS",              "[]" },
    { "TRAINING_JOB_NAME",        "job" },
    { "OMP_NUM_THREADS",          "4" },
    { "RAILHEAD_JOB_ID",          "01JOB" },
    { "RAILHEAD_ATTEMPT",         "1" },
    { "RAILHEAD_WORKER",          "1" },
};
/* clang-format on */

START_TEST(the_environment_is_built_and_each_name_is_there_once)
{
    auto_job_spec struct job_spec *spec = spec_of(
        "\"entry_point\": \"train.py\", \"hyperparameters\": {\"text\": \"\xe2\x82\xac\", "
        "\"batch-size\": 256, \"flag\": true, \"none\": null}, "
        "\"environment\": {\"GLOO_SOCKET_IFNAME\": \"wins\"}",
        name_c5, 2);
    struct launch_input input = input_of(spec, &c5);
    struct worker_plan *plan;
    const char *value;

    input.network_interface = "lo";
    plan = make(&input, 1);
    value = env_of(&plan->ranks[0], variables[_i].name);
    ck_assert_msg(value != NULL, "%s is not set", variables[_i].name);
    ck_assert_str_eq(value, variables[_i].value);
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const struct profile *profile;
    int processes;
    int host_cpus;
    const char *user; /* OMP_NUM_THREADS of the spec */
    const char *threads;
} threads[] = {
    { &c5,   1, 0,  NULL, "4" },
    { &c5,   2, 0,  NULL, "2" },
    { &c5,   3, 0,  NULL, "1" },
    { &c5,   1, 1,  NULL, "1" },
    { &c5,   1, 64, NULL, "4" },
    { &p4d,  8, 0,  NULL, "12" },
    { &p4d,  8, 2,  NULL, "1" },
    { &trn1, 32, 0, NULL, "4" },
    { &c5,   2, 0,  "7",  "7" },
};
/* clang-format on */

START_TEST(threads_are_a_ranks_share_of_the_cpus)
{
    auto_free char *user = xasprintf(", \"environment\": {\"OMP_NUM_THREADS\": \"%s\"}",
                                     threads[_i].user ? threads[_i].user : "");
    auto_free char *members = xasprintf(
        "\"entry_point\": \"t.py\", \"distribution\": {\"torch_distributed\": "
        "{\"enabled\": true, \"processes_per_host\": %d}}%s",
        threads[_i].processes, threads[_i].user ? user : "");
    auto_job_spec struct job_spec *spec =
        spec_of(members, threads[_i].profile->name, 1);
    struct launch_input input = input_of(spec, threads[_i].profile);
    struct worker_plan *plan;

    input.host_cpus = threads[_i].host_cpus;
    plan = make(&input, 0);
    ck_assert_str_eq(env_of(&plan->ranks[0], "OMP_NUM_THREADS"), threads[_i].threads);
    worker_plan_free(plan);
}
END_TEST

START_TEST(a_stray_process_cannot_hide_its_job)
{
    auto_job_spec struct job_spec *spec = spec_of(
        "\"command\": [\"x\"], \"environment\": {\"RAILHEAD_JOB_ID\": \"other\"}",
        name_c5, 1);
    struct launch_input input = input_of(spec, &c5);
    struct worker_plan *plan = make(&input, 0);

    ck_assert_str_eq(env_of(&plan->ranks[0], "RAILHEAD_JOB_ID"), "01JOB");
    worker_plan_free(plan);
}
END_TEST

START_TEST(without_a_source_a_rank_works_in_its_output_folder)
{
    auto_job_spec struct job_spec *spec = spec_of("\"command\": [\"x\"]", name_c5, 1);
    struct launch_input input = input_of(spec, &c5);
    struct worker_plan *plan;

    input.source_archive = NULL;
    plan = make(&input, 0);
    ck_assert_str_eq(plan->work_folder, "/jobs/01JOB-1-0/ml/output/data");
    worker_plan_free(plan);
}
END_TEST

START_TEST(accelerators_are_told_by_their_kind)
{
    auto_job_spec struct job_spec *gpus = spec_of("\"command\": [\"x\"]", name_p4d, 1);
    auto_job_spec struct job_spec *cores =
        spec_of("\"command\": [\"x\"]", name_trn1, 1);
    struct launch_input input = input_of(gpus, &p4d);
    struct worker_plan *plan = make(&input, 0);

    expect_int(&plan->ranks[0], "SM_NUM_GPUS", 8);
    expect_int(&plan->ranks[0], "SM_NUM_NEURONS", 0);
    worker_plan_free(plan);
    input = input_of(cores, &trn1);
    plan = make(&input, 0);
    expect_int(&plan->ranks[0], "SM_NUM_GPUS", 0);
    expect_int(&plan->ranks[0], "SM_NUM_NEURONS", 32);
    worker_plan_free(plan);
}
END_TEST

START_TEST(a_profile_of_another_type_is_refused)
{
    auto_job_spec struct job_spec *spec = spec_of("\"command\": [\"x\"]", name_c5, 1);
    struct launch_input input = input_of(spec, &p4d);
    struct worker_plan *plan = NULL;
    struct err err;

    ck_assert_int_lt(launch_plan_make(&input, 0, &plan, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.text,
                     "instance_type is ml.c5.xlarge, the profile is ml.p4d.24xlarge's");
    ck_assert_ptr_null(plan);
}
END_TEST

START_TEST(a_plan_comes_back_from_its_file)
{
    auto_job_spec struct job_spec *spec = spec_of(
        "\"entry_point\": \"t.py\", \"hyperparameters\": {\"t\": \"a\\nb \xe2\x82\xac\"}, "
        "\"metric_definitions\": [{\"name\": \"loss\", \"regex\": \"loss=(\\\\S+)\"}], "
        "\"distribution\": {\"torch_distributed\": {\"enabled\": true, "
        "\"processes_per_host\": 2}}",
        name_c5, 2);
    struct launch_input input = input_of(spec, &c5);
    struct worker_plan *plan;
    struct worker_plan *back;
    auto_json struct cJSON *json = NULL;
    auto_json struct cJSON *again = NULL;
    auto_json struct cJSON *parsed = NULL;
    auto_free char *text = NULL;
    auto_free char *text_again = NULL;
    struct err err;

    input.source_archive = "/sources/a.tar.gz";
    plan = make(&input, 1);
    plan->cgroup = xstrdup("/sys/fs/cgroup/x");
    json = worker_plan_to_json(plan);
    text = json_print(json);
    ck_assert_int_eq(json_parse(text, strlen(text), &parsed, &err), 0);
    ck_assert_msg(worker_plan_from_json(parsed, &back, &err) == 0, "%s", err.text);
    again = worker_plan_to_json(back);
    text_again = json_print(again);
    ck_assert_str_eq(text, text_again);
    ck_assert_str_eq(back->metrics[0].regex, "loss=(\\S+)");
    ck_assert_str_eq(back->source_archive, "/sources/a.tar.gz");
    ck_assert_int_eq(back->grace_s, spec->grace_s);
    worker_plan_free(plan);
    worker_plan_free(back);
}
END_TEST

#define FRAME                                                                          \
    "\"job_id\":\"J\",\"job_name\":\"n\",\"attempt\":1,\"worker\":0,\"world_size\":1," \
    "\"worker_count\":2,\"host_name\":\"algo-1\",\"ml_folder\":\"/m\",\"work_folder\":\"/c\",\"checkpoint_path\":\"/k\","  \
    "\"grace_s\":1,"

/* clang-format off */
static const struct {
    const char *json;
    const char *words;
} damaged[] = {
    { "{}",                                                               "job_id" },
    { "[]",                                                               "job_id" },
    { "{\"job_id\":7}",                                                   "job_id" },
    { "{" FRAME "\"ranks\":[]}",                                          "max_run_s" },
    { "{" FRAME "\"max_run_s\":-1}",                                      "max_run_s" },
    { "{" FRAME "\"max_run_s\":9223372036854775807}",                     "max_run_s" },
    { "{" FRAME "\"max_run_s\":0}",                                       "ranks" },
    { "{" FRAME "\"max_run_s\":0,\"ranks\":[]}",                          "ranks" },
    { "{" FRAME "\"max_run_s\":0,\"ranks\":[{}]}",                        "ranks[0]: rank" },
    { "{" FRAME "\"max_run_s\":0,\"ranks\":[{\"rank\":0,\"local_rank\":0,\"argv\":[],\"env\":[]}]}",
      "ranks[0]: argv: is empty" },
    { "{" FRAME "\"max_run_s\":0,\"ranks\":[{\"rank\":0,\"local_rank\":0,\"argv\":[1],\"env\":[]}]}",
      "ranks[0]: argv" },
    { "{" FRAME "\"max_run_s\":0,\"metrics\":[{\"name\":\"x\"}]}",        "metrics[0]: regex" },
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

Suite *suite_launch_plan(void)
{
    Suite *suite = suite_create("launch_plan");
    TCase *tests = tcase_create("launch_plan");

    tcase_add_loop_test(tests, every_rank_is_planned_once, 0, ARRAY_SIZE(shapes));
    tcase_add_loop_test(tests, torch_finds_its_place_in_the_environment, 0,
                        ARRAY_SIZE(shapes));
    tcase_add_loop_test(tests, arguments_arrive_byte_for_byte, 0, ARRAY_SIZE(commands));
    tcase_add_test(tests, a_torchrun_job_has_one_log_a_worker);
    tcase_add_loop_test(tests, the_environment_is_built_and_each_name_is_there_once, 0,
                        ARRAY_SIZE(variables));
    tcase_add_loop_test(tests, threads_are_a_ranks_share_of_the_cpus, 0,
                        ARRAY_SIZE(threads));
    tcase_add_test(tests, a_stray_process_cannot_hide_its_job);
    tcase_add_test(tests, without_a_source_a_rank_works_in_its_output_folder);
    tcase_add_test(tests, accelerators_are_told_by_their_kind);
    tcase_add_test(tests, a_profile_of_another_type_is_refused);
    tcase_add_test(tests, a_plan_comes_back_from_its_file);
    tcase_add_loop_test(tests, a_damaged_plan_is_refused_with_the_member, 0,
                        ARRAY_SIZE(damaged));
    suite_add_tcase(suite, tests);
    return suite;
}
