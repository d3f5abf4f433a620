#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "src/err.h"
#include "src/json.h"
#include "src/problems.h"

#include <assert.h>
#include <stdint.h>

/*
 * What the targets of libFuzzer share.
 *
 * A target reads one input and asserts what must hold of whatever came of it: what is
 * taken reads the same when it is printed and read again, what is refused says why,
 * bounds are kept.  assert(3) stays on in every build of ours.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* of targets that need it */

/** The input as text, up to its first NUL; the caller frees. */
char *fuzz_text(const uint8_t *data, size_t size);

/** Takes a line off the front of what *rest points to, which it cuts; NULL: there is
 * none. */
char *fuzz_line(char **rest);

/** JSON, or else YAML; NULL: it is neither.  The caller owns it. */
struct cJSON *fuzz_value(const uint8_t *data, size_t size);

/** The value, printed and read again.  The caller owns it. */
struct cJSON *fuzz_again(const struct cJSON *value);

/** Whether both print alike, the members in whatever order. */
bool fuzz_same(const struct cJSON *left, const struct cJSON *right);

/** What a failed call says: the input is wrong (or too large), and why. */
bool fuzz_is_refusal(const struct err *err);

/** What is said of an input that was taken (nothing) or refused: a place and words for
 * each mistake. */
bool fuzz_are_told(const struct problems *problems, bool taken);

/** A folder of this process's own, removed when it ends well.  Not to be freed. */
const char *fuzz_folder(void);
/** Writes a file into it. */
void fuzz_write(const char *name, const void *bytes, size_t len);

#endif
