/* Lines of waiting jobs, one a pool and priority, and the instances that are held.
 * Whether a job can ever fit is checked at submit. */

#include "daemon/queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
    PRIORITIES = 101,
    BACKFILL_DEPTH = 64,
    BUCKETS = 4096
};

struct entry {
    struct queue_job job;
    char *owner; /* what job.owner points to */
    struct line *line;
    bool placed;
    bool warm;           /* a placed one that has ended */
    struct entry *match; /* of a waiting one the warm pool that it is to have; of a warm
                            one who is to have it; or NULL */
    usec_t until_boot; /* of a placed one: when its instances are free at the latest */
    TAILQ_ENTRY(entry) in_line; /* waiting: by age; else in any order */
    LIST_ENTRY(entry) in_bucket;
};

TAILQ_HEAD(entries, entry);
LIST_HEAD(bucket, entry);

/* All that concerns one pool. */
struct line {
    const struct offer *offer;
    int in_use; /* by what is placed, warm pools included */
    int warm;   /* of these, by warm pools */
    int64_t waiting_count;
    struct entries waiting[PRIORITIES];
    struct entries matched; /* waiting jobs that have a warm pool to go to */
    struct entries placed;
};

struct queue {
    struct line *lines;
    size_t line_count;
    size_t turn; /* the line that is asked first: a busy one must not starve the rest */
    struct bucket buckets[BUCKETS];
};

struct queue *queue_new(const struct offers *offers)
{
    struct queue *queue = xcalloc(1, sizeof *queue);

    queue->lines = xcalloc(offers->count, sizeof *queue->lines);
    queue->line_count = offers->count;
    for (size_t i = 0; i < offers->count; i++) {
        struct line *line = &queue->lines[i];

        line->offer = &offers->items[i];
        TAILQ_INIT(&line->placed);
        TAILQ_INIT(&line->matched);
        for (int p = 0; p < PRIORITIES; p++)
            TAILQ_INIT(&line->waiting[p]);
    }
    return queue;
}

static void free_entries(struct bucket *bucket)
{
    struct entry *entry;

    while ((entry = LIST_FIRST(bucket))) {
        LIST_REMOVE(entry, in_bucket);
        free(entry->owner);
        free(entry);
    }
}

void queue_free(struct queue *queue)
{
    if (!queue)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        free_entries(&queue->buckets[i]);
    free(queue->lines);
    free(queue);
}

static struct bucket *bucket_of(struct queue *queue, int64_t job_id)
{
    return &queue->buckets[(uint64_t)job_id % BUCKETS];
}

static struct entry *find(const struct queue *queue, int64_t job_id)
{
    struct entry *entry;

    LIST_FOREACH (entry, &queue->buckets[(uint64_t)job_id % BUCKETS], in_bucket)
        if (entry->job.job_id == job_id)
            return entry;
    return NULL;
}

static struct line *line_of(const struct queue *queue, const char *instance_type)
{
    for (size_t i = 0; i < queue->line_count; i++)
        if (strcmp(queue->lines[i].offer->profile->name, instance_type) == 0)
            return &queue->lines[i];
    return NULL;
}

static struct entry *new_entry(struct queue *queue, const struct queue_job *job)
{
    struct entry *entry = xcalloc(1, sizeof *entry);

    entry->job = *job;
    entry->owner = xstrdup(job->owner);
    entry->job.owner = entry->owner;
    entry->job.instance_type = NULL; /* the line's; the caller's may not live on */
    entry->line = line_of(queue, job->instance_type);
    LIST_INSERT_HEAD(bucket_of(queue, job->job_id), entry, in_bucket);
    return entry;
}

static void enter_line(struct entry *entry)
{
    struct entries *waiting = &entry->line->waiting[entry->job.priority];
    struct entry *before = TAILQ_LAST(waiting, entries);

    while (before && before->job.job_id > entry->job.job_id)
        before = TAILQ_PREV(before, entries, in_line);
    if (before)
        TAILQ_INSERT_AFTER(waiting, before, entry, in_line);
    else
        TAILQ_INSERT_HEAD(waiting, entry, in_line);
    entry->line->waiting_count++;
}

static void leave_line(struct entry *entry)
{
    TAILQ_REMOVE(&entry->line->waiting[entry->job.priority], entry, in_line);
    entry->line->waiting_count--;
}

static struct entry *first_in_line(const struct line *line)
{
    if (line->waiting_count == 0)
        return NULL;
    for (int p = PRIORITIES - 1; p >= 0; p--)
        if (!TAILQ_EMPTY(&line->waiting[p]))
            return TAILQ_FIRST(&line->waiting[p]);
    return NULL;
}

