#ifndef SRC_JSON_SCAN_H
#define SRC_JSON_SCAN_H

#include "src/base.h"
#include "src/err.h"

/* The strict half of reading JSON; for json.c alone. */

/* Begins the text of a number in the copy.  No valid UTF-8 holds this byte and no
 * escape yields it, so no text of the input begins with it. */
#define JSON_NUMBER_MARK '\xff'

/** Room for the copy of `len` bytes: each number grows by three, and between two of
 * them stands at least one byte. */
size_t json_scan_room(size_t len);

/**
 * Checks one JSON text (RFC 8259, UTF-8, no NUL in text, at most JSON_DEPTH_MAX levels)
 * and writes a copy in which every number is a string that begins with
 * JSON_NUMBER_MARK.
 *
 * @copy      json_scan_room(len) bytes; it does not end in NUL
 * @copy_len  set only on success
 *
 * ERR_INVALID names line and column.  Pure.
 */
MUST_CHECK int json_scan(const char *bytes, size_t len, char *copy, size_t *copy_len,
                         struct err *err);

/** The end of the JSON number that begins at `at`; NULL when there is none.  Pure. */
const char *json_number_end(const char *at, const char *end);

#endif
