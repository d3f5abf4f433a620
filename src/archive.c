/* The door to libarchive: what may be in a source tree, how it is made into bytes that
 * depend on nothing else, and how a stranger's archive is kept from harm.  Where
 * archives are kept is decided elsewhere. */

#include "src/archive.h"

#include "src/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much of an archive is read at a time. */
enum {
    CHUNK_SIZE = 64 * 1024
};

/* Counts a tree against its limits. */
struct tally {
    int64_t files;
    int64_t bytes;
};

static int tally_add(struct tally *tally, const char *name, int64_t bytes,
                     struct err *err)
{
    if (++tally->files > ARCHIVE_FILES_MAX)
        return err_set(err, ERR_LIMIT, "%s: more than %d files", name,
                       (int)ARCHIVE_FILES_MAX);
    if (bytes < 0 || bytes > ARCHIVE_BYTES_MAX - tally->bytes)
        return err_set(err, ERR_LIMIT, "%s: more than %lld bytes in all", name,
                       (long long)ARCHIVE_BYTES_MAX);
    tally->bytes += bytes;
    return 0;
}

/* How many folders deep `path` leads, or -1: absolute, or with ".." in it. */
static int path_depth(const char *path)
{
    int depth = 0;

    if (*path == '/')
        return -1;
    while (*path != '\0') {
        size_t len = strcspn(path, "/");

        if (len == 2 && memcmp(path, "..", 2) == 0)
            return -1;
        if (len > 0 && !(len == 1 && *path == '.'))
            depth++;
        path += len;
        path += strspn(path, "/");
    }
    return depth;
}

/*
 * Whether a link at `name` stays within the tree, whatever else is a link there: its
 * target is relative, and ".." is only at its beginning, not more often than there are
 * folders above the link.  Those are real folders (nothing is unpacked through a link),
 * so each ".." goes up one of ours; what follows only goes down, through links that
 * obey the same rule.  A ".." further behind could go up from where such a link leads.
 */
bool archive_link_stays_inside(const char *name, const char *target)
{
    int above = path_depth(name) - 1;

    while (strncmp(target, "..", 2) == 0 && (target[2] == '/' || target[2] == '\0')) {
        above--;
        target += 2;
        target += strspn(target, "/");
    }
    return above >= 0 && path_depth(target) >= 0;
}

static int check_link(const char *name, const char *target, struct err *err)
{
    if (archive_link_stays_inside(name, target))
        return 0;
    return err_set(err, ERR_INVALID, "%s: a link to \"%s\" leads out of the tree", name,
                   target);
}

/* --- packing --- */

struct packer {
    struct archive *archive;
    struct archive_entry *entry;
    struct digest *digest;
    int fd;
    struct stat own; /* of the file that is written */
    struct tally tally;
    bool is_given_up;
    struct err why; /* set when it was given up for want of room on the disk */
};

/* A failed write is kept for packer_check and never told to libarchive: when it knows
 * of one, it frees only half of what it has. */
static la_ssize_t take_bytes(struct archive *archive, void *context, const void *bytes,
                             size_t len)
{
    struct packer *packer = context;

    (void)archive;
    if (!packer->is_given_up && write_all(packer->fd, bytes, len, &packer->why) < 0)
        packer->is_given_up = true;
    if (!packer->is_given_up)
        digest_add(packer->digest, bytes, len);
    return (la_ssize_t)len;
}

/* What a call of libarchive came to. */
static int packer_check(const struct packer *packer, bool is_well, const char *name,
                        struct err *err)
{
    if (packer->is_given_up)
        return err_set(err, packer->why.code, "write the archive: %s",
                       packer->why.text);
    if (!is_well)
        return err_set(err, ERR_INTERNAL, "pack %s: %s", name,
                       archive_error_string(packer->archive));
    return 0;
}

/* GNU's format: names are the bytes they are, as long as they are, in any locale.  In
 * pax they would be UTF-8, or marked as binary in a header before every single file, at
 * which tar complains. */