static struct entry *next_in_line(const struct line *line, struct entry *entry)
{
    struct entry *next = TAILQ_NEXT(entry, in_line);

    for (int p = entry->job.priority - 1; !next && p >= 0; p--)
        next = TAILQ_FIRST(&line->waiting[p]);
    return next;
}

static bool fits(const struct entry *waiting, const struct entry *pool)
{
    return pool->warm && !pool->match && waiting->job.count == pool->job.count
           && strcmp(waiting->owner, pool->owner) == 0;
}

static void match(struct entry *waiting, struct entry *pool)
{
    leave_line(waiting);
    TAILQ_INSERT_TAIL(&waiting->line->matched, waiting, in_line);
    waiting->match = pool;
    pool->match = waiting;
}

/* A warm pool for who waits in line; there are few of them. */
static void find_pool(struct entry *waiting)
{
    struct entry *pool;

    if (!waiting->line->warm)
        return;
    TAILQ_FOREACH (pool, &waiting->line->placed, in_line) {
        if (fits(waiting, pool)) {
            match(waiting, pool);
            return;
        }
    }
}

/* Who waits for such a pool, looked for once a pool. */
static void find_taker(struct entry *pool)
{
    struct entry *entry = first_in_line(pool->line);

    while (entry && !fits(entry, pool))
        entry = next_in_line(pool->line, entry);
    if (entry)
        match(entry, pool);
}

void queue_add(struct queue *queue, const struct queue_job *job)
{
    struct entry *entry = new_entry(queue, job);

    /* A type that is not offered any more waits outside every line. */
    if (!entry->line)
        return;
    enter_line(entry);
    find_pool(entry);
}

static void hold(struct entry *entry, usec_t boot)
{
    entry->placed = true;
    entry->until_boot = boot + entry->job.longest_s * USEC_PER_SEC;
    entry->line->in_use += entry->job.count;
    TAILQ_INSERT_TAIL(&entry->line->placed, entry, in_line);
}

void queue_add_placed(struct queue *queue, const struct queue_job *job,
                      usec_t placed_boot)
{
    struct entry *entry = new_entry(queue, job);

    entry->placed = true;
    if (entry->line)
        hold(entry, placed_boot);
}

void queue_keep_warm(struct queue *queue, int64_t job_id, usec_t until_boot)
{
    struct entry *entry = find(queue, job_id);

    if (!entry || !entry->line || !entry->placed || entry->warm)
        return;
    entry->warm = true;
    entry->until_boot = until_boot;
    entry->line->warm += entry->job.count;
    find_taker(entry);
}

/* Its instances are free. */
static void let_go(struct entry *entry)
{
    TAILQ_REMOVE(&entry->line->placed, entry, in_line);
    entry->line->in_use -= entry->job.count;
    if (entry->warm)
        entry->line->warm -= entry->job.count;
}

static void leave_matched(struct entry *waiting)
{
    TAILQ_REMOVE(&waiting->line->matched, waiting, in_line);
    waiting->match->match = NULL;
    waiting->match = NULL;
}

static void remove_placed(struct entry *entry)
{
    struct entry *taker = entry->match;

    let_go(entry);
    if (!taker)
        return;
    leave_matched(taker);
    enter_line(taker);
    find_pool(taker);
}

static void remove_waiting(struct entry *entry)
{
    struct entry *pool = entry->match;

    if (!pool) {
        leave_line(entry);
        return;
    }
    leave_matched(entry);
    find_taker(pool);
}

void queue_remove(struct queue *queue, int64_t job_id)
{
    struct entry *entry = find(queue, job_id);

    if (!entry)
        return;
    LIST_REMOVE(entry, in_bucket);
    if (entry->line && entry->placed)
        remove_placed(entry);
    else if (entry->line)
        remove_waiting(entry);
    free(entry->owner);
    free(entry);
}

static int by_until(const void *a, const void *b)
{
    const struct entry *const *left = a;
    const struct entry *const *right = b;

    return ((*left)->until_boot > (*right)->until_boot)
           - ((*left)->until_boot < (*right)->until_boot);
}

/* When the head can start at the latest (*at), and how many instances are over then
 * (*spare): EASY backfill's shadow. */
static void shadow_of(const struct line *line, int need, usec_t *at, int *spare)
{
    struct entry **placed = xcalloc((size_t)line->in_use + 1, sizeof(struct entry *));
    int free_now = line->offer->capacity - line->in_use;
    size_t count = 0;
    struct entry *entry;

    TAILQ_FOREACH (entry, &line->placed, in_line)
        placed[count++] = entry; /* each holds at least one instance */
    qsort(placed, count, sizeof(struct entry *), by_until);
    *at = INT64_MAX;
    for (size_t i = 0; i < count && free_now < need; i++) {
        free_now += placed[i]->job.count;
        *at = placed[i]->until_boot;
    }
    *spare = free_now - need;
    free(placed);
}

