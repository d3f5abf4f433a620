/* railhead-archive: packs and unpacks a source tree in a process of its own, so that
 * neither daemon nor worker links libarchive or waits for it.  For their use; people
 * have tar. */

#include "src/archive.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int pack(const char *folder, const char *file, struct err *err)
{
    char hex[DIGEST_HEX_SIZE];

    if (archive_pack(folder, file, hex, err) < 0)
        return -1;
    if (printf("%s\n", hex) < 0 || fflush(stdout) != 0)
        return err_set(err, ERR_INTERNAL, "the digest could not be written");
    return 0;
}

/* One line, whatever the names in a stranger's archive are. */
static void complain(struct err *err)
{
    for (char *at = err->text; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    fprintf(stderr, "railhead-archive: %s\n", err->text);
}

static const struct {
    const char *name;
    int (*run)(const char *from, const char *to, struct err *err);
} verbs[] = {
    { "unpack", archive_unpack },
    { "pack", pack },
};

int main(int argc, char **argv)
{
    struct err err;

    for (size_t i = 0; argc == 4 && i < ARRAY_SIZE(verbs); i++) {
        if (strcmp(verbs[i].name, argv[1]) != 0)
            continue;
        if (verbs[i].run(argv[2], argv[3], &err) == 0)
            return EXIT_SUCCESS;
        complain(&err);
        return EXIT_FAILURE;
    }
    fputs("usage: railhead-archive unpack FILE FOLDER | pack FOLDER FILE\n", stderr);
    return EXIT_FAILURE;
}
