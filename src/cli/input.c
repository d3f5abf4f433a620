/* Reads whole files and standard input.  What is in them, others decide. */

#include "src/cli/input.h"

#include "src/files.h"
#include "src/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *input_shown(const char *path)
{
    return is_stdin(path) ? "standard input" : path;
}

static int read_stdin(size_t limit, char **bytes, size_t *len, struct err *err)
{
    auto_text struct text all = { 0 };
    char piece[8192];
    ssize_t got;

    while ((got = read(STDIN_FILENO, piece, sizeof piece)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_sys(err, errno, "read standard input");
        if (all.len + (size_t)got > limit)
            return err_set(err, ERR_LIMIT, "standard input is larger than %zu bytes",
                           limit);
        text_add(&all, piece, (size_t)got);
    }
    *len = all.len;
    *bytes = text_steal(&all);
    return 0;
}

int input_read(const char *path, size_t limit, char **bytes, size_t *len,
               struct err *err)
{
    int result = is_stdin(path) ? read_stdin(limit, bytes, len, err)
                                : file_read(path, limit, bytes, len, err);

    /* "Not found" is said of jobs; a wrong file name, or one of a folder, is a wrong
     * command line. */
    if (result < 0 && (err->code == ERR_NOT_FOUND || err->code == ERR_INTERNAL))
        err->code = ERR_INVALID;
    return result;
}
