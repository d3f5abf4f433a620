/* The environment of ranks and the files of input/config, by table. */

#include "src/launch_config.h"
#include "src/text.h"
#include "tests/unit/plans.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define TORCH "\"distribution\": {\"torch_distributed\": {\"enabled\": true"
#define MPI   "\"distribution\": {\"mpi\": {\"enabled\": true"
#define PS    "\"distribution\": {\"parameter_server\": {\"enabled\": true"
#define MWMS  "\"distribution\": {\"multi_worker_mirrored_strategy\": {\"enabled\": true"
#define END   "}}"
#define TWO   ", \"processes_per_host\": 2}}"
#define ML    "/jobs/01JOB-1-1/ml"
#define HOSTS "[\"algo-1\",\"algo-2\"]"
#define GROUP                                                              \
    "{\"hosts\":" HOSTS ",\"instance_group_name\":\"homogeneousCluster\"," \
    "\"instance_type\":\"ml.c5.xlarge\"}"
#define RESOURCES                                                                 \
    "{\"current_group_name\":\"homogeneousCluster\",\"current_host\":\"algo-2\"," \
    "\"current_instance_type\":\"ml.c5.xlarge\",\"hosts\":" HOSTS                 \
    ",\"instance_groups\":[" GROUP "],\"network_interface_name\":\"lo\","         \
    "\"topology\":null}"
#define INPUTS                                                                    \
    "{\"test\":{\"CompressionType\":\"None\",\"RecordWrapperType\":\"None\","     \
    "\"S3DistributionType\":\"FullyReplicated\",\"TrainingInputMode\":\"File\"}," \
    "\"train\":{\"CompressionType\":\"None\",\"ContentType\":\"text/csv\","       \
    "\"RecordWrapperType\":\"None\",\"S3DistributionType\":\"ShardedByS3Key\","   \
    "\"TrainingInputMode\":\"Pipe\"}}"

/* A job with all that the environment tells of. */
static const char full_job[] =
    "\"entry_point\": \"train.py\", \"framework\": \"pytorch\", "
    "\"hyperparameters\": {\"text\": \"\xe2\x82\xac\", \"batch-size\": 256, "
    "\"flag\": true, \"none\": null, \"list\": [1, \"a\"]}, "
    "\"environment\": {\"GLOO_SOCKET_IFNAME\": \"wins\"}, "
    "\"inputs\": {\"train\": {\"uri\": \"s3://bkt/p/\", \"mode\": \"Pipe\", "
    "\"distribution\": \"ShardedByS3Key\", \"content_type\": \"text/csv\"}, "
    "\"test\": {\"uri\": \"file:///data\"}}, "
    "\"checkpoint\": {\"uri\": \"s3://bkt/ckpt\"}";

