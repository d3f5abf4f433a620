/* The head of the ledger, by which answers say what they were made from. */

#include "daemon/billing/billing.h"

struct cJSON *bill_head(int64_t seq, const char *hash)
{
    struct cJSON *json = json_object_new();

    json_set_int(json, "seq", seq);
    json_set_text(json, "hash", *hash ? hash : NULL);
    return json;
}

struct cJSON *bill_last_head(const struct store *store)
{
    char hash[DIGEST_HEX_SIZE];
    int64_t seq = store_chain_end(store, hash);

    return bill_head(seq, hash);
}
