/* How the bytes of an object get into a FIFO.  Local files are spliced: their pages go
 * to the reader without passing through here. */

#include "src/stage/pour.h"

#include "src/archive_stream.h"
#include "src/child.h"
#include "src/files.h"
#include "src/stage/manifest.h"
#include "src/stage/move.h"
#include "src/stage/record_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SPLICE_SIZE = 1 << 20,
    BUFFER_SIZE = 8 * 1024
};

static int write_failed(struct pour *pour, struct err *err)
{
    pour->is_reader_gone = errno == EPIPE;
    return err_sys(err, errno, "write to the FIFO");
}

static int pour_raw(struct pour *pour, const void *bytes, size_t len, struct err *err)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t wrote = write(pour->fd, at, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return write_failed(pour, err);
        at += wrote;
        len -= (size_t)wrote;
    }
    return 0;
}

/* --- RecordIO around what is poured --- */

static int begin_record(struct pour *pour, int64_t len, struct err *err)
{
    unsigned char header[RECORD_IO_HEADER];

    if (pour->channel->records == CHANNEL_UNWRAPPED)
        return 0;
    if (record_io_header(len, header, err) < 0)
        return -1;
    return pour_raw(pour, header, sizeof header, err);
}

static int end_record(struct pour *pour, int64_t len, struct err *err)
{
    if (pour->channel->records == CHANNEL_UNWRAPPED)
        return 0;
    return pour_raw(pour, "\0\0\0", record_io_padding(len), err);
}

int pour_bytes(struct pour *pour, const void *bytes, size_t len, struct err *err)
{
    if (begin_record(pour, (int64_t)len, err) < 0
        || pour_raw(pour, bytes, len, err) < 0)
        return -1;
    return end_record(pour, (int64_t)len, err);
}

/* --- objects as they are --- */

/* For files that cannot be spliced. */
static ssize_t pour_by_buffer(struct pour *pour, int fd, size_t len, struct err *err)
{
    char buffer[BUFFER_SIZE];
    ssize_t got = read(fd, buffer, len < sizeof buffer ? len : sizeof buffer);

    if (got < 0)
        return err_sys(err, errno, "read");
    if (got > 0 && pour_raw(pour, buffer, (size_t)got, err) < 0)
        return -1;
    return got;
}

static ssize_t pour_some(struct pour *pour, int fd, int64_t len, struct err *err)
{
    size_t wanted = len < SPLICE_SIZE ? (size_t)len : SPLICE_SIZE;
    ssize_t got;

    do
        got = splice(fd, NULL, pour->fd, NULL, wanted, SPLICE_F_MOVE | SPLICE_F_MORE);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EINVAL)
        return pour_by_buffer(pour, fd, wanted, err);
    return got < 0 ? write_failed(pour, err) : got;
}

/* What was one object a moment ago is one: exactly `len` bytes. */
static int pour_file(struct pour *pour, int fd, int64_t len, struct err *err)
{
    for (int64_t left = len; left > 0;) {
        ssize_t got = pour_some(pour, fd, left, err);

        if (got < 0)
            return -1;
        if (got == 0)
            return err_set(err, ERR_CONFLICT, "it got shorter while it was read");
        left -= got;
    }
    return 0;
}

static int pour_streamed(void *context, const char *bytes, size_t len, struct err *err)
{
    return pour_raw(context, bytes, len, err);
}

static int pour_s3(struct pour *pour, const char *source, int64_t size,
                   const char *etag, struct err *err)
{
    auto_s3_uri struct s3_uri uri = { 0 };
    struct s3_wanted wanted = { .size = size, .etag = etag };
    struct s3 *s3;

    if (s3_uri_parse(source, &uri, err) < 0 || stage_s3(pour->stage, &s3, err) < 0)
        return -1;
    wanted.bucket = uri.bucket;
    wanted.key = uri.key;
    return s3_stream(s3, &wanted, 0, pour_streamed, pour, err);
}