static int packer_open(struct packer *packer, const char *path, struct err *err)
{
    struct archive *archive = archive_write_new();
    bool is_well;

    packer->archive = archive;
    packer->entry = archive_entry_new();
    packer->digest = digest_new();
    if (!archive || !packer->entry)
        return err_set(err, ERR_UNAVAILABLE, "no memory for an archive");
    packer->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (packer->fd < 0 || fstat(packer->fd, &packer->own) < 0)
        return err_sys(err, errno, "open %s", path);
    is_well =
        archive_write_set_format_gnutar(archive) == ARCHIVE_OK
        && archive_write_add_filter_gzip(archive) == ARCHIVE_OK
        && archive_write_set_options(archive, "gzip:!timestamp") == ARCHIVE_OK
        && archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK
        && archive_write_open(archive, packer, NULL, take_bytes, NULL) == ARCHIVE_OK;
    return packer_check(packer, is_well, path, err);
}

/* Everything that differs between two copies of a tree is left at 0. */
static int pack_header(struct packer *packer, const char *name,
                       const struct stat *status, const char *target, struct err *err)
{
    bool is_file = S_ISREG(status->st_mode);
    bool runs = !is_file || (status->st_mode & 0111) != 0;

    archive_entry_clear(packer->entry);
    archive_entry_set_pathname(packer->entry, name);
    archive_entry_set_mode(packer->entry,
                           (status->st_mode & S_IFMT) | (runs ? 0755U : 0644U));
    archive_entry_set_mtime(packer->entry, 0, 0);
    archive_entry_set_size(packer->entry, is_file ? status->st_size : 0);
    if (target)
        archive_entry_set_symlink(packer->entry, target);
    return packer_check(packer,
                        archive_write_header(packer->archive, packer->entry)
                            >= ARCHIVE_WARN,
                        name, err);
}

/* Exactly the bytes that the header promised. */
static int pack_bytes(struct packer *packer, int fd, const char *name, int64_t len,
                      struct err *err)
{
    char bytes[8192];

    while (len > 0) {
        size_t wanted = len < (int64_t)sizeof bytes ? (size_t)len : sizeof bytes;
        ssize_t got = read(fd, bytes, wanted);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_sys(err, errno, "read %s", name);
        if (got == 0)
            return err_set(err, ERR_CONFLICT, "%s: got shorter while it was packed",
                           name);
        if (packer_check(packer,
                         archive_write_data(packer->archive, bytes, (size_t)got) == got,
                         name, err)
            < 0)
            return -1;
        len -= got;
    }
    return 0;
}

/* The file is looked at anew: it may be another one than the walk saw. */
static int pack_file(struct packer *packer, const char *path, const char *name,
                     struct err *err)
{
    auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return err_sys(err, errno, "read %s", name);
    if (!S_ISREG(status.st_mode))
        return err_set(err, ERR_CONFLICT, "%s: changed while it was packed", name);
    if (status.st_dev == packer->own.st_dev && status.st_ino == packer->own.st_ino)
        return err_set(err, ERR_INVALID, "%s: the archive lies within the folder",
                       name);
    if (tally_add(&packer->tally, name, status.st_size, err) < 0
        || pack_header(packer, name, &status, NULL, err) < 0)
        return -1;
    return pack_bytes(packer, fd, name, status.st_size, err);
}

static int pack_link(struct packer *packer, const FTSENT *found, const char *name,
                     struct err *err)
{
    char target[4096];
    ssize_t len = readlink(found->fts_accpath, target, sizeof target - 1);

    if (len < 0)
        return err_sys(err, errno, "read link %s", name);
    target[len] = '\0';
    if (check_link(name, target, err) < 0
        || tally_add(&packer->tally, name, 0, err) < 0)
        return -1;
    return pack_header(packer, name, found->fts_statp, target, err);
}

static int pack_folder(struct packer *packer, const FTSENT *found, const char *name,
                       struct err *err)
{
    if (tally_add(&packer->tally, name, 0, err) < 0)
        return -1;
    return pack_header(packer, name, found->fts_statp, NULL, err);
}

static bool is_left_out(const char *name)
{
    size_t len = strlen(name);

    return strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0
           || (len >= 4 && strcmp(name + len - 4, ".pyc") == 0);
}

/* `name` is the path beneath the tree. */
static int pack_found(struct packer *packer, const FTSENT *found, const char *name,
                      struct err *err)
{
    switch (found->fts_info) {
    case FTS_D:
        return pack_folder(packer, found, name, err);
    case FTS_F:
        return pack_file(packer, found->fts_accpath, name, err);
    case FTS_SL:
    case FTS_SLNONE:
        return pack_link(packer, found, name, err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return err_sys(err, found->fts_errno, "read %s", name);
    default:
        return err_set(err, ERR_INVALID,
                       "%s: is neither a file nor a folder nor a link", name);
    }
}

static int by_name(const FTSENT **one, const FTSENT **other)
{
    return strcmp((*one)->fts_name, (*other)->fts_name);
}

static int pack_walk(struct packer *packer, FTS *walk, size_t folder_len,
                     struct err *err)
{
    FTSENT *found;

