/* Keeps the history of metrics.  Decides when it is written and how much there may be
 * of it; a line is here whole or not at all. */

#include "src/worker/metrics_history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who follows a run sees a value this late at most. */
#define WRITE_INTERVAL USEC_PER_SEC

/* Of one worker: a line has some 80 bytes, so these are 800,000 values, at one a second
 * nine days of them. */
#define SIZE_MAX_BYTES (INT64_C(64) << 20)

enum {
    PENDING_MAX = 65536
};

void metrics_history_init(struct metrics_history *history, const char *folder)
{
    *history =
        (struct metrics_history){ .folder = folder, .fd = -1, .due_boot = INT64_MAX };
}

void metrics_history_clear(struct metrics_history *history)
{
    if (history->fd >= 0)
        close(history->fd);
    text_clear(&history->pending);
}

void metrics_history_add(struct metrics_history *history, const char *line, usec_t boot)
{
    if (history->pending.len == 0)
        history->due_boot = boot + WRITE_INTERVAL;
    text_puts(&history->pending, line);
    text_puts(&history->pending, "\n");
    history->pending_count++;
    if (history->pending.len >= PENDING_MAX)
        metrics_history_write(history);
}

/* 0, or why the file takes nothing. */
static int open_file(struct metrics_history *history)
{
    auto_free char *path = xasprintf("%s/metrics.jsonl", history->folder);

    if (history->fd >= 0)
        return 0;
    /* A FIFO that a job puts in its place must not make us wait. */
    history->fd =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW,
             0640);
    return history->fd >= 0 ? 0 : errno;
}

static int write_pending(struct metrics_history *history)
{
    const struct text *pending = &history->pending;
    int result = open_file(history);
    ssize_t wrote;

    if (result != 0)
        return result;
    if (history->size + (int64_t)pending->len > SIZE_MAX_BYTES)
        return EFBIG;
    wrote = write(history->fd, pending->bytes, pending->len);
    if (wrote == (ssize_t)pending->len) {
        history->size += wrote;
        return 0;
    }
    result = wrote < 0 ? errno : ENOSPC;
    (void)!ftruncate(history->fd, history->size);
    return result;
}

void metrics_history_write(struct metrics_history *history)
{
    int result;

    if (history->pending.len == 0)
        return;
    result = write_pending(history);
    if (result != 0) {
        history->dropped += history->pending_count;
        history->dropped_errno = result;
    }
    history->pending_count = 0;
    history->due_boot = INT64_MAX;
    text_drop(&history->pending, history->pending.len);
}

char *metrics_history_remark(const struct metrics_history *history)
{
    if (history->dropped == 0)
        return NULL;
    return xasprintf("the history of metrics lacks %" PRIu64 " of its values: %s",
                     history->dropped,
                     history->dropped_errno == EFBIG
                         ? "it has 64 MiB at most"
                         : strerror(history->dropped_errno));
}
