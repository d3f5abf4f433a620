/* jobctl budget set and rm. */

#include "src/cli/budget.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"

#include <stdio.h>
#include <string.h>

struct order {
    const char *usd;
    const char *owner;
    const char *project;
    const char *tag; /* KEY=VALUE */
    const char *per;
    const char *action;
    int64_t notify_at; /* 0: the server's default */
};

static int fill_body(const struct order *order, struct cJSON *body, struct err *err)
{
    struct cJSON *scope = json_object_new();
    struct cJSON *tag;

    json_set(body, "scope", scope);
    remote_set_text(body, "limit_usd", order->usd);
    remote_set_text(body, "per", order->per);
    remote_set_text(body, "action", order->action);
    if (order->notify_at)
        json_set_int(body, "notify_at", order->notify_at);
    remote_set_text(scope, "owner", order->owner);
    remote_set_text(scope, "project", order->project);
    if (!order->tag)
        return 0;
    tag = json_object_new();
    json_set(scope, "tag", tag);
    return remote_set_pair(tag, order->tag, err) < 0 ? err_wrap(err, "--tag") : 0;
}

char *budget_path(const char *name)
{
    struct text path = { 0 };

    text_puts(&path, "/v1/budgets/");
    http_add_encoded(&path, name);
    return text_steal(&path);
}

static int ask(struct cli *cli, const char *method, const char *name,
               const struct cJSON *body)
{
    auto_remote struct remote *remote = NULL;
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *budget = NULL;
    auto_free char *path = budget_path(name);
    struct err err;

    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(
               remote,
               &(struct remote_ask){ .method = method, .path = path, .body = body },
               &budget, &problems, &err)
               < 0)
        return print_failure(&err, NULL, &problems);
    if (cli->output == OUTPUT_JSON)
        print_json(budget);
    else if (body && json_get_bool(budget, "counting"))
        printf("%s: $%s may be spent; what was spent already is being counted\n", name,
               json_get_text(budget, "limit_usd"));
    else
        printf("%s: $%s of $%s %s spent\n", name, json_get_text(budget, "spent_usd"),
               json_get_text(budget, "limit_usd"), body ? "are" : "were");
    return 0;
}

static int run_set(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct order order = { 0 };
    const struct option_row rows[] = {
        { "usd", 0, OPTION_TEXT, &order.usd, 0, 0, "AMOUNT", "what may be spent" },
        { "owner", 0, OPTION_TEXT, &order.owner, 0, 0, "OWNER", "by this user's jobs" },
        { "project", 0, OPTION_TEXT, &order.project, 0, 0, "NAME",
          "by jobs with the tag project=NAME" },
        { "tag", 0, OPTION_TEXT, &order.tag, 0, 0, "KEY=VALUE",
          "by jobs with this tag" },
        { "per", 0, OPTION_TEXT, &order.per, 0, 0, "PERIOD",
          "month, in UTC, or total (total)" },
        { "action", 0, OPTION_TEXT, &order.action, 0, 0, "ACTION",
          "notify, refuse or stop (refuse)" },
        { "notify-at", 0, OPTION_INT, &order.notify_at, 1, 100, "PERCENT",
          "tell when so much of it is spent (80)" },
        { 0 },
    };
    auto_json struct cJSON *body = json_object_new();
    struct err err;
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    if (!order.usd) {
        fprintf(stderr, "jobctl: budget set: --usd is missing\n");
        return EXIT_USAGE;
    }
    if (fill_body(&order, body, &err) < 0)
        return print_failure(&err, NULL, NULL);
    return ask(cli, "PUT", operands[0], body);
}

const struct verb verb_budget_set = {
    .name = "budget set",
    .help = "set what may be spent by whom, and what is done when it is",
    .arguments =
        "NAME [--usd AMOUNT] [--owner OWNER] [--project NAME | --tag KEY=VALUE] "
        "[--per PERIOD] [--action ACTION] [--notify-at PERCENT]",
    .run = run_set,
};

static int run_rm(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    static const struct option_row rows[] = { { 0 } };
    char **operands = NULL;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    return ask(cli, "DELETE", operands[0], NULL);
}

const struct verb verb_budget_rm = {
    .name = "budget rm",
    .help = "take a budget away; what it counted goes on being billed",
    .arguments = "NAME",
    .run = run_rm,
};
