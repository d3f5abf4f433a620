/*
 * Fetches many objects into files, several parts at a time.  Decides which part is
 * asked for next, what of an earlier fetch is kept, and whether a file is what its
 * object is; does not decide its name, nor what becomes of it.
 *
 * Bytes go from the network's buffer to their place in the file.  The MD5 of an object
 * of several parts takes a processor longer than all of this: a process of its own
 * (s3_check.h) follows the parts that are whole without a gap.  Parts that are whole
 * are noted in PATH.parts: a line that says of what, then a byte a part.  A byte is
 * written after the part, so whatever kills us, what is noted is in the file; after a
 * loss of power it may not be, hence the boot id in the line.
 */

#include "src/clock.h"
#include "src/digest.h"
#include "src/files.h"
#include "src/s3.h"
#include "src/s3_call.h"
#include "src/s3_check.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WRONG_TRIES = 3, /* of an object whose bytes differ from its MD5 */
    CHECKS_MAX = 2,  /* processes that compute an MD5 */
    /* 512 MiB that are still in memory when they are read back.  With a quarter of it
     * slots stood empty so often that the server took a sixth more of a processor. */
    AHEAD_PARTS = 8 * S3_PARALLEL,
    UNDER_WAY_MAX = 2 * S3_PARALLEL, /* objects */
    PARTS_FILE_MAX = 16 << 20, /* a byte a part: 128 TiB, more than S3 has objects of */
};

#define PART_MISSING '0'
#define PART_WHOLE   '1'

/* An object on its way into its file. */
struct incoming {
    struct s3_wanted wanted;
    int fd;
    int notes; /* PATH.parts; -1 for an object of one part */
    size_t notes_head;
    bool begun; /* the file had its size already: an earlier fetch made it */
    size_t parts;
    char *whole;            /* PART_WHOLE or PART_MISSING, by part */
    size_t next;            /* parts below are whole or under way */
    size_t missing;         /* parts that are not whole */
    int wrong;              /* tries whose bytes were wrong */
    bool has_md5;           /* its ETag, as far as is known */
    struct digest *md5;     /* of one part: of its bytes as they come */
    struct s3_check *check; /* of several, when it is its turn */
    size_t told;            /* parts below are what `check` knows of */
    struct incoming *behind;
};

/* A part under way. */
struct slot {
    struct fetcher *fetcher;
    struct incoming *object; /* NULL: the slot is free */
    size_t part;
    int64_t at; /* in the file */
    int write_errno;
    struct s3_call call;
};

struct fetcher {
    struct s3 *s3;
    const struct s3_fetch *fetch;
    struct slot slots[S3_PARALLEL];
    struct incoming *objects; /* begun and not done */
    size_t under_way;         /* so many */
    bool drained;             /* `next` has no more */
};

static void report(const struct fetcher *fetcher, int64_t bytes)
{
    if (fetcher->fetch->on_bytes && bytes)
        fetcher->fetch->on_bytes(fetcher->fetch->context, bytes);
}

static int64_t part_bytes(const struct incoming *object, size_t part)
{
    int64_t begin = (int64_t)part * S3_PART_BYTES;
    int64_t left = object->wanted.size - begin;

    return left < S3_PART_BYTES ? left : S3_PART_BYTES;
}

/* --- what an earlier fetch left --- */

static char *notes_path(const struct incoming *object)
{
    return xasprintf("%s.parts", object->wanted.path);
}

static char *notes_line(const struct incoming *object)
{
    return xasprintf("%s %jd %s\n", object->wanted.etag, (intmax_t)object->wanted.size,
                     clock_boot_id());
}

/* Marks the parts that are noted for this very object, and says how many. */
static size_t recall(struct incoming *object, const char *path, const char *line)
{
    auto_free char *notes = NULL;
    size_t recalled = 0;
    size_t len;

    if (file_read_at(AT_FDCWD, path, PARTS_FILE_MAX, &notes, &len, NULL) < 0
        || !text_starts_with(notes, line) || len != strlen(line) + object->parts)
        return 0;
    for (size_t i = 0; i < object->parts; i++)
        if (notes[strlen(line) + i] == PART_WHOLE) {
            object->whole[i] = PART_WHOLE;
            recalled++;
        }
    return recalled;
}

/* PATH.parts as it is to be from now on.  Without an ETag nobody knows whether the
 * parts are of one object: then nothing is kept. */
