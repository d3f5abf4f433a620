#ifndef TESTS_BENCH_ROWS_H
#define TESTS_BENCH_ROWS_H

/* The smallest table that a durable submit could do with: a unique name and a text,
 * with the settings of the daemon's own database.  A failure ends the program. */

struct rows;

struct rows *rows_open(const char *path);

/** Begins a transaction when none is open. `name` is unique. */
void rows_add(struct rows *rows, const char *name, const char *text);

/** On disk when it returns. */
void rows_commit(struct rows *rows);

void rows_close(struct rows *rows);

#endif
