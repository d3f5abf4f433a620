#ifndef SRC_CLI_OPTIONS_H
#define SRC_CLI_OPTIONS_H

#include "src/cli/verbs.h"
#include "src/err.h"

/* Options of verbs as tables: one table gives both the parsing and the help. */

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_INT,      /* int64_t, between min and max */
    OPTION_DURATION, /* int64_t, seconds */
    OPTION_LIST, /* char **, ends in NULL: may be given often; words_free frees it */
};

struct option_row {
    const char *name;
    char letter; /* or 0 */
    enum option_kind kind;
    void *out; /* of the kind's type; unchanged when the option is not given */
    int64_t min;
    int64_t max;
    const char *value; /* what stands for the value in the help; NULL for a flag */
    const char *help;
};

enum {
    OPTIONS_MAX = 16
};

enum options_end {
    OPTIONS_GO_ON,
    OPTIONS_DONE, /* --help or --version was answered */
    OPTIONS_BAD,  /* said on stderr: exit with EXIT_USAGE */
};

/**
 * Reads a verb's command line, and the options that every verb has (--socket, --server,
 * --output, --help, --version).  On OPTIONS_GO_ON *operands are the arguments that the
 * verb's usage line names; another number of them is OPTIONS_BAD.
 */
enum options_end options_parse(struct cli *cli, const struct verb *verb,
                               const struct option_row *rows, int argc, char **argv,
                               char ***operands);

/** The options before the verb; *first is the index of the verb, or argc when there is
 * none. */
enum options_end options_parse_global(struct cli *cli, int argc, char **argv,
                                      int *first);

#endif
