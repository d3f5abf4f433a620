/* jobctl admin: what those do who look after the machines.  Finds the command by its
 * first words, and what it may be told. */

#include "src/cli/admin.h"
#include "src/cli/options.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"

#include <stdio.h>
#include <string.h>

enum {
    NOTICE_S = 120, /* as for a spot instance */
    NOTICE_MAX_S = 86400
};

static int interrupt_job(struct cli *cli, const struct admin_options *options,
                         char **operands)
{
    const char *name = operands[1];
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *body = json_object_new();
    auto_json struct cJSON *answer = NULL;
    auto_free char *path = remote_job_path(name, "/interrupt");
    struct err err;

    json_set_int(body, "notice_s", options->notice_s);
    if (remote_open(cli, &remote, &err) < 0
        || remote_ask(remote,
                      &(struct remote_ask){ .method = "POST",
                                            .path = path,
                                            .body = body,
                                            .tries = 3 },
                      &answer, NULL, &err)
               < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(answer);
    else
        printf("%s: told to end within %lld s\n", name, (long long)options->notice_s);
    return 0;
}

/* Of commands that begin alike the one with an operand more is looked at first. */
static const struct command {
    const char *words[3]; /* NULL: whatever it is, as long as it is there */
    size_t word_count;
    struct verb usage; /* its line of usage */
    admin_run_t *run;
} commands[] = {
    { { "interrupt" },
      1,
      { .name = "admin",
        .arguments = "interrupt NAME [--notice TIME]",
        .help = "ends the attempt of a job, as if its machine was wanted back" },
      interrupt_job },
    { { "backup" },
      1,
      { .name = "admin",
        .arguments = "backup FILE [--force]",
        .help = "copies the database of the daemon, which goes on serving" },
      admin_backup },
    { { "price", "set" },
      2,
      { .name = "admin",
        .arguments = "price set TYPE [--usd AMOUNT] [--from TIME] [--note TEXT]",
        .help = "sets the price of an instance type from a time on" },
      admin_set_price },
    { { "price", "ls", NULL },
      3,
      { .name = "admin",
        .arguments = "price ls TYPE",
        .help = "lists the prices of an instance type" },
      admin_list_prices_of },
    { { "price", "ls" },
      2,
      { .name = "admin",
        .arguments = "price ls [TYPE]",
        .help = "lists all prices, and which are in force" },
      admin_list_prices },
};

static bool begins_with(const struct command *command, int argc, char **argv)
{
    if ((size_t)argc <= command->word_count)
        return false;
    for (size_t i = 0; i < command->word_count; i++)
        if (command->words[i] ? strcmp(command->words[i], argv[i + 1]) != 0
                              : *argv[i + 1] == '-')
            return false;
    return true;
}

static const struct command *find_command(int argc, char **argv)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (begins_with(&commands[i], argc, argv))
            return &commands[i];
    return NULL;
}

/* Options are read by one table; what was given to a command that has no use for it is
 * a mistake. */
static bool has_use_for(const struct command *command,
                        const struct admin_options *options)
{
    const char *wrong = NULL;

    if (options->notice_s >= 0 && command->run != interrupt_job)
        wrong = "notice";
    else if (command->run != admin_set_price)
        wrong = options->usd    ? "usd"
                : options->from ? "from"
                : options->note ? "note"
                                : NULL;
    if (options->force && command->run != admin_backup)
        wrong = "force";
    if (wrong)
        fprintf(stderr, "jobctl: admin: --%s is not for this\nusage: jobctl admin %s\n",
                wrong, command->usage.arguments);
    return !wrong;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            return true;
    return false;
}

static int refuse(int argc, char **argv)
{
    fprintf(stderr, "jobctl: admin");
    for (int i = 1; i < argc && *argv[i] != '-'; i++)
        fprintf(stderr, " %s", argv[i]);
    fprintf(stderr, ": expected %s\n", verb_admin.arguments);
    return EXIT_USAGE;
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    const struct command *command = find_command(argc, argv);
    struct admin_options options = { .notice_s = -1 };
    const struct option_row rows[] = {
        { "notice", 'n', OPTION_DURATION, &options.notice_s, 0, NOTICE_MAX_S, "TIME",
          "interrupt: how long its program has to save its work (2m)" },
        { "force", 0, OPTION_FLAG, &options.force, 0, 0, NULL,
          "backup: in the place of a file that is there" },
        { "usd", 0, OPTION_TEXT, &options.usd, 0, 0, "AMOUNT",
          "price set: dollars an instance-hour" },
        { "from", 0, OPTION_TEXT, &options.from, 0, 0, "TIME",
          "price set: since when, a date in UTC or an instant (now)" },
        { "note", 0, OPTION_TEXT, &options.note, 0, 0, "TEXT",
          "price set: what it is based on" },
        { 0 },
    };
    char **operands = NULL;
    enum options_end end;

    if (!command && !asks_for_help(argc, argv))
        return refuse(argc, argv);
    end = options_parse(cli, command ? &command->usage : verb, rows, argc, argv,
                        &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    if (!command)
        return refuse(argc, argv);
    if (!has_use_for(command, &options))
        return EXIT_USAGE;
    if (options.notice_s < 0)
        options.notice_s = NOTICE_S;
    return command->run(cli, &options, operands);
}

const struct verb verb_admin = {
    .name = "admin",
    .help = "back up the database; set a price; interrupt a job, as if its machine was "
            "wanted back",
    .arguments =
        "backup FILE [--force] | interrupt NAME [--notice TIME] | price set TYPE --usd AMOUNT [--from TIME] "
        "[--note TEXT] | price ls [TYPE]",
    .run = run,
};