/* clang-format off */
static const struct {
    const char *name;
    const char *value;
} variables[] = {
    { "PATH",                       "/opt/bin:/usr/bin" },
    { "LANG",                       "de_DE.UTF-8" },
    { "HOME",                       ML },
    { "PYTHONPATH",                 ML "/code:/site" },
    { "PYTHONUNBUFFERED",           "1" },
    { "SM_HOSTS",                   HOSTS },
    { "SM_CURRENT_HOST",            "algo-2" },
    { "CURRENT_HOST",               "algo-2" },
    { "SM_HOST_COUNT",              "2" },
    { "SM_CURRENT_HOST_RANK",       "1" },
    { "SM_MASTER_ADDR",             "127.1.0.1" },
    { "SM_MASTER_PORT",             "20000" },
    { "MASTER_ADDR",                "127.1.0.1" },
    { "MASTER_PORT",                "20000" },
    { "SM_NUM_CPUS",                "4" },
    { "SM_NUM_GPUS",                "0" },
    { "SM_NUM_NEURONS",             "0" },
    { "SM_CURRENT_INSTANCE_TYPE",   "ml.c5.xlarge" },
    { "SM_CURRENT_INSTANCE_GROUP",  "homogeneousCluster" },
    { "SM_CURRENT_INSTANCE_GROUP_HOSTS", HOSTS },
    { "SM_INSTANCE_GROUPS",         "[\"homogeneousCluster\"]" },
    { "SM_INSTANCE_GROUPS_DICT",    "{\"homogeneousCluster\":" GROUP "}" },
    { "SM_DISTRIBUTION_INSTANCE_GROUPS", "[]" },
    { "SM_IS_HETERO",               "false" },
    { "SM_RESOURCE_CONFIG",         RESOURCES },
    { "SM_INPUT_DATA_CONFIG",       INPUTS },
    { "SM_HPS",                     "{\"batch-size\":256,\"flag\":true,\"list\":[1,\"a\"],\"none\":null,\"text\":\"\\u20ac\"}" },
    { "SM_HP_BATCH-SIZE",           "256" },
    { "SM_HP_BATCH_SIZE",           "256" },
    { "SM_HP_FLAG",                 "true" },
    { "SM_HP_NONE",                 "" },
    { "SM_HP_LIST",                 "[1,\"a\"]" },
    { "SM_HP_TEXT",                 "\xe2\x82\xac" },
    { "SM_USER_ARGS",
      "[\"--batch-size\",\"256\",\"--flag\",\"True\",\"--list\",\"[1, 'a']\",\"--none\",\"\",\"--text\",\"\\u20ac\"]" },
    { "SM_INPUT_DIR",               ML "/input" },
    { "SM_INPUT_CONFIG_DIR",        ML "/input/config" },
    { "SM_INPUT_DATA_DIR",          ML "/input/data" },
    { "SM_MODEL_DIR",               ML "/model" },
    { "SM_OUTPUT_DIR",              ML "/output" },
    { "SM_OUTPUT_DATA_DIR",         ML "/output/data" },
    { "SM_OUTPUT_INTERMEDIATE_DIR", ML "/output/intermediate" },
    { "SM_OUTPUT_FAILURE",          ML "/output/failure" },
    { "RAILHEAD_CHECKPOINT_DIR",    ML "/checkpoints" },
    { "SM_MODULE_DIR",              ML "/code" },
    { "SM_SOURCE_DIR",              ML "/code" },
    { "SM_MODULE_NAME",             "train" },
    { "SM_USER_ENTRY_POINT",        "train.py" },
    { "SM_ENTRY_SCRIPT",            "train.py" },
    { "SM_FRAMEWORK_MODULE",        "sagemaker_pytorch_container.training:main" },
    { "SM_FRAMEWORK_PARAMS",        "{}" },
    { "SM_LOG_LEVEL",               "20" },
    { "SM_NETWORK_INTERFACE_NAME",  "lo" },
    { "NCCL_SOCKET_IFNAME",         "lo" },
    { "GLOO_SOCKET_IFNAME",         "wins" },
    { "SM_CHANNELS",                "[\"test\",\"train\"]" },
    { "SM_CHANNEL_TRAIN",           ML "/input/data/train" },
    { "SM_CHANNEL_TEST",            ML "/input/data/test" },
    { "TRAINING_JOB_NAME",          "job" },
    { "SAGEMAKER_JOB_NAME",         "job" },
    { "SAGEMAKER_REGION",           "eu-west-1" },
    { "AWS_REGION",                 "eu-west-1" },
    { "OMP_NUM_THREADS",            "4" },
    { "RAILHEAD_RANK",              "1" },
    { "RAILHEAD_LOCAL_RANK",        "0" },
    { "RAILHEAD_WORLD_SIZE",        "2" },
    { "RAILHEAD_JOB_ID",            "01JOB" },
    { "RAILHEAD_ATTEMPT",           "1" },
    { "RAILHEAD_WORKER",            "1" },
};
/* clang-format on */

static struct worker_plan *full_plan(const struct job_spec *spec)
{
    static char region[] = "eu-west-1";
    const struct storage storage = { .region = region };
    struct launch_input input = plans_input(spec, &plans_c5);

    input.storage = &storage;
    return plans_make(&input, 1);
}

START_TEST(the_environment_is_built_and_each_name_is_there_once)
{
    auto_job_spec struct job_spec *spec = plans_spec(full_job, "ml.c5.xlarge", 2);
    struct worker_plan *plan = full_plan(spec);
    const char *value = plans_env(&plan->ranks[0], variables[_i].name);

    ck_assert_msg(value != NULL, "%s is not set", variables[_i].name);
    ck_assert_str_eq(value, variables[_i].value);
    worker_plan_free(plan);
}
END_TEST

