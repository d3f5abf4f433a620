/* Prints the plan of a job.  Decides what is told once for all ranks; the plan, and
 * what of it is masked, was decided by the server. */

#include "src/cli/plan.h"

#include "src/cli/figure.h"
#include "src/shell_words.h"

#include <ctype.h>
#include <string.h>

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                            "0123456789_-+=./:,@%^";

static void add_escaped(struct text *out, const char *word)
{
    text_puts(out, "$'");
    for (; *word; word++) {
        if (*word == '\n')
            text_puts(out, "\\n");
        else if (iscntrl((unsigned char)*word))
            text_printf(out, "\\%03o", (unsigned int)(unsigned char)*word);
        else
            text_printf(out, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word);
    }
    text_puts(out, "'");
}

void plan_add_word(struct text *out, const char *word)
{
    if (text_has_control(word))
        add_escaped(out, word);
    else if (!*word || word[strspn(word, plain)])
        shell_word_add(out, word);
    else
        text_puts(out, word);
}

static void add_command(struct text *out, const struct cJSON *command)
{
    text_puts(out, "   ");
    json_each (word, command) {
        text_puts(out, " ");
        plan_add_word(out, json_text(word) ? json_text(word) : "");
    }
    text_puts(out, "\n");
}

/* NAME=VALUE, so that a shell takes it for an assignment. */
static void add_variable(struct text *out, const char *variable)
{
    size_t name = strcspn(variable, "=");

    text_printf(out, "    %.*s=", (int)name, variable);
    if (variable[name] && variable[name + 1])
        plan_add_word(out, variable + name + 1);
    text_puts(out, "\n");
}

static bool has_word(const struct cJSON *words, const char *wanted)
{
    json_each (word, words)
        if (json_text(word) && strcmp(json_text(word), wanted) == 0)
            return true;
    return false;
}

static bool all_have(const struct cJSON *ranks, const char *variable)
{
    json_each (rank, ranks)
        if (!has_word(json_get(rank, "environment"), variable))
            return false;
    return true;
}

/* The variables that all ranks have alike. */
static struct cJSON *common_environment(const struct cJSON *ranks)
{
    struct cJSON *common = json_array_new();

    json_each (word, json_get(json_first(ranks), "environment"))
        if (json_text(word) && all_have(ranks, json_text(word)))
            json_append_text(common, json_text(word));
    return common;
}

static bool same_words(const struct cJSON *left, const struct cJSON *right)
{
    const struct cJSON *b = json_first(right);

    if (json_count(left) != json_count(right))
        return false;
    json_each (a, left) {
        if (!json_text(a) || !json_text(b) || strcmp(json_text(a), json_text(b)) != 0)
            return false;
        b = json_next(b);
    }
    return true;
}

/* NULL when not all ranks run the same. */
static const struct cJSON *common_command(const struct cJSON *ranks)
{
    const struct cJSON *command = json_get(json_first(ranks), "command");

    json_each (rank, ranks)
        if (!same_words(command, json_get(rank, "command")))
            return NULL;
    return command;
}

static void add_rank(struct text *out, const struct cJSON *rank, bool with_command,
                     const struct cJSON *common)
{
    const char *number = figure_words(json_get(rank, "rank"));
    const char *kind = json_get_text(rank, "kind");
    const char *host = json_get_text(rank, "host");

    text_printf(out, "\n  rank %s%s%s%s%s\n", number ? number : "?", kind ? ", " : "",
                kind ? kind : "", host ? " on " : "", host ? host : "");
    if (with_command)
        add_command(out, json_get(rank, "command"));
    json_each (word, json_get(rank, "environment"))
        if (json_text(word) && !(common && has_word(common, json_text(word))))
            add_variable(out, json_text(word));
}

void plan_add(const struct cJSON *plan, struct text *out)
{
    const struct cJSON *ranks = json_get(plan, "ranks");
    const struct cJSON *command = common_command(ranks);
    auto_json struct cJSON *common = NULL;

    if (json_count(ranks) < 2) {
        json_each (rank, ranks)
            add_rank(out, rank, true, NULL);
        return;
    }
    common = common_environment(ranks);
    text_puts(out, "\n  every rank\n");
    if (command)
        add_command(out, command);
    json_each (word, common)
        add_variable(out, json_text(word));
    json_each (rank, ranks)
        add_rank(out, rank, !command, common);
}
