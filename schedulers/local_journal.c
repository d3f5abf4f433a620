/* Tail of a worker's journal: bytes to lines. */

#include "schedulers/local_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int local_journal_open(const char *folder, struct local_journal *journal,
                       struct err *err)
{
    auto_free char *path = xasprintf("%s/journal.jsonl", folder);

    *journal = (struct local_journal){ .fd = -1 };
    journal->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (journal->fd < 0)
        return err_sys(err, errno, "open %s", path);
    return 0;
}

void local_journal_close(struct local_journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
    text_clear(&journal->partial);
}

bool local_journal_has_begun(const struct local_journal *journal)
{
    struct stat info;

    return fstat(journal->fd, &info) == 0 && info.st_size > 0;
}

bool local_journal_is_held(const struct local_journal *journal)
{
    if (flock(journal->fd, LOCK_EX | LOCK_NB) < 0)
        return true;
    flock(journal->fd, LOCK_UN);
    return false;
}

static int tell_line(const char *bytes, size_t len, local_journal_callback_t *callback,
                     void *context, struct err *err)
{
    auto_json struct cJSON *json = NULL;
    struct journal_line line;

    if (journal_line_parse(bytes, len, &json, &line, err) < 0)
        return -1;
    callback(context, &line);
    return 0;
}

/* Goes on after a line that cannot be read: later ones may tell the end. */
static int tell_lines(struct text *partial, local_journal_callback_t *callback,
                      void *context, struct err *err)
{
    size_t from = 0;
    const char *end;
    int result = 0;

    while (from < partial->len
           && (end = memchr(partial->bytes + from, '\n', partial->len - from))) {
        size_t len = (size_t)(end - (partial->bytes + from));

        if (tell_line(partial->bytes + from, len, callback, context, err) < 0)
            result = -1;
        from += len + 1;
    }
    text_drop(partial, from);
    if (partial->len <= JOURNAL_LINE_MAX)
        return result;
    text_drop(partial, partial->len);
    return err_set(err, ERR_INVALID, "a line of more than %d bytes", JOURNAL_LINE_MAX);
}

int local_journal_read(struct local_journal *journal,
                       local_journal_callback_t *callback, void *context, bool *more,
                       struct err *err)
{
    char bytes[LOCAL_JOURNAL_READ_MAX];
    ssize_t got = pread(journal->fd, bytes, sizeof bytes, journal->offset);

    *more = got == (ssize_t)sizeof bytes;
    if (got < 0)
        return err_sys(err, errno, "read the journal");
    journal->offset += got;
    text_add(&journal->partial, bytes, (size_t)got);
    return tell_lines(&journal->partial, callback, context, err);
}