/* The toolkit's own example of this variable, by its members. */
START_TEST(the_training_environment_is_one_json_object)
{
    static const char *const members[] = {
        "additional_framework_parameters",
        "channel_input_dirs",
        "current_host",
        "current_instance_group",
        "current_instance_group_hosts",
        "current_instance_type",
        "distribution_hosts",
        "distribution_instance_groups",
        "framework_module",
        "hosts",
        "hyperparameters",
        "input_config_dir",
        "input_data_config",
        "input_dir",
        "instance_groups",
        "instance_groups_dict",
        "is_hetero",
        "is_master",
        "job_name",
        "log_level",
        "master_hostname",
        "model_dir",
        "module_dir",
        "module_name",
        "network_interface_name",
        "num_cpus",
        "num_gpus",
        "num_neurons",
        "output_data_dir",
        "output_dir",
        "output_intermediate_dir",
        "resource_config",
        "user_entry_point",
    };
    auto_job_spec struct job_spec *spec = plans_spec(full_job, "ml.c5.xlarge", 2);
    struct worker_plan *plan = full_plan(spec);
    const char *text = plans_env(&plan->ranks[0], "SM_TRAINING_ENV");
    auto_json struct cJSON *json = NULL;
    struct err err;

    ck_assert_int_eq(json_parse(text, strlen(text), &json, &err), 0);
    ck_assert_uint_eq(json_count(json), ARRAY_SIZE(members));
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        ck_assert_msg(json_get(json, members[i]) != NULL, "%s is missing", members[i]);
    ck_assert_int_eq(json_get_int(json, "num_cpus", 0), 4);
    ck_assert(!json_get_bool(json, "is_master"));
    ck_assert_str_eq(json_get_text(json, "master_hostname"), "algo-1");
    ck_assert_str_eq(json_get_text(json_get(json, "channel_input_dirs"), "train"),
                     ML "/input/data/train");
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *name;
    const char *text;
} files[] = {
    { "hyperparameters.json",
      "{\"batch-size\":\"256\",\"flag\":\"true\",\"list\":\"[1,\\\"a\\\"]\",\"none\":\"\",\"text\":\"\\u20ac\"}" },
    { "resourceconfig.json",   RESOURCES },
    { "inputdataconfig.json",  INPUTS },
    { "checkpointconfig.json", "{\"LocalPath\":\"" ML "/checkpoints\"}" },
};
/* clang-format on */

