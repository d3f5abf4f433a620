/* Tells new bytes of a log from those of an earlier connection.  Pure; knows nothing of
 * connections. */

#include "src/cli/log_resume.h"

#include <stdlib.h>
#include <string.h>

enum head {
    HEAD_OPEN,
    HEAD_RANK,
    HEAD_PLAIN
};

/* Whether a line's start is "[RANK] ", is not, or may become one. */
static enum head read_head(const char *head, size_t len, int64_t *rank)
{
    size_t at = 1;

    if (len == 0)
        return HEAD_OPEN;
    if (head[0] != '[')
        return HEAD_PLAIN;
    *rank = 0;
    for (; at < len && at <= 10 && head[at] >= '0' && head[at] <= '9'; at++)
        *rank = *rank * 10 + (head[at] - '0');
    if (at == len)
        return HEAD_OPEN;
    if (at == 1 || head[at] != ']')
        return HEAD_PLAIN;
    if (at + 1 == len)
        return HEAD_OPEN;
    return head[at + 1] == ' ' ? HEAD_RANK : HEAD_PLAIN;
}

static size_t find_rank(struct log_resume *resume, int64_t rank)
{
    for (size_t i = 0; i < resume->count; i++)
        if (resume->ranks[i].rank == rank)
            return i;
    resume->ranks =
        xrealloc(resume->ranks, (resume->count + 1) * sizeof *resume->ranks);
    resume->ranks[resume->count] = (struct log_resume_rank){ .rank = rank };
    return resume->count++;
}

/* Bytes of the present line; a line feed may only be the last. */
static void add_to_line(struct log_resume *resume, const char *bytes, size_t len,
                        struct text *out)
{
    struct log_resume_rank *rank = &resume->ranks[resume->line_rank];
    bool ends = len > 0 && bytes[len - 1] == '\n';
    size_t known = 0;

    if (rank->seen < rank->given)
        known = len;
    else if (rank->begun > resume->line_len)
        known = rank->begun - resume->line_len;
    if (known < len) {
        text_add(out, bytes + known, len - known);
        rank->begun = resume->line_len + len;
    }
    resume->line_len += len;
    if (!ends)
        return;
    if (rank->seen == rank->given) {
        rank->given++;
        rank->begun = 0;
    }
    rank->seen++;
    resume->is_inside = false;
}

static void begin_line(struct log_resume *resume, int64_t rank, struct text *out)
{
    size_t len = resume->head_len;

    resume->line_rank = find_rank(resume, rank);
    resume->line_len = 0;
    resume->is_inside = true;
    resume->head_len = 0;
    add_to_line(resume, resume->head, len, out);
}

void log_resume_feed(struct log_resume *resume, const char *bytes, size_t len,
                     struct text *out)
{
    const char *end = bytes + len;

    while (bytes < end) {
        const char *feed;
        const char *stop;
        enum head head;
        int64_t rank = -1;

        if (resume->is_inside) {
            feed = memchr(bytes, '\n', (size_t)(end - bytes));
            stop = feed ? feed + 1 : end;
            add_to_line(resume, bytes, (size_t)(stop - bytes), out);
            bytes = stop;
            continue;
        }
        resume->head[resume->head_len++] = *bytes++;
        head = read_head(resume->head, resume->head_len, &rank);
        if (head != HEAD_OPEN)
            begin_line(resume, head == HEAD_RANK ? rank : -1, out);
    }
}

void log_resume_finish(struct log_resume *resume, struct text *out)
{
    if (resume->head_len > 0)
        begin_line(resume, -1, out);
}

void log_resume_restart(struct log_resume *resume)
{
    for (size_t i = 0; i < resume->count; i++)
        resume->ranks[i].seen = 0;
    resume->is_inside = false;
    resume->head_len = 0;
    resume->line_len = 0;
}

void log_resume_clear(struct log_resume *resume)
{
    free(resume->ranks);
    *resume = (struct log_resume){ 0 };
}
