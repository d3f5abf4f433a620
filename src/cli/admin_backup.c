/* jobctl admin backup: the database of the daemon as a file of one's own.  The server
 * makes and checks it; here it is decided that no half of it ever has the name that was
 * asked for, and what is told of it. */

#include "src/cli/admin.h"
#include "src/cli/figure.h"
#include "src/cli/print.h"
#include "src/cli/remote.h"
#include "src/digest.h"
#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    /* The backup is made, but the ledger in it is not what was written. */
    EXIT_BROKEN = 1,
    /* The server gives up making one before that, and says so. */
    SILENCE_SECONDS = REMOTE_REPORT_SECONDS + 60
};

struct download {
    int fd;
    struct digest *digest;
    int64_t bytes;
    bool failed;
    struct err err; /* when it did */
};

static void take(void *context, const char *bytes, size_t len)
{
    struct download *download = context;

    digest_add(download->digest, bytes, len);
    download->bytes += (int64_t)len;
    if (!download->failed)
        download->failed = write_all(download->fd, bytes, len, &download->err) < 0;
}

/* What came is what was sent. */
static int check(const struct download *download, const char *digest,
                 const struct cJSON *facts, struct err *err)
{
    const char *sent = json_get_text(facts, "sha256");

    if (download->failed) {
        *err = download->err;
        return -1;
    }
    if (!sent)
        return err_set(err, ERR_INTERNAL, "the server does not say what it sent");
    if (download->bytes != json_get_int(facts, "bytes", -1)
        || strcmp(sent, digest) != 0)
        return err_set(err, ERR_UNAVAILABLE,
                       "what came is not what was sent: %lld bytes with the digest %s",
                       (long long)download->bytes, digest);
    return 0;
}

static int fetch(struct remote *remote, int fd, struct cJSON **facts, struct err *err)
{
    auto_transfer struct http_transfer *transfer = NULL;
    struct download download = { .fd = fd, .digest = digest_new() };
    struct http_answer http;
    const char *words;
    char digest[DIGEST_HEX_SIZE];
    int result = http_perform(remote_client(remote),
                              &(struct http_request){ .method = "GET",
                                                      .path = "/v1/backup",
                                                      .stall_s = SILENCE_SECONDS,
                                                      .on_bytes = take,
                                                      .context = &download },
                              &transfer, &http, err);

    digest_free(download.digest, digest);
    if (result < 0)
        return -1;
    if (http.status != 200)
        return remote_read(&http, facts, NULL, err);
    words = http_header(transfer, "Railhead-Facts");
    if (json_parse(words ? words : "", words ? strlen(words) : 0, facts, NULL) < 0)
        *facts = json_object_new();
    return check(&download, digest, *facts, err);
}

/* One of its name is written by one command at a time; what one that was cut off has
 * left is written over. */
static int open_part(const char *part, int *out, struct err *err)
{
    auto_close int fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return err_sys(err, errno, "make %s", part);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return err_set(err, ERR_CONFLICT, "another jobctl is writing %s", part);
    if (ftruncate(fd, 0) < 0)
        return err_sys(err, errno, "make %s", part);
    *out = steal_fd(&fd);
    return 0;
}

static int check_place(const char *file, bool force, struct err *err)
{
    if (!force && access(file, F_OK) == 0)
        return err_set(err, ERR_CONFLICT, "%s is there; --force replaces it", file);
    return 0;
}

/* Where a file system cannot refuse to replace, it was looked a moment ago. */
static int put_in_place(const char *part, const char *file, bool force, struct err *err)
{
    int result =
        renameat2(AT_FDCWD, part, AT_FDCWD, file, force ? 0 : RENAME_NOREPLACE);

    if (result < 0 && errno == EINVAL) {
        if (check_place(file, force, err) < 0)
            return -1;
        result = rename(part, file);
    }
    return result < 0 ? err_sys(err, errno, "rename %s to %s", part, file)
                      : folder_sync_of(file, err);
}

static int save(struct remote *remote, const char *file, bool force,
                struct cJSON **facts, struct err *err)
{
    auto_free char *part = xasprintf("%s.part", file);
    auto_close int fd = -1;
    int result;

    if (check_place(file, force, err) < 0 || open_part(part, &fd, err) < 0)
        return -1;
    result = fetch(remote, fd, facts, err);
    if (result == 0 && fsync(fd) < 0)
        result = err_sys(err, errno, "sync %s", part);
    if (result == 0)
        result = put_in_place(part, file, force, err);
    if (result < 0)
        unlink(part);
    return result;
}

static void print_facts(const char *file, const struct cJSON *facts)
{
    const struct cJSON *ledger = json_get(facts, "ledger");
    const char *hash = json_get_text(ledger, "hash");

    printf("%s: %s jobs, %s events, %s rows of the ledger, %s bytes", file,
           figure_words(json_get(facts, "jobs")),
           figure_words(json_get(facts, "events")),
           figure_words(json_get(facts, "ledger_rows")),
           figure_words(json_get(facts, "bytes")));
    if (hash)
        printf(", head %s:%s", figure_words(json_get(ledger, "seq")), hash);
    printf("\n");
}

int admin_backup(struct cli *cli, const struct admin_options *options, char **operands)
{
    auto_remote struct remote *remote = NULL;
    auto_json struct cJSON *facts = NULL;
    const char *file = operands[1];
    const char *broken;
    struct err err;

    if (remote_open(cli, &remote, &err) < 0
        || save(remote, file, options->force, &facts, &err) < 0)
        return print_failure(&err, NULL, NULL);
    if (cli->output == OUTPUT_JSON)
        print_json(facts);
    else
        print_facts(file, facts);
    broken = figure_words(json_get(facts, "broken_seq"));
    if (!broken)
        return 0;
    print_note("the ledger does not hold from row %s on, in the daemon and so in %s: "
               "jobctl bill verify says more",
               broken, file);
    return EXIT_BROKEN;
}
