/* Reads the journals of the job's other workers.  Decides how far each is; what that
 * means to us is the caller's. */

#include "src/worker/peers.h"

#include "src/files.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A read of a journal; what is more is read at once after it. */
enum {
    READ_MAX = 8192
};

struct peer {
    int fd; /* of its journal, -1: not opened yet */
    enum peer_stage stage;
    enum end_cause cause;
    struct text partial; /* the start of an unfinished line */
};

struct peers {
    const struct worker_plan *plan;
    int count;
    struct peer *items; /* by worker; our own is never looked at */
};

struct peers *peers_new(const struct worker_plan *plan)
{
    struct peers *peers;

    if (!plan->peers || plan->worker_count < 2)
        return NULL;
    peers = xcalloc(1, sizeof *peers);
    peers->plan = plan;
    peers->count = plan->worker_count;
    peers->items = xcalloc((size_t)peers->count, sizeof *peers->items);
    for (int i = 0; i < peers->count; i++)
        peers->items[i] = (struct peer){ .fd = -1, .cause = END_COMPLETED };
    return peers;
}

static void close_journal(struct peer *peer)
{
    if (peer->fd >= 0)
        close(peer->fd);
    peer->fd = -1;
    text_clear(&peer->partial);
}

void peers_free(struct peers *peers)
{
    if (!peers)
        return;
    for (int i = 0; i < peers->count; i++)
        close_journal(&peers->items[i]);
    free(peers->items);
    free(peers);
}

static void reach(struct peer *peer, enum peer_stage stage)
{
    if (stage > peer->stage)
        peer->stage = stage;
}

/* A later version's word for a cause is no success. */
static void note_cause(struct peer *peer, const struct cJSON *line)
{
    const char *name = json_get_text(line, "cause");

    if (!name || !end_cause_from_name(name, &peer->cause))
        peer->cause = END_INFRASTRUCTURE;
}

static void understand(struct peer *peer, const char *bytes, size_t len)
{
    auto_json struct cJSON *json = NULL;
    struct journal_line line;

    if (journal_line_parse(bytes, len, &json, &line, NULL) < 0)
        return;
    if (line.kind == JOURNAL_RANKS_DONE)
        reach(peer, PEER_RANKS_DONE);
    if (line.kind != JOURNAL_UPLOADING && line.kind != JOURNAL_ENDED)
        return;
    reach(peer, line.kind == JOURNAL_ENDED ? PEER_ENDED : PEER_UPLOADING);
    note_cause(peer, line.data);
}

static void take_lines(struct peer *peer)
{
    char *at = peer->partial.bytes;
    char *end;

    while ((end = memchr(at, '\n',
                         peer->partial.len - (size_t)(at - peer->partial.bytes)))) {
        understand(peer, at, (size_t)(end - at));
        at = end + 1;
    }
    text_drop(&peer->partial, (size_t)(at - peer->partial.bytes));
    if (peer->partial.len > JOURNAL_LINE_MAX)
        text_clear(&peer->partial);
}

static void read_lines(struct peer *peer)
{
    char bytes[READ_MAX];
    ssize_t got;

    while ((got = read(peer->fd, bytes, sizeof bytes)) > 0) {
        text_add(&peer->partial, bytes, (size_t)got);
        take_lines(peer);
    }
}

/* A journal that is empty is not to be touched: its worker may be about to lock it, and
 * would leave if it found it locked. */
static bool is_free(const struct peer *peer)
{
    struct stat info;

    if (fstat(peer->fd, &info) < 0 || info.st_size == 0
        || flock(peer->fd, LOCK_SH | LOCK_NB) < 0)
        return false;
    flock(peer->fd, LOCK_UN);
    return true;
}

static int open_journal(const char *folder)
{
    auto_free char *path = xasprintf("%s/journal.jsonl", folder);

    return open_regular_at(AT_FDCWD, path);
}

static void look_at(struct peer *peer, const char *folder)
{
    bool gone;

    if (peer->stage >= PEER_ENDED)
        return;
    if (peer->fd < 0)
        peer->fd = open_journal(folder);
    if (peer->fd < 0)
        return;
    gone = is_free(peer); /* before the read: so what it had said last is known */
    read_lines(peer);
    if (gone && peer->stage < PEER_ENDED) {
        if (peer->stage < PEER_UPLOADING)
            peer->cause = END_LOST;
        peer->stage = PEER_GONE;
    }
    if (peer->stage >= PEER_ENDED)
        close_journal(peer);
}

void peers_look(struct peers *peers)
{
    if (!peers)
        return;
    for (int i = 0; i < peers->count; i++)
        if (i != peers->plan->worker)
            look_at(&peers->items[i], peers->plan->peers[i]);
}

enum peer_stage peers_stage(const struct peers *peers, int worker)
{
    return peers ? peers->items[worker].stage : PEER_RUNS;
}

enum end_cause peers_cause(const struct peers *peers, int worker)
{
    return peers ? peers->items[worker].cause : END_COMPLETED;
}

bool peers_all_at(const struct peers *peers, enum peer_stage stage)
{
    if (!peers)
        return true;
    for (int i = 0; i < peers->count; i++)
        if (i != peers->plan->worker && peers->items[i].stage < stage)
            return false;
    return true;
}
