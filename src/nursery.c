/* Messages with a descriptor (SCM_RIGHTS). */

#include "src/nursery.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Room for one descriptor beside a message, aligned as the kernel wants it. */
union beside {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

ssize_t nursery_send(int socket, const void *bytes, size_t len, int fd)
{
    union beside beside = { 0 };
    struct iovec part = { (void *)(uintptr_t)bytes, len };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    if (fd >= 0) {
        message.msg_control = &beside;
        message.msg_controllen = sizeof beside;
        beside.header.cmsg_level = SOL_SOCKET;
        beside.header.cmsg_type = SCM_RIGHTS;
        beside.header.cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(&beside.header), &fd, sizeof fd);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t nursery_receive(int socket, void *bytes, size_t size, int flags, int *fd)
{
    union beside beside = { 0 };
    struct iovec part = { bytes, size };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = &beside,
                              .msg_controllen = sizeof beside };
    const struct cmsghdr *with;
    ssize_t got;

    *fd = -1;
    do
        got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    with = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (with && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(with), sizeof *fd);
    return got;
}
