/* Plans by table: who runs what, as which rank, with which arguments and ports. */

#include "src/text.h"
#include "tests/unit/plans.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "\"entry_point\": \"t.py\", "
#define TORCH   "\"distribution\": {\"torch_distributed\": {\"enabled\": true"
#define RUN     TORCH ", \"launcher\": \"torchrun\""
#define MPI     "\"distribution\": {\"mpi\": {\"enabled\": true"
#define PS      "\"distribution\": {\"parameter_server\": {\"enabled\": true"
#define MWMS    "\"distribution\": {\"multi_worker_mirrored_strategy\": {\"enabled\": true"
#define END     "}}"
#define TWO     ", \"processes_per_host\": 2}}"

/* clang-format off */
static const struct {
    const char *distribution;
    const struct profile *profile;
    int hosts;
    int processes; /* of the user's, on a host */
    int servers;   /* on a host */
    bool launched; /* by one process on a host */
    int ports;
} shapes[] = {
    { "\"base_name\": \"x\"", &plans_c5,   1, 1,  0, false, 1 },
    { "\"base_name\": \"x\"", &plans_c5,   3, 1,  0, false, 1 },
    { "\"base_name\": \"x\"", &plans_p4d,  2, 1,  0, false, 1 },
    { "\"base_name\": \"x\"", &plans_trn1, 2, 1,  0, false, 1 },
    { TORCH END,              &plans_c5,   1, 1,  0, false, 1 },
    { TORCH END,              &plans_c5,   3, 1,  0, false, 1 },
    { TORCH END,              &plans_p4d,  2, 8,  0, false, 1 },
    { TORCH END,              &plans_trn1, 2, 32, 0, false, 1 },
    { TORCH TWO,              &plans_c5,   1, 2,  0, false, 1 },
    { TORCH TWO,              &plans_c5,   2, 2,  0, false, 1 },
    { TORCH TWO,              &plans_trn1, 3, 2,  0, false, 1 },
    { RUN END,                &plans_c5,   3, 1,  0, true,  1 },
    { RUN TWO,                &plans_c5,   2, 2,  0, true,  1 },
    { MPI END,                &plans_c5,   1, 1,  0, true,  1 },
    { MPI END,                &plans_p4d,  3, 8,  0, true,  1 },
    { MPI TWO,                &plans_c5,   2, 2,  0, true,  1 },
    { PS END,                 &plans_c5,   1, 1,  1, false, 2 },
    { PS END,                 &plans_c5,   3, 1,  1, false, 6 },
    { PS TWO,                 &plans_c5,   2, 2,  1, false, 6 },
    { PS END,                 &plans_p4d,  2, 8,  1, false, 18 },
    { MWMS END,               &plans_c5,   1, 1,  0, false, 1 },
    { MWMS END,               &plans_c5,   3, 1,  0, false, 3 },
    { MWMS TWO,               &plans_c5,   2, 2,  0, false, 4 },
};
/* clang-format on */

static struct job_spec *shape_spec(int i)
{
    auto_free char *members = xasprintf(PROGRAM "%s", shapes[i].distribution);

    return plans_spec(members, shapes[i].profile->name, shapes[i].hosts);
}

/* Which logs there are, and in whose folder, is as the plans have it. */
START_TEST(every_rank_is_planned_once)
{
    auto_job_spec struct job_spec *spec = shape_spec(_i);
    const struct profile *profile = shapes[_i].profile;
    struct launch_input input = plans_input(spec, profile);
    int local = shapes[_i].launched ? 1 : shapes[_i].processes + shapes[_i].servers;
    int logs = local * shapes[_i].hosts;
    auto_free int *seen = xcalloc((size_t)logs, sizeof *seen);

    ck_assert_int_eq(launch_processes_per_host(spec, profile), shapes[_i].processes);
    ck_assert_int_eq(launch_world_size(spec, profile),
                     shapes[_i].hosts * (shapes[_i].processes + shapes[_i].servers));
    ck_assert_int_eq(launch_port_count(spec, profile), shapes[_i].ports);
    ck_assert_int_eq(launch_log_count(spec, profile), logs);
    for (int worker = 0; worker < shapes[_i].hosts; worker++) {
        struct worker_plan *plan = plans_make(&input, worker);

        ck_assert_int_eq(plan->world_size, logs);
        ck_assert_int_eq(plan->local_processes, shapes[_i].processes);
        ck_assert_uint_eq(plan->rank_count, (size_t)local);
        for (int i = 0; i < local; i++) {
            int rank = plan->ranks[i].rank;

            ck_assert(rank >= 0 && rank < logs);
            ck_assert_int_eq(seen[rank]++, 0);
            ck_assert_int_eq(launch_log_worker(spec, profile, rank), worker);
            ck_assert_int_eq(plan->ranks[i].local_rank, i);
        }
        worker_plan_free(plan);
    }
}
END_TEST

