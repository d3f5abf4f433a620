#ifndef SRC_CLI_VERBS_H
#define SRC_CLI_VERBS_H

#include "src/base.h"

/* What every verb is given, and the table of verbs. */

/* What --output may be.  Every verb has the first two. */
enum output {
    OUTPUT_TABLE,
    OUTPUT_JSON,
    OUTPUT_CSV,
    OUTPUT_FOCUS,
    OUTPUT_CUR,
    OUTPUT_INTERVALS,
    OUTPUT_HTML,
    OUTPUT_SVG,
    OUTPUTS
};

/** "table", "json", ... */
const char *output_name(enum output output);

struct cli {
    const char *socket; /* --socket, RAILHEAD_SOCKET; or NULL */
    const char *server; /* --server, RAILHEAD_SERVER; or NULL */
    enum output output;
};

struct verb {
    const char *name;
    const char *help;      /* one line */
    const char *arguments; /* behind the name in the usage line */
    unsigned outputs;      /* 1U << OUTPUT_CSV and the like, besides table and json */
    /* argv[0] is the verb's name.  Gives the exit code. */
    int (*run)(struct cli *cli, const struct verb *verb, int argc, char **argv);
};

extern const struct verb verb_submit;
extern const struct verb verb_estimate;
extern const struct verb verb_ls;
extern const struct verb verb_show;
extern const struct verb verb_logs;
extern const struct verb verb_metrics;
extern const struct verb verb_stop;
extern const struct verb verb_wait;
extern const struct verb verb_instances;
extern const struct verb verb_doctor;
extern const struct verb verb_bill;
extern const struct verb verb_budget;
extern const struct verb verb_compare;
extern const struct verb verb_benchmark;
extern const struct verb verb_admin;

/* In the order of the help; ends in NULL. */
extern const struct verb *const verbs[];

/* A verb that is chosen by the word behind another. */
struct verb_word {
    const char *word;
    const struct verb *verb;
};

/** Runs that of `words`, which ends in {0}, whose word stands behind the verb's name,
 * so that each has options of its own; EXIT_USAGE, and told, when there is none. */
int verb_run_word(struct cli *cli, const struct verb_word *words, int argc,
                  char **argv);

/** NULL when there is none of this name. */
const struct verb *verb_find(const char *name);

/** The verb that was probably meant, or NULL. */
const char *verb_nearest(const char *name);

/* Exit codes that no error has; the others are err_exit_code's. */
enum {
    EXIT_JOB_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_TIMEOUT = 124,
    EXIT_INTERRUPTED = 130,
};

#endif
