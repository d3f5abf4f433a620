/* Reads why a program says that it failed.  Decides which line of a traceback names the
 * exception; which rank's is told is life's business. */

#include "src/worker/failure.h"

#include "src/files.h"
#include "src/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* SageMaker's FailureReason takes so many; UTF-8 has at most four bytes for one. */
enum {
    FAILURE_CHARS = 1024,
    FAILURE_BYTES = 4 * FAILURE_CHARS,
    EXCEPTION_BYTES = 1024
};

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Bytes of the character that begins here; 0 when none does. */
static size_t character(const char *bytes, size_t len)
{
    for (size_t size = 1; size <= 4 && size <= len; size++)
        if (text_is_utf8(bytes, size))
            return size;
    return 0;
}

static char *clean(const char *bytes, size_t len)
{
    auto_text struct text out = { 0 };
    size_t at = 0;

    for (int count = 0; count < FAILURE_CHARS && at < len; count++) {
        size_t size = character(bytes + at, len - at);

        if (size > 0)
            text_add(&out, bytes + at, size);
        else
            text_puts(&out, replacement);
        at += size > 0 ? size : 1;
    }
    return text_steal(&out);
}

char *failure_read(const char *ml_folder)
{
    auto_free char *path = xasprintf("%s/output/failure", ml_folder);
    auto_close int fd = open_regular_at(AT_FDCWD, path);
    char bytes[FAILURE_BYTES];
    ssize_t len;

    if (fd < 0)
        return NULL;
    len = read(fd, bytes, sizeof bytes);
    return len > 0 ? clean(bytes, (size_t)len) : NULL;
}

static bool ends_with(const char *line, size_t len, const char *end)
{
    size_t end_len = strlen(end);

    return len >= end_len && memcmp(line + len - end_len, end, end_len) == 0;
}

static bool begins_with(const char *line, size_t len, const char *start)
{
    size_t start_len = strlen(start);

    return len >= start_len && memcmp(line, start, start_len) == 0;
}

/* At the end of a line: a progress bar may stand before it. */
static bool is_header(const char *line, size_t len)
{
    return ends_with(line, len, "Traceback (most recent call last):");
}

/* What Python says between the tracebacks of one failure. */
static bool is_bridge(const char *line, size_t len)
{
    return begins_with(line, len, "During handling of the above exception, another")
           || begins_with(line, len, "The above exception was the direct cause of");
}

static void open_traceback(struct traceback *traceback, int rank, const char *line,
                           size_t len)
{
    traceback->is_open = true;
    traceback->rank = rank;
    traceback->is_group = begins_with(line, len, "  + Exception Group");
}

static void note_exception(struct traceback *traceback, const char *line, size_t len)
{
    size_t kept = len < EXCEPTION_BYTES ? len : EXCEPTION_BYTES;

    /* A character that is cut in half at the end is left out; bytes that are none are
     * the journal's to mend. */
    while (kept > 0 && kept < len && ((unsigned char)line[kept] & 0xC0) == 0x80)
        kept--;
    traceback->is_open = false;
    if (traceback->continues && traceback->last) {
        traceback->continues = false;
        return;
    }
    free(traceback->last);
    traceback->last = xstrndup(line, kept);
    if (!traceback->first)
        traceback->first = xstrdup(traceback->last);
}

/* A line while a traceback is open, of the rank that prints it. */
static void follow(struct traceback *traceback, const char *line, size_t len)
{
    static const char margin[] = "  | ";

    if (traceback->is_group && begins_with(line, len, margin)) {
        line += strlen(margin);
        len -= strlen(margin);
    }
    if (len > 0 && *line != ' ' && *line != '\t')
        note_exception(traceback, line, len);
}

void traceback_scan(struct traceback *traceback, int rank, const char *line, size_t len)
{
    if (len > 0 && line[len - 1] == '\r')
        len--;
    if (is_header(line, len))
        open_traceback(traceback, rank, line, len);
    else if (traceback->is_open && rank == traceback->rank)
        follow(traceback, line, len);
    else if (traceback->last && rank == traceback->rank && is_bridge(line, len))
        traceback->continues = true;
}

void traceback_clear(struct traceback *traceback)
{
    free(traceback->first);
    free(traceback->last);
    *traceback = (struct traceback){ 0 };
}
