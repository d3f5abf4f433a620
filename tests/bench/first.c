/* A job whose first act is to say when it began: CLOCK_BOOTTIME in nanoseconds, as one
 * line in the file that is named.  Linked static, so that the dynamic linker is not
 * measured. */

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec now;
    char line[32];
    int len;
    int fd;

    clock_gettime(CLOCK_BOOTTIME, &now);
    if (argc != 2)
        return 2;
    len = snprintf(line, sizeof line, "%lld%09ld\n", (long long)now.tv_sec,
                   (long)now.tv_nsec);
    fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0640);
    return fd < 0 || write(fd, line, (size_t)len) != len;
}
