#ifndef DAEMON_BILLING_BILLING_H
#define DAEMON_BILLING_BILLING_H

#include "daemon/store.h"
#include "src/json.h"
#include "src/problems.h"

#include <stdio.h>

/*
 * railhead-bill: reads the ledger for a daemon that goes on serving meanwhile.
 *
 * One request, a JSON object, is read from stdin: "do" names the verb, "database" the
 * file, "state" the state folder; the rest is the verb's.  The answer, whole, is
 * written to stdout, which is a file.  Exit 0: it is the body of an answer 200.  Exit
 * 1: it is {"code", "message", "errors": [{"path", "message", "hint"}]}, the code as of
 * err_code_name.  What it reads is the state of the ledger when it began.
 */

struct bill_request {
    const struct cJSON *json;
    struct store *store;
    const char *state; /* folder */
};

/** Answers a request.  What was written before a failure is thrown away.  ERR_INVALID
 * with `problems`, whose paths are members of the request. */
typedef int bill_verb_t(const struct bill_request *request, FILE *out,
                        struct problems *problems, struct err *err);

bill_verb_t bill_backup;   /* backup.c */
bill_verb_t bill_compare;  /* compare.c */
bill_verb_t bill_diagnose; /* diagnose.c */
bill_verb_t bill_verify;   /* verify.c */
bill_verb_t bill_receipt;  /* receipt.c */
bill_verb_t bill_usage;    /* usage.c */

/** {"seq", "hash"} of a row of the ledger; @hash is hexadecimal, or "" when there is no
 * row.  The caller owns it. */
struct cJSON *bill_head(int64_t seq, const char *hash);
/** The same of the last row that is read. */
struct cJSON *bill_last_head(const struct store *store);

#endif
