/* Keeps a file of samples small.  Decides which samples go; what one says is the
 * sampler's. */

#include "src/worker/sample_log.h"

#include "src/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the file: 32 accelerators make a line of 4 KiB. */
enum {
    BYTES_MAX = 128 << 20
};

void sample_log_init(struct sample_log *log, const char *path)
{
    *log = (struct sample_log){ .path = xstrdup(path), .fd = -1, .every = 1 };
}

void sample_log_clear(struct sample_log *log)
{
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    *log = (struct sample_log){ .fd = -1 };
}

/* A FIFO that a job puts in its place must not make us wait. */
static void open_file(struct sample_log *log)
{
    log->fd =
        open(log->path,
             O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
}

/* Every second line, in place: what is left tells of the same span. */
static size_t drop_every_second(char *bytes, size_t len)
{
    char *to = bytes;
    bool keep = false;

    for (const char *at = bytes; at < bytes + len;) {
        const char *end = memchr(at, '\n', (size_t)(bytes + len - at));
        size_t size = end ? (size_t)(end + 1 - at) : (size_t)(bytes + len - at);

        if (keep) {
            memmove(to, at, size);
            to += size;
        }
        keep = !keep;
        at += size;
    }
    return (size_t)(to - bytes);
}

/* Should it fail, the file stays as it is until half as many more have come. */
static void thin_out(struct sample_log *log)
{
    auto_free char *bytes = NULL;
    size_t len;

    log->lines /= 2;
    log->every *= 2;
    if (file_read_at(AT_FDCWD, log->path, BYTES_MAX, &bytes, &len, NULL) < 0
        || file_replace(log->path, bytes, drop_every_second(bytes, len), 0640, false,
                        NULL)
               < 0)
        return;
    if (log->fd >= 0)
        close(log->fd);
    open_file(log);
}

static void append(struct sample_log *log, const char *line)
{
    off_t size;

    if (log->fd < 0)
        open_file(log);
    size = log->fd < 0 ? -1 : lseek(log->fd, 0, SEEK_END);
    if (size < 0)
        return;
    if (write_all(log->fd, line, strlen(line), NULL) < 0)
        (void)!ftruncate(log->fd, size);
    else if (++log->lines >= SAMPLE_LOG_LINES)
        thin_out(log);
}

void sample_log_add(struct sample_log *log, const struct cJSON *sample)
{
    auto_free char *words = NULL;
    auto_free char *line = NULL;

    if (++log->samples % log->every != 0)
        return;
    words = json_print(sample);
    line = xasprintf("%s\n", words);
    append(log, line);
}
