/* Errors as values: a code that says what the caller can do, a text that says what was
 * wrong. */

#include "src/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *name;
    int http_status;
    int exit_code;
} codes[] = {
    [ERR_INVALID]     = { "invalid",     400, 2 },
    [ERR_DENIED]      = { "denied",      403, 5 },
    [ERR_NOT_FOUND]   = { "not_found",   404, 3 },
    [ERR_CONFLICT]    = { "conflict",    409, 4 },
    [ERR_LIMIT]       = { "limit",       429, 6 },
    [ERR_UNAVAILABLE] = { "unavailable", 503, 7 },
    [ERR_DISK_FULL]   = { "disk_full",   507, 7 },
    [ERR_INTERNAL]    = { "internal",    500, 8 },
};
/* clang-format on */

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return -1;
}

static enum err_code code_of_errno(int errno_value)
{
    switch (errno_value) {
    case ENOENT:
        return ERR_NOT_FOUND;
    case EACCES:
    case EPERM:
        return ERR_DENIED;
    case EAGAIN:
    case EBUSY:
        return ERR_UNAVAILABLE;
    case ENOSPC:
    case EDQUOT:
        return ERR_DISK_FULL;
    default:
        return ERR_INTERNAL;
    }
}

int err_sys(struct err *err, int errno_value, const char *format, ...)
{
    va_list args;
    size_t used;

    if (!err)
        return -1;
    err->code = code_of_errno(errno_value);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(errno_value));
    return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
    char before[sizeof err->text];
    va_list args;
    size_t used;

    if (!err)
        return -1;
    memcpy(before, err->text, sizeof before);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", before);
    return -1;
}

const char *err_code_name(enum err_code code)
{
    return codes[code].name;
}

bool err_code_from_name(const char *name, enum err_code *code)
{
    for (size_t i = 0; name && i < ARRAY_SIZE(codes); i++) {
        if (strcmp(codes[i].name, name) == 0) {
            *code = (enum err_code)i;
            return true;
        }
    }
    return false;
}

int err_exit_code(enum err_code code)
{
    return codes[code].exit_code;
}

enum err_code err_code_of_http(int status)
{
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (codes[i].http_status == status)
            return (enum err_code)i;
    if (status == 401)
        return ERR_DENIED;
    if (status == 413)
        return ERR_LIMIT;
    return status >= 400 && status < 500 ? ERR_INVALID : ERR_INTERNAL;
}
