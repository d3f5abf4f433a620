/* jobctl submit: from a spec file to a job, and with --wait to its figure. */

#include "src/cli/figure.h"
#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/plan.h"
#include "src/cli/print.h"
#include "src/cli/spec_file.h"
#include "src/clock.h"
#include "src/money.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SUBMIT_TRIES = 3,
    KEY_BYTES = 16
};

struct submit {
    bool wait;
    bool dry_run;
    const char *name;
    char **sets;
    const char *key;
};

/* Reads, changes and checks: nothing is asked of the server before this is well. */
static int prepare(const struct submit *submit, const char *path,
                   struct spec_file *file, struct problems *problems, struct err *err)
{
    if (spec_file_read(path, file, err) < 0)
        return -1;
    for (char **set = submit->sets; set && *set; set++)
        if (spec_file_set(file, *set, err) < 0)
            return -1;
    if (submit->name && spec_file_set_text(file, "name", submit->name, err) < 0)
        return -1;
    if (spec_file_check(file, problems, err) < 0)
        return -1;
    return spec_file_pack(file, problems, err);
}

/* With a key of our own a submit whose answer was lost can be sent again: it is one
 * job. */
static char *make_key(void)
{
    unsigned char bytes[KEY_BYTES];
    struct text key = { 0 };

    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        text_printf(&key, "%02x", (unsigned int)bytes[i]);
    return text_steal(&key);
}

static int send_job(struct remote *remote, const struct submit *submit,
                    const struct spec_file *file, struct cJSON **answer,
                    struct problems *problems, struct err *err)
{
    auto_free char *key = submit->key ? xstrdup(submit->key) : make_key();
    struct remote_ask ask = { .method = "POST",
                              .path = "/v1/training-jobs",
                              .body = file->json,
                              .idempotency_key = key,
                              .tries = SUBMIT_TRIES };

    if (submit->dry_run) {
        ask.path = "/v1/training-jobs?dry_run=true";
        ask.idempotency_key = NULL;
    }
    if (file->archive
        && remote_put_source(remote, file->hex, file->archive, isatty(STDERR_FILENO),
                             err)
               < 0)
        return -1;
    if (remote_ask(remote, &ask, answer, problems, err) < 0)
        return -1;
    if (!json_get_text(*answer, "name"))
        return err_set(err, ERR_INTERNAL, "the server's answer names no job");
    return 0;
}

static void add_total(struct text *out, const struct job_spec *spec,
                      const struct cJSON *price)
{
    const char *hourly_text = figure_words(json_get(price, "usd_per_hour"));
    const char *confidence = json_get_text(price, "confidence");
    bool estimate = confidence && strcmp(confidence, "low") == 0;
    char hour_text[MONEY_TEXT_SIZE];
    char run_text[MONEY_TEXT_SIZE];
    char span[TIME_TEXT_SIZE];
    nanousd_t hourly;
    nanousd_t hour;
    nanousd_t run;

    duration_format(spec->max_run_s, span);
    if (!hourly_text || money_parse(hourly_text, &hourly, NULL) < 0
        || money_for_seconds(hourly, (int64_t)spec->instance_count * 3600, &hour, NULL)
               < 0
        || money_for_seconds(hourly, spec->instance_count * spec->max_run_s, &run, NULL)
               < 0) {
        figure_row(out, "at most", "%s", span);
        return;
    }
    figure_row(out, "price in all", "$%s per hour%s", money_format(hour, hour_text),
               estimate ? ", an estimate" : "");
    figure_row(out, "at most", "%s, $%s", span, money_format_short(run, run_text));
}

/* What a warm pool may cost besides. */
static void add_pool(struct text *out, const struct job_spec *spec,
                     const struct cJSON *price)
{
    const char *hourly_text = figure_words(json_get(price, "usd_per_hour"));
    char kept_text[MONEY_TEXT_SIZE];
    char span[TIME_TEXT_SIZE];
    nanousd_t hourly;
    nanousd_t kept;

    if (spec->keep_alive_s == 0)
        return;
    duration_format(spec->keep_alive_s, span);
    if (!hourly_text || money_parse(hourly_text, &hourly, NULL) < 0
        || money_for_seconds(hourly, spec->instance_count * spec->keep_alive_s, &kept,
                             NULL)
               < 0)
        figure_row(out, "then kept warm", "%s", span);
    else
        figure_row(out, "then kept warm", "at most %s, $%s more", span,
                   money_format_short(kept, kept_text));
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

/* The answer to a submit has no plan, the job has one. */
static void print_plan(struct remote *remote, const struct submit *submit,
                       const struct job_spec *spec, const struct cJSON *answer)
{
    auto_json struct cJSON *job = NULL;
    auto_text struct text out = { 0 };
    auto_text struct text price = { 0 };
    const char *name = json_get_text(answer, "name");
    auto_free char *path = remote_job_path(name, "");
    const struct cJSON *plan = json_get(answer, "plan");

    if (!plan && remote_get(remote, path, &job, NULL) == 0)
        plan = json_get(job, "plan");
    text_printf(&out, "%s  %s\n", name,
                submit->dry_run ? "not submitted: a dry run" : "submitted");
    figure_row(&out, "instances", "%d x %s", spec->instance_count, spec->instance_type);
    add_ranks(&out, plan);
    figure_price(json_get(answer, "price"), &price);
    figure_row(&out, "price", "%s", price.bytes);
    add_total(&out, spec, json_get(answer, "price"));
    add_pool(&out, spec, json_get(answer, "price"));
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

    if (prepare(submit, path, &file, &problems, &err) < 0
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
        { "name", 0, OPTION_TEXT, &submit.name, 0, 0, "NAME",
          "instead of the spec's name" },
        { "set", 0, OPTION_LIST, &submit.sets, 0, 0, "M=VALUE",
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
    words_free(submit.sets);
    return code;
}

const struct verb verb_submit = {
    .name = "submit",
    .help = "submit a job from a spec file (- is standard input)",
    .arguments = "SPEC [--wait] [--dry-run] [--name NAME] [--set M=VALUE]...",
    .run = run,
};
