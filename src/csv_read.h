#ifndef SRC_CSV_READ_H
#define SRC_CSV_READ_H

#include "src/err.h"
#include "src/json.h"

/**
 * A table of CSV (RFC 4180, line ends of either kind, a byte order mark is passed over)
 * as an array of objects: the first line names the members, empty fields are left out.
 * "a.b" is the member b of an object a.  Every value is text.
 *
 * ERR_INVALID names the line: another number of fields than the first, a quote that is
 * not closed, a name that is empty or stands there twice, "a" beside "a.b", bytes that
 * are no UTF-8.  The caller frees.
 */
MUST_CHECK int csv_read(const char *bytes, size_t len, struct cJSON **rows,
                        struct err *err);

#endif
