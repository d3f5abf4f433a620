/* The door to libarchive, continued: archives and gzip as streams.  What goes into an
 * archive, and where it goes, is decided elsewhere. */

#include "src/archive_stream.h"

#include "src/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK_SIZE = 64 * 1024
};

/* --- writing --- */

struct archive_writer {
    struct archive *archive;
    struct archive_entry *entry;
    archive_sink_f *sink;
    void *context;
    bool is_given_up;
    struct err why;
    char bytes[CHUNK_SIZE];
};

/* A failed write is never told to libarchive: see archive.c. */
static la_ssize_t take_bytes(struct archive *archive, void *context, const void *bytes,
                             size_t len)
{
    struct archive_writer *writer = context;

    (void)archive;
    if (!writer->is_given_up
        && writer->sink(writer->context, bytes, len, &writer->why) < 0)
        writer->is_given_up = true;
    return (la_ssize_t)len;
}

static int check_writer(const struct archive_writer *writer, bool is_well,
                        const char *name, struct err *err)
{
    if (writer->is_given_up) {
        *err = writer->why;
        return -1;
    }
    if (!is_well)
        return err_set(err, ERR_INTERNAL, "pack %s: %s", name,
                       archive_error_string(writer->archive));
    return 0;
}

int archive_writer_new(archive_sink_f *sink, void *context, struct archive_writer **out,
                       struct err *err)
{
    struct archive_writer *writer = xcalloc(1, sizeof *writer);
    struct archive *archive = archive_write_new();
    bool is_well;

    *writer = (struct archive_writer){ .archive = archive,
                                       .entry = archive_entry_new(),
                                       .sink = sink,
                                       .context = context };
    is_well =
        archive && writer->entry
        && archive_write_set_format_gnutar(archive) == ARCHIVE_OK
        && archive_write_add_filter_gzip(archive) == ARCHIVE_OK
        && archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK
        && archive_write_open(archive, writer, NULL, take_bytes, NULL) == ARCHIVE_OK;
    if (!is_well) {
        archive_writer_free(writer);
        return err_set(err, ERR_UNAVAILABLE, "no memory for an archive");
    }
    *out = writer;
    return 0;
}

/* What archive_write_free adds to a half archive goes nowhere. */
void archive_writer_free(struct archive_writer *writer)
{
    if (!writer)
        return;
    writer->is_given_up = true;
    archive_write_free(writer->archive);
    archive_entry_free(writer->entry);
    free(writer);
}

static int write_header(struct archive_writer *writer, const char *name,
                        const struct stat *status, const char *target, struct err *err)
{
    bool is_file = S_ISREG(status->st_mode);
    bool runs = !is_file || (status->st_mode & 0111) != 0;

    archive_entry_clear(writer->entry);
    archive_entry_set_pathname(writer->entry, name);
    archive_entry_set_mode(writer->entry,
                           (status->st_mode & S_IFMT) | (runs ? 0755U : 0644U));
    archive_entry_set_mtime(writer->entry, status->st_mtim.tv_sec,
                            status->st_mtim.tv_nsec);
    archive_entry_set_size(writer->entry, is_file ? status->st_size : 0);
    if (target)
        archive_entry_set_symlink(writer->entry, target);
    return check_writer(writer,
                        archive_write_header(writer->archive, writer->entry)
                            >= ARCHIVE_WARN,
                        name, err);
}

/* Exactly the bytes that the header promised. */
static int write_file(struct archive_writer *writer, int fd, const char *name,
                      int64_t len, void (*on_packed)(void *context, int64_t bytes),
                      struct err *err)
{
    while (len > 0) {
        size_t wanted = len < CHUNK_SIZE ? (size_t)len : CHUNK_SIZE;
        ssize_t got = read(fd, writer->bytes, wanted);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_sys(err, errno, "read %s", name);
        if (got == 0)
            return err_set(err, ERR_CONFLICT, "%s: got shorter while it was packed",
                           name);
        if (check_writer(writer,
                         archive_write_data(writer->archive, writer->bytes, (size_t)got)
                             == got,
                         name, err)
            < 0)
            return -1;
        if (on_packed)
            on_packed(writer->context, got);
        len -= got;
    }
    return 0;
}

