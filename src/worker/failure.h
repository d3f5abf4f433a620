#ifndef SRC_WORKER_FAILURE_H
#define SRC_WORKER_FAILURE_H

#include "src/base.h"

/* What a program says of its own failure: in output/failure, and in the tracebacks that
 * Python prints. */

/**
 * The first 1,024 characters of ML/output/failure; what is no UTF-8 in it becomes
 * U+FFFD. NULL when there is no such file, or nothing in it, or what is there is no
 * regular file.  The caller frees.
 */
char *failure_read(const char *ml_folder);

/* The exceptions that the lines of one log name.  An exception's line is the first line
 * after "Traceback (most recent call last):" that is not indented.  Where one exception
 * was raised while another was handled, Python prints both: that is one failure, and
 * its exception is the first. */
struct traceback {
    char *first;    /* of the first failure, NULL: none */
    char *last;     /* of the last failure */
    int rank;       /* that prints the traceback which is open */
    bool is_open;   /* its exception's line has not come */
    bool is_group;  /* it is of an exception group: every line has a margin */
    bool continues; /* the next one belongs to the failure before it */
};

/** Looks at one line, without its line feed, of the log that `traceback` is for.
 *
 * @rank  whose line it is: mpirun puts those of several into one log */
void traceback_scan(struct traceback *traceback, int rank, const char *line,
                    size_t len);
void traceback_clear(struct traceback *traceback);

#endif
