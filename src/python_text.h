#ifndef SRC_PYTHON_TEXT_H
#define SRC_PYTHON_TEXT_H

#include "src/base.h"

struct cJSON;

/* A JSON value in the words of Python: training scripts were written against what
 * SageMaker's toolkit, a Python program, hands them. */

/** As json.dumps(value, sort_keys=True, separators=(",", ":")): ASCII alone.  Numbers
 * stay as they were written.  The caller frees.  Pure. */
char *python_json(const struct cJSON *value);

/** As str(value): True, None, [1, 'a'], text as it is.  The caller frees.  Pure. */
char *python_str(const struct cJSON *value);

/** The members of an object sorted by name; `*count` of them.  The caller frees the
 * array. */
const struct cJSON **python_sorted(const struct cJSON *object, size_t *count);

#endif