static int open_notes(struct fetcher *fetcher, struct incoming *object, struct err *err)
{
    auto_free char *path = notes_path(object);
    auto_free char *line = notes_line(object);
    bool known = object->begun && *object->wanted.etag;
    size_t recalled = known ? recall(object, path, line) : 0;
    int64_t kept = 0;

    for (size_t i = 0; i < object->parts && recalled > 0; i++)
        if (object->whole[i] == PART_WHOLE)
            kept += part_bytes(object, i);
    report(fetcher, kept);
    object->missing -= recalled;
    object->notes_head = strlen(line);
    object->notes =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (object->notes < 0)
        return err_sys(err, errno, "open %s", path);
    if (write_all(object->notes, line, strlen(line), err) < 0
        || write_all(object->notes, object->whole, object->parts, err) < 0)
        return err_wrap(err, "%s", path);
    return 0;
}

/* --- an object begins and ends --- */

static void incoming_free(struct incoming *object)
{
    base_close(&object->fd);
    base_close(&object->notes);
    digest_free(object->md5, NULL);
    s3_check_free(object->check);
    free(object->whole);
    free(object);
}

static void begin_md5(struct incoming *object)
{
    digest_free(object->md5, NULL);
    s3_check_free(object->check);
    object->md5 = object->has_md5 && object->parts == 1 ? digest_md5_new() : NULL;
    object->check = NULL;
    object->told = 0;
}

/* Its file, with room for all of it: a full disk is told before hours of waiting.
 * Where the file system cannot do that, writing will tell. */