static int open_local(const char *source, int *out, int64_t *size, struct err *err)
{
    auto_close int fd = open(source, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return err_sys(err, errno, "read");
    if (!S_ISREG(status.st_mode))
        return err_set(err, ERR_INVALID, "it is not a regular file");
    *size = status.st_size;
    *out = steal_fd(&fd);
    return 0;
}

static int pour_plain(struct pour *pour, const char *source, int64_t size,
                      const char *etag, struct err *err)
{
    bool is_s3 = source_is_s3(source);
    auto_close int fd = -1;

    if (!is_s3 && open_local(source, &fd, &size, err) < 0)
        return -1;
    if (begin_record(pour, size, err) < 0)
        return -1;
    if (is_s3 ? pour_s3(pour, source, size, etag, err) < 0
              : pour_file(pour, fd, size, err) < 0)
        return -1;
    return end_record(pour, size, err);
}

/* --- gzip --- */

/* What a child streams while this process inflates. */
struct streaming {
    struct pour *pour;
    const char *source;
    int64_t size;
    const char *etag;
    int fd;
};

static int stream_to_parent(void *context, struct err *err)
{
    struct streaming *streaming = context;
    struct pour pour = *streaming->pour;
    int result;

    pour.fd = streaming->fd;
    result = pour_s3(&pour, streaming->source, streaming->size, streaming->etag, err);
    /* A child that failed stays, and the parent reads to the end. */
    close(streaming->fd);
    /* A parent that takes no more bytes knows why. */
    return pour.is_reader_gone ? 0 : result;
}

static int inflate_s3(struct pour *pour, const char *source, int64_t size,
                      const char *etag, archive_sink_f *sink, void *context,
                      struct err *err)
{
    struct streaming streaming = { pour, source, size, etag, -1 };
    struct child child;
    struct err why;
    int ends[2];
    int result;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    streaming.fd = ends[1];
    stage_close_s3(pour->stage);
    result = child_start(&child, stream_to_parent, &streaming, err);
    close(ends[1]);
    if (result < 0) {
        close(ends[0]);
        return -1;
    }
    result = archive_inflate(ends[0], sink, context, err);
    close(ends[0]);
    /* What was cut short here is only what followed from a child that failed. */
    if (!pour->is_reader_gone && child_wait(&child, &why) < 0) {
        *err = why;
        result = -1;
    }
    child_end(&child);
    return result;
}

static int inflate(struct pour *pour, const char *source, int64_t size,
                   const char *etag, archive_sink_f *sink, void *context,
                   struct err *err)
{
    auto_close int fd = -1;

    if (source_is_s3(source))
        return inflate_s3(pour, source, size, etag, sink, context, err);
    if (open_local(source, &fd, &size, err) < 0)
        return -1;
    return archive_inflate(fd, sink, context, err);
}

static int count_inflated(void *context, const void *bytes, size_t len, struct err *err)
{
    int64_t *count = context;

    (void)bytes;
    (void)err;
    *count += (int64_t)len;
    return 0;
}

static int pour_inflated(void *context, const void *bytes, size_t len, struct err *err)
{
    return pour_raw(context, bytes, len, err);
}

/* A record says how long it is before its bytes come, so it is inflated twice. */
static int pour_gzip(struct pour *pour, const char *source, int64_t size,
                     const char *etag, struct err *err)
{
    int64_t len = 0;

    if (pour->channel->records == CHANNEL_RECORD_IO
        && inflate(pour, source, size, etag, count_inflated, &len, err) < 0)
        return -1;
    if (begin_record(pour, len, err) < 0
        || inflate(pour, source, size, etag, pour_inflated, pour, err) < 0)
        return -1;
    return end_record(pour, len, err);
}

int pour_object(struct pour *pour, const char *source, int64_t size, const char *etag,
                struct err *err)
{
    auto_objects struct objects found = { 0 };
    int result;

    if (size < 0 && source_is_s3(source)) {
        if (head_at_s3(pour->stage, source, &found, err) < 0)
            return -1;
        size = found.items[0].size;
    }
    if (pour->channel->compression == CHANNEL_GZIP)
        result = pour_gzip(pour, source, size, etag, err);
    else
        result = pour_plain(pour, source, size, etag, err);
    return result < 0 ? err_wrap(err, "%s", source) : 0;
}
