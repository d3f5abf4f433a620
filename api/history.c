/*
 * Reads pages of a job's metrics and samples.  Decides how much a page may read, and
 * where the next one begins; what is in a line was decided by the worker.
 *
 * The files lie where the job can write, so nothing in them is trusted: links and FIFOs
 * are not opened, and a line that is no value is passed over.
 */

#include "api/history.h"

#include "src/clock.h"
#include "src/launch_plan.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A page takes some 5 ms: it stops at 128 KiB, that is 1,600 values.  Folders of
 * attempts which left nothing cost an open each, and no more of those than this. */
enum {
    CHUNK_BYTES = 65536,
    PAGE_BYTES = 2 * CHUNK_BYTES,
    OPENS_MAX = 256,
    PROBE_BYTES = 12288 /* two lines of 32 accelerators have 8 KiB */
};

struct reader {
    const struct job_history *job;
    const struct history_query *query;
    int attempt;
    int64_t *offsets; /* of this attempt, by worker */
    struct cJSON *items;
    int64_t room;  /* items */
    int64_t bytes; /* read so far */
    int opens;
    bool is_full; /* there may be more now */
};

/* --- the cursor: "ATTEMPT.OFFSET.OFFSET...", an offset a worker --- */

static int bad_cursor(struct err *err)
{
    return err_set(err, ERR_INVALID, "cursor: it is none that this job gave");
}

static bool read_number(const char **at, int64_t *out)
{
    char *end;

    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *out = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static int read_cursor(struct reader *reader, struct err *err)
{
    const char *at = reader->query->cursor;
    int64_t attempt;

    reader->attempt = 1;
    if (!at)
        return 0;
    if (!read_number(&at, &attempt) || attempt < 1
        || (attempt > 1 && attempt > reader->job->attempts))
        return bad_cursor(err);
    reader->attempt = (int)attempt;
    for (int i = 0; *at == '.' && i < reader->job->workers; i++) {
        at++;
        if (!read_number(&at, &reader->offsets[i]))
            return bad_cursor(err);
    }
    return *at ? bad_cursor(err) : 0;
}

/* Offsets of nothing at the end are left out. */
static char *write_cursor(const struct reader *reader)
{
    struct text cursor = { 0 };
    int count = reader->job->workers;

    while (count > 0 && reader->offsets[count - 1] == 0)
        count--;
    text_printf(&cursor, "%d", reader->attempt);
    for (int i = 0; i < count; i++)
        text_printf(&cursor, ".%" PRId64, reader->offsets[i]);
    return text_steal(&cursor);
}

/* --- lines --- */

static bool is_value(const struct cJSON *value)
{
    const char *text = json_text(value);

    if (!text)
        return json_number(value) != NULL;
    return strcmp(text, "NaN") == 0 || strcmp(text, "Infinity") == 0
           || strcmp(text, "-Infinity") == 0;
}

/* NULL: not asked for, or no value of a metric. */
static struct cJSON *metric_of(const struct history_query *query,
                               const struct cJSON *line)
{
    const char *name = json_get_text(line, "name");
    const struct cJSON *value = json_get(line, "value");
    const struct cJSON *step = json_get(line, "step");
    int64_t rank = json_get_int(line, "rank", -1);
    struct cJSON *item;

    if (!name || rank < 0 || !is_value(value)
        || (query->name && strcmp(query->name, name) != 0)
        || (query->rank >= 0 && query->rank != rank))
        return NULL;
    item = json_object_new();
    json_set_text(item, "name", name);
    json_set(item, "value", json_copy(value));
    json_set_int(item, "rank", rank);
    json_set(item, "step",
             step && json_number(step) ? json_copy(step) : json_null_new());
    return item;
}

static struct cJSON *sample_of(const struct cJSON *line)
{
    struct cJSON *item = json_object_new();

    json_each (member, line)
        if (strcmp(json_name(member), "wall_us") != 0)
            json_set(item, json_name(member), json_copy(member));
    return item;
}

static bool time_of(const struct cJSON *line, usec_t *wall)
{
    return json_kind(line) == JSON_OBJECT
           && json_to_int(json_get(line, "wall_us"), wall) && *wall >= 0;
}

static void take_line(struct reader *reader, int worker, const char *bytes, size_t len)
{
    auto_json struct cJSON *line = NULL;
    struct cJSON *item;
    char at[TIME_TEXT_SIZE];
    usec_t wall;

    if (json_parse(bytes, len, &line, NULL) < 0 || !time_of(line, &wall)
        || wall < reader->query->since)
        return;
    item = reader->query->kind == HISTORY_METRICS ? metric_of(reader->query, line)
                                                  : sample_of(line);
    if (!item)
        return;
    json_set_text(item, "at", time_format(wall, at));
    json_set_int(item, "attempt", reader->attempt);
    json_set_int(item, "worker", worker);
    json_append(reader->items, item);
    reader->room--;
}

/* Every whole line of a chunk; moves the worker's offset behind the last one. */
static void take_lines(struct reader *reader, int worker, const char *bytes, size_t len)
{
    const char *at = bytes;
    const char *end;

    while (!reader->is_full && (end = memchr(at, '\n', len - (size_t)(at - bytes)))) {
        take_line(reader, worker, at, (size_t)(end - at));
        at = end + 1;
        reader->is_full = reader->room == 0;
    }
    reader->offsets[worker] += at - bytes;
}

/* --- files --- */

/* -1 when there is none that can be read. */
static int open_file(const struct reader *reader, int worker, int64_t *size)
{
    auto_free char *folder =
        worker_folder(reader->job->folder, reader->attempt, worker);
    auto_free char *path =
        xasprintf("%s/%s.jsonl", folder,
                  reader->query->kind == HISTORY_METRICS ? "metrics" : "utilization");
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat facts;

    if (fd < 0 || fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode))
        return -1;
    *size = facts.st_size;
    return steal_fd(&fd);
}

