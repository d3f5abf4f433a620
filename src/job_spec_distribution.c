/*
 * How a job's processes are started, as a spec has it.  Decides which kinds there are,
 * what each takes, and what the kind and the rest of the spec must not say together.
 * What a kind means is launch_plan's to decide.
 */

#include "src/job_spec_members.h"
#include "src/shell_words.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* One kind, as far as it was read. */
struct kind {
    bool enabled;
    int processes_per_host;
    bool oversubscribe;
    enum launcher launcher;
    char *custom_mpi_options;
};

/* All of them: the one that is enabled goes to the spec. */
struct kinds {
    struct job_spec *spec;
    bool chosen;
};

static void read_enabled(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct kind *kind = into;

    (void)member_bool(value, place, &kind->enabled);
}

static void read_processes_per_host(void *into, const struct cJSON *value,
                                    const struct member_place *place)
{
    struct kind *kind = into;
    int64_t number;

    if (member_int(value, place, 1, SPEC_PROCESSES_MAX, &number))
        kind->processes_per_host = (int)number;
}

static void read_oversubscribe(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct kind *kind = into;

    (void)member_bool(value, place, &kind->oversubscribe);
}

static void read_launcher(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct kind *kind = into;
    size_t index;

    if (member_choice(value, place, launcher_names, &index))
        kind->launcher = (enum launcher)index;
}

/* SageMaker's SDK sends "" for none. */
static void read_custom_mpi_options(void *into, const struct cJSON *value,
                                    const struct member_place *place)
{
    struct kind *kind = into;
    const char *text = json_text(value);
    char **words;
    struct err err;

    if ((text && !*text) || !member_text(value, place, SPEC_MPI_OPTIONS_MAX, &text))
        return;
    if (shell_words_split(text, &words, &err) < 0) {
        member_problem(place, "write it as arguments of mpirun in sh(1), like -x A=B",
                       "%s", err.text);
        return;
    }
    words_free(words);
    free(kind->custom_mpi_options);
    kind->custom_mpi_options = xstrdup(text);
}

static const char say_enabled[] = "say enabled: true or enabled: false";

/* clang-format off */
static const struct member torch_distributed_members[] = {
    { "enabled",            read_enabled,            true,  say_enabled },
    { "processes_per_host", read_processes_per_host, false, NULL },
    { "oversubscribe",      read_oversubscribe,      false, NULL },
    { "launcher",           read_launcher,           false, NULL },
    { "custom_mpi_options", NULL, false,
      "set what it sets in environment: torch_distributed starts no mpirun" },
};

static const struct member mpi_members[] = {
    { "enabled",            read_enabled,            true,  say_enabled },
    { "processes_per_host", read_processes_per_host, false, NULL },
    { "oversubscribe",      read_oversubscribe,      false, NULL },
    { "custom_mpi_options", read_custom_mpi_options, false, NULL },
};

/* Of parameter_server and multi_worker_mirrored_strategy. */
static const struct member tf_config_members[] = {
    { "enabled",            read_enabled,            true,  say_enabled },
    { "processes_per_host", read_processes_per_host, false, NULL },
    { "oversubscribe",      read_oversubscribe,      false, NULL },
};

static const struct member none_members[] = {
    { "enabled",            read_enabled,            false, NULL },
    { "processes_per_host", read_processes_per_host, false, NULL },
    { "oversubscribe",      read_oversubscribe,      false, NULL },
};
/* clang-format on */

static void take(struct kinds *kinds, struct kind *kind, enum distribution distribution,
                 const struct member_place *place)
{
    struct job_spec *spec = kinds->spec;

    if (kinds->chosen) {
        member_problem(place, "enable one of the two", "%s is enabled already",
                       distribution_name(spec->distribution));
        return;
    }
    kinds->chosen = true;
    spec->distribution = distribution;
    spec->processes_per_host = kind->processes_per_host;
    spec->oversubscribe = kind->oversubscribe;
    spec->launcher = kind->launcher;
    spec->custom_mpi_options = steal_ptr(&kind->custom_mpi_options);
}

/* What is switched off is the same as not there; `none` needs no switch. */
static void read_kind(struct kinds *kinds, const struct cJSON *value,
                      const struct member_place *place, enum distribution distribution)
{
    static const struct {
        const struct member *members;
        size_t count;
    } tables[] = {
        [DISTRIBUTION_NONE] = { none_members, ARRAY_SIZE(none_members) },
        [DISTRIBUTION_TORCH_DISTRIBUTED] = { torch_distributed_members,
                                             ARRAY_SIZE(torch_distributed_members) },
        [DISTRIBUTION_MPI] = { mpi_members, ARRAY_SIZE(mpi_members) },
        [DISTRIBUTION_PARAMETER_SERVER] = { tf_config_members,
                                            ARRAY_SIZE(tf_config_members) },
        [DISTRIBUTION_MULTI_WORKER_MIRRORED] = { tf_config_members,
                                                 ARRAY_SIZE(tf_config_members) },
    };
    struct kind kind = { .enabled = distribution == DISTRIBUTION_NONE };

    members_read(&kind, value, place, tables[distribution].members,
                 tables[distribution].count);
    if (kind.enabled)
        take(kinds, &kind, distribution, place);
    free(kind.custom_mpi_options);
}

