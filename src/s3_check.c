/*
 * Compares a file with an MD5 while another process fills it.  Decides nothing about
 * what a difference means.
 *
 * The file is read back, while it is in memory, as far as it is there without a gap.
 * How far that is, and how far we are, is told by eventfds: they add up what was not
 * read yet, so that neither process waits for the other to listen.
 */

#include "src/s3_check.h"

#include "src/child.h"
#include "src/digest.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 64 << 10 /* stays in a processor's own cache */
};

struct s3_check {
    const struct s3_wanted *wanted;
    int fd;     /* of the file; the caller's */
    int came;   /* eventfd, to the child: bytes that are there */
    int hashed; /* eventfd, from the child */
    int64_t hashed_bytes;
    struct child child;
};

/* --- in the child --- */

/* What of it the child has open. */
enum {
    FILE_FD = 0,
    CAME_FD,
    HASHED_FD
};

static int hash_block(struct digest *md5, int64_t at, int64_t stop, struct err *err)
{
    static char block[BLOCK_BYTES];
    size_t room = stop - at < BLOCK_BYTES ? (size_t)(stop - at) : BLOCK_BYTES;
    ssize_t got = pread(FILE_FD, block, room, (off_t)at);

    if (got <= 0)
        return err_sys(err, got < 0 ? errno : EIO, "read back");
    digest_add(md5, block, (size_t)got);
    return (int)got;
}

/* ERR_CONFLICT says that the bytes have another MD5. */
static int compare(void *context, struct err *err)
{
    const struct s3_check *check = context;
    struct digest *md5 = digest_md5_new();
    char hex[DIGEST_HEX_SIZE];
    int64_t there = 0;
    int64_t at = 0;

    dup2(check->fd, FILE_FD);
    dup2(check->came, CAME_FD);
    dup2(check->hashed, HASHED_FD);
    child_close_rest();
    while (at < check->wanted->size) {
        eventfd_t came;
        int got;

        if (at == there) {
            if (eventfd_read(CAME_FD, &came) < 0)
                return err_sys(err, errno, "read an eventfd");
            there += (int64_t)came;
        }
        got = hash_block(md5, at, there, err);
        if (got < 0)
            return -1;
        at += got;
        (void)!eventfd_write(HASHED_FD, (eventfd_t)got); /* fails at 2^64 bytes */
    }
    digest_free(md5, hex);
    if (strcmp(hex, check->wanted->etag) != 0)
        return err_set(err, ERR_CONFLICT, "another MD5");
    return 0;
}

/* --- beside it --- */

int s3_check_start(const struct s3_wanted *wanted, int fd, struct s3_check **out,
                   struct err *err)
{
    auto_close int came = eventfd(0, EFD_CLOEXEC);
    auto_close int hashed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    auto_free struct s3_check *check = xcalloc(1, sizeof *check);

    if (came < 0 || hashed < 0)
        return err_sys(err, errno, "make an eventfd");
    *check =
        (struct s3_check){ .wanted = wanted, .fd = fd, .came = came, .hashed = hashed };
    if (child_start(&check->child, compare, check, err) < 0)
        return -1;
    steal_fd(&came);
    steal_fd(&hashed);
    *out = steal_ptr(&check);
    return 0;
}

void s3_check_add(struct s3_check *check, int64_t bytes)
{
    (void)!eventfd_write(check->came, (eventfd_t)bytes); /* fails at 2^64 bytes */
}

int64_t s3_check_hashed(struct s3_check *check)
{
    eventfd_t more;

    if (eventfd_read(check->hashed, &more) == 0)
        check->hashed_bytes += (int64_t)more;
    return check->hashed_bytes;
}

void s3_check_wait(struct s3_check *check)
{
    struct pollfd either[] = { { .fd = check->child.fd, .events = POLLIN },
                               { .fd = check->hashed, .events = POLLIN } };

    (void)poll(either, ARRAY_SIZE(either), -1);
    (void)s3_check_hashed(check);
}

bool s3_check_is_over(const struct s3_check *check)
{
    struct pollfd child = { .fd = check->child.fd, .events = POLLIN };

    return poll(&child, 1, 0) > 0;
}

int s3_check_result(const struct s3_check *check, bool *right, struct err *err)
{
    struct err why;
    bool same = child_wait(&check->child, &why) == 0;

    if (!same && why.code != ERR_CONFLICT) {
        *err = why;
        return err_wrap(err, "%s", check->wanted->path);
    }
    *right = same;
    return 0;
}

void s3_check_free(struct s3_check *check)
{
    if (!check)
        return;
    child_end(&check->child);
    close(check->came);
    close(check->hashed);
    free(check);
}
