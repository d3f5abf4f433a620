/*
 * The least that could stand in the place of railhead-worker:
 *
 *   bare_parent BYTES PROGRAM FOLDER NUMBER
 *
 * A session of its own, a folder FOLDER/NUMBER, a journal of BYTES in four lines, the
 * program started and waited for.  The C library and nothing else.
 */

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LINES = 4,
    LINE_MAX_BYTES = 4096
};

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void write_line(int fd, size_t len)
{
    char line[LINE_MAX_BYTES];

    memset(line, 'x', len);
    line[len - 1] = '\n';
    if (write(fd, line, len) != (ssize_t)len)
        give_up("journal.jsonl");
}

static int make_folder(const char *beneath, const char *name)
{
    char path[4096];
    int journal;

    snprintf(path, sizeof path, "%s/%s", beneath, name);
    if (mkdir(path, 0750) < 0 || chdir(path) < 0)
        give_up(path);
    journal =
        open("journal.jsonl", O_WRONLY | O_CREAT | O_APPEND | O_EXCL | O_CLOEXEC, 0640);
    if (journal < 0)
        give_up("journal.jsonl");
    return journal;
}

int main(int argc, char **argv)
{
    unsigned long bytes = argc == 5 ? strtoul(argv[1], NULL, 10) : 0;
    size_t line_len = bytes / LINES;
    char *child[] = { argc == 5 ? argv[2] : NULL, NULL };
    int journal;
    int status;
    pid_t pid;

    if (line_len < 1 || line_len > LINE_MAX_BYTES) {
        fputs("usage: bare_parent BYTES PROGRAM FOLDER NUMBER\n", stderr);
        return 2;
    }
    setsid();
    journal = make_folder(argv[3], argv[4]);
    write_line(journal, line_len);
    if (posix_spawn(&pid, child[0], NULL, NULL, child, environ) != 0)
        give_up(child[0]);
    write_line(journal, line_len);
    if (waitpid(pid, &status, 0) < 0)
        give_up("wait");
    write_line(journal, line_len);
    write_line(journal, line_len);
    return status != 0;
}
