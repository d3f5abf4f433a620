/*
 * Pages of the list of jobs.  Decides when a page is given; how the jobs are found is
 * decided in store_list.c.
 *
 * Where few jobs pass the filters, much must be looked at for a page, which is done
 * over several rounds of the loop.  A page always holds back the last job that was
 * found, with which the next page begins: so none is empty but that of a list which is.
 */

#include "daemon/jobs_private.h"
#include "daemon/report.h"
#include "daemon/store_list.h"
#include "src/clock.h"

#include <stdlib.h>

/* A round has 5 ms: a piece, which is the last that is begun, and its jobs in JSON (3
 * us each) come on top of these 2.  After 8 ms of looking a page is given with less
 * than was asked for, so that the answer is there within 10. */
enum {
    ROUND_USEC = 2000,
    PAGE_USEC = 8000,
    PIECE_GIVES_MAX = 250
};

struct job_page {
    struct store *store;
    struct store_list list;
    int limit;
    int found;           /* one more than items has, when there is any */
    struct job_row held; /* the last one found */
    struct cJSON *items;
    usec_t looked; /* for so long */
};

static int hold(void *context, const struct job_row *row, struct err *err)
{
    struct job_page *page = context;

    (void)err;
    if (page->found++)
        json_append(page->items, report_row(&page->held));
    page->held = *row;
    return 0;
}

int job_page_new(struct jobs *jobs, const struct job_filter *filter, int limit,
                 const char *cursor, struct job_page **out, struct err *err)
{
    int64_t before = INT64_MAX;
    struct job_page *page;

    if (jobs_read_cursor(cursor, &before, err) < 0)
        return -1;
    page = xcalloc(1, sizeof *page);
    page->store = jobs->store;
    page->limit = limit;
    page->items = json_array_new();
    page->list = (struct store_list){ .filter = *filter,
                                      .before = before,
                                      .callback = hold,
                                      .context = page };
    *out = page;
    return 0;
}

static bool is_through(const struct job_page *page)
{
    return !page->list.before || page->found > page->limit
           || (page->looked >= PAGE_USEC && page->found > 1);
}

int job_page_look(struct job_page *page, bool *done, struct err *err)
{
    usec_t start = clock_boot();
    usec_t before = page->looked;

    do {
        int wanted = page->limit + 1 - page->found;

        page->list.limit = wanted < PIECE_GIVES_MAX ? wanted : PIECE_GIVES_MAX;
        if (store_list_piece(page->store, &page->list, err) < 0)
            return -1;
        page->looked = before + clock_boot() - start;
        *done = is_through(page);
    } while (!*done && page->looked - before < ROUND_USEC);
    return 0;
}

struct cJSON *job_page_take(struct job_page *page)
{
    bool is_last = page->found <= page->limit && !page->list.before;
    auto_free char *next =
        is_last ? NULL : xasprintf("%lld", (long long)page->held.job_id + 1);
    struct cJSON *json = json_object_new();

    if (is_last && page->found)
        json_append(page->items, report_row(&page->held));
    json_set(json, "items", steal_ptr(&page->items));
    json_set_text(json, "next_cursor", next);
    return json;
}

void job_page_free(struct job_page *page)
{
    if (!page)
        return;
    json_free(page->items);
    free(page);
}
