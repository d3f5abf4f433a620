/* Recomputes the chain of the ledger, and names the first row that does not hold.  The
 * figures are verify_figures.c's. */

#include "daemon/billing/verify.h"

#include "daemon/billing/billing.h"
#include "daemon/store_audit.h"
#include "daemon/store_chain.h"
#include "src/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cJSON *json_of(const struct ledger_cell *cell)
{
    switch (cell->kind) {
    case CELL_NULL:
        return json_null_new();
    case CELL_NUMBER:
        return json_int_new(cell->number);
    case CELL_TEXT:
        return json_text_new(cell->text);
    }
    return json_null_new();
}

/* What the chain says of a row comes first, for only it knows which row was changed;
 * figures may say more of the same row, and are heard when the chain holds. */
static bool is_heard(const struct verdict *verdict, int64_t seq)
{
    if (!verdict->broken)
        return true;
    if (verdict->chain_is_broken)
        return seq == verdict->seq && !verdict->is_of_figures;
    return seq < verdict->seq;
}

void verdict_add(struct verdict *verdict, const struct finding *finding)
{
    int64_t seq = finding->seq ? finding->seq : INT64_MAX;

    if (!is_heard(verdict, seq))
        return;
    json_free(verdict->broken);
    verdict->seq = seq;
    verdict->is_of_figures = verdict->figures_are_broken;
    verdict->broken = json_object_new();
    json_set(verdict->broken, "seq",
             finding->seq ? json_int_new(finding->seq) : json_null_new());
    json_set_text(verdict->broken, "table", finding->table);
    json_set_text(verdict->broken, "job", finding->job);
    json_set_text(verdict->broken, "column", finding->column);
    json_set_text(verdict->broken, "reason", finding->reason);
    json_set(verdict->broken, "is", json_of(&finding->is));
    json_set(verdict->broken, "should_be", json_of(&finding->should_be));
}

void verdict_find(struct verdict *verdict, const struct finding *finding)
{
    verdict->figures_are_broken = true;
    verdict_add(verdict, finding);
}

static bool cells_are_equal(const struct ledger_cell *left,
                            const struct ledger_cell *right)
{
    if (left->kind != right->kind)
        return false;
    if (left->kind == CELL_TEXT)
        return strcmp(left->text, right->text) == 0;
    return left->kind == CELL_NULL || left->number == right->number;
}

void verdict_expect(struct verdict *verdict, const struct finding *where,
                    struct ledger_cell is, struct ledger_cell should_be)
{
    struct finding finding = *where;

    finding.is = is;
    finding.should_be = should_be;
    if (!cells_are_equal(&is, &should_be))
        verdict_find(verdict, &finding);
}

/* --- the chain --- */

/* The end of the chain as it was at some time, kept elsewhere. */
struct head {
    int64_t seq; /* 0: none was given */
    char hash[DIGEST_HEX_SIZE];
};

struct chain {
    struct store *store;
    struct verdict *verdict;
    const struct head *against;
    int64_t rows;
    int64_t seq;                     /* of the row before */
    unsigned char hash[DIGEST_SIZE]; /* of the row before */
};

/* Name of the job that a row of the ledger is of, "" when it is of none. */
static int job_of(struct store *store, const struct ledger_row *row, char name[64],
                  struct err *err)
{
    *name = '\0';
    if (strcmp(row->table, "interval_open") == 0)
        return store_job_of_interval(store, row->cells[0].number, name, err);
    if (strcmp(row->table, "interval_close") == 0
        || strcmp(row->table, "interval_price") == 0)
        return store_job_of_interval(store, row->cells[1].number, name, err);
    return 0;
}

/* What the chain has shown to be wrong, once: behind it nothing can be said. */
static int add_row(struct chain *chain, const struct ledger_row *row,
                   struct finding *finding, struct err *err)
{
    char job[64];

    if (chain->verdict->chain_is_broken)
        return 0;
    chain->verdict->chain_is_broken = true;
    if (job_of(chain->store, row, job, err) < 0)
        return -1;
    if (*job && finding->table)
        finding->job = job;
    verdict_add(chain->verdict, finding);
    return 0;
}

/* Rows come by their number, which counts from 1 without a gap. */
static int check_number(struct chain *chain, const struct ledger_row *row,
                        struct err *err)
{
    int64_t seq = row->cells[0].number, expected = chain->seq + 1;
    struct finding finding = { .seq = expected,
                               .column = "seq",
                               .is = cell_number(seq),
                               .should_be = cell_number(expected) };

    if (seq == expected)
        return 0;
    if (seq > expected) {
        finding.reason = "there is no row of this number: the next one comes later";
    } else {
        finding.seq = seq;
        finding.table = row->table;
        finding.reason = "its number is not that of the row before and one more";
    }
    return add_row(chain, row, &finding, err);
}

static int check_hash(struct chain *chain, const struct ledger_row *row,
                      struct err *err)
{
    char is[DIGEST_HEX_SIZE] = "", should_be[DIGEST_HEX_SIZE];
    unsigned char hash[DIGEST_SIZE];
    struct finding finding = { .seq = row->cells[0].number,
                               .table = row->table,
                               .column = "hash" };

