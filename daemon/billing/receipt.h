#ifndef DAEMON_BILLING_RECEIPT_H
#define DAEMON_BILLING_RECEIPT_H

#include "daemon/store.h"

/* Two parts of a receipt that stand for themselves: receipt_words.c. */

enum {
    RECEIPT_ARITHMETIC_SIZE = 160
};

/**
 * "0.204 * 82 / 3600 = 0.004646666666... = 0.004646667": the cost of so many
 * instance-seconds with what was rounded away, as far as three digits more show it.
 *
 * @hourly   nano-dollars, >= 0, as @seconds; together as money_for_seconds takes them
 *
 * Returns `out`.  Pure.
 */
const char *receipt_arithmetic(nanousd_t hourly, int64_t seconds,
                               char out[RECEIPT_ARITHMETIC_SIZE]);

/** The lines of the worker's journal that its interval rests on, as they are written:
 * when it was ready, and its end, else the last line that came.  JSON null when the
 * journal is gone; the caller owns it.  @state  folder */
struct cJSON *receipt_journal(const char *state, const char *job_id,
                              const struct interval *interval);

#endif