START_TEST(programs_come_before_servers)
{
    auto_job_spec struct job_spec *spec = plans_spec(PROGRAM PS TWO, "ml.c5.xlarge", 2);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan = plans_make(&input, 1);

    ck_assert_int_eq(plan->ranks[0].kind, RANK_PROGRAM);
    ck_assert_int_eq(plan->ranks[0].rank, 2);
    ck_assert_int_eq(plan->ranks[1].rank, 3);
    ck_assert_int_eq(plan->ranks[2].kind, RANK_SERVER);
    ck_assert_int_eq(plan->ranks[2].rank, 5);
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *members;
    const char *argv; /* of worker 1 of 2 */
} commands[] = {
    { "\"entry_point\": \"train.py\"", "[/usr/bin/python3][train.py]" },
    { "\"entry_point\": \"train.py\", \"python\": \"/opt/py\"", "[/opt/py][train.py]" },
    { "\"entry_point\": \"run.sh\", \"hyperparameters\": {\"a\": 1}", "[/bin/sh][run.sh][-a][1]" },
    { "\"command\": [\"/bin/echo\", \"a b\", \"\", \"${X}\"], \"hyperparameters\": {\"a\": 1}",
      "[/bin/echo][a b][][${X}]" },
    { PROGRAM "\"hyperparameters\": {\"a\": \"$1 $$\"}, " RUN TWO,
      "[/usr/bin/python3][-m][torch.distributed.run][--nnodes=2][--nproc_per_node=2][--node_rank=1]"
      "[--master_addr=127.1.0.1][--master_port=20000][--rdzv_id=01JOB][--monitor_interval=0.5][--][t.py][-a][$$1 $$$$]" },
    { PROGRAM MPI TWO, "" },
};
/* clang-format on */

START_TEST(a_rank_has_its_command_line)
{
    auto_job_spec struct job_spec *spec =
        plans_spec(commands[_i].members, "ml.c5.xlarge", 2);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan = plans_make(&input, 1);
    auto_free char *argv = plans_shown(plan->ranks[0].argv);

    ck_assert_str_eq(argv, commands[_i].argv);
    worker_plan_free(plan);
}
END_TEST

#define SWITCHES "[--allow-run-as-root][--tag-output][-bind-to][none][-map-by][slot]"

/* clang-format off */
static const struct {
    const char *members;
    const char *argv; /* behind the switches */
} mpi_commands[] = {
    { PROGRAM MPI TWO, "[/usr/bin/python3][-m][mpi4py][t.py]" },
    { PROGRAM "\"hyperparameters\": {\"a\": \"$1\"}, " MPI TWO, "[/usr/bin/python3][-m][mpi4py][t.py][-a][$1]" },
    { "\"entry_point\": \"run.sh\", " MPI TWO, "[/bin/sh][run.sh]" },
    { "\"command\": [\"./a.out\", \"x y\"], " MPI TWO, "[./a.out][x y]" },
    { "\"command\": [\"./a.out\", \":\", \"it's\"], " MPI TWO, "[/bin/sh][-c][exec './a.out' ':' 'it'\\''s']" },
    { PROGRAM MPI ", \"processes_per_host\": 2, \"custom_mpi_options\": \"-verbose -x A='b c' --NCCL_DEBUG WARN -x D\"}}",
      "[-verbose][-x][A=b c][-x][D][/usr/bin/python3][-m][mpi4py][t.py]" },
};
/* clang-format on */