/* The first whole line that begins behind `from`: its place and its time. */
static bool probe(int fd, int64_t from, int64_t *start, usec_t *wall)
{
    char bytes[PROBE_BYTES];
    auto_json struct cJSON *line = NULL;
    ssize_t got = pread(fd, bytes, sizeof bytes, from);
    const char *first = got > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;
    size_t left = first ? (size_t)(bytes + got - first) - 1 : 0;
    const char *end = left ? memchr(first + 1, '\n', left) : NULL;

    if (!end || json_parse(first + 1, (size_t)(end - first) - 1, &line, NULL) < 0)
        return false;
    *start = from + (first + 1 - bytes);
    return time_of(line, wall);
}

/* Where the first line of `since` may be: a worker's times only grow, so half of the
 * file is ruled out by each look.  What cannot be told is not ruled out. */
static int64_t find_since(int fd, int64_t size, usec_t since)
{
    int64_t low = 0;
    int64_t high = size;

    while (high - low > CHUNK_BYTES) {
        int64_t middle = low + (high - low) / 2;
        int64_t start;
        usec_t wall;

        if (probe(fd, middle, &start, &wall) && wall < since)
            low = start;
        else
            high = middle;
    }
    return low;
}

/* A file that is shorter than it was has lost every second of its samples (a worker's
 * way of keeping it small): what comes is given, and what went is gone. */
static void begin_file(struct reader *reader, int worker, int fd, int64_t size)
{
    int64_t *offset = &reader->offsets[worker];

    if (*offset > size)
        *offset = size;
    if (*offset == 0 && reader->query->since > INT64_MIN)
        *offset = find_since(fd, size, reader->query->since);
}

static void read_file(struct reader *reader, int worker)
{
    auto_free char *bytes = NULL;
    int64_t size;
    auto_close int fd = open_file(reader, worker, &size);

    reader->opens++;
    if (fd < 0)
        return;
    begin_file(reader, worker, fd, size);
    while (!reader->is_full && reader->offsets[worker] < size) {
        int64_t before = reader->offsets[worker];
        ssize_t got;

        if (reader->bytes >= PAGE_BYTES) {
            reader->is_full = true;
            break;
        }
        if (!bytes)
            bytes = xmalloc(CHUNK_BYTES);
        got = pread(fd, bytes, CHUNK_BYTES, before);
        if (got <= 0)
            break;
        reader->bytes += got;
        take_lines(reader, worker, bytes, (size_t)got);
        if (reader->offsets[worker] > before)
            continue;
        if (got < CHUNK_BYTES)
            break;                      /* a line that is being written */
        reader->offsets[worker] += got; /* no worker writes one as long as this */
    }
}

static void read_attempt(struct reader *reader)
{
    int64_t only = reader->query->worker;

    for (int i = 0; i < reader->job->workers && !reader->is_full; i++)
        if (only < 0 || only == i)
            read_file(reader, i);
}

/* Of one attempt every file is looked at, so that a page always gets on. */
static void read_attempts(struct reader *reader)
{
    size_t size = (size_t)reader->job->workers * sizeof *reader->offsets;

    for (;;) {
        read_attempt(reader);
        if (reader->is_full || reader->attempt >= reader->job->attempts)
            return;
        reader->attempt++;
        memset(reader->offsets, 0, size);
        if (reader->opens >= OPENS_MAX) {
            reader->is_full = true;
            return;
        }
    }
}

int history_page(const struct job_history *job, const struct history_query *query,
                 struct cJSON **page, struct err *err)
{
    auto_free int64_t *offsets = xcalloc((size_t)job->workers, sizeof *offsets);
    struct reader reader = { .job = job,
                             .query = query,
                             .offsets = offsets,
                             .room = query->limit };
    auto_free char *cursor = NULL;

    if (query->worker >= job->workers)
        return err_set(err, ERR_NOT_FOUND, "the job has no worker %" PRId64,
                       query->worker);
    if (read_cursor(&reader, err) < 0)
        return -1;
    reader.items = json_array_new();
    if (job->attempts > 0)
        read_attempts(&reader);
    cursor = write_cursor(&reader);
    *page = json_object_new();
    json_set(*page, "items", reader.items);
    json_set_text(*page, "next_cursor", reader.is_full ? cursor : NULL);
    json_set_text(*page, "resume_cursor",
                  reader.is_full || !job->ended ? cursor : NULL);
    return 0;
}
