/* make_plan SPEC FOLDER PORT: writes FOLDER-1-WORKER/{plan.json,journal.jsonl} for
 * every worker of the JSON spec in the file SPEC; the plan is what the daemon's
 * scheduler would hand to it.  For flow tests that look at launch_plan and
 * railhead-worker together. RAILHEAD_TORCHRUN may name the wrapper, RAILHEAD_RSH
 * railhead-rsh, and what is in this program's environment is what the daemon passes
 * on. */

#include "src/files.h"
#include "src/json.h"
#include "src/launch_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "make_plan: %s: %s\n", what, why);
    exit(1);
}

static struct job_spec *read_spec(const char *path)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *json = NULL;
    auto_free char *bytes = NULL;
    struct job_spec *spec;
    struct err err;
    size_t len;

    if (file_read(path, 1 << 20, &bytes, &len, &err) < 0
        || json_parse(bytes, len, &json, &err) < 0)
        fail(path, err.text);
    spec = job_spec_parse(json, &problems);
    if (!spec)
        fail(problems.items[0].path, problems.items[0].message);
    return spec;
}

static void write_worker(const struct launch_input *input, int worker)
{
    auto_free char *folder = worker_folder(input->job_folder, 1, worker);
    auto_free char *plan_path = xasprintf("%s/plan.json", folder);
    auto_free char *journal_path = xasprintf("%s/journal.jsonl", folder);
    auto_json struct cJSON *json = NULL;
    auto_free char *text = NULL;
    struct worker_plan *plan;
    struct err err;

    if (launch_plan_make(input, worker, &plan, &err) < 0)
        fail("plan", err.text);
    json = worker_plan_to_json(plan);
    text = json_print(json);
    worker_plan_free(plan);
    if (folder_make(folder, 0750, &err) < 0
        || file_replace(plan_path, text, strlen(text), 0640, false, &err) < 0
        || file_replace(journal_path, "", 0, 0640, false, &err) < 0)
        fail(folder, err.text);
}

int main(int argc, char **argv)
{
    static const struct launch_host hosts[] = { { "algo-1", "127.0.0.1" },
                                                { "algo-2", "127.0.0.1" },
                                                { "algo-3", "127.0.0.1" } };
    static char none[] = "none";
    auto_job_spec struct job_spec *spec = NULL;
    struct profile profile = { .vcpus = 4, .accelerator_kind = none };
    struct launch_input input;

    if (argc != 4)
        fail("usage", "make_plan SPEC FOLDER PORT");
    spec = read_spec(argv[1]);
    if ((size_t)spec->instance_count > ARRAY_SIZE(hosts))
        fail(argv[1], "at most three instances");
    profile.name = spec->instance_type;
    input = (struct launch_input){ .spec = spec,
                                   .profile = &profile,
                                   .job_id = "01TEST",
                                   .attempt = 1,
                                   .hosts = hosts,
                                   .port = (int)strtol(argv[3], NULL, 10),
                                   .hosts_share_one = true,
                                   .rsh_agent = getenv("RAILHEAD_RSH"),
                                   .host_cpus = 1,
                                   .network_interface = "lo",
                                   .job_folder = argv[2],
                                   .python = "/usr/bin/python3",
                                   .torchrun_wrapper = getenv("RAILHEAD_TORCHRUN"),
                                   .base_env = (const char *const *)environ };
    for (int worker = 0; worker < spec->instance_count; worker++)
        write_worker(&input, worker);
    return 0;
}
