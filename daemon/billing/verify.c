/* Recomputes the chain of the ledger, and names the first row that does not hold. */

#include "daemon/billing/billing.h"
#include "daemon/store_chain.h"

#include <string.h>

struct check {
    int64_t rows;
    unsigned char hash[DIGEST_SIZE]; /* of the row before */
    struct cJSON *broken;            /* the first row that does not hold; or NULL */
};

static void set_broken(struct check *check, const struct ledger_row *row,
                       const char *why)
{
    if (check->broken)
        return;
    check->broken = json_object_new();
    json_set_int(check->broken, "seq", row->cells[0].number);
    json_set_text(check->broken, "table", row->table);
    json_set_text(check->broken, "reason", why);
}

static int check_row(void *context, const struct ledger_row *row, struct err *err)
{
    struct check *check = context;

    (void)err;
    check->rows++;
    if (row->cells[0].number != check->rows)
        set_broken(check, row, "its number does not follow that of the row before");
    ledger_row_hash(row->table, row->cells, row->count, check->hash);
    if (!row->hash || memcmp(row->hash, check->hash, DIGEST_SIZE) != 0)
        set_broken(check, row,
                   "its hash is not that of the row before and of what it says");
    if (row->hash)
        memcpy(check->hash, row->hash, DIGEST_SIZE);
    return 0;
}

int bill_verify(const struct bill_request *request, FILE *out,
                struct problems *problems, struct err *err)
{
    auto_json struct cJSON *answer = json_object_new();
    struct check check = { 0 };
    auto_free char *words = NULL;
    char hex[DIGEST_HEX_SIZE];

    (void)problems;
    if (store_each_ledger_row(request->store, check_row, &check, err) < 0) {
        json_free(check.broken);
        return -1;
    }
    digest_to_hex(check.hash, DIGEST_SIZE, hex);
    json_set_bool(answer, "holds", !check.broken);
    json_set_int(answer, "rows", check.rows);
    json_set_text(answer, "head", check.rows ? hex : NULL);
    json_set(answer, "broken", check.broken ? check.broken : json_null_new());
    words = json_print(answer);
    fputs(words, out);
    return 0;
}