static int open_file(struct incoming *object, struct err *err)
{
    const struct s3_wanted *wanted = &object->wanted;
    struct stat st;

    object->fd = open(wanted->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (object->fd < 0 || fstat(object->fd, &st) < 0)
        return err_sys(err, errno, "open %s", wanted->path);
    object->begun = st.st_size == wanted->size;
    if (ftruncate(object->fd, (off_t)wanted->size) < 0
        || (object->parts > 1 && fallocate(object->fd, 0, 0, (off_t)wanted->size) < 0
            && errno != EOPNOTSUPP && errno != ENOSYS))
        return err_sys(err, errno, "%s: room for %jd bytes", wanted->path,
                       (intmax_t)wanted->size);
    return 0;
}

/* All of it once more, unless that was tried often enough. */
static int begin_again(struct fetcher *fetcher, struct incoming *object,
                       struct err *err)
{
    if (++object->wrong >= WRONG_TRIES)
        return err_set(err, ERR_INTERNAL,
                       "s3://%s/%s: the bytes that came have another MD5 than its "
                       "ETag says, %d times over",
                       object->wanted.bucket, object->wanted.key, WRONG_TRIES);
    report(fetcher, -object->wanted.size);
    memset(object->whole, PART_MISSING, object->parts);
    object->missing = object->parts;
    object->next = 0;
    begin_md5(object);
    if (object->notes >= 0
        && pwrite(object->notes, object->whole, object->parts,
                  (off_t)object->notes_head)
               != (ssize_t)object->parts)
        return err_sys(err, errno, "write %s.parts", object->wanted.path);
    return 0;
}

static int compare_md5(struct incoming *object, bool *right, struct err *err)
{
    char hex[DIGEST_HEX_SIZE];

    *right = true;
    if (object->check)
        return s3_check_result(object->check, right, err);
    if (object->md5) {
        digest_free(steal_ptr(&object->md5), hex);
        *right = strcmp(hex, object->wanted.etag) == 0;
    }
    return 0;
}

static int finish_object(struct fetcher *fetcher, struct incoming *object,
                         struct err *err)
{
    auto_free char *path = notes_path(object);
    struct incoming **at = &fetcher->objects;
    bool right;
    int result;

    if (compare_md5(object, &right, err) < 0)
        return -1;
    if (!right)
        return begin_again(fetcher, object, err);
    if (object->notes >= 0)
        unlink(path);
    while (*at != object)
        at = &(*at)->behind;
    *at = object->behind;
    fetcher->under_way--;
    result = fetcher->fetch->on_done(fetcher->fetch->context, &object->wanted, err);
    incoming_free(object);
    return result;
}

static int begin_object(struct fetcher *fetcher, const struct s3_wanted *wanted,
                        struct err *err)
{
    struct incoming *object = xcalloc(1, sizeof *object);
    struct incoming **last = &fetcher->objects;

    /* In their order, so that what is begun is finished first. */
    while (*last)
        last = &(*last)->behind;
    *last = object;
    fetcher->under_way++;
    object->wanted = *wanted;
    if (!object->wanted.etag)
        object->wanted.etag = "";
    object->fd = -1;
    object->notes = -1;
    object->parts = (size_t)((wanted->size + S3_PART_BYTES - 1) / S3_PART_BYTES);
    if (object->parts > PARTS_FILE_MAX)
        return err_set(err, ERR_LIMIT, "s3://%s/%s: %jd bytes are too many",
                       wanted->bucket, wanted->key, (intmax_t)wanted->size);
    object->missing = object->parts;
    object->whole = xmalloc(object->parts + 1);
    memset(object->whole, PART_MISSING, object->parts);
    object->has_md5 = wanted->size > 0 && s3_etag_is_md5(wanted->etag);
    begin_md5(object);
    if (open_file(object, err) < 0)
        return -1;
    return object->parts > 1 ? open_notes(fetcher, object, err) : 0;
}

/* --- MD5s --- */

/* One part is not worth a process. */
static bool has_check(const struct incoming *object)
{
    return object->has_md5 && object->parts > 1;
}

static size_t count_checks(const struct fetcher *fetcher)
{
    size_t count = 0;

    for (struct incoming *object = fetcher->objects; object; object = object->behind)
        count += object->check ? 1 : 0;
    return count;
}

/* What has come without a gap, to the process that reads it. */
static int feed_check(const struct fetcher *fetcher, struct incoming *object,
                      struct err *err)
{
    size_t there = object->told;
    int64_t bytes = 0;

    if (!has_check(object))
        return 0;
    for (; there < object->parts && object->whole[there] == PART_WHOLE; there++)
        bytes += part_bytes(object, there);
    if (bytes == 0 || (!object->check && count_checks(fetcher) == CHECKS_MAX))
        return 0;
    if (!object->check
        && s3_check_start(&object->wanted, object->fd, &object->check, err) < 0)
        return -1;
    s3_check_add(object->check, bytes);
    object->told = there;
    return 0;
}

static bool is_checked(const struct incoming *object)
{
    return !has_check(object) || (object->check && s3_check_is_over(object->check));
}

/* Every object a step on; *moved is set when one is done or begins again. */
static int step_objects(struct fetcher *fetcher, bool *moved, struct err *err)
{
    struct incoming *behind;

    for (struct incoming *object = fetcher->objects; object; object = behind) {
        behind = object->behind;
        if (feed_check(fetcher, object, err) < 0)
            return -1;
        if (object->missing > 0 || !is_checked(object))
            continue;
        *moved = true;
        if (finish_object(fetcher, object, err) < 0)
            return -1;
    }
    return 0;
}

/* When nothing else is under way: then every object waits for one. */
static void wait_for_check(const struct fetcher *fetcher)
{
    const struct incoming *object = fetcher->objects;

    while (!object->check)
        object = object->behind;
    s3_check_wait(object->check);
}

/* --- parts --- */

static void write_bytes(void *context, const char *bytes, size_t len)
{
    struct slot *slot = context;

    while (len > 0 && slot->write_errno == 0) {
        ssize_t written = pwrite(slot->object->fd, bytes, len, (off_t)slot->at);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            slot->write_errno = errno;
            return;
        }
        report(slot->fetcher, written);
        if (slot->object->md5)
            digest_add(slot->object->md5, bytes, (size_t)written);
        slot->at += written;
        bytes += written;
        len -= (size_t)written;
    }
}

static void begin_part(struct slot *slot, struct incoming *object)
{
    slot->object = object;
    slot->part = object->next++;
    slot->at = (int64_t)slot->part * S3_PART_BYTES;
    slot->write_errno = 0;
    slot->call = (struct s3_call){
        .s3 = slot->fetcher->s3,
        .method = "GET",
        .bucket = object->wanted.bucket,
        .key = object->wanted.key,
        .if_match = object->wanted.etag,
        .offset = slot->at,
        .len = part_bytes(object, slot->part),
        .whole = object->parts == 1,
        .on_bytes = write_bytes,
        .context = slot,
    };
}

