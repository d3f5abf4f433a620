/* What a worker has to say about itself.  It has no terminal and may outlive everybody
 * who could have heard it. */

#include "src/worker/complain.h"

#include "src/base.h"

#include <fcntl.h>
#include <stdio.h>

void complain(const char *folder, const char *line)
{
    auto_free char *path = xasprintf("%s/worker.log", folder);
    auto_close int fd =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
             0640);

    if (fd >= 0)
        dprintf(fd, "%s\n", line);
}
