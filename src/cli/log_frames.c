/* Reads frames of logs.  Decides what of them is new and how it is shown; knows nothing
 * of connections.  Pure. */

#include "src/cli/log_frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool has_prefix(const struct log_frames *frames)
{
    return !frames->plain && !frames->is_alone;
}

static void end_line(struct log_frames *frames, struct text *out)
{
    if (frames->in_line)
        text_add(out, "\n", 1);
    frames->in_line = false;
}

/* A number and the byte behind it. */
static bool read_number(const char **at, char end, uint64_t *out)
{
    char *behind;

    errno = 0;
    *out = strtoumax(*at, &behind, 10);
    if (**at < '0' || **at > '9' || errno || *behind != end)
        return false;
    *at = behind + 1;
    return true;
}

static size_t find_rank(struct log_frames *frames, uint64_t attempt, uint64_t rank)
{
    struct log_frames_rank *ranks = frames->ranks;

    for (size_t i = 0; i < frames->count; i++)
        if (ranks[i].rank == rank && ranks[i].attempt == attempt)
            return i;
    frames->ranks = xrealloc(ranks, (frames->count + 1) * sizeof *ranks);
    /* Nothing is missed before the place where it begins. */
    frames->ranks[frames->count] =
        (struct log_frames_rank){ attempt, rank, frames->offset };
    return frames->count++;
}

/* What was cut is between the last byte that was given and the first of this frame. */
static void pass_over_cut(struct log_frames *frames, struct text *out,
                          struct text *notes)
{
    struct log_frames_rank *rank = &frames->ranks[frames->at];

    if (frames->left == 0 || frames->offset <= rank->next)
        return;
    if (has_prefix(frames))
        end_line(frames, out);
    text_printf(notes,
                "%" PRIu64 " bytes of rank %" PRIu64
                " were cut before they could be read\n",
                frames->offset - rank->next, rank->rank);
    rank->next = frames->offset;
}

/* The head is in, whole. */
static void begin_frame(struct log_frames *frames, struct text *out, struct text *notes)
{
    const char *at = frames->head;
    uint64_t attempt;
    uint64_t rank;
    uint64_t ranks;

    frames->head[frames->head_len] = '\0';
    frames->head_len = 0;
    frames->broken = !read_number(&at, ' ', &attempt) || !read_number(&at, '/', &rank)
                     || !read_number(&at, ' ', &ranks)
                     || !read_number(&at, ' ', &frames->offset)
                     || !read_number(&at, '\0', &frames->left);
    if (frames->broken)
        return;
    frames->is_alone = ranks == 1;
    frames->at = find_rank(frames, attempt, rank);
    pass_over_cut(frames, out, notes);
}

static void add(struct log_frames *frames, const char *bytes, size_t len,
                struct text *out)
{
    if (has_prefix(frames)) {
        if (frames->line_at != frames->at)
            end_line(frames, out);
        if (!frames->in_line)
            text_printf(out, "[%" PRIu64 "] ", frames->ranks[frames->at].rank);
    }
    text_add(out, bytes, len);
    frames->in_line = bytes[len - 1] != '\n';
    frames->line_at = frames->at;
}

/* Bytes of the frame. */
static void take(struct log_frames *frames, const char *bytes, size_t len,
                 struct text *out)
{
    struct log_frames_rank *rank = &frames->ranks[frames->at];
    uint64_t known = rank->next > frames->offset ? rank->next - frames->offset : 0;

    if (known < len) {
        add(frames, bytes + known, len - (size_t)known, out);
        rank->next = frames->offset + len;
    }
    frames->offset += len;
    frames->left -= len;
}

void log_frames_feed(struct log_frames *frames, const char *bytes, size_t len,
                     struct text *out, struct text *notes)
{
    const char *end = bytes + len;

    while (bytes < end && !frames->broken) {
        size_t part = (size_t)(end - bytes);

        if (frames->left > 0) {
            part = frames->left < part ? (size_t)frames->left : part;
            take(frames, bytes, part, out);
            bytes += part;
        } else if (*bytes++ == '\n') {
            begin_frame(frames, out, notes);
        } else if (frames->head_len < sizeof frames->head - 1) {
            frames->head[frames->head_len++] = bytes[-1];
        } else {
            frames->broken = true;
        }
    }
}

void log_frames_finish(struct log_frames *frames, struct text *out)
{
    if (has_prefix(frames))
        end_line(frames, out);
}

void log_frames_restart(struct log_frames *frames)
{
    frames->head_len = 0;
    frames->left = 0;
}

void log_frames_clear(struct log_frames *frames)
{
    free(frames->ranks);
    *frames = (struct log_frames){ 0 };
}
