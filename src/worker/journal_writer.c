/* Appends lines to the journal.  Decides who may: the first worker that locks it while
 * it is empty; and what a full disk leaves out.  What the lines say is decided by those
 * who build them. */

#include "src/worker/journal_writer.h"

#include "src/clock.h"
#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set aside ahead of what is written: the longest line, or all that an end is made of
 * where its lines are as short as most.  It is asked for in steps. */
enum {
    ROOM_BYTES = JOURNAL_LINE_MAX,
    ROOM_STEP_BYTES = 16384
};

int journal_writer_open(const char *folder, struct journal_writer *out, bool *ours,
                        struct err *err)
{
    auto_free char *path = xasprintf("%s/journal.jsonl", folder);
    auto_close int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    struct stat stat;

    if (fd < 0)
        return err_sys(err, errno, "open %s", path);
    *ours = false;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? 0 : err_sys(err, errno, "lock %s", path);
    if (fstat(fd, &stat) < 0)
        return err_sys(err, errno, "look at %s", path);
    if (stat.st_size > 0)
        return 0;
    *ours = true;
    *out = (struct journal_writer){ .fd = steal_fd(&fd),
                                    .anchor_wall = clock_wall(),
                                    .anchor_boot = clock_boot() };
    return 0;
}

usec_t journal_writer_wall(const struct journal_writer *writer, usec_t boot)
{
    return writer->anchor_wall + (boot - writer->anchor_boot);
}

struct cJSON *journal_writer_line(const struct journal_writer *writer,
                                  enum journal_kind kind, usec_t boot)
{
    struct cJSON *line = json_object_new();

    json_set_int(line, "seq", writer->seq + 1);
    json_set_text(line, "kind", journal_kind_name(kind));
    json_set_int(line, "boot_us", boot);
    json_set_int(line, "wall_us", journal_writer_wall(writer, boot));
    return line;
}

/* False: the disk is full.  Where disk cannot be set aside, a write will tell. */
static bool set_room_aside(struct journal_writer *writer, size_t len)
{
    int64_t needed = writer->size + (int64_t)len + ROOM_BYTES;

    if (needed <= writer->room)
        return true;
    if (fallocate(writer->fd, FALLOC_FL_KEEP_SIZE, 0, needed + ROOM_STEP_BYTES) < 0)
        return errno != ENOSPC && errno != EDQUOT;
    writer->room = needed + ROOM_STEP_BYTES;
    return true;
}

static int append(struct journal_writer *writer, struct cJSON *line,
                  bool may_be_missing, struct err *err)
{
    auto_json struct cJSON *owned = line;
    auto_free char *text = json_print(owned);
    size_t len = strlen(text);

    if (len >= JOURNAL_LINE_MAX)
        return err_set(err, ERR_LIMIT, "a journal line of %zu bytes is too long", len);
    if (!set_room_aside(writer, len + 1) && may_be_missing)
        return 0;
    text[len] = '\n'; /* in the place of the NUL */
    if (write_all(writer->fd, text, len + 1, err) < 0) {
        /* A torn line would spoil the next one too. */
        (void)!ftruncate(writer->fd, writer->size);
        writer->room = 0;
        return err_wrap(err, "journal.jsonl");
    }
    writer->size += (int64_t)len + 1;
    writer->seq++;
    return 0;
}

int journal_writer_append(struct journal_writer *writer, struct cJSON *line,
                          struct err *err)
{
    return append(writer, line, false, err);
}

int journal_writer_note(struct journal_writer *writer, struct cJSON *line,
                        struct err *err)
{
    return append(writer, line, true, err);
}

void journal_writer_close(struct journal_writer *writer)
{
    (void)!ftruncate(writer->fd, writer->size);
    close(writer->fd);
}