static int finish_part(struct slot *slot, struct err *err)
{
    struct incoming *object = slot->object;
    static const char mark = PART_WHOLE;

    if (slot->write_errno)
        return err_sys(err, slot->write_errno, "write %s", object->wanted.path);
    if (slot->call.failed) {
        *err = slot->call.err;
        return -1;
    }
    if (s3_etag_is_opaque(slot->call.transfer)) {
        object->has_md5 = false;
        begin_md5(object);
    }
    s3_call_clear(&slot->call);
    slot->object = NULL;
    object->whole[slot->part] = mark;
    object->missing--;
    if (object->notes >= 0
        && pwrite(object->notes, &mark, 1, (off_t)(object->notes_head + slot->part))
               != 1)
        return err_sys(err, errno, "write %s.parts", object->wanted.path);
    return 0;
}

/* Whether its next part is to wait for its MD5, which then is read while the bytes are
 * in memory, and is not long behind the last of them. */
static bool is_ahead(const struct incoming *object)
{
    int64_t hashed = object->check ? s3_check_hashed(object->check) : 0;

    return has_check(object)
           && (int64_t)object->next - hashed / S3_PART_BYTES >= AHEAD_PARTS;
}

/* An object that wants another part; NULL: none. */
static struct incoming *find_work(const struct fetcher *fetcher)
{
    for (struct incoming *object = fetcher->objects; object; object = object->behind) {
        while (object->next < object->parts
               && object->whole[object->next] == PART_WHOLE)
            object->next++;
        if (object->next < object->parts && !is_ahead(object))
            return object;
    }
    return NULL;
}

/* The next object that wants a part, new ones begun as needed; *out is NULL when none
 * is left. */
static int pull_work(struct fetcher *fetcher, struct incoming **out, struct err *err)
{
    struct s3_wanted wanted = { 0 };

    while (!(*out = find_work(fetcher)) && !fetcher->drained
           && fetcher->under_way < UNDER_WAY_MAX) {
        if (!fetcher->fetch->next(fetcher->fetch->context, &wanted)) {
            fetcher->drained = true;
            continue;
        }
        if (begin_object(fetcher, &wanted, err) < 0)
            return -1;
    }
    return 0;
}

/* Every slot a step on: a free one begins a part, a done one is put away.  *busy says
 * how many there are, *moved whether one became free. */
static int step_slots(struct fetcher *fetcher, struct s3_call **calls, size_t *busy,
                      bool *moved, struct err *err)
{
    *busy = 0;
    *moved = false;
    for (size_t i = 0; i < S3_PARALLEL; i++) {
        struct slot *slot = &fetcher->slots[i];
        struct incoming *work = NULL;

        calls[i] = NULL;
        if (!slot->object && pull_work(fetcher, &work, err) < 0)
            return -1;
        if (work)
            begin_part(slot, work);
        if (!slot->object)
            continue;
        calls[i] = &slot->call;
        ++*busy;
        if (slot->write_errno || s3_call_step(&slot->call)) {
            *moved = true;
            if (finish_part(slot, err) < 0)
                return -1;
        }
    }
    return 0;
}

static int run(struct fetcher *fetcher, struct err *err)
{
    struct s3_call *calls[S3_PARALLEL];
    size_t busy;
    bool moved;

    do {
        if (step_slots(fetcher, calls, &busy, &moved, err) < 0
            || step_objects(fetcher, &moved, err) < 0)
            return -1;
        if (busy > 0 && !moved)
            s3_wait(fetcher->s3, calls, S3_PARALLEL);
        else if (fetcher->objects && !moved)
            wait_for_check(fetcher);
    } while (busy > 0 || moved || fetcher->objects);
    return 0;
}

int s3_fetch(struct s3 *s3, const struct s3_fetch *fetch, struct err *err)
{
    auto_free struct fetcher *fetcher = xcalloc(1, sizeof *fetcher);
    int result;

    fetcher->s3 = s3;
    fetcher->fetch = fetch;
    for (size_t i = 0; i < S3_PARALLEL; i++)
        fetcher->slots[i].fetcher = fetcher;
    result = run(fetcher, err);
    for (size_t i = 0; i < S3_PARALLEL; i++)
        s3_call_clear(&fetcher->slots[i].call);
    while (fetcher->objects) {
        struct incoming *object = fetcher->objects;

        fetcher->objects = object->behind;
        incoming_free(object);
    }
    return result;
}
