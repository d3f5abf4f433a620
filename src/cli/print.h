#ifndef SRC_CLI_PRINT_H
#define SRC_CLI_PRINT_H

#include "src/err.h"
#include "src/json.h"
#include "src/problems.h"

#include <stdio.h>

/* How jobctl speaks: answers on stdout, everything else on stderr. */

enum paint {
    PAINT_PLAIN,
    PAINT_GOOD,
    PAINT_BAD,
    PAINT_BUSY,
    PAINT_DIM
};

/** Words in a colour when the stream is a terminal and neither NO_COLOR nor TERM=dumb
 * is against it. Control characters in `words` are shown as "?": what a job says cannot
 * steer the terminal. */
void print_painted(FILE *stream, enum paint paint, const char *words);

/** A line on stdout: a job's name, `between`, its status in its colour; nothing for one
 * that is NULL. */
void print_status(const char *name, const char *between, const char *status);

/** A server's answer on stdout: indented on a terminal, else on one line. */
void print_json(const struct cJSON *value);

/** "jobctl: ..." on stderr, with a line feed. */
void print_note(const char *format, ...) PRINTF_LIKE(1, 2);

/**
 * Why a command failed, on stderr: the error, then each problem as "FILE: path: message
 * (hint)", but for one that is the error itself.
 *
 * @file      names the input that the problems are in; NULL: none
 * @problems  may be NULL
 *
 * Returns the exit code.
 */
int print_failure(const struct err *err, const char *file,
                  const struct problems *problems);

/** "2026-11-30 10:15:00Z" from an RFC 3339 text in UTC; "-" for NULL. */
const char *print_time(const char *rfc3339, char out[32]);

/* Room for "1023.9 MiB" and its end. */
enum {
    PRINT_BYTES_SIZE = 32
};

/** "812 B", "775.1 MiB": in the unit of 1024 that leaves the fewest digits.  Returns
 * `out`. */
const char *print_bytes(double bytes, char out[PRINT_BYTES_SIZE]);

#endif
