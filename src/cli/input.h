#ifndef SRC_CLI_INPUT_H
#define SRC_CLI_INPUT_H

#include "src/err.h"

/* What the command line names is read here. */

/** What is said of it in messages: the path, or "standard input" for "-". */
const char *input_shown(const char *path);

/**
 * All of a file, or of standard input for "-", with a NUL behind.
 *
 * The caller frees.  The error names the input: ERR_INVALID where there is no such file
 * or it is a folder, ERR_LIMIT above `limit` bytes.
 */
MUST_CHECK int input_read(const char *path, size_t limit, char **bytes, size_t *len,
                          struct err *err);

#endif