START_TEST(the_files_of_input_config_are_as_sagemaker_has_them)
{
    auto_job_spec struct job_spec *spec = plans_spec(full_job, "ml.c5.xlarge", 2);
    struct worker_plan *plan = full_plan(spec);

    ck_assert_uint_eq(plan->config_count, ARRAY_SIZE(files));
    ck_assert_str_eq(plan->configs[_i].name, files[_i].name);
    ck_assert_str_eq(plan->configs[_i].text, files[_i].text);
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *members;
    const struct profile *profile;
    int rank; /* on worker 1 of 2 */
    const char *name;
    const char *value; /* NULL: it must not be there */
} places[] = {
    { TORCH TWO, &plans_c5, 1, "RANK",              "3" },
    { TORCH TWO, &plans_c5, 1, "ROLE_RANK",         "3" },
    { TORCH TWO, &plans_c5, 1, "LOCAL_RANK",        "1" },
    { TORCH TWO, &plans_c5, 1, "NODE_RANK",         "1" },
    { TORCH TWO, &plans_c5, 1, "GROUP_RANK",        "1" },
    { TORCH TWO, &plans_c5, 1, "WORLD_SIZE",        "4" },
    { TORCH TWO, &plans_c5, 1, "ROLE_WORLD_SIZE",   "4" },
    { TORCH TWO, &plans_c5, 1, "LOCAL_WORLD_SIZE",  "2" },
    { TORCH TWO, &plans_c5, 1, "GROUP_WORLD_SIZE",  "2" },
    { TORCH TWO, &plans_c5, 1, "MASTER_PORT",       "20000" },
    { TORCH TWO, &plans_c5, 1, "MASTER_ADDR",       "127.1.0.1" },
    { TORCH TWO, &plans_c5, 1, "TORCHELASTIC_USE_AGENT_STORE", "False" },
    { TORCH TWO, &plans_c5, 1, "SM_FRAMEWORK_PARAMS",
      "{\"sagemaker_instance_type\":\"ml.c5.xlarge\",\"sagemaker_torch_distributed_enabled\":true}" },
    { TORCH TWO, &plans_c5, 1, "SM_CHANNEL_P",      ML "/input/data/rank-1/p" },
    { TORCH TWO, &plans_c5, 1, "SM_CHANNEL_F",      ML "/input/data/f" },
    { TORCH END, &plans_c5, 0, "SM_CHANNEL_P",      ML "/input/data/p" },
    { MPI TWO,   &plans_c5, 0, "SM_CHANNEL_P",      ML "/input/data/p" },
    { MPI TWO,   &plans_c5, 0, "RAILHEAD_PIPES",    "SM_CHANNEL_P" },
    { MPI END,   &plans_c5, 0, "RAILHEAD_PIPES",    NULL },
    { MPI TWO ", \"environment\": {\"SM_CHANNEL_P\": \"/x\"}", &plans_c5, 0, "RAILHEAD_PIPES", NULL },
    { TORCH TWO, &plans_c5, 1, "RAILHEAD_PIPES",    NULL },
    { PS TWO,    &plans_c5, 1, "SM_CHANNEL_P",      ML "/input/data/rank-1/p" },
    { PS TWO,    &plans_c5, 2, "SM_CHANNEL_P",      NULL },
    { PS TWO,    &plans_c5, 2, "SM_CHANNEL_F",      ML "/input/data/f" },
    { "\"base_name\": \"x\"", &plans_c5, 0, "RANK",      NULL },
    { "\"base_name\": \"x\"", &plans_c5, 0, "TF_CONFIG", NULL },
    { "\"base_name\": \"x\", \"framework\": \"plain\"", &plans_c5, 0, "MASTER_ADDR", NULL },
    { MPI TWO,   &plans_c5, 0, "RAILHEAD_RANK",     NULL },
    { MPI TWO,   &plans_c5, 0, "PYTHONUNBUFFERED",  NULL },
    { MPI TWO,   &plans_c5, 0, "SM_CURRENT_HOST",   "algo-2" },
    { MPI TWO,   &plans_c5, 0, "OMPI_MCA_btl",      "tcp,self" },
    { MPI TWO,   &plans_c5, 0, "OMPI_MCA_btl_tcp_if_include", "lo" },
    { MPI TWO,   &plans_c5, 0, "OMPI_MCA_plm_rsh_agent", "/libexec/railhead-rsh" },
    { MPI TWO,   &plans_c5, 0, "OMPI_MCA_orte_leave_session_attached", "1" },
    { MPI TWO ", \"framework\": \"mpi\"", &plans_c5, 0, "NCCL_DEBUG", "INFO" },
    { MPI TWO ", \"environment\": {\"OMPI_MCA_btl\": \"self\"}", &plans_c5, 0, "OMPI_MCA_btl", "self" },
    { MPI ", \"custom_mpi_options\": \"--NCCL_DEBUG WARN\"}}", &plans_c5, 0, "NCCL_DEBUG", "WARN" },
    { MPI TWO,   &plans_c5, 0, "SM_FRAMEWORK_PARAMS",
      "{\"sagemaker_mpi_custom_mpi_options\":\"\",\"sagemaker_mpi_enabled\":true,\"sagemaker_mpi_num_of_processes_per_host\":2}" },
    { PS TWO,    &plans_c5, 0, "TF_CONFIG",
      "{\"cluster\":{\"master\":[\"127.1.0.1:20000\"],\"ps\":[\"127.1.0.1:20004\",\"127.1.0.2:20005\"],"
      "\"worker\":[\"127.1.0.1:20001\",\"127.1.0.2:20002\",\"127.1.0.2:20003\"]},"
      "\"environment\":\"cloud\",\"task\":{\"index\":1,\"type\":\"worker\"}}" },
    { PS END,    &plans_c5, 1, "TF_CONFIG",
      "{\"cluster\":{\"master\":[\"127.1.0.1:20000\"],\"ps\":[\"127.1.0.1:20002\",\"127.1.0.2:20003\"],"
      "\"worker\":[\"127.1.0.2:20001\"]},\"environment\":\"cloud\",\"task\":{\"index\":1,\"type\":\"ps\"}}" },
    { MWMS END,  &plans_c5, 0, "TF_CONFIG",
      "{\"cluster\":{\"worker\":[\"127.1.0.1:20000\",\"127.1.0.2:20001\"]},"
      "\"environment\":\"cloud\",\"task\":{\"index\":1,\"type\":\"worker\"}}" },
    { MWMS END ", \"framework\": \"tensorflow\"", &plans_c5, 0, "SM_FRAMEWORK_MODULE",
      "sagemaker_tensorflow_container.training:main" },
    { PS END,    &plans_c5, 1, "CUDA_VISIBLE_DEVICES", "-1" },
    { PS END,    &plans_c5, 0, "CUDA_VISIBLE_DEVICES", NULL },
    { MWMS TWO,  &plans_p4d, 1, "CUDA_VISIBLE_DEVICES", "4,5,6,7" },
    { MWMS ", \"processes_per_host\": 1}}", &plans_p4d, 0, "CUDA_VISIBLE_DEVICES", NULL },
    { TORCH TWO, &plans_p4d, 1, "CUDA_VISIBLE_DEVICES", NULL },
    { TORCH TWO, &plans_p4d, 1, "FI_PROVIDER",          "efa" },
    { TORCH TWO, &plans_p4d, 1, "FI_EFA_USE_DEVICE_RDMA", "1" },
    { TORCH TWO, &plans_p4d, 1, "NCCL_PROTO",           "simple" },
    { TORCH TWO, &plans_p4d, 1, "FI_EFA_FORK_SAFE",     NULL },
    { TORCH TWO, &plans_c5,  1, "FI_PROVIDER",          NULL },
    { TORCH END, &plans_trn1, 5, "NEURON_RT_VISIBLE_CORES", "5" },
    { TORCH TWO, &plans_trn1, 1, "NEURON_RT_VISIBLE_CORES", "16-31" },
    { TORCH TWO, &plans_trn1, 1, "FI_EFA_FORK_SAFE",        "1" },
    { "\"base_name\": \"x\"", &plans_trn1, 0, "NEURON_RT_VISIBLE_CORES", NULL },
    { MPI TWO,   &plans_trn1, 0, "NEURON_RT_NUM_CORES", "16" },
    { TORCH TWO, &plans_p4d, 1, "SM_NUM_GPUS",     "8" },
    { TORCH TWO, &plans_p4d, 1, "SM_NUM_NEURONS",  "0" },
    { TORCH TWO, &plans_trn1, 1, "SM_NUM_GPUS",    "0" },
    { TORCH TWO, &plans_trn1, 1, "SM_NUM_NEURONS", "32" },
};
/* clang-format on */

