/*
 * Stores a file as one object, in parts where it is large.  Decides the size of the
 * parts, and that an upload which fails is taken back; does not decide whether the
 * object may be stored.
 */

#include "src/files.h"
#include "src/s3.h"
#include "src/s3_call.h"
#include "src/s3_xml.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* S3's own limits ("Amazon S3 multipart upload limits"). */
#define OBJECT_BYTES_MAX (INT64_C(5) << 40)
enum {
    PARTS_MAX = 10000
};

struct part {
    char *query;
    struct s3_call call;
    size_t number; /* from 1; 0: free */
};

struct upload {
    struct s3 *s3;
    const struct s3_uri *to;
    int fd;
    int64_t size;
    int64_t part_bytes;
    size_t count;
    size_t next;        /* number of the next part to begin */
    char *id;           /* percent-encoded */
    char **etags;       /* by number - 1, quotes and all */
    struct part *parts; /* S3_PARALLEL, while it is sent in parts */
    int64_t sent;
    s3_sent_t *on_sent;
    void *context;
};

static void report(const struct upload *upload)
{
    if (upload->on_sent)
        upload->on_sent(upload->context, upload->sent, upload->size);
}

static int put_whole(struct upload *upload, struct err *err)
{
    auto_call struct s3_call call = {
        .s3 = upload->s3,
        .method = "PUT",
        .bucket = upload->to->bucket,
        .key = upload->to->key,
        .body = { .fd = upload->fd, .len = upload->size },
    };

    if (s3_call_perform(&call, err) < 0)
        return -1;
    upload->sent = upload->size;
    report(upload);
    return 0;
}

static int open_upload(struct upload *upload, struct err *err)
{
    auto_call struct s3_call call = {
        .s3 = upload->s3,
        .method = "POST",
        .bucket = upload->to->bucket,
        .key = upload->to->key,
        .query = "uploads=",
    };
    auto_free char *id = NULL;
    struct text encoded = { 0 };
    struct xml body;

    if (s3_call_perform(&call, err) < 0)
        return -1;
    body = (struct xml){ call.answer.body, call.answer.body + call.answer.len };
    id = xml_text(body, "UploadId");
    if (!id || !*id)
        return err_set(err, ERR_UNAVAILABLE,
                       "POST s3://%s/%s: the server's answer has no upload's id",
                       upload->to->bucket, upload->to->key);
    http_add_encoded(&encoded, id);
    upload->id = text_steal(&encoded);
    return 0;
}

static void begin_part(struct upload *upload, struct part *part)
{
    int64_t offset;

    part->number = upload->next++;
    offset = (int64_t)(part->number - 1) * upload->part_bytes;
    part->query = xasprintf("partNumber=%zu&uploadId=%s", part->number, upload->id);
    part->call = (struct s3_call){
        .s3 = upload->s3,
        .method = "PUT",
        .bucket = upload->to->bucket,
        .key = upload->to->key,
        .query = part->query,
        .body = { .fd = upload->fd,
                  .offset = offset,
                  .len = upload->size - offset < upload->part_bytes
                             ? upload->size - offset
                             : upload->part_bytes },
    };
}

static void clear_part(struct part *part)
{
    s3_call_clear(&part->call);
    free(part->query);
    *part = (struct part){ 0 };
}

static int finish_part(struct upload *upload, struct part *part, struct err *err)
{
    const char *etag;

    if (part->call.failed) {
        *err = part->call.err;
        return -1;
    }
    etag = http_header(part->call.transfer, "ETag");
    if (!etag)
        return err_set(err, ERR_UNAVAILABLE,
                       "PUT s3://%s/%s: the server's answer has no ETag",
                       upload->to->bucket, upload->to->key);
    upload->etags[part->number - 1] = xstrdup(etag);
    upload->sent += part->call.body.len;
    report(upload);
    clear_part(part);
    return 0;
}

/* Every part a step on; *busy says how many are under way, *moved whether one ended. */
static int step_parts(struct upload *upload, struct s3_call **calls, size_t *busy,
                      bool *moved, struct err *err)
{
    *busy = 0;
    *moved = false;
    for (size_t i = 0; i < S3_PARALLEL; i++) {
        struct part *part = &upload->parts[i];

        calls[i] = NULL;
        if (part->number == 0 && upload->next <= upload->count)
            begin_part(upload, part);
        if (part->number == 0)
            continue;
        calls[i] = &part->call;
        ++*busy;
        if (s3_call_step(&part->call)) {
            *moved = true;
            if (finish_part(upload, part, err) < 0)
                return -1;
        }
    }
    return 0;
}

