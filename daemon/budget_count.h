#ifndef DAEMON_BUDGET_COUNT_H
#define DAEMON_BUDGET_COUNT_H

#include "daemon/store_budget.h"

/* Counting the ledger into budgets. */

/** Begins the period that is now, unless it is that of the budget. */
void budget_begin_period(struct budget *budget);

/** The row up to which all have counted; INT64_MAX: there is none. */
int64_t budgets_first_uncounted(const struct budget *items, size_t count);

/**
 * Counts what the ledger has behind row `after`, into those budgets that have counted
 * up to there or farther; others lack what is between, and stay as they are.
 *
 * @limit  so many intervals at most
 */
MUST_CHECK int budgets_count(struct store *store, struct budget *items, size_t count,
                             int64_t after, int limit, struct err *err);

#endif