    for (errno = 0; (found = fts_read(walk)); errno = 0) {
        bool is_root = found->fts_level == FTS_ROOTLEVEL;
        const char *name = is_root ? found->fts_path : found->fts_path + folder_len + 1;

        if (is_root && found->fts_info == FTS_F)
            return err_set(err, ERR_INVALID, "%s: is not a folder", name);
        if (found->fts_info == FTS_DP || (is_root && found->fts_info == FTS_D))
            continue;
        if (!is_root && is_left_out(found->fts_name))
            fts_set(walk, found, FTS_SKIP);
        else if (pack_found(packer, found, name, err) < 0)
            return -1;
    }
    return errno != 0 ? err_sys(err, errno, "read the tree") : 0;
}

static int pack_tree(struct packer *packer, const char *folder, struct err *err)
{
    auto_free char *root = xstrdup(folder);
    size_t len = strlen(root);
    char *roots[] = { root, NULL };
    FTS *walk;
    int result;

    while (len > 1 && root[len - 1] == '/')
        root[--len] = '\0';
    walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!walk)
        return err_sys(err, errno, "read %s", folder);
    result = pack_walk(packer, walk, root[len - 1] == '/' ? len - 1 : len, err);
    fts_close(walk);
    if (result < 0)
        return -1;
    return packer_check(packer, archive_write_close(packer->archive) == ARCHIVE_OK,
                        folder, err);
}

/* What archive_write_free adds to a half archive goes nowhere. */
static void packer_close(struct packer *packer, bool is_whole,
                         char hex[DIGEST_HEX_SIZE])
{
    packer->is_given_up = true;
    archive_write_free(packer->archive);
    archive_entry_free(packer->entry);
    digest_free(packer->digest, is_whole ? hex : NULL);
    base_close(&packer->fd);
}

int archive_pack(const char *folder, const char *path, char hex[DIGEST_HEX_SIZE],
                 struct err *err)
{
    struct packer packer = { .fd = -1 };
    bool is_whole =
        packer_open(&packer, path, err) == 0 && pack_tree(&packer, folder, err) == 0;
    bool is_ours = packer.fd >= 0;

    packer_close(&packer, is_whole, hex);
    if (!is_whole && is_ours)
        unlink(path);
    return is_whole ? 0 : -1;
}

/* --- unpacking --- */

struct unpacker {
    struct archive *from;
    struct archive *disk;
    struct tally tally;
};

static int disk_failed(const struct unpacker *unpacker, const char *name,
                       struct err *err)
{
    int error = archive_errno(unpacker->disk);

    if (error > 0)
        return err_sys(err, error, "unpack %s", name);
    return err_set(err, ERR_INVALID, "%s: %s", name,
                   archive_error_string(unpacker->disk));
}

static int archive_damaged(const struct unpacker *unpacker, const char *name,
                           struct err *err)
{
    return err_set(err, ERR_INVALID, "damaged archive, at %s: %s", name,
                   archive_error_string(unpacker->from));
}

/* Refuses what could reach out of the folder, takes away what a source tree has no use
 * for. */
static int check_entry(struct unpacker *unpacker, struct archive_entry *entry,
                       const char *name, struct err *err)
{
    mode_t type = archive_entry_filetype(entry);
    int depth = path_depth(name);
    bool runs = (archive_entry_perm(entry) & 0111) != 0;

    if (depth < 0 || (depth == 0 && type != AE_IFDIR))
        return err_set(err, ERR_INVALID, "%s: leads out of the tree", name);
    if (archive_entry_hardlink(entry))
        return err_set(err, ERR_INVALID, "%s: is a hard link", name);
    if (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK)
        return err_set(err, ERR_INVALID,
                       "%s: is neither a file nor a folder nor a link", name);
    if (type == AE_IFLNK && check_link(name, archive_entry_symlink(entry), err) < 0)
        return -1;
    archive_entry_set_perm(entry, type != AE_IFREG || runs ? 0755 : 0644);
    return tally_add(&unpacker->tally, name,
                     type == AE_IFREG ? archive_entry_size(entry) : 0, err);
}

