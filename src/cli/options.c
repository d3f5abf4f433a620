/* Command lines: getopt_long fed from tables.  Decides the form of an option, not what
 * it means. */

#include "src/cli/options.h"

#include "src/clock.h"
#include "src/text.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct option_row global_rows[] = {
    { "socket",  0, OPTION_TEXT, NULL, 0, 0, "PATH", "unix socket of railheadd (RAILHEAD_SOCKET)" },
    { "server",  0, OPTION_TEXT, NULL, 0, 0, "URL",  "http://HOST:PORT of railheadd (RAILHEAD_SERVER)" },
    { "output",  0, OPTION_TEXT, NULL, 0, 0, "FORM", "table (for people), json (the server's answer), or what else the verb has" },
    { "help",    0, OPTION_FLAG, NULL, 0, 0, NULL,   "this text" },
    { "version", 0, OPTION_FLAG, NULL, 0, 0, NULL,   "the version of jobctl" },
};
/* clang-format on */

/* What getopt_long gives: an index into one of the two tables. */
enum {
    GLOBAL_BASE = 0x1000,
    OWN_BASE = 0x2000
};

static size_t rows_count(const struct option_row *rows)
{
    size_t count = 0;

    while (rows && rows[count].name)
        count++;
    assert(count <= OPTIONS_MAX);
    return count;
}

static void print_rows(const struct option_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char letter[4] = "  ";
        auto_free char *words =
            xasprintf("--%s%s%s", rows[i].name, rows[i].value ? " " : "",
                      rows[i].value ? rows[i].value : "");

        if (rows[i].letter)
            snprintf(letter, sizeof letter, "-%c", rows[i].letter);
        printf("  %s %-24s %s\n", letter, words, rows[i].help);
    }
}

static void print_verb_help(const struct verb *verb, const struct option_row *rows)
{
    printf("usage: jobctl %s%s%s\n\n%s\n\n", verb->name, *verb->arguments ? " " : "",
           verb->arguments, verb->help);
    print_rows(rows, rows_count(rows));
    print_rows(global_rows, ARRAY_SIZE(global_rows));
}

static void print_help(void)
{
    printf("usage: jobctl [OPTION]... VERB [ARGUMENT]...\n\n"
           "Runs training jobs and says what each one cost.\n\n");
    for (size_t i = 0; verbs[i]; i++)
        printf("  %-11s %s\n", verbs[i]->name, verbs[i]->help);
    printf("\n");
    print_rows(global_rows, ARRAY_SIZE(global_rows));
    printf(
        "\njobctl VERB --help tells the options of one verb; jobctl(1) tells all.\n");
}

static const char *const output_names[OUTPUTS] = {
    [OUTPUT_TABLE] = "table", [OUTPUT_JSON] = "json", [OUTPUT_CSV] = "csv",
    [OUTPUT_FOCUS] = "focus", [OUTPUT_CUR] = "cur",   [OUTPUT_INTERVALS] = "intervals",
    [OUTPUT_HTML] = "html",   [OUTPUT_SVG] = "svg",
};

const char *output_name(enum output output)
{
    return output_names[output];
}

static bool has_output(const struct verb *verb, enum output output)
{
    return output <= OUTPUT_JSON || (verb && verb->outputs & 1U << output);
}

static enum options_end refuse_output(const struct verb *verb, const char *value)
{
    fprintf(stderr, "jobctl: --output %s: expected table", value);
    for (enum output output = OUTPUT_JSON; output < OUTPUTS; output++)
        if (has_output(verb, output))
            fprintf(stderr, ", %s", output_names[output]);
    fprintf(stderr, "\n");
    return OPTIONS_BAD;
}

/* Before the verb every form is well: options_parse of the verb looks again. */
static enum options_end set_output(struct cli *cli, const struct verb *verb,
                                   const char *value)
{
    for (enum output output = 0; output < OUTPUTS; output++) {
        if (strcmp(value, output_names[output]) == 0) {
            cli->output = output;
            return OPTIONS_GO_ON;
        }
    }
    return refuse_output(verb, value);
}

static enum options_end set_global(struct cli *cli, const struct verb *verb,
                                   const char *name, const char *value)
{
    if (strcmp(name, "socket") == 0) {
        cli->socket = value;
        cli->server = NULL;
    } else if (strcmp(name, "server") == 0) {
        cli->server = value;
        cli->socket = NULL;
    } else if (strcmp(name, "output") == 0) {
        return set_output(cli, verb, value);
    } else if (strcmp(name, "version") == 0) {
        printf("jobctl " PACKAGE_VERSION "\n");
        return OPTIONS_DONE;
    }
    return OPTIONS_GO_ON;
}

static enum options_end set_int(const struct option_row *row, const char *value)
{
    char *end = NULL;
    long long number = strtoll(value, &end, 10);

    if (!*value || *end || number < row->min || number > row->max) {
        fprintf(stderr, "jobctl: --%s %s: expected a whole number from %lld to %lld\n",
                row->name, value, (long long)row->min, (long long)row->max);
        return OPTIONS_BAD;
    }
    *(int64_t *)row->out = number;
    return OPTIONS_GO_ON;
}

static enum options_end set_own(const struct option_row *row, const char *value)
{
    struct err err;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->out = true;
        break;
    case OPTION_TEXT:
        *(const char **)row->out = value;
        break;
    case OPTION_INT:
        return set_int(row, value);
    case OPTION_DURATION:
        if (duration_parse(value, row->out, &err) == 0)
            break;
        fprintf(stderr, "jobctl: --%s: %s\n", row->name, err.text);
        return OPTIONS_BAD;
    case OPTION_LIST:
        words_add(row->out, xstrdup(value));
        break;
    }
    return OPTIONS_GO_ON;
}

