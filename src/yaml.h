#ifndef SRC_YAML_H
#define SRC_YAML_H

#include "src/json.h"

/**
 * Reads one YAML 1.2 document (core schema) as a JSON value; the door to libyaml.
 *
 * Only true and false are booleans (`no` is text), `1e-4`, `.5`, `0x1f` and `0o17` are
 * numbers, quoted scalars are text.  Refused by name, with line and column: aliases and
 * anchors, merge keys, tags, a second document, keys that are not scalars, .inf and
 * .nan, nesting above JSON_DEPTH_MAX, and U+0085, U+2028 and U+2029 as they are, which
 * YAML 1.1 reads as line breaks.  The caller frees with json_free.
 */
MUST_CHECK int yaml_parse(const char *bytes, size_t len, struct cJSON **out,
                          struct err *err);

#endif