/* libarchive gives and takes no more bytes than the size that the tally has seen. */
static int unpack_bytes(struct unpacker *unpacker, const char *name, struct err *err)
{
    const void *bytes;
    size_t len;
    la_int64_t offset;
    int result;

    while ((result = archive_read_data_block(unpacker->from, &bytes, &len, &offset))
           == ARCHIVE_OK)
        if (archive_write_data_block(unpacker->disk, bytes, len, offset) < ARCHIVE_WARN)
            return disk_failed(unpacker, name, err);
    if (result != ARCHIVE_EOF)
        return archive_damaged(unpacker, name, err);
    return 0;
}

static int unpack_entry(struct unpacker *unpacker, struct archive_entry *entry,
                        struct err *err)
{
    const char *name = archive_entry_pathname(entry);

    if (!name)
        return err_set(err, ERR_INVALID, "an entry has no name that can be used here");
    /* Headers count too: they can be blown up as well as what follows them. */
    if (archive_filter_bytes(unpacker->from, 0) > 2 * ARCHIVE_BYTES_MAX)
        return err_set(err, ERR_LIMIT, "%s: the archive's headers are too large", name);
    if (check_entry(unpacker, entry, name, err) < 0)
        return -1;
    if (archive_write_header(unpacker->disk, entry) < ARCHIVE_WARN)
        return disk_failed(unpacker, name, err);
    if (archive_entry_filetype(entry) == AE_IFREG
        && unpack_bytes(unpacker, name, err) < 0)
        return -1;
    if (archive_write_finish_entry(unpacker->disk) < ARCHIVE_WARN)
        return disk_failed(unpacker, name, err);
    return 0;
}

static int unpack_entries(struct unpacker *unpacker, const char *path, struct err *err)
{
    struct archive_entry *entry;
    int result;

    while ((result = archive_read_next_header(unpacker->from, &entry)) != ARCHIVE_EOF) {
        if (result < ARCHIVE_WARN)
            return archive_damaged(unpacker, path, err);
        if (unpack_entry(unpacker, entry, err) < 0)
            return -1;
    }
    if (archive_write_close(unpacker->disk) < ARCHIVE_WARN)
        return disk_failed(unpacker, path, err);
    return 0;
}

/* No owner, time or mode beyond the umask is asked for, and every refusal that there
 * is. */
static int unpacker_open(struct unpacker *unpacker, int fd, const char *path,
                         struct err *err)
{
    unpacker->from = archive_read_new();
    unpacker->disk = archive_write_disk_new();
    if (!unpacker->from || !unpacker->disk)
        return err_set(err, ERR_UNAVAILABLE, "no memory for an archive");
    if (archive_read_support_filter_gzip(unpacker->from) != ARCHIVE_OK
        || archive_read_support_format_tar(unpacker->from) != ARCHIVE_OK
        || archive_read_open_fd(unpacker->from, fd, CHUNK_SIZE) != ARCHIVE_OK)
        return archive_damaged(unpacker, path, err);
    if (archive_write_disk_set_options(unpacker->disk,
                                       ARCHIVE_EXTRACT_SECURE_SYMLINKS
                                           | ARCHIVE_EXTRACT_SECURE_NODOTDOT
                                           | ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS)
        != ARCHIVE_OK)
        return disk_failed(unpacker, path, err);
    return 0;
}

static int unpack_here(int fd, const char *path, struct err *err)
{
    struct unpacker unpacker = { 0 };
    int result = unpacker_open(&unpacker, fd, path, err);

    if (result == 0)
        result = unpack_entries(&unpacker, path, err);
    archive_read_free(unpacker.from);
    archive_write_free(unpacker.disk);
    return result;
}

/* libarchive unpacks relative to the working folder; only so it can watch every part of
 * a name. */
int archive_unpack(const char *path, const char *folder, struct err *err)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    auto_close int home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int result;

    if (fd < 0)
        return err_sys(err, errno, "open %s", path);
    if (home < 0 || chdir(folder) < 0)
        return err_sys(err, errno, "enter %s", folder);
    result = unpack_here(fd, path, err);
    if (fchdir(home) < 0 && result == 0)
        return err_sys(err, errno, "return from %s", folder);
    return result;
}
