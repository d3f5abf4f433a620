#ifndef SRC_ERR_H
#define SRC_ERR_H

#include "src/base.h"

/* Why a call failed.  Each code has one HTTP status and one exit code of jobctl. */
enum err_code {
    ERR_INVALID,     /* the input is wrong; the same input will fail again */
    ERR_DENIED,      /* not allowed for this caller */
    ERR_NOT_FOUND,   /* the named thing does not exist */
    ERR_CONFLICT,    /* not possible in the thing's present state */
    ERR_LIMIT,       /* quota, budget or size exceeded */
    ERR_UNAVAILABLE, /* try again later */
    ERR_DISK_FULL,   /* try again when there is room */
    ERR_INTERNAL,    /* our bug, or the disk or the database failed */
};

/* Filled only on failure.  The text names the thing and the cause: lower case, no full
 * stop; it is cut at the end of the buffer. */
struct err {
    enum err_code code;
    char text[1024];
};

/** Fills `err` (NULL: nobody wants to know) and returns -1, to be the return
 * expression. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);

/** As err_set, with ": " and the text of `errno_value` behind.  The code follows from
 * errno: ENOENT not found, EACCES and EPERM denied, EAGAIN and EBUSY
 * unavailable, ENOSPC and EDQUOT disk full, the rest internal. */
int err_sys(struct err *err, int errno_value, const char *format, ...)
    PRINTF_LIKE(3, 4);

/** Puts "context: " before the text; the code stays.  Returns -1. */
int err_wrap(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/** The stable word of the code, as in the `code` member of a problem answer
 * ("not_found"). */
const char *err_code_name(enum err_code code);

/** False, and *code as it was, when there is no such word. */
bool err_code_from_name(const char *name, enum err_code *code);

/** Exit code of jobctl, as in jobctl(1): 2, 5, 3, 4, 6, 7, 7, 8. */
int err_exit_code(enum err_code code);

/** The code for a HTTP status that came as an answer: 400, 403, 404, 409, 429, 503,
 * 507 and 500 are those of the codes in their order, 401 is denied, 413 limit, other
 * 4xx invalid, other 5xx internal. */
enum err_code err_code_of_http(int status);

#endif