START_TEST(mpirun_is_given_hosts_switches_options_and_program)
{
    auto_job_spec struct job_spec *spec =
        plans_spec(mpi_commands[_i].members, "ml.c5.xlarge", 2);
    struct launch_input input = plans_input(spec, &plans_c5);
    auto_free char *wanted = NULL;
    auto_free char *argv = NULL;
    struct worker_plan *plan;

    input.mpirun = _i % 2 ? "/opt/mpi/bin/mpirun" : NULL;
    plan = plans_make(&input, 0);
    argv = plans_shown(plan->ranks[0].argv);
    wanted = xasprintf(
        "[%s][--hostfile][/jobs/01JOB-1-0/ml/input/config/hostfile][-np][4]" SWITCHES
        "%s",
        input.mpirun ? input.mpirun : "mpirun", mpi_commands[_i].argv);
    ck_assert_int_eq(plan->ranks[0].kind, RANK_LAUNCHER);
    ck_assert_str_eq(argv, wanted);
    worker_plan_free(plan);
    plan = plans_make(&input, 1);
    ck_assert_int_eq(plan->ranks[0].kind, RANK_REMOTE);
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *options;
    const char *words;
} wrong_options[] = {
    { "-x 'A",         "custom_mpi_options: " },
    { "-x A; rm -r /", "custom_mpi_options: " },
    { "-x A=$HOME",    "custom_mpi_options: " },
};
/* clang-format on */

