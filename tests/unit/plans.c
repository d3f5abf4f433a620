#include "tests/unit/plans.h"

#include "src/text.h"

#include <check.h>
#include <stdio.h>
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

const struct profile plans_c5 = { .name = name_c5,
                                  .vcpus = 4,
                                  .memory_mib = 8192,
                                  .accelerator_kind = kind_none };
const struct profile plans_p4d = { .name = name_p4d,
                                   .vcpus = 96,
                                   .memory_mib = 1152 << 10,
                                   .accelerator_kind = kind_gpu,
                                   .accelerator_count = 8,
                                   .efa = true,
                                   .efa_interfaces = 4 };
const struct profile plans_trn1 = { .name = name_trn1,
                                    .vcpus = 128,
                                    .memory_mib = 512 << 10,
                                    .accelerator_kind = kind_neuron,
                                    .accelerator_count = 16,
                                    .neuron_cores = 32,
                                    .efa = true,
                                    .efa_interfaces = 8 };

static const char *const base_env[] = { "PATH=/opt/bin:/usr/bin", "LANG=de_DE.UTF-8",
                                        "PYTHONPATH=/site", NULL };

struct job_spec *plans_spec(const char *members, const char *type, int count)
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
    ck_assert_msg(spec != NULL, "%s: %s: %s", text,
                  problems.count ? problems.items[0].path : "",
                  problems.count ? problems.items[0].message : "");
    return spec;
}

struct launch_input plans_input(const struct job_spec *spec,
                                const struct profile *profile)
{
    return (struct launch_input){ .spec = spec,
                                  .profile = profile,
                                  .job_id = "01JOB",
                                  .attempt = 1,
                                  .hosts = hosts,
                                  .port = 20000,
                                  .hosts_share_one = true,
                                  .rsh_agent = "/libexec/railhead-rsh",
                                  .network_interface = "lo",
                                  .job_folder = "/jobs/01JOB",
                                  .source_archive =
                                      spec->source_dir ? "/sources/s.tar.gz" : NULL,
                                  .python = "/usr/bin/python3",
                                  .base_env = base_env };
}

struct worker_plan *plans_make(const struct launch_input *input, int worker)
{
    struct worker_plan *plan;
    struct err err;

    ck_assert_msg(launch_plan_make(input, worker, &plan, &err) == 0, "%s", err.text);
    return plan;
}

const char *plans_env(const struct rank_plan *rank, const char *name)
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

char *plans_shown(char *const *argv)
{
    auto_text struct text out = { 0 };

    for (; *argv; argv++)
        text_printf(&out, "[%s]", *argv);
    return text_steal(&out);
}