/* A job behind the head that fits now and does not delay it. */
static struct entry *backfill(const struct line *line, struct entry *head, usec_t boot)
{
    int free_now = line->offer->capacity - line->in_use;
    struct entry *entry = head;
    usec_t shadow;
    int spare;

    if (free_now <= 0)
        return NULL;
    shadow_of(line, head->job.count, &shadow, &spare);
    for (int i = 0; i < BACKFILL_DEPTH; i++) {
        entry = next_in_line(line, entry);
        if (!entry)
            return NULL;
        if (entry->job.count <= free_now
            && (entry->job.count <= spare
                || boot + entry->job.longest_s * USEC_PER_SEC <= shadow))
            return entry;
    }
    return NULL;
}

/* The first that can ever start. A pool that was made smaller leaves few in line that
 * cannot: they hold up nobody. */
static struct entry *head_of(const struct line *line)
{
    struct entry *entry = first_in_line(line);

    while (entry && entry->job.count > line->offer->capacity)
        entry = next_in_line(line, entry);
    return entry;
}

/* The job that this line may place now, if any. */
static struct entry *placeable(const struct line *line, usec_t boot)
{
    struct entry *entry = head_of(line);

    if (entry && entry->job.count > line->offer->capacity - line->in_use)
        entry = backfill(line, entry, boot);
    return entry;
}

/* Takes the next one of a line out of it; *pool is the warm pool whose place it has. */
static struct entry *take(struct queue *queue, struct line *line, usec_t boot,
                          int64_t *pool)
{
    struct entry *entry = TAILQ_FIRST(&line->matched);

    *pool = 0;
    if (entry) {
        *pool = entry->match->job.job_id;
        leave_matched(entry);
        queue_remove(queue, *pool);
        return entry;
    }
    entry = placeable(line, boot);
    if (entry)
        leave_line(entry);
    return entry;
}

int64_t queue_next(struct queue *queue, usec_t boot, int64_t *pool)
{
    for (size_t i = 0; i < queue->line_count; i++) {
        size_t at = (queue->turn + i) % queue->line_count;
        struct entry *entry = take(queue, &queue->lines[at], boot, pool);

        if (!entry)
            continue;
        hold(entry, boot);
        queue->turn = at + 1;
        return entry->job.job_id;
    }
    return 0;
}

int queue_in_use(const struct queue *queue, const char *instance_type)
{
    const struct line *line = line_of(queue, instance_type);

    return line ? line->in_use - line->warm : 0;
}

int queue_warm(const struct queue *queue, const char *instance_type)
{
    const struct line *line = line_of(queue, instance_type);

    return line ? line->warm : 0;
}

static char *reason_too_large(const struct entry *entry)
{
    const struct offer *offer = entry->line->offer;

    return xasprintf(
        "needs %d %s and its pool has %d by now: enlarge the pool in railhead.yaml, or stop the job",
        entry->job.count, offer->profile->name, offer->capacity);
}

static char *reason_to_wait(const struct entry *entry, int before)
{
    const struct line *line = entry->line;
    auto_free char *warm = NULL;

    if (line->warm)
        warm = xasprintf(" and %d warm", line->warm);
    return xasprintf(
        "needs %d of %d %s, %d in use%s; %d before it in line: starts as they end, sooner with a higher priority than %d or a larger pool",
        entry->job.count, line->offer->capacity, line->offer->profile->name,
        line->in_use - line->warm, warm ? warm : "", before, entry->job.priority);
}

bool queue_explain(const struct queue *queue, int64_t job_id, int *position,
                   char **reason)
{
    struct entry *entry = find(queue, job_id);
    const struct line *line;

    if (!entry || entry->placed)
        return false;
    line = entry->line;
    *position = 1;
    if (!line) {
        *reason = xstrdup(
            "its instance type is not offered any more: add a pool to railhead.yaml, or stop the job");
        return true;
    }
    if (entry->match) {
        *reason = xstrdup("starts now, in the warm pool of an earlier job");
        return true;
    }
    for (struct entry *e = first_in_line(line); e && e != entry;
         e = next_in_line(line, e))
        (*position)++;
    *reason = entry->job.count > line->offer->capacity
                  ? reason_too_large(entry)
                  : reason_to_wait(entry, *position - 1);
    return true;
}