/* job_spec_parse refuses them, too: a plan never rests on that. */
START_TEST(options_that_only_a_shell_could_read_are_refused)
{
    auto_job_spec struct job_spec *spec =
        plans_spec(PROGRAM MPI TWO, "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan = NULL;
    struct err err;

    spec->custom_mpi_options = xstrdup(wrong_options[_i].options);
    ck_assert_int_lt(launch_plan_make(&input, 0, &plan, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(text_starts_with(err.text, wrong_options[_i].words), "%s", err.text);
    ck_assert_ptr_null(plan);
}
END_TEST

/* clang-format off */
static const struct {
    const char *json;
    const char *argv;
} arguments[] = {
    { "{\"lr\": 0.001, \"epochs\": 1, \"bf16\": true, \"x\": null}", "[--bf16][True][--epochs][1][--lr][0.001][-x][]" },
    { "{\"text\": \"a b; $HOME ${VAR} `id` \\\"q\\\" 'r' \\n*\"}",   "[--text][a b; $HOME ${VAR} `id` \"q\" 'r' \n*]" },
    { "{\"\xc3\xbc\": \"\xe2\x82\xac\"}",                            "[--\xc3\xbc][\xe2\x82\xac]" },
    { "{\"list\": [1, \"a\", null, false], \"empty\": []}",          "[--empty][[]][--list][[1, 'a', None, False]]" },
    { "{\"map\": {\"k\": 1, \"b\": true, \"n\": null}}",             "[--map][b=True,k=1,n=None]" },
    { "{\"map\": {\"k\": {\"deep\": [1]}}}",                         "[--map][k={'deep': [1]}]" },
    { "{\"big\": 9007199254740993, \"small\": 1e-5}",                "[--big][9007199254740993][--small][1e-5]" },
    { "{\"dash\": \"-x\", \"minus\": -1, \"two\": \"--\"}",          "[--dash][-x][--minus][-1][--two][--]" },
    { "{\"empty\": \"\", \"blank\": \" \", \"colon\": \"::\"}",      "[--blank][ ][--colon][::][--empty][]" },
};

static const struct {
    const char *distribution;
    const char *program; /* what stands before the arguments */
} launchers[] = {
    { "\"base_name\": \"x\"", "[/usr/bin/python3][t.py]" },
    { TORCH END,              "[/usr/bin/python3][t.py]" },
    { MPI END,                "[-m][mpi4py][t.py]" },
    { PS END,                 "[/usr/bin/python3][t.py]" },
    { MWMS END,               "[/usr/bin/python3][t.py]" },
};
/* clang-format on */

START_TEST(arguments_are_the_same_bytes_in_every_launcher)
{
    for (size_t i = 0; i < ARRAY_SIZE(launchers); i++) {
        auto_free char *members =
            xasprintf(PROGRAM "\"hyperparameters\": %s, %s", arguments[_i].json,
                      launchers[i].distribution);
        auto_job_spec struct job_spec *spec = plans_spec(members, "ml.c5.xlarge", 1);
        struct launch_input input = plans_input(spec, &plans_c5);
        struct worker_plan *plan = plans_make(&input, 0);
        auto_free char *wanted =
            xasprintf("%s%s", launchers[i].program, arguments[_i].argv);

        for (size_t r = 0; r < plan->rank_count; r++) {
            auto_free char *argv = plans_shown(plan->ranks[r].argv);
            const char *end = strlen(argv) >= strlen(wanted)
                                  ? argv + strlen(argv) - strlen(wanted)
                                  : argv;

            ck_assert_str_eq(end, wanted);
        }
        worker_plan_free(plan);
    }
}
END_TEST

START_TEST(torchrun_is_given_the_repaired_one_and_its_grace)
{
    auto_job_spec struct job_spec *spec =
        plans_spec(PROGRAM "\"grace\": 45, " RUN TWO, "ml.c5.xlarge", 2);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan;

    input.torchrun_wrapper = "/lib/railhead-torchrun.py";
    plan = plans_make(&input, 1);
    ck_assert_int_eq(plan->ranks[0].kind, RANK_LAUNCHER);
    ck_assert_str_eq(plan->ranks[0].argv[1], "/lib/railhead-torchrun.py");
    ck_assert_str_eq(plan->ranks[0].argv[2], "--nnodes=2");
    ck_assert_str_eq(plans_env(&plan->ranks[0], "RAILHEAD_GRACE"), "45");
    ck_assert_ptr_null(plans_env(&plan->ranks[0], "RANK"));
    ck_assert_ptr_null(plans_env(&plan->ranks[0], "RAILHEAD_RANK"));
    worker_plan_free(plan);
}
END_TEST

START_TEST(an_isolated_job_is_planned_by_names_and_opt_ml)
{
    auto_job_spec struct job_spec *spec = plans_spec(
        PROGRAM
        "\"checkpoint\": {\"uri\": \"s3://bkt/c\", \"local_path\": \"/ckpt\"}, " RUN
            END,
        "ml.c5.xlarge", 2);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan;

    input.isolate = true;
    plan = plans_make(&input, 0);
    ck_assert_str_eq(plan->ml_folder, "/opt/ml");
    ck_assert_str_eq(plan->work_folder, "/opt/ml/code");
    ck_assert_str_eq(plan->checkpoint_path, "/ckpt");
    ck_assert_str_eq(plan->ranks[0].argv[6], "--master_addr=algo-1");
    worker_plan_free(plan);
    input.isolate = false;
    plan = plans_make(&input, 0);
    ck_assert_str_eq(plan->checkpoint_path, "/jobs/01JOB-1-0/ml/checkpoints");
    ck_assert_str_eq(plan->ranks[0].argv[6], "--master_addr=127.1.0.1");
    worker_plan_free(plan);
}
END_TEST

/* clang-format off */
static const struct {
    int64_t host_mib;
    int64_t used_s;
    int64_t memory_bytes;
    int64_t max_run_s;
} limits[] = {
    { 0,     0,   0,                 100 }, /* not known */
    { 4096,  0,   0,                 100 },
    { 8192,  0,   0,                 100 },
    { 16384, 0,   INT64_C(8) << 30,  100 },
    { 16384, 40,  INT64_C(8) << 30,  60 },
    { 0,     100, 0,                 1 },
    { 0,     500, 0,                 1 },
};
/* clang-format on */

START_TEST(limits_are_the_profiles_memory_and_what_is_left_of_max_run)
{
    auto_job_spec struct job_spec *spec =
        plans_spec(PROGRAM "\"max_run\": 100", "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan;

    input.host_memory_mib = limits[_i].host_mib;
    input.used_run_s = limits[_i].used_s;
    plan = plans_make(&input, 0);
    ck_assert_int_eq(plan->memory_bytes, limits[_i].memory_bytes);
    ck_assert_int_eq(plan->max_run_s, limits[_i].max_run_s);
    worker_plan_free(plan);
}
END_TEST

START_TEST(without_a_source_a_rank_works_in_its_output_folder)
{
    auto_job_spec struct job_spec *spec =
        plans_spec("\"command\": [\"x\"]", "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_c5);
    struct worker_plan *plan;

    input.source_archive = NULL;
    plan = plans_make(&input, 0);
    ck_assert_str_eq(plan->work_folder, "/jobs/01JOB-1-0/ml/output/data");
    worker_plan_free(plan);
}
END_TEST

START_TEST(a_profile_of_another_type_is_refused)
{
    auto_job_spec struct job_spec *spec =
        plans_spec("\"command\": [\"x\"]", "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_p4d);
    struct worker_plan *plan = NULL;
    struct err err;

    ck_assert_int_lt(launch_plan_make(&input, 0, &plan, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.text,
                     "instance_type is ml.c5.xlarge, the profile is ml.p4d.24xlarge's");
    ck_assert_ptr_null(plan);
}
END_TEST

/* Linux would refuse to start the program, with no word about why. */
START_TEST(a_variable_that_is_too_long_for_linux_is_refused)
{
    auto_job_spec struct job_spec *spec =
        plans_spec("\"command\": [\"x\"]", "ml.c5.xlarge", 1);
    struct launch_input input = plans_input(spec, &plans_c5);
    auto_free char *value = xcalloc(1, 131072);
    struct worker_plan *plan = NULL;
    struct err err;

    memset(value, 'a', 131071);
    json_set_text(spec->environment, "LONG", value);
    ck_assert_int_lt(launch_plan_make(&input, 0, &plan, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_str_eq(err.text,
                     "the variable LONG has 131076 bytes, at most 131071 are possible");
    ck_assert_ptr_null(plan);
}
END_TEST

static size_t bytes_of(char *const *words)
{
    size_t bytes = 0;

    for (; *words; words++)
        bytes += strlen(*words) + 1;
    return bytes;
}

START_TEST(the_size_of_all_plans_is_told_beforehand)
{
    auto_job_spec struct job_spec *spec = shape_spec(_i);
    const struct profile *profile = shapes[_i].profile;
    struct launch_input input = plans_input(spec, profile);
    size_t bytes = 0;

    for (int worker = 0; worker < shapes[_i].hosts; worker++) {
        struct worker_plan *plan = plans_make(&input, worker);

        for (size_t i = 0; i < plan->rank_count; i++)
            bytes += bytes_of(plan->ranks[i].argv) + bytes_of(plan->ranks[i].env);
        worker_plan_free(plan);
    }
    ck_assert_int_ge(launch_size(spec, profile), (int64_t)bytes);
    ck_assert_int_le(launch_size(spec, profile), (int64_t)bytes * 4);
}
END_TEST

static void add_tables(TCase *tests)
{
    tcase_add_loop_test(tests, every_rank_is_planned_once, 0, ARRAY_SIZE(shapes));
    tcase_add_loop_test(tests, the_size_of_all_plans_is_told_beforehand, 0,
                        ARRAY_SIZE(shapes));
    tcase_add_loop_test(tests, a_rank_has_its_command_line, 0, ARRAY_SIZE(commands));
    tcase_add_loop_test(tests, mpirun_is_given_hosts_switches_options_and_program, 0,
                        ARRAY_SIZE(mpi_commands));
    tcase_add_loop_test(tests, options_that_only_a_shell_could_read_are_refused, 0,
                        ARRAY_SIZE(wrong_options));
    tcase_add_loop_test(tests, arguments_are_the_same_bytes_in_every_launcher, 0,
                        ARRAY_SIZE(arguments));
    tcase_add_loop_test(tests,
                        limits_are_the_profiles_memory_and_what_is_left_of_max_run, 0,
                        ARRAY_SIZE(limits));
}

Suite *suite_launch_plan(void)
{
    Suite *suite = suite_create("launch_plan");
    TCase *tests = tcase_create("launch_plan");

    add_tables(tests);
    tcase_add_test(tests, programs_come_before_servers);
    tcase_add_test(tests, torchrun_is_given_the_repaired_one_and_its_grace);
    tcase_add_test(tests, an_isolated_job_is_planned_by_names_and_opt_ml);
    tcase_add_test(tests, without_a_source_a_rank_works_in_its_output_folder);
    tcase_add_test(tests, a_profile_of_another_type_is_refused);
    tcase_add_test(tests, a_variable_that_is_too_long_for_linux_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