    memcpy(hash, chain->hash, DIGEST_SIZE);
    ledger_row_hash(row->table, row->cells, row->count, hash);
    if (row->hash && !row->is_odd && memcmp(row->hash, hash, DIGEST_SIZE) == 0)
        return 0;
    digest_to_hex(hash, DIGEST_SIZE, should_be);
    if (row->hash)
        digest_to_hex(row->hash, DIGEST_SIZE, is);
    finding.is = row->hash ? cell_text(is) : cell_null();
    finding.should_be = row->is_odd ? cell_null() : cell_text(should_be);
    finding.reason = row->is_odd
                         ? "it holds what no row does: a fraction, bytes, or a NUL"
                         : "its hash is not that of the row before and of what it says";
    return add_row(chain, row, &finding, err);
}

/* The row that was the end when the head was kept is what it was. */
static int check_against(struct chain *chain, const struct ledger_row *row,
                         struct err *err)
{
    char is[DIGEST_HEX_SIZE] = "";
    struct finding finding = {
        .seq = chain->against->seq,
        .table = row->table,
        .column = "hash",
        .reason = "it is not the row that was kept: what is before it was rewritten",
        .should_be = cell_text(chain->against->hash),
    };

    if (row->cells[0].number != chain->against->seq || !row->hash)
        return 0;
    digest_to_hex(row->hash, DIGEST_SIZE, is);
    finding.is = cell_text(is);
    return strcmp(is, chain->against->hash) == 0 ? 0
                                                 : add_row(chain, row, &finding, err);
}

static int check_row(void *context, const struct ledger_row *row, struct err *err)
{
    struct chain *chain = context;

    chain->rows++;
    if (check_number(chain, row, err) < 0 || check_hash(chain, row, err) < 0
        || check_against(chain, row, err) < 0)
        return -1;
    chain->seq = row->cells[0].number;
    if (row->hash)
        memcpy(chain->hash, row->hash, DIGEST_SIZE);
    return 0;
}

/* The end was cut off since the head was kept. */
static void check_end(const struct chain *chain)
{
    if (chain->against->seq <= chain->seq)
        return;
    chain->verdict->chain_is_broken = true;
    verdict_add(chain->verdict,
                &(struct finding){
                    .seq = chain->seq + 1,
                    .column = "seq",
                    .reason =
                        "it and all behind it is not there: the ledger was longer",
                    .is = cell_null(),
                    .should_be = cell_number(chain->seq + 1) });
}

static int verify_chain(struct chain *chain, struct err *err)
{
    if (store_each_ledger_row(chain->store, check_row, chain, err) < 0)
        return -1;
    check_end(chain);
    return 0;
}

/* --- the answer --- */

/* SEQ:HASH, as receipts and reports have it. */
static int read_head(const struct cJSON *request, struct head *head,
                     struct problems *problems, struct err *err)
{
    const char *words = json_get_text(request, "against");
    char *end;

    *head = (struct head){ 0 };
    if (!words)
        return 0;
    errno = 0;
    head->seq = strtoll(words, &end, 10);
    if (*words >= '1' && *words <= '9' && errno == 0 && *end == ':'
        && digest_is_hex(end + 1)) {
        memcpy(head->hash, end + 1, DIGEST_HEX_SIZE);
        return 0;
    }
    problems_add(problems, "against",
                 "take it from a receipt or a report: its ledger.seq and ledger.hash",
                 "expected SEQ:HASH, got '%.100s'", words);
    return err_set(err, ERR_INVALID, "the head to verify against is none");
}

static void write_answer(const struct chain *chain, FILE *out)
{
    auto_json struct cJSON *answer = json_object_new();
    struct verdict *verdict = chain->verdict;
    auto_free char *words = NULL;
    char hex[DIGEST_HEX_SIZE] = "";

    if (chain->rows)
        digest_to_hex(chain->hash, DIGEST_SIZE, hex);
    json_set_bool(answer, "holds", !verdict->broken);
    json_set_bool(answer, "chain_holds", !verdict->chain_is_broken);
    json_set_bool(answer, "figures_hold", !verdict->figures_are_broken);
    json_set_int(answer, "rows", chain->rows);
    json_set(answer, "ledger", bill_head(chain->seq, hex));
    json_set(answer, "broken",
             verdict->broken ? steal_ptr(&verdict->broken) : json_null_new());
    words = json_print(answer);
    fputs(words, out);
}

int bill_verify(const struct bill_request *request, FILE *out,
                struct problems *problems, struct err *err)
{
    struct head against;
    struct verdict verdict = { 0 };
    struct chain chain = { .store = request->store,
                           .verdict = &verdict,
                           .against = &against };
    int result;

    if (read_head(request->json, &against, problems, err) < 0)
        return -1;
    result = verify_chain(&chain, err);
    if (result == 0)
        result = verify_figures(request->store, &verdict, err);
    if (result == 0)
        write_answer(&chain, out);
    json_free(verdict.broken);
    return result;
}