START_TEST(a_rank_finds_its_place)
{
    auto_free char *members = xasprintf(
        "\"entry_point\": \"t.py\", \"inputs\": {\"p\": {\"uri\": \"s3://bkt/p/\", "
        "\"mode\": \"Pipe\"}, \"f\": {\"uri\": \"s3://bkt/f/\"}}, %s",
        places[_i].members);
    auto_job_spec struct job_spec *spec =
        plans_spec(members, places[_i].profile->name, 2);
    struct launch_input input = plans_input(spec, places[_i].profile);
    struct worker_plan *plan = plans_make(&input, 1);
    const char *value = plans_env(&plan->ranks[places[_i].rank], places[_i].name);

    if (places[_i].value)
        ck_assert_msg(value && strcmp(value, places[_i].value) == 0, "%s is %s, not %s",
                      places[_i].name, value, places[_i].value);
    else
        ck_assert_msg(!value, "%s is %s", places[_i].name, value);
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    bool isolate;
    bool share_one;
    const char *hostfile;
    const char *btl;
    const char *resolve;
    const char *rsh_hosts;
} mpi_hosts[] = {
    { true,  true,  "algo-1 slots=2\nalgo-2 slots=2\n", "tcp,self", NULL,
      "algo-1 /jobs/01JOB-1-0\n127.1.0.1 /jobs/01JOB-1-0\nalgo-2 /jobs/01JOB-1-1\n127.1.0.2 /jobs/01JOB-1-1\n" },
    { false, true,  "localhost slots=2\nalgo-2 slots=2\n", "tcp,self", "1",
      "algo-1 /jobs/01JOB-1-0\n127.1.0.1 /jobs/01JOB-1-0\nalgo-2 /jobs/01JOB-1-1\n127.1.0.2 /jobs/01JOB-1-1\n" },
    { true,  false, "algo-1 slots=2\nalgo-2 slots=2\n", "^openib", NULL, NULL },
};
/* clang-format on */

