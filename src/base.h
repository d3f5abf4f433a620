#ifndef SRC_BASE_H
#define SRC_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every file may use: units, cleanup by scope, allocation that cannot fail. */

typedef int64_t usec_t; /* microseconds */

#define USEC_PER_SEC  INT64_C(1000000)
#define USEC_PER_MSEC INT64_C(1000)
#define NSEC_PER_USEC INT64_C(1000)

#define MUST_CHECK           __attribute__((warn_unused_result))
#define PRINTF_LIKE(at, var) __attribute__((format(printf, at, var)))
#define ARRAY_SIZE(array)    (sizeof(array) / sizeof((array)[0]))

/* Cleanup by scope: `auto_free char *text = ...`, `auto_close int fd = -1`. */
#define auto_free  __attribute__((cleanup(base_free)))
#define auto_close __attribute__((cleanup(base_close)))

void base_free(void *pointer_to_pointer);
void base_close(int *fd);

/* Give away: the variable is left empty, the value is returned. */
#define steal_ptr(pointer_to_pointer)                                      \
    __extension__({                                                        \
        __typeof__(*(pointer_to_pointer)) stolen_ = *(pointer_to_pointer); \
        *(pointer_to_pointer) = NULL;                                      \
        stolen_;                                                           \
    })

int steal_fd(int *fd);

/* Small allocations: abort when memory is out.  A size from outside is checked against
 * a limit before it gets here.  The caller frees. */
void *xcheck(void *memory); /* what another allocator gave */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text); /* NULL gives NULL */
char *xstrndup(const char *text, size_t len);
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2);
char *xvasprintf(const char *format, va_list args) PRINTF_LIKE(1, 0);

#endif
