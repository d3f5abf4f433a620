/* One line a fact, to stderr, in one write.  What is worth a line is decided where the
 * line is made; that no text from outside begins a line of its own is decided here. */

#include "src/log.h"

#include "src/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PIPE_BUF: up to here a write to a pipe is not torn.  A longer line is cut and ends in
 * three dots. */
enum {
    LOG_LINE_SIZE = 4096,
    CUT_MARK_LEN = 3,
};

/* clang-format off */
static const struct {
    const char *word;
    const char *priority; /* of syslog, as sd-daemon(3) has it */
} levels[] = {
    [LOG_LEVEL_DEBUG]   = { "debug",   "<7>" },
    [LOG_LEVEL_INFO]    = { "info",    "<6>" },
    [LOG_LEVEL_WARNING] = { "warning", "<4>" },
    [LOG_LEVEL_ERROR]   = { "error",   "<3>" },
};
/* clang-format on */

static enum log_level least_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
    least_level = level;
}

/* The variable alone says too little: what was started from a desktop session inherits
 * it with stderr on a terminal.  It names the device and inode of the stream. */
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device;
    unsigned long long inode;
    struct stat status;
    char *end;

    if (!stream || fstat(STDERR_FILENO, &status) < 0)
        return false;
    device = strtoull(stream, &end, 10);
    if (*end != ':')
        return false;
    inode = strtoull(end + 1, &end, 10);
    return *end == '\0' && device == status.st_dev && inode == status.st_ino;
}

/* Control characters, those of 0x80..0x9f in UTF-8 too: a terminal obeys them. */
static void replace_controls(char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)line[i];
        unsigned char next = i + 1 < len ? (unsigned char)line[i + 1] : 0;

        if (byte < 0x20 || byte == 0x7f)
            line[i] = '?';
        else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f)
            line[i] = line[i + 1] = '?';
    }
}

static void write_line(const char *line, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDERR_FILENO, line, len);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return; /* nobody is left to tell */
        line += written;
        len -= (size_t)written;
    }
}

void log_line(enum log_level level, const char *format, ...)
{
    char line[LOG_LINE_SIZE];
    char time[TIME_TEXT_SIZE];
    va_list args;
    size_t len;
    int made;

    if (level < least_level)
        return;
    if (stderr_is_journal())
        made = snprintf(line, sizeof line, "%s", levels[level].priority);
    else
        made = snprintf(line, sizeof line, "%s %s ", time_format(clock_wall(), time),
                        levels[level].word);
    len = (size_t)made;
    va_start(args, format);
    made = vsnprintf(line + len, sizeof line - len, format, args);
    va_end(args);
    if (made < 0)
        return;
    len += (size_t)made;
    if (len > sizeof line - 1) {
        len = sizeof line - 1;
        memset(line + len - CUT_MARK_LEN, '.', CUT_MARK_LEN);
    }
    replace_controls(line, len);
    line[len] = '\n';
    write_line(line, len + 1);
}