static void expect(const struct rank_plan *rank, const char *name, const char *wanted)
{
    const char *value = plans_env(rank, name);

    ck_assert_str_eq(value ? value : "(none)", wanted ? wanted : "(none)");
}

START_TEST(mpirun_finds_the_hosts)
{
    auto_job_spec struct job_spec *spec =
        plans_spec("\"entry_point\": \"t.py\", " MPI TWO, "ml.c5.xlarge", 2);
    struct launch_input input = plans_input(spec, &plans_c5);
    const struct config_file *last;
    struct worker_plan *plan;

    input.isolate = mpi_hosts[_i].isolate;
    input.hosts_share_one = mpi_hosts[_i].share_one;
    plan = plans_make(&input, 0);
    last = &plan->configs[plan->config_count - 1];
    ck_assert_str_eq(last->name, "hostfile");
    ck_assert_str_eq(last->text, mpi_hosts[_i].hostfile);
    expect(&plan->ranks[0], "OMPI_MCA_btl", mpi_hosts[_i].btl);
    expect(&plan->ranks[0], "OMPI_MCA_if_base_do_not_resolve", mpi_hosts[_i].resolve);
    expect(&plan->ranks[0], "RAILHEAD_RSH_HOSTS", mpi_hosts[_i].rsh_hosts);
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
    { &plans_c5,   1, 0,  NULL, "4" },
    { &plans_c5,   2, 0,  NULL, "2" },
    { &plans_c5,   3, 0,  NULL, "1" },
    { &plans_c5,   1, 1,  NULL, "1" },
    { &plans_c5,   1, 64, NULL, "4" },
    { &plans_p4d,  8, 0,  NULL, "12" },
    { &plans_p4d,  8, 2,  NULL, "1" },
    { &plans_trn1, 32, 0, NULL, "4" },
    { &plans_c5,   2, 0,  "7",  "7" },
};
/* clang-format on */

START_TEST(threads_are_a_ranks_share_of_the_cpus)
{
    auto_free char *user = xasprintf(", \"environment\": {\"OMP_NUM_THREADS\": \"%s\"}",
                                     threads[_i].user ? threads[_i].user : "");
    auto_free char *members =
        xasprintf("\"entry_point\": \"t.py\", " TORCH
                  ", \"processes_per_host\": %d}}%s",
                  threads[_i].processes, threads[_i].user ? user : "");
    auto_job_spec struct job_spec *spec =
        plans_spec(members, threads[_i].profile->name, 1);
    struct launch_input input = plans_input(spec, threads[_i].profile);
    struct worker_plan *plan;

    input.host_cpus = threads[_i].host_cpus;
    plan = plans_make(&input, 0);
    expect(&plan->ranks[0], "OMP_NUM_THREADS", threads[_i].threads);
    worker_plan_free(plan);
}
END_TEST

START_TEST(a_stray_process_cannot_hide_its_job)
{
    auto_job_spec struct job_spec *spec = plans_spec(
        "\"command\": [\"x\"], \"environment\": {\"RAILHEAD_JOB_ID\": \"other\"}",
        "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan = plans_make(&input, 0);

    expect(&plan->ranks[0], "RAILHEAD_JOB_ID", "01JOB");
    worker_plan_free(plan);
}
END_TEST

Suite *suite_launch_env(void)
{
    Suite *suite = suite_create("launch_env");
    TCase *tests = tcase_create("launch_env");

    tcase_add_loop_test(tests, the_environment_is_built_and_each_name_is_there_once, 0,
                        ARRAY_SIZE(variables));
    tcase_add_test(tests, the_training_environment_is_one_json_object);
    tcase_add_loop_test(tests, the_files_of_input_config_are_as_sagemaker_has_them, 0,
                        ARRAY_SIZE(files));
    tcase_add_loop_test(tests, a_rank_finds_its_place, 0, ARRAY_SIZE(places));
    tcase_add_loop_test(tests, mpirun_finds_the_hosts, 0, ARRAY_SIZE(mpi_hosts));
    tcase_add_loop_test(tests, threads_are_a_ranks_share_of_the_cpus, 0,
                        ARRAY_SIZE(threads));
    tcase_add_test(tests, a_stray_process_cannot_hide_its_job);
    suite_add_tcase(suite, tests);
    return suite;
}
