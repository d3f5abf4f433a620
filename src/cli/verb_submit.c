/* jobctl submit: from a spec file to a job, and with --wait to its figure. */

#include "src/cli/figure.h"
#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/outlook.h"
#include "src/cli/plan.h"
#include "src/cli/print.h"
#include "src/cli/spec_send.h"

#include <stdio.h>
#include <string.h>

struct submit {
    bool wait;
    bool dry_run;
    struct spec_changes changes;
    const char *key;
};

static int send_job(struct remote *remote, const struct submit *submit,
                    const struct spec_file *file, struct cJSON **answer,
                    struct problems *problems, struct err *err)
{
    /* With a key of our own a submit whose answer was lost can be sent again: it is one
     * job. */
    auto_free char *key = submit->key ? xstrdup(submit->key) : spec_make_key();
    struct spec_ask ask = { .path = "/v1/training-jobs", .key = key };

    if (submit->dry_run)
        ask = (struct spec_ask){ .path = "/v1/training-jobs?dry_run=true" };
    if (spec_send(remote, file, &ask, answer, problems, err) < 0)
        return -1;
    if (!json_get_text(*answer, "name"))
        return err_set(err, ERR_INTERNAL, "the server's answer names no job");
    return 0;
}

static void add_ranks(struct text *out, const struct cJSON *plan)
{
    const char *ranks = figure_words(json_get(plan, "world_size"));
    const char *launcher = json_get_text(plan, "launcher");
    const char *by = json_get_text(plan, "started_by");

    if (ranks && launcher && strcmp(launcher, "none") != 0)
        figure_row(out, "ranks", "%s, %s%s%s", ranks, launcher,
                   by ? ", started by " : "", by ? by : "");
    else if (ranks)
        figure_row(out, "ranks", "%s, one on every instance", ranks);
}

/* The answer to a submit has no plan and no outlook, the job has both. */
static void print_plan(struct remote *remote, const struct submit *submit,
                       const struct job_spec *spec, const struct cJSON *answer)
{
    auto_json struct cJSON *job = NULL;
    auto_text struct text out = { 0 };
    auto_text struct text price = { 0 };
    const char *name = json_get_text(answer, "name");
    auto_free char *path = remote_job_path(name, "");
    bool is_asked = !submit->dry_run && remote_get(remote, path, &job, NULL) == 0;
    const struct cJSON *plan = json_get(is_asked ? job : answer, "plan");
    const struct cJSON *outlook =
        is_asked ? json_get(job, "forecast") : json_get(answer, "estimate");

    text_printf(&out, "%s  %s\n", name,
                submit->dry_run ? "not submitted: a dry run" : "submitted");
    figure_row(&out, "instances", "%d x %s", spec->instance_count, spec->instance_type);
    add_ranks(&out, plan);
    figure_price(json_get(answer, "price"), &price);
    figure_row(&out, "price", "%s", price.bytes);
    if (json_kind(outlook) == JSON_OBJECT) {
        outlook_add_bounds(outlook, json_get(answer, "price"), &out);
        outlook_add_likely(is_asked ? outlook : json_get(outlook, "likely"), &out);
    }
    if (json_get_bool(answer, "emulated"))
        figure_row(&out, "emulated", "this host stands in for %s", spec->instance_type);
    if (submit->dry_run)
        plan_add(plan, &out);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
    fflush(stdout);
}

static int report_end(const struct cli *cli, const char *name, enum follow_end how,
                      const struct cJSON *job)
{
    auto_text struct text out = { 0 };
    const char *reason = json_get_text(job, "failure_reason");

    if (how == FOLLOW_INTERRUPTED) {
        print_note("%s goes on: jobctl logs -f %s follows it, jobctl stop %s stops it",
                   name, name, name);
        return EXIT_INTERRUPTED;
    }
    if (cli->output == OUTPUT_JSON) {
        print_json(job);
        return follow_exit_code(job);
    }
    fputc('\n', stdout);
    print_status(name, "  ", json_get_text(job, "secondary_status"));
    if (reason)
        figure_paragraph(&out, "reason", reason);
    figure_add(job, &out);
    print_painted(stdout, PAINT_PLAIN, out.bytes);
    return follow_exit_code(job);
}

/* With --output json stdout is the job alone, so the log stays away. */
static int wait_for_end(struct cli *cli, struct remote *remote, const char *name)
{
    auto_free char *log_path = remote_job_path(name, "/logs?follow=true");
    auto_json struct cJSON *job = NULL;
    enum follow_end how;
    struct err err;

    if (follow_job(&(struct follow){ .remote = remote,
                                     .name = name,
                                     .log_path =
                                         cli->output == OUTPUT_JSON ? NULL : log_path,
                                     .was_reached = true,
                                     .progress = true },
                   &how, &job, &err)
        < 0) {
        print_note("%s was submitted and goes on", name);
        return print_failure(&err, NULL, NULL);
    }
    return report_end(cli, name, how, job);
}

static int submit_file(struct cli *cli, const struct submit *submit, const char *path)
{
    auto_spec_file struct spec_file file = { 0 };
    auto_problems struct problems problems = { 0 };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *answer = NULL;
    struct err err;

    if (spec_prepare(path, &submit->changes, &file, &problems, &err) < 0
        || remote_open(cli, &remote, &err) < 0
        || send_job(remote, submit, &file, &answer, &problems, &err) < 0)
        return print_failure(&err, file.shown, &problems);
    if (cli->output == OUTPUT_TABLE)
        print_plan(remote, submit, file.spec, answer);
    else if (!submit->wait || submit->dry_run)
        print_json(answer);
    if (!submit->wait || submit->dry_run)
        return 0;
    return wait_for_end(cli, remote, json_get_text(answer, "name"));
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct submit submit = { 0 };
    const struct option_row rows[] = {
        { "wait", 'w', OPTION_FLAG, &submit.wait, 0, 0, NULL,
          "follow the job until it has ended" },
        { "dry-run", 0, OPTION_FLAG, &submit.dry_run, 0, 0, NULL,
          "check and print the plan, submit nothing" },
        { "name", 0, OPTION_TEXT, &submit.changes.name, 0, 0, "NAME",
          "instead of the spec's name" },
        { "set", 0, OPTION_LIST, &submit.changes.sets, 0, 0, "M=VALUE",
          "instead of the spec's member M (hyperparameters.lr=0.1); often" },
        { "idempotency-key", 0, OPTION_TEXT, &submit.key, 0, 0, "KEY",
          "the same key is the same job, however often it is sent" },
        { 0 },
    };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);
    int code;

    if (end == OPTIONS_GO_ON)
        code = submit_file(cli, &submit, operands[0]);
    else
        code = end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    words_free(submit.changes.sets);
    return code;
}

const struct verb verb_submit = {
    .name = "submit",
    .help = "submit a job from a spec file (- is standard input)",
    .arguments = "SPEC [--wait] [--dry-run] [--name NAME] [--set M=VALUE]...",
    .run = run,
};
