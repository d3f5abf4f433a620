/* Cursors of a job's history: refused, or a page from which the next ones lead to the
 * end.  The first byte of the input says how many items a page has, and which. */

#include "api/history.h"
#include "src/files.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGES_MAX = 32
};

static const char lines[] =
    "{\"name\":\"loss\",\"value\":0.5,\"rank\":0,\"step\":1,\"wall_us\":1000000}\n"
    "no line\n"
    "{\"name\":\"loss\",\"value\":\"NaN\",\"rank\":1,\"step\":null,\"wall_us\":2000000}\n"
    "{\"name\":\"accuracy\",\"value\":1,\"rank\":0,\"wall_us\":3000000}\n";

static struct job_history job = { .attempts = 2, .workers = 2 };

/* Of two attempts of two workers one has written. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    auto_free char *worker = xasprintf("%s/job-1-0", fuzz_folder());

    (void)argc;
    (void)argv;
    job.folder = xasprintf("%s/job", fuzz_folder());
    assert(folder_make(worker, 0700, NULL) == 0);
    fuzz_write("job-1-0/metrics.jsonl", lines, strlen(lines));
    return 0;
}

/* False: the cursor is none.  *cursor becomes that of the next page, or NULL. */
static bool turn(struct history_query *query, char **cursor)
{
    auto_json struct cJSON *page = NULL;
    struct err err;

    query->cursor = *cursor;
    if (history_page(&job, query, &page, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return false;
    }
    assert((int64_t)json_count(json_get(page, "items")) <= query->limit);
    assert(json_get_text(page, "resume_cursor"));
    free(*cursor);
    *cursor = xstrdup(json_get_text(page, "next_cursor"));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history_query query = { .kind = HISTORY_METRICS,
                                   .rank = -1,
                                   .worker = -1,
                                   .since = INT64_MIN,
                                   .limit = 1 };
    auto_free char *cursor = NULL;
    int pages = 0;

    if (size == 0)
        return 0;
    query.limit = 1 + (data[0] & 3);
    query.rank = data[0] & 4 ? 0 : -1;
    query.since = data[0] & 8 ? 2000000 : INT64_MIN;
    cursor = fuzz_text(data + 1, size - 1);
    if (!turn(&query, &cursor))
        return 0;
    while (cursor) {
        assert(pages++ < PAGES_MAX);
        assert(turn(&query, &cursor));
    }
    return 0;
}
