/* Allocation that aborts, and the functions behind the cleanup attributes. */

#include "src/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void base_free(void *pointer_to_pointer)
{
    void *memory;

    memcpy(&memory, pointer_to_pointer, sizeof memory);
    free(memory);
}

void base_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

int steal_fd(int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

void *xcheck(void *memory)
{
    if (!memory) {
        static const char message[] = "out of memory\n";

        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        abort();
    }
    return memory;
}

void *xmalloc(size_t size)
{
    return xcheck(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return xcheck(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t size)
{
    return xcheck(realloc(old, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return text ? xcheck(strdup(text)) : NULL;
}

char *xstrndup(const char *text, size_t len)
{
    return xcheck(strndup(text, len));
}

char *xvasprintf(const char *format, va_list args)
{
    char *text = NULL;

    if (vasprintf(&text, format, args) < 0)
        xcheck(NULL);
    return text;
}

char *xasprintf(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = xvasprintf(format, args);
    va_end(args);
    return text;
}
