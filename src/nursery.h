#ifndef SRC_NURSERY_H
#define SRC_NURSERY_H

#include <stddef.h>
#include <sys/types.h>

/*
 * What the local scheduler and railhead-worker --nursery say to each other, over a
 * socket of whole messages (SOCK_SEQPACKET) that is the nursery's stdin.
 *
 * Asked: the worker's folder, as text without an end; the plan's descriptor comes
 * along. Answered, in the order asked: struct nursery_answer; when a worker was born
 * its pidfd comes along.
 */
struct nursery_answer {
    pid_t pid;       /* 0: none */
    int errno_value; /* why */
};

/* Of a folder's path. */
enum {
    NURSERY_FOLDER_MAX = 4000
};

/** One message, with a descriptor unless `fd` is -1.  As send(2). */
ssize_t nursery_send(int socket, const void *bytes, size_t len, int fd);

/** One message; *fd is the descriptor that came along, which the caller owns, or -1.
 * `flags` as of recv(2), which it is like. */
ssize_t nursery_receive(int socket, void *bytes, size_t size, int flags, int *fd);

#endif