static int add_link(struct archive_writer *writer, const char *path, const char *name,
                    const struct stat *status, struct err *err)
{
    char target[PATH_MAX];
    ssize_t len = readlink(path, target, sizeof target - 1);

    if (len < 0)
        return err_sys(err, errno, "read link %s", path);
    target[len] = '\0';
    if (!archive_link_stays_inside(name, target))
        return err_set(err, ERR_INVALID, "%s: a link to \"%s\" leads out of the tree",
                       name, target);
    return write_header(writer, name, status, target, err);
}

int archive_writer_add(struct archive_writer *writer, const char *path,
                       const char *name,
                       void (*on_packed)(void *context, int64_t bytes), struct err *err)
{
    auto_close int fd = -1;
    struct stat status;

    if (lstat(path, &status) < 0)
        return err_sys(err, errno, "look at %s", path);
    if (S_ISLNK(status.st_mode))
        return add_link(writer, path, name, &status, err);
    if (S_ISDIR(status.st_mode))
        return write_header(writer, name, &status, NULL, err);
    if (S_ISREG(status.st_mode)) {
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &status) < 0) /* by now it may be something else */
            return err_sys(err, errno, "read %s", path);
    }
    if (!S_ISREG(status.st_mode))
        return err_set(err, ERR_INVALID,
                       "%s: is neither a file nor a folder nor a link", name);
    if (write_header(writer, name, &status, NULL, err) < 0)
        return -1;
    return write_file(writer, fd, name, status.st_size, on_packed, err);
}

int archive_writer_finish(struct archive_writer *writer, struct err *err)
{
    return check_writer(writer, archive_write_close(writer->archive) == ARCHIVE_OK,
                        "the end", err);
}

/* --- inflating --- */

static int bad_gzip(struct archive *archive, struct err *err)
{
    const char *why = archive_error_string(archive);

    return err_set(err, ERR_INVALID, "damaged gzip: %s", why ? why : "it is cut short");
}

static int inflate_entry(struct archive *archive, archive_sink_f *sink, void *context,
                         struct err *err)
{
    const void *bytes;
    size_t len;
    la_int64_t offset;
    int result;

    /* The raw format takes what is not gzip for itself. */
    if (archive_filter_code(archive, 0) != ARCHIVE_FILTER_GZIP)
        return err_set(err, ERR_INVALID, "it is not gzip");
    while ((result = archive_read_data_block(archive, &bytes, &len, &offset))
           == ARCHIVE_OK)
        if (sink(context, bytes, len, err) < 0)
            return -1;
    return result == ARCHIVE_EOF ? 0 : bad_gzip(archive, err);
}

static int inflate(struct archive *archive, int fd, archive_sink_f *sink, void *context,
                   struct err *err)
{
    struct archive_entry *entry;
    int result;

    if (archive_read_support_filter_gzip(archive) != ARCHIVE_OK
        || archive_read_support_format_raw(archive) != ARCHIVE_OK
        || archive_read_support_format_empty(archive) != ARCHIVE_OK
        || archive_read_open_fd(archive, fd, CHUNK_SIZE) != ARCHIVE_OK)
        return bad_gzip(archive, err);
    result = archive_read_next_header(archive, &entry);
    if (result == ARCHIVE_EOF)
        return 0;
    if (result < ARCHIVE_WARN)
        return bad_gzip(archive, err);
    return inflate_entry(archive, sink, context, err);
}

int archive_inflate(int fd, archive_sink_f *sink, void *context, struct err *err)
{
    struct archive *archive = archive_read_new();
    int result;

    if (!archive)
        return err_set(err, ERR_UNAVAILABLE, "no memory to inflate");
    result = inflate(archive, fd, sink, context, err);
    archive_read_free(archive);
    return result;
}
