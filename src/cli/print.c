/* Words for people and for scripts on the two output streams. */

#include "src/cli/print.h"

#include "src/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const char *const colours[] = {
    [PAINT_PLAIN] = "",
    [PAINT_GOOD]  = "\033[32m",
    [PAINT_BAD]   = "\033[31m",
    [PAINT_BUSY]  = "\033[36m",
    [PAINT_DIM]   = "\033[2m",
};

static const struct {
    const char *status;
    enum paint paint;
} status_paints[] = {
    { "Completed",           PAINT_GOOD },
    { "Failed",              PAINT_BAD },
    { "MaxRuntimeExceeded",  PAINT_BAD },
    { "MaxWaitTimeExceeded", PAINT_BAD },
    { "Stopped",             PAINT_DIM },
    { "Stopping",            PAINT_DIM },
};
/* clang-format on */

static bool is_colourful(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (no_color && *no_color)
        return false;
    return isatty(fileno(stream)) && term && strcmp(term, "dumb") != 0;
}

void print_painted(FILE *stream, enum paint paint, const char *words)
{
    bool colour = paint != PAINT_PLAIN && is_colourful(stream);

    if (colour)
        fputs(colours[paint], stream);
    for (; *words; words++)
        fputc(iscntrl((unsigned char)*words) && *words != '\n' ? '?' : *words, stream);
    if (colour)
        fputs("\033[0m", stream);
}

static enum paint paint_of_status(const char *status)
{
    for (size_t i = 0; i < ARRAY_SIZE(status_paints); i++)
        if (strcmp(status_paints[i].status, status) == 0)
            return status_paints[i].paint;
    return PAINT_BUSY;
}

void print_status(const char *name, const char *between, const char *status)
{
    print_painted(stdout, PAINT_PLAIN, name ? name : "");
    fputs(between, stdout);
    if (status)
        print_painted(stdout, paint_of_status(status), status);
    fputc('\n', stdout);
}

void print_json(const struct cJSON *value)
{
    bool pretty = isatty(STDOUT_FILENO);
    auto_free char *text = pretty ? json_print_pretty(value) : json_print(value);

    fputs(text, stdout);
    if (!pretty)
        fputc('\n', stdout);
}

void print_note(const char *format, ...)
{
    auto_free char *words = NULL;
    va_list args;

    va_start(args, format);
    words = xvasprintf(format, args);
    va_end(args);
    print_painted(stderr, PAINT_PLAIN, "jobctl: ");
    print_painted(stderr, PAINT_PLAIN, words);
    fputc('\n', stderr);
}

static void print_problem(const char *file, const struct problem *problem)
{
    auto_free char *line =
        xasprintf("%s%s%s%s%s%s%s%s", file ? file : "  ", file ? ": " : "",
                  problem->path, *problem->path ? ": " : "", problem->message,
                  problem->hint ? " (" : "", problem->hint ? problem->hint : "",
                  problem->hint ? ")" : "");

    print_painted(stderr, PAINT_PLAIN, line);
    fputc('\n', stderr);
}

/* The problem that is the only one, and that the error says already; or NULL. */
static const struct problem *said_problem(const struct err *err,
                                          const struct problems *problems)
{
    const struct problem *problem = problems ? problems->items : NULL;
    auto_free char *words = NULL;

    if (!problem || problems->count != 1)
        return NULL;
    words = xasprintf("%s: %s", problem->path, problem->message);
    return strcmp(words, err->text) == 0 ? problem : NULL;
}

int print_failure(const struct err *err, const char *file,
                  const struct problems *problems)
{
    const struct problem *said = said_problem(err, problems);

    if (said && said->hint)
        print_note("%s (%s)", err->text, said->hint);
    else
        print_note("%s", err->text);
    for (size_t i = 0; problems && !said && i < problems->count; i++)
        print_problem(file, &problems->items[i]);
    return err_exit_code(err->code);
}

const char *print_time(const char *rfc3339, char out[32])
{
    size_t len = rfc3339 ? strlen(rfc3339) : 0;

    if (len >= 20 && rfc3339[10] == 'T')
        snprintf(out, 32, "%.10s %.8sZ", rfc3339, rfc3339 + 11);
    else
        snprintf(out, 32, "%s", len ? rfc3339 : "-");
    return out;
}

const char *print_bytes(double bytes, char out[PRINT_BYTES_SIZE])
{
    double size;
    const char *unit = text_bytes_unit(bytes, &size);

    snprintf(out, PRINT_BYTES_SIZE, "%.*f %s", size > 1 ? 1 : 0, bytes / size, unit);
    return out;
}
