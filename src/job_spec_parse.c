/*
 * From JSON to a job's spec.  Decides which members there are, what each may say, their
 * defaults, and what they must not say together.  Whether a type is offered here, or a
 * source is present, is the daemon's to decide.
 */

#include "src/job_id.h"
#include "src/job_spec.h"
#include "src/job_spec_members.h"
#include "src/text.h"

#include <string.h>

static const char name_rule[] =
    "1 to 63 letters, digits and hyphens; a hyphen neither first nor last";

static void take_name(const struct cJSON *value, const struct member_place *place,
                      char **out)
{
    const char *text;
    char shown[MEMBER_SHOWN_SIZE];

    if (!member_text(value, place, 1 << 20, &text))
        return;
    if (!job_name_is_valid(text))
        member_problem(place, name_rule, "%s is not a name for a job",
                       member_shown(value, shown));
    else
        *out = xstrdup(text);
}

static void read_name(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct job_spec *spec = into;

    take_name(value, place, &spec->name);
}

static void read_base_name(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct job_spec *spec = into;

    take_name(value, place, &spec->base_name);
}

/* Whether one of the parts between slashes is `..`. */
static bool path_climbs(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

static void read_entry_point(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct job_spec *spec = into;
    const char *text;
    char shown[MEMBER_SHOWN_SIZE];

    if (!member_text(value, place, SPEC_PATH_MAX, &text))
        return;
    if (*text == '/' || path_climbs(text))
        member_problem(place, "give the file's path within source_dir, like train.py",
                       "%s leads out of source_dir", member_shown(value, shown));
    else
        spec->entry_point = xstrdup(text);
}

static void read_source_dir(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct job_spec *spec = into;
    const char *text;

    if (member_text(value, place, SPEC_PATH_MAX, &text))
        spec->source_dir = xstrdup(text);
}

static void read_python(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct job_spec *spec = into;
    const char *text;
    char shown[MEMBER_SHOWN_SIZE];

    if (!member_text(value, place, SPEC_PATH_MAX, &text))
        return;
    if (*text != '/')
        member_problem(place, "give its whole path, like /usr/bin/python3",
                       "%s is not an absolute path", member_shown(value, shown));
    else
        spec->python = xstrdup(text);
}

static void read_framework(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct job_spec *spec = into;
    size_t index;

    if (member_choice(value, place, framework_names, &index))
        spec->framework = (enum framework)index;
}

static void read_instance_type(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct job_spec *spec = into;
    const char *text;

    if (member_text(value, place, 64, &text))
        spec->instance_type = xstrdup(text);
}

static void read_instance_count(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct job_spec *spec = into;
    int64_t number;

    if (member_int(value, place, 1, 1000, &number))
        spec->instance_count = (int)number;
}

static void read_max_run(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_duration(value, place, 1, SPEC_RUN_MAX_S, &spec->max_run_s);
}

static void read_max_wait(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_duration(value, place, 1, SPEC_WAIT_MAX_S, &spec->max_wait_s);
}

static void read_grace(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_duration(value, place, 0, SPEC_GRACE_MAX_S, &spec->grace_s);
}

static void read_keep_alive(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_duration(value, place, 0, SPEC_KEEP_ALIVE_MAX_S, &spec->keep_alive_s);
}

static void read_priority(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct job_spec *spec = into;
    int64_t number;

    if (member_int(value, place, 0, 100, &number))
        spec->priority = (int)number;
}

/* The spec, in the order of railhead-job(5).  A row without a reader is a member that
 * is known and not run yet. */
/* clang-format off */
static const struct member spec_members[] = {
    { "name",               read_name,                    false, NULL },
    { "base_name",          read_base_name,               false, NULL },
    { "entry_point",        read_entry_point,             false, NULL },
    { "command",            spec_read_command,            false, NULL },
    { "source_dir",         read_source_dir,              false, NULL },
    { "framework",          read_framework,               false, NULL },
    { "python",             read_python,                  false, NULL },
    { "instance_type",      read_instance_type,           true,
      "see jobctl instances for what is offered" },
    { "instance_count",     read_instance_count,          false, NULL },
    { "distribution",       spec_read_distribution,       false, NULL },
    { "hyperparameters",    spec_read_hyperparameters,    false, NULL },
    { "environment",        spec_read_environment,        false, NULL },
    { "inputs",             spec_read_inputs,             false, NULL },
    { "output_path",        spec_read_output_path,        false, NULL },
    { "output_compression", spec_read_output_compression, false, NULL },
    { "checkpoint",         spec_read_checkpoint,         false, NULL },
    { "metric_definitions", spec_read_metric_definitions, false, NULL },
    { "work",               spec_read_work,               false, NULL },
    { "objective",          spec_read_objective,          false, NULL },
    { "max_run",            read_max_run,                 false, NULL },
    { "max_wait",           read_max_wait,                false, NULL },
    { "grace",              read_grace,                   false, NULL },
    { "retry",              spec_read_retry,              false, NULL },
    { "keep_alive",         read_keep_alive,              false, NULL },
    { "priority",           read_priority,                false, NULL },
    { "budget_usd",         spec_read_budget,             false, NULL },
    { "tags",               spec_read_tags,               false, NULL },
    { "fake",               spec_read_fake,               false, NULL },
    { "compiler_config",    NULL, false, "leave it out; torch.compile works in the program" },
    { "secrets",            NULL, false,
      "read the secret in the program, from a file that only its user can read" },
};
/* clang-format on */

/* --- what members say together; each asks what was written, so that one mistake gives
 * one problem --- */

bool spec_is_python(const char *path)
{
    size_t len = path ? strlen(path) : 0;

    return len > 3 && strcmp(path + len - 3, ".py") == 0;
}

static void check_program(const struct cJSON *json, const struct member_place *whole)
{
    bool entry_point = json_get(json, "entry_point");
    bool command = json_get(json, "command");
    struct member_place source_dir = member_below(whole, "source_dir");

    if (entry_point == command)
        member_problem(
            whole, "give entry_point, a file in source_dir, or command, any program",
            "expected exactly one of entry_point and command, got %s",
            command ? "both" : "neither");
    if (entry_point && !json_get(json, "source_dir"))
        member_problem(&source_dir, "name the folder that has the entry point",
                       "is missing");
}

static void check_metric_is_defined(const struct job_spec *spec, const char *name,
                                    const struct member_place *place)
{
    const char *names[SPEC_METRICS_MAX + 1];
    auto_free char *hint = NULL;
    const char *nearest;
    size_t used = 0;

    for (size_t i = 0; i < spec->metric_count; i++) {
        if (!spec->metrics[i].name)
            continue;
        if (strcmp(spec->metrics[i].name, name) == 0)
            return;
        names[used++] = spec->metrics[i].name;
    }
    names[used] = NULL;
    nearest = text_nearest(name, names);
    hint = nearest ? xasprintf("did you mean %s?", nearest)
                   : xstrdup("define it there, with the pattern that finds its value");
    member_problem(place, hint, "'%s' is not defined in metric_definitions", name);
}

static void check_metrics(const struct job_spec *spec, const struct member_place *whole)
{
    struct member_place work = member_below(whole, "work");
    struct member_place work_metric = member_below(&work, "metric");
    struct member_place objective = member_below(whole, "objective");
    struct member_place objective_metric = member_below(&objective, "metric");

    if (spec->work_metric)
        check_metric_is_defined(spec, spec->work_metric, &work_metric);
    if (spec->objective_metric)
        check_metric_is_defined(spec, spec->objective_metric, &objective_metric);
}

static void check_ranges(const struct job_spec *spec, const struct member_place *whole)
{
    struct member_place max_wait = member_below(whole, "max_wait");
    struct member_place fake = member_below(whole, "fake");
    struct member_place worker = member_below(&fake, "worker");

    if (spec->max_wait_s && spec->max_wait_s < spec->max_run_s)
        member_problem(&max_wait, "max_wait counts waiting and running together",
                       "%lld seconds are less than max_run, %lld seconds",
                       (long long)spec->max_wait_s, (long long)spec->max_run_s);
    if (spec->fake.worker >= spec->instance_count)
        member_problem(&worker, "workers count from 0", "there is no worker %d of %d",
                       spec->fake.worker, spec->instance_count);
}

/* So that exec cannot fail for size after the job was taken on. */
static void check_exec_size(const struct job_spec *spec,
                            const struct member_place *whole)
{
    size_t bytes = 0;

    for (size_t i = 0; spec->command && spec->command[i]; i++)
        bytes += strlen(spec->command[i]) + 1;
    json_each (variable, spec->environment) {
        const char *text = json_text(variable);

        bytes += strlen(json_name(variable)) + (text ? strlen(text) : 0) + 2;
    }
    if (bytes > SPEC_EXEC_ALL_MAX)
        member_problem(
            whole, "put large values into a file in source_dir",
            "command and environment are %zu bytes together, at most %d are allowed",
            bytes, (int)SPEC_EXEC_ALL_MAX);
}

static void fill_in(struct job_spec *spec, const struct cJSON *json)
{
    if (!json_get(json, "framework"))
        spec->framework = spec_default_framework(spec);
    if (!spec->name && !spec->base_name)
        spec->base_name = xstrdup("job");
}

static struct job_spec *spec_new(void)
{
    struct job_spec *spec = xcalloc(1, sizeof *spec);

    spec->instance_count = 1;
    spec->hyperparameters = json_object_new();
    spec->environment = json_object_new();
    spec->tags = json_object_new();
    spec->max_run_s = SPEC_RUN_DEFAULT_S;
    spec->grace_s = SPEC_GRACE_DEFAULT_S;
    spec->priority = 50;
    spec_data_init(spec);
    return spec;
}

struct job_spec *job_spec_parse(const struct cJSON *json, struct problems *problems)
{
    const struct member_place whole = { .problems = problems };
    auto_job_spec struct job_spec *spec = spec_new();
    size_t before = problems->count;

    json_check_duplicates(json, problems);
    members_read(spec, json, &whole, spec_members, ARRAY_SIZE(spec_members));
    if (json_kind(json) == JSON_OBJECT) {
        check_program(json, &whole);
        spec_check_distribution(spec, json, &whole);
        spec_check_data(spec, json, &whole);
        check_metrics(spec, &whole);
        check_ranges(spec, &whole);
        check_exec_size(spec, &whole);
        fill_in(spec, json);
    }
    return problems->count > before ? NULL : steal_ptr(&spec);
}
