#ifndef TESTS_UNIT_CASES_H
#define TESTS_UNIT_CASES_H

#include "src/base.h"

/*
 * A file of cases under tests/data:
 *
 *   === a sentence
 *   the input
 *   ---
 *   what is expected
 *
 * What stands before the first case is a remark.
 */

struct test_case {
    char *title;
    char *input;
    char *expected;
};

/** Calls `check` on every case of a file beneath tests/data; fails the test when there
 * is none. */
void cases_run(const char *name, void (*check)(const struct test_case *one));

/** Fails the test, naming the case, when `got` is not what the case expects. */
void case_expects(const struct test_case *one, const char *got);

/** A file of the source tree, whole; the caller frees. */
char *source_file(const char *name);

/** Calls `check` on every example of a manual page: the literal blocks that begin with
 * "# example: NAME".  Fails the test when there is none. */
void manual_examples(const char *page, void (*check)(const char *yaml));

/** Removes a folder with all in it, or fails the test. */
void remove_tree(char *path);

/** A new folder; the caller removes it by scratch_remove, which frees the path, too. */
char *scratch_folder(void);
void scratch_write(const char *folder, const char *name, const char *content);
void scratch_program(const char *folder, const char *name, const char *content);
void scratch_remove(char *folder);

#endif