struct getopt_tables {
    struct option longs[OPTIONS_MAX + ARRAY_SIZE(global_rows) + 1];
    size_t long_count;
    char shorts[2 * OPTIONS_MAX + 3];
    size_t short_count;
};

static void add_rows(struct getopt_tables *tables, const struct option_row *rows,
                     size_t count, int base)
{
    for (size_t i = 0; i < count; i++) {
        bool has_value = rows[i].value != NULL;

        tables->longs[tables->long_count++] = (struct option){
            .name = rows[i].name,
            .has_arg = has_value ? required_argument : no_argument,
            .val = base + (int)i,
        };
        if (rows[i].letter)
            tables->shorts[tables->short_count++] = rows[i].letter;
        if (rows[i].letter && has_value)
            tables->shorts[tables->short_count++] = ':';
    }
}

static int row_of_letter(const struct option_row *rows, int letter)
{
    for (int i = 0; rows && rows[i].name; i++)
        if (letter && rows[i].letter == letter)
            return OWN_BASE + i;
    return '?';
}

static const char *nearest_option(const struct getopt_tables *tables, const char *word)
{
    const char *names[ARRAY_SIZE(tables->longs)] = { NULL };

    for (size_t i = 0; tables->longs[i].name; i++)
        names[i] = tables->longs[i].name;
    return text_nearest(word + strspn(word, "-"), names);
}

/* What getopt_long refused; `word` is the last that it looked at. */
static enum options_end refuse(const struct getopt_tables *tables, const char *word,
                               bool lacks_value)
{
    const char *nearest = nearest_option(tables, word);

    if (lacks_value)
        fprintf(stderr, "jobctl: %s: a value is missing\n", word);
    else if (nearest && text_starts_with(word, "--"))
        fprintf(stderr, "jobctl: there is no option %s: did you mean --%s?\n", word,
                nearest);
    else
        fprintf(stderr, "jobctl: there is no option %s\n", word);
    return OPTIONS_BAD;
}

static enum options_end take(struct cli *cli, const struct verb *verb,
                             const struct option_row *rows, int got)
{
    const char *name;

    assert(got < OWN_BASE || rows);
    if (got >= OWN_BASE)
        return set_own(&rows[got - OWN_BASE], optarg);
    name = global_rows[got - GLOBAL_BASE].name;
    if (strcmp(name, "help") != 0)
        return set_global(cli, verb, name, optarg);
    if (verb)
        print_verb_help(verb, rows);
    else
        print_help();
    return OPTIONS_DONE;
}

/* "+" stops at the first operand: before a verb, what follows belongs to the verb.  ":"
 * leaves the messages to us. */
static enum options_end parse(struct cli *cli, const struct verb *verb,
                              const struct option_row *rows, int argc, char **argv)
{
    struct getopt_tables tables = { .long_count = 0 };
    enum options_end end = OPTIONS_GO_ON;
    int got;

    if (!verb)
        tables.shorts[tables.short_count++] = '+';
    tables.shorts[tables.short_count++] = ':';
    add_rows(&tables, rows, rows_count(rows), OWN_BASE);
    add_rows(&tables, global_rows, ARRAY_SIZE(global_rows), GLOBAL_BASE);
    optind = 0; /* glibc: begin anew */
    while (end == OPTIONS_GO_ON
           && (got = getopt_long(argc, argv, tables.shorts, tables.longs, NULL))
                  != -1) {
        bool lacks_value = got == ':';

        if (got < GLOBAL_BASE)
            got = row_of_letter(rows, got);
        if (got < GLOBAL_BASE)
            end = refuse(&tables, argv[optind - 1], lacks_value);
        else
            end = take(cli, verb, rows, got);
    }
    return end;
}

/* The operands of a verb are the words of its usage line that are not in brackets. */
static int operands_wanted(const char *arguments)
{
    int wanted = 0;

    for (const char *at = arguments; *at && *at != '['; at++)
        if (*at != ' ' && (at == arguments || at[-1] == ' '))
            wanted++;
    return wanted;
}

/* No file, job or type has an empty name. */
static enum options_end check_operands(const struct verb *verb, int count,
                                       char *const *operands)
{
    int wanted = operands_wanted(verb->arguments);

    if (count > wanted) {
        fprintf(stderr, "jobctl: %s: \"%s\" is one argument too many\n", verb->name,
                operands[wanted]);
        return OPTIONS_BAD;
    }
    for (int i = 0; i < wanted; i++) {
        if (i < count && *operands[i])
            continue;
        fprintf(stderr, "jobctl: %s: an argument is %s\n", verb->name,
                i < count ? "empty" : "missing");
        return OPTIONS_BAD;
    }
    return OPTIONS_GO_ON;
}

enum options_end options_parse(struct cli *cli, const struct verb *verb,
                               const struct option_row *rows, int argc, char **argv,
                               char ***operands)
{
    enum options_end end = parse(cli, verb, rows, argc, argv);

    if (end == OPTIONS_GO_ON && !has_output(verb, cli->output))
        return refuse_output(verb, output_names[cli->output]);
    if (end == OPTIONS_GO_ON)
        end = check_operands(verb, argc - optind, argv + optind);
    if (end == OPTIONS_BAD)
        fprintf(stderr, "usage: jobctl %s%s%s\n", verb->name,
                *verb->arguments ? " " : "", verb->arguments);
    if (end == OPTIONS_GO_ON && operands)
        *operands = argv + optind;
    return end;
}

enum options_end options_parse_global(struct cli *cli, int argc, char **argv,
                                      int *first)
{
    enum options_end end = parse(cli, NULL, NULL, argc, argv);

    *first = optind;
    return end;
}
