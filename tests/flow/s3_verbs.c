/*
 * The verbs of src/s3.h from a shell, for tests of S3 without a job:
 *
 *   s3_verbs list s3://B/PREFIX            a line an object: SIZE ETAG KEY
 *   s3_verbs head s3://B/KEY               the same of one
 *   s3_verbs fetch s3://B/PREFIX FOLDER    all of them, each as FOLDER/NUMBER in their
 *                                          order; says the bytes that it was told of
 *   s3_verbs stream s3://B/KEY [OFFSET]    to stdout
 *   s3_verbs put FILE s3://B/KEY
 *   s3_verbs delete s3://B/KEY
 *
 * S3_ENDPOINT says where, S3_KEYS is a file of keys (none: unsigned), S3_VIRTUAL=1 that
 * buckets are host names, S3_TOKEN the session's.  An error is told as CODE: TEXT.
 */

#include "src/files.h"
#include "src/s3.h"
#include "src/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct found {
    char *key;
    char *etag;
    char *path;
    int64_t size;
};

struct run {
    struct s3 *s3;
    struct s3_uri uri;
    const char *argument;
    struct found *found;
    size_t count;
    size_t room;
    size_t next;
    int64_t bytes;
};

static int print_object(void *context, const struct s3_object *object, struct err *err)
{
    (void)context;
    (void)err;
    printf("%jd %s %s\n", (intmax_t)object->size, object->etag, object->key);
    return 0;
}

static int list(struct run *run, struct err *err)
{
    return s3_list(run->s3, run->uri.bucket, run->uri.key, print_object, NULL, err);
}

static int head(struct run *run, struct err *err)
{
    return s3_head(run->s3, run->uri.bucket, run->uri.key, print_object, NULL, err);
}

static int keep_object(void *context, const struct s3_object *object, struct err *err)
{
    struct run *run = context;

    (void)err;
    if (run->count == run->room) {
        run->room = run->room ? 2 * run->room : 64;
        run->found = xrealloc(run->found, run->room * sizeof *run->found);
    }
    run->found[run->count] = (struct found){
        .key = xstrdup(object->key),
        .etag = xstrdup(object->etag),
        .path = run->argument ? xasprintf("%s/%zu", run->argument, run->count) : NULL,
        .size = object->size,
    };
    run->count++;
    return 0;
}

static bool next_object(void *context, struct s3_wanted *out)
{
    struct run *run = context;
    const struct found *found;

    if (run->next == run->count)
        return false;
    found = &run->found[run->next++];
    *out = (struct s3_wanted){ run->uri.bucket, found->key,  found->size,
                               found->etag,     found->path, NULL };
    return true;
}

static int object_done(void *context, const struct s3_wanted *wanted, struct err *err)
{
    (void)context;
    (void)wanted;
    (void)err;
    return 0;
}

static void count_bytes(void *context, int64_t bytes)
{
    struct run *run = context;

    run->bytes += bytes;
}

static int fetch(struct run *run, struct err *err)
{
    struct s3_fetch plan = { next_object, object_done, count_bytes, run };
    struct rusage usage;

    if (s3_list(run->s3, run->uri.bucket, run->uri.key, keep_object, run, err) < 0
        || s3_fetch(run->s3, &plan, err) < 0)
        return -1;
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu objects, %jd bytes, %ld KiB of memory\n", run->count,
           (intmax_t)run->bytes, usage.ru_maxrss);
    return 0;
}

static int print_bytes(void *context, const char *bytes, size_t len, struct err *err)
{
    (void)context;
    return write_all(STDOUT_FILENO, bytes, len, err);
}

static int stream(struct run *run, struct err *err)
{
    int64_t offset = run->argument ? atoll(run->argument) : 0;
    struct s3_wanted wanted;

    if (s3_head(run->s3, run->uri.bucket, run->uri.key, keep_object, run, err) < 0)
        return -1;
    next_object(run, &wanted);
    return s3_stream(run->s3, &wanted, offset, print_bytes, NULL, err);
}

static int put(struct run *run, struct err *err)
{
    return s3_put_file(run->s3, &run->uri, run->argument, NULL, NULL, err);
}

static int remove_object(struct run *run, struct err *err)
{
    return s3_delete(run->s3, &run->uri, err);
}

/* clang-format off */
static const struct {
    const char *name;
    int (*run)(struct run *run, struct err *err);
    int uri;      /* which argument */
    int argument; /* or 0 */
} verbs[] = {
    { "list",   list,     2, 0 },
    { "head",   head,     2, 0 },
    { "fetch",  fetch,    2, 3 },
    { "stream", stream,   2, 3 },
    { "put",    put,      3, 2 },
    { "delete", remove_object, 2, 0 },
};
/* clang-format on */

static int connect_s3(struct s3 **s3, struct err *err)
{
    struct storage storage = { 0 };
    int result = 0;

    storage.endpoint = xstrdup(getenv("S3_ENDPOINT"));
    storage.region = xstrdup("us-east-1");
    storage.addressing = getenv("S3_VIRTUAL") ? S3_VIRTUAL : S3_PATH;
    if (getenv("S3_KEYS"))
        result = storage_read_keys(getenv("S3_KEYS"), "default", &storage, err);
    if (getenv("S3_TOKEN"))
        storage.session_token = xstrdup(getenv("S3_TOKEN"));
    if (result == 0)
        result = s3_new(&storage, s3, err);
    storage_clear(&storage);
    return result;
}

static int run_verb(int argc, char **argv, struct err *err)
{
    auto_s3 struct s3 *s3 = NULL;
    struct run run = { 0 };
    int result;

    for (size_t i = 0; argc > 2 && i < ARRAY_SIZE(verbs); i++) {
        if (strcmp(argv[1], verbs[i].name) != 0 || argc <= verbs[i].uri)
            continue;
        if (connect_s3(&s3, err) < 0
            || s3_uri_parse(argv[verbs[i].uri], &run.uri, err) < 0)
            return -1;
        run.s3 = s3;
        run.argument = verbs[i].argument ? argv[verbs[i].argument] : NULL;
        result = verbs[i].run(&run, err);
        for (size_t j = 0; j < run.count; j++) {
            free(run.found[j].key);
            free(run.found[j].etag);
            free(run.found[j].path);
        }
        free(run.found);
        s3_uri_clear(&run.uri);
        return result;
    }
    return err_set(err, ERR_INVALID, "usage: s3_verbs VERB ...");
}

int main(int argc, char **argv)
{
    struct err err;

    if (run_verb(argc, argv, &err) < 0) {
        fprintf(stderr, "%s: %s\n", err_code_name(err.code), err.text);
        return 1;
    }
    return 0;
}