static int send_parts(struct upload *upload, struct err *err)
{
    struct s3_call *calls[S3_PARALLEL];
    size_t busy;
    bool moved;

    do {
        if (step_parts(upload, calls, &busy, &moved, err) < 0)
            return -1;
        if (busy > 0 && !moved)
            s3_wait(upload->s3, calls, S3_PARALLEL);
    } while (busy > 0);
    return 0;
}

/* A text as a call's body: an unnamed file in memory, which the caller closes. */
static int body_of(const struct text *text, int *fd, struct http_range *body,
                   struct err *err)
{
    *fd = memfd_create("s3", MFD_CLOEXEC);
    if (*fd < 0)
        return err_sys(err, errno, "memfd_create");
    if (write_all(*fd, text->bytes, text->len, err) < 0)
        return err_wrap(err, "memfd");
    *body = (struct http_range){ .fd = *fd, .len = (int64_t)text->len };
    return 0;
}

static int compare_size(void *context, const struct s3_object *object, struct err *err)
{
    const struct upload *upload = context;

    if (object->size == upload->size)
        return 0;
    return err_set(err, ERR_CONFLICT, "another size");
}

/* When an answer is lost the next try finds no upload any more: it is the object. */
static bool was_completed(struct upload *upload, const struct s3_call *call)
{
    return call->tries > 1 && call->err.code == ERR_NOT_FOUND
           && s3_head(upload->s3, upload->to->bucket, upload->to->key, compare_size,
                      upload, NULL)
                  == 0;
}

/* An ETag is hexadecimal and quotes: nothing in it is to be escaped in XML. */
static int complete(struct upload *upload, struct err *err)
{
    auto_free char *query = xasprintf("uploadId=%s", upload->id);
    auto_text struct text list = { 0 };
    auto_close int fd = -1;
    auto_call struct s3_call call = {
        .s3 = upload->s3,
        .method = "POST",
        .bucket = upload->to->bucket,
        .key = upload->to->key,
        .query = query,
    };

    text_puts(&list, "<CompleteMultipartUpload>");
    for (size_t i = 0; i < upload->count; i++)
        text_printf(&list, "<Part><PartNumber>%zu</PartNumber><ETag>%s</ETag></Part>",
                    i + 1, upload->etags[i]);
    text_puts(&list, "</CompleteMultipartUpload>");
    if (body_of(&list, &fd, &call.body, err) < 0)
        return -1;
    return s3_call_perform(&call, err) == 0 || was_completed(upload, &call) ? 0 : -1;
}

/* As far as the server can be reached; what it keeps then is for the bucket's own rule
 * on incomplete uploads. */
static void take_back(struct upload *upload)
{
    auto_free char *query = xasprintf("uploadId=%s", upload->id);
    auto_call struct s3_call call = {
        .s3 = upload->s3,
        .method = "DELETE",
        .bucket = upload->to->bucket,
        .key = upload->to->key,
        .query = query,
    };
    struct err ignored;

    if (s3_call_perform(&call, &ignored) < 0)
        return;
}

static int put_in_parts(struct upload *upload, struct err *err)
{
    int result;

    upload->part_bytes = S3_PART_BYTES;
    while (upload->size > upload->part_bytes * PARTS_MAX)
        upload->part_bytes *= 2;
    upload->count =
        (size_t)((upload->size + upload->part_bytes - 1) / upload->part_bytes);
    upload->next = 1;
    if (open_upload(upload, err) < 0)
        return -1;
    upload->etags = xcalloc(upload->count, sizeof *upload->etags);
    upload->parts = xcalloc(S3_PARALLEL, sizeof *upload->parts);
    result = send_parts(upload, err);
    if (result == 0)
        result = complete(upload, err);
    for (size_t i = 0; i < S3_PARALLEL; i++)
        clear_part(&upload->parts[i]);
    free(upload->parts);
    if (result < 0)
        take_back(upload);
    for (size_t i = 0; i < upload->count; i++)
        free(upload->etags[i]);
    free(upload->etags);
    free(upload->id);
    return result;
}

int s3_put_file(struct s3 *s3, const struct s3_uri *to, const char *path,
                s3_sent_t *on_sent, void *context, struct err *err)
{
    /* What was a file when it was listed may be a FIFO by now. */
    auto_close int fd =
        open_settled(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct upload upload = { .s3 = s3,
                             .to = to,
                             .fd = fd,
                             .on_sent = on_sent,
                             .context = context };
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, errno, "open %s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INVALID, "%s is not a regular file", path);
    upload.size = st.st_size;
    if (upload.size > OBJECT_BYTES_MAX)
        return err_set(err, ERR_LIMIT, "%s: an object of S3 has at most 5 TiB", path);
    if (upload.size <= S3_PART_BYTES)
        return put_whole(&upload, err);
    return put_in_parts(&upload, err);
}
