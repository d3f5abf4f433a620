/* jobctl logs: what the ranks of a job said. */

#include "src/cli/follow.h"
#include "src/cli/options.h"
#include "src/cli/print.h"

#include <string.h>
#include <unistd.h>

/* More than this the server does not look back for. */
enum {
    TAIL_MAX = 10000
};

struct logs {
    bool follow;
    int64_t attempt;
    int64_t tail;
    int64_t rank;
    int64_t worker;
    const char *since;
};

static void add_number(struct text *path, const char *name, int64_t number)
{
    auto_free char *words = xasprintf("%lld", (long long)number);

    if (number >= 0)
        remote_add_query(path, name, words);
}

static char *logs_path(const struct logs *logs, const char *name)
{
    auto_free char *base = remote_job_path(name, "/logs");
    struct text path = { 0 };

    text_puts(&path, base);
    remote_add_query(&path, "follow", logs->follow ? "true" : "false");
    add_number(&path, "attempt", logs->attempt);
    add_number(&path, "worker", logs->worker);
    add_number(&path, "rank", logs->rank);
    add_number(&path, "tail", logs->tail);
    remote_add_query(&path, "since", logs->since);
    return text_steal(&path);
}

static int run(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    struct logs logs = { .attempt = -1, .tail = -1, .rank = -1, .worker = -1 };
    const struct option_row rows[] = {
        { "attempt", 'a', OPTION_INT, &logs.attempt, 1, INT32_MAX, "N",
          "of this attempt, from 1, instead of the last one" },
        { "follow", 'f', OPTION_FLAG, &logs.follow, 0, 0, NULL,
          "go on until the job has ended" },
        { "tail", 'n', OPTION_INT, &logs.tail, 0, TAIL_MAX, "N", "the last N lines" },
        { "rank", 'r', OPTION_INT, &logs.rank, 0, INT32_MAX, "R",
          "of this rank alone" },
        { "worker", 'w', OPTION_INT, &logs.worker, 0, INT32_MAX, "W",
          "of this instance alone, from 0" },
        { "since", 0, OPTION_TEXT, &logs.since, 0, 0, "TIME",
          "lines from this time on (2026-11-30T10:15:00Z)" },
        { 0 },
    };
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *job = NULL;
    auto_free char *path = NULL;
    auto_free char *resumes_at = NULL;
    char **operands = NULL;
    enum follow_end how;
    struct err err;
    enum options_end end = options_parse(cli, verb, rows, argc, argv, &operands);

    if (end != OPTIONS_GO_ON)
        return end == OPTIONS_DONE ? 0 : EXIT_USAGE;
    path = logs_path(&logs, operands[0]);
    if (logs.tail >= 0 || logs.since) {
        logs.tail = -1;
        logs.since = NULL;
        resumes_at = logs_path(&logs, operands[0]);
    }
    if (remote_open(cli, &remote, &err) < 0
        || follow_job(&(struct follow){ .remote = remote,
                                        .name = operands[0],
                                        .log_path = path,
                                        .log_resumes_at = resumes_at,
                                        .log_plain = logs.rank >= 0,
                                        .log_alone = true,
                                        .progress =
                                            logs.follow && isatty(STDERR_FILENO) },
                      &how, &job, &err)
               < 0)
        return print_failure(&err, NULL, NULL);
    return how == FOLLOW_INTERRUPTED ? EXIT_INTERRUPTED : 0;
}

const struct verb verb_logs = {
    .name = "logs",
    .help = "print what the ranks of a job wrote",
    .arguments =
        "NAME [-f] [--attempt N] [--tail N] [--rank R] [--worker W] [--since TIME]",
    .run = run,
};