/* Also of pytorchddp. */
static void read_torch_distributed(void *into, const struct cJSON *value,
                                   const struct member_place *place)
{
    read_kind(into, value, place, DISTRIBUTION_TORCH_DISTRIBUTED);
}

static void read_mpi(void *into, const struct cJSON *value,
                     const struct member_place *place)
{
    read_kind(into, value, place, DISTRIBUTION_MPI);
}

static void read_parameter_server(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    read_kind(into, value, place, DISTRIBUTION_PARAMETER_SERVER);
}

static void read_multi_worker_mirrored(void *into, const struct cJSON *value,
                                       const struct member_place *place)
{
    read_kind(into, value, place, DISTRIBUTION_MULTI_WORKER_MIRRORED);
}

static void read_none(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    read_kind(into, value, place, DISTRIBUTION_NONE);
}

static void read_smdistributed(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct member_place model = member_below(place, "modelparallel");
    struct member_place data = member_below(place, "dataparallel");

    (void)into;
    if (json_get(value, "modelparallel"))
        member_problem(
            &model,
            "use torch_distributed: {enabled: true}, and change the script to FSDP or DDP of torch",
            "smdistributed.modelparallel is a library that only SageMaker has");
    else
        member_problem(
            json_get(value, "dataparallel") ? &data : place,
            "use torch_distributed: {enabled: true}, with torch's own DDP in the script",
            "smdistributed is a library that only SageMaker has");
}

/* clang-format off */
static const struct member distribution_members[] = {
    { "torch_distributed",              read_torch_distributed,     false, NULL },
    { "pytorchddp",                     read_torch_distributed,     false, NULL },
    { "mpi",                            read_mpi,                   false, NULL },
    { "parameter_server",               read_parameter_server,      false, NULL },
    { "multi_worker_mirrored_strategy", read_multi_worker_mirrored, false, NULL },
    { "none",                           read_none,                  false, NULL },
    { "smdistributed",                  read_smdistributed,         false, NULL },
    { "pytorchxla",                     NULL, false,
      "use torch_distributed: {enabled: true}, whose ranks may use any device" },
};
/* clang-format on */

void spec_read_distribution(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct kinds kinds = { .spec = into };

    members_read(&kinds, value, place, distribution_members,
                 ARRAY_SIZE(distribution_members));
}

/* --- with the rest of the spec --- */

static void check_torchrun(const struct job_spec *spec,
                           const struct member_place *distribution)
{
    struct member_place torch = member_below(distribution, "torch_distributed");
    struct member_place launcher = member_below(&torch, "launcher");

    if (spec->command)
        member_problem(&launcher, "use launcher: railhead, whose ranks run any command",
                       "torchrun needs an entry_point that ends in .py");
    else if (spec->entry_point && !spec_is_python(spec->entry_point))
        member_problem(
            &launcher, "use launcher: railhead",
            "torchrun starts Python programs only, and %s does not end in .py",
            spec->entry_point);
}

void spec_check_distribution(const struct job_spec *spec, const struct cJSON *json,
                             const struct member_place *whole)
{
    struct member_place framework = member_below(whole, "framework");
    struct member_place distribution = member_below(whole, "distribution");
    bool torch = spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED;

    if (json_get(json, "framework") && spec->framework == FRAMEWORK_PLAIN && torch)
        member_problem(&framework, "leave framework out",
                       "plain does not go with torch_distributed");
    if (spec->framework == FRAMEWORK_MPI && spec->distribution != DISTRIBUTION_MPI)
        member_problem(&framework, "say distribution: {mpi: {enabled: true}}",
                       "mpi goes only with the distribution mpi");
    if (torch && spec->launcher == LAUNCHER_TORCHRUN)
        check_torchrun(spec, &distribution);
}

/* What is not said about the framework follows from who starts the program. */
enum framework spec_default_framework(const struct job_spec *spec)
{
    switch (spec->distribution) {
    case DISTRIBUTION_TORCH_DISTRIBUTED:
        return FRAMEWORK_PYTORCH;
    case DISTRIBUTION_MPI:
        return FRAMEWORK_MPI;
    case DISTRIBUTION_PARAMETER_SERVER:
    case DISTRIBUTION_MULTI_WORKER_MIRRORED:
        return FRAMEWORK_TENSORFLOW;
    case DISTRIBUTION_NONE:
        break;
    }
    return spec_is_python(spec->entry_point) ? FRAMEWORK_PYTORCH : FRAMEWORK_PLAIN;
}

struct cJSON *spec_distribution_to_json(const struct job_spec *spec)
{
    struct cJSON *json = json_object_new();
    struct cJSON *kind;

    if (spec->distribution == DISTRIBUTION_NONE && spec->processes_per_host == 0
        && !spec->oversubscribe)
        return json;
    kind = json_object_new();
    json_set_bool(kind, "enabled", true);
    if (spec->processes_per_host)
        json_set_int(kind, "processes_per_host", spec->processes_per_host);
    json_set_bool(kind, "oversubscribe", spec->oversubscribe);
    if (spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED)
        json_set_text(kind, "launcher", launcher_name(spec->launcher));
    if (spec->custom_mpi_options)
        json_set_text(kind, "custom_mpi_options", spec->custom_mpi_options);
    json_set(json, distribution_name(spec->distribution), kind);
    return json;
}
