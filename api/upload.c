/*
 * Takes a source archive in.  Decides that only bytes with the promised digest get the
 * name of that digest, and only when they are on disk: the name is what a submit relies
 * on.
 */

#include "api/upload.h"

#include "src/files.h"
#include "src/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char temp_start[] = ".upload-";

/* Writing back begins each time this much has come, so that the fsync at the end, which
 * holds the loop, finds little left to do. */
enum {
    WRITE_BACK_BYTES = 1 << 20
};

struct upload {
    char *place;
    char *folder;
    char *temp;
    int fd;
    int64_t limit;
    int64_t size;
    int64_t written_back;
    struct digest *digest;
    char hex[DIGEST_HEX_SIZE];
};

static char *folder_of(const char *path)
{
    return xstrndup(path, (size_t)(strrchr(path, '/') - path));
}

int upload_new(struct jobs *jobs, const char hex[DIGEST_HEX_SIZE], int64_t limit,
               struct upload **out, struct err *err)
{
    struct upload *upload = xcalloc(1, sizeof *upload);

    upload->place = jobs_source_path(jobs, hex);
    upload->folder = folder_of(upload->place);
    upload->temp = xasprintf("%s/%sXXXXXX", upload->folder, temp_start);
    upload->limit = limit;
    upload->digest = digest_new();
    upload->fd = -1;
    snprintf(upload->hex, sizeof upload->hex, "%s", hex);
    if (folder_make(upload->folder, 0750, err) < 0) {
        upload_free(upload);
        return -1;
    }
    upload->fd = mkostemp(upload->temp, O_CLOEXEC);
    if (upload->fd < 0) {
        err_sys(err, errno, "create %s", upload->temp);
        upload_free(upload);
        return -1;
    }
    *out = upload;
    return 0;
}

int upload_add(struct upload *upload, const void *bytes, size_t len, struct err *err)
{
    int64_t more = (int64_t)len;

    if (more > upload->limit - upload->size)
        return err_set(err, ERR_LIMIT, "a source archive may have %lld bytes",
                       (long long)upload->limit);
    if (write_all(upload->fd, bytes, len, err) < 0)
        return err_wrap(err, "source archive");
    digest_add(upload->digest, bytes, len);
    upload->size += more;
    if (upload->size - upload->written_back >= WRITE_BACK_BYTES) {
        /* A hint: what it does not do, fsync does. */
        (void)sync_file_range(upload->fd, upload->written_back,
                              upload->size - upload->written_back,
                              SYNC_FILE_RANGE_WRITE);
        upload->written_back = upload->size;
    }
    return 0;
}

int upload_finish(struct upload *upload, struct err *err)
{
    char hex[DIGEST_HEX_SIZE];
    auto_close int folder = -1;

    digest_free(upload->digest, hex);
    upload->digest = NULL;
    if (strcmp(hex, upload->hex) != 0)
        return err_set(err, ERR_INVALID,
                       "the content has the SHA-256 %s, the path says %s", hex,
                       upload->hex);
    if (fchmod(upload->fd, 0640) < 0 || fsync(upload->fd) < 0)
        return err_sys(err, errno, "sync %s", upload->temp);
    if (rename(upload->temp, upload->place) < 0)
        return err_sys(err, errno, "rename %s", upload->temp);
    free(steal_ptr(&upload->temp));
    folder = open(upload->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || fsync(folder) < 0)
        return err_sys(err, errno, "sync %s", upload->folder);
    return 0;
}

void upload_free(struct upload *upload)
{
    if (!upload)
        return;
    if (upload->fd >= 0) {
        close(upload->fd);
        if (upload->temp)
            unlink(upload->temp);
    }
    if (upload->digest)
        digest_free(upload->digest, NULL);
    free(upload->place);
    free(upload->folder);
    free(upload->temp);
    free(upload);
}

void upload_sweep(struct jobs *jobs)
{
    char nobody[DIGEST_HEX_SIZE];
    auto_free char *place = NULL;
    auto_free char *folder = NULL;
    DIR *open_folder;
    const struct dirent *entry;

    memset(nobody, '0', sizeof nobody - 1);
    nobody[sizeof nobody - 1] = '\0';
    place = jobs_source_path(jobs, nobody);
    folder = folder_of(place);
    open_folder = opendir(folder);
    if (!open_folder)
        return;
    while ((entry = readdir(open_folder)))
        if (text_starts_with(entry->d_name, temp_start))
            unlinkat(dirfd(open_folder), entry->d_name, 0);
    closedir(open_folder);
}
