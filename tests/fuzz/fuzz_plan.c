/* Launch plans of whatever spec is taken: every worker's goes through JSON whole, has a
 * command for each rank and each variable once; mpirun gets custom_mpi_options word for
 * word and a line a host. */

#include "src/launch_private.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 3,
    SIZE_MAX_BYTES = 1 << 20 /* larger plans are made in the same way, slowly */
};

static const struct launch_host hosts[WORKERS_MAX] = { { "algo-1", "127.1.0.1" },
                                                       { "algo-2", "127.1.0.2" },
                                                       { "algo-3", "127.1.0.3" } };
static const char *const base_env[] = { "PATH=/usr/bin", "LANG=C.UTF-8", NULL };
static char no_accelerator[] = "none", gpu[] = "gpu";
static const struct profile of_cpus = { .vcpus = 4,
                                        .memory_mib = 8192,
                                        .accelerator_kind = no_accelerator };
static const struct profile of_gpus = { .vcpus = 96,
                                        .memory_mib = 1152 << 10,
                                        .accelerator_kind = gpu,
                                        .accelerator_count = 8,
                                        .efa = true,
                                        .efa_interfaces = 4 };

static bool is_named_once(char *const *env, const char *one)
{
    size_t len = strcspn(one, "=");
    int count = 0;

    for (; *env; env++)
        count += strncmp(*env, one, len + 1) == 0;
    return count == 1 && len > 0 && one[len] == '=';
}

static void check_rank(const struct rank_plan *rank)
{
    assert(rank->kind == RANK_REMOTE || words_count(rank->argv) > 0);
    for (size_t i = 0; rank->env[i]; i++)
        assert(is_named_once(rank->env, rank->env[i]));
}

static void check_json(const struct worker_plan *plan)
{
    auto_json struct cJSON *json = worker_plan_to_json(plan);
    auto_json struct cJSON *stored = fuzz_again(json);
    auto_json struct cJSON *json_again = NULL;
    struct worker_plan *again = NULL;

    assert(worker_plan_from_json(stored, &again, NULL) == 0);
    json_again = worker_plan_to_json(again);
    assert(fuzz_same(json, json_again));
    worker_plan_free(again);
}

static bool is_part(char *const *argv, char *const *part)
{
    size_t len = words_count(part);
    size_t same;

    for (; *argv; argv++) {
        for (same = 0; same < len && argv[same]; same++)
            if (strcmp(argv[same], part[same]) != 0)
                break;
        if (same == len)
            return true;
    }
    return len == 0;
}

static void check_mpirun(const struct launch_input *input,
                         const struct worker_plan *plan)
{
    auto_free char *lines = launch_hostfile(input);
    char *rest = lines;
    int count = 0;
    struct mpi_options options;

    for (char *line; (line = fuzz_line(&rest)) && *line; count++)
        assert(strstr(line, " slots="));
    assert(count == input->spec->instance_count);
    assert(mpi_options_read(input->spec->custom_mpi_options, &options, NULL) == 0);
    if (options.words)
        assert(is_part(plan->ranks[0].argv, options.words));
    mpi_options_clear(&options);
}

static void check_plan(const struct launch_input *input, int worker)
{
    struct worker_plan *plan = NULL;
    struct err err;

    if (launch_plan_make(input, worker, &plan, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return;
    }
    for (size_t i = 0; i < plan->rank_count; i++)
        check_rank(&plan->ranks[i]);
    check_json(plan);
    if (input->spec->distribution == DISTRIBUTION_MPI && worker == 0)
        check_mpirun(input, plan);
    worker_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char region[] = "us-east-1";
    static const struct storage storage = { .region = region };
    struct profile profile = size % 2 ? of_cpus : of_gpus;
    auto_json struct cJSON *given = fuzz_value(data, size);
    auto_problems struct problems problems = { 0 };
    auto_job_spec struct job_spec *spec =
        given ? job_spec_parse(given, &problems) : NULL;
    struct launch_input input = { .spec = spec,
                                  .profile = &profile,
                                  .job_id = "01JOB",
                                  .attempt = 1,
                                  .hosts = hosts,
                                  .port = 20000,
                                  .isolate = size % 3 == 0,
                                  .hosts_share_one = true,
                                  .storage = &storage,
                                  .rsh_agent = "/libexec/railhead-rsh",
                                  .job_folder = "/jobs/01JOB",
                                  .python = "/usr/bin/python3",
                                  .base_env = base_env };

    if (!spec)
        return 0;
    profile.name = spec->instance_type;
    if (spec->instance_count > WORKERS_MAX
        || launch_size(spec, &profile) > SIZE_MAX_BYTES)
        return 0;
    if (!spec->name)
        spec->name = xstrdup("job");
    if (spec->source_dir)
        input.source_archive = "/sources/s.tar.gz";
    for (int worker = 0; worker < spec->instance_count; worker++)
        check_plan(&input, worker);
    return 0;
}
