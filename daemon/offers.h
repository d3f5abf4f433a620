#ifndef DAEMON_OFFERS_H
#define DAEMON_OFFERS_H

#include "daemon/config.h"
#include "src/job_spec.h"
#include "src/profile.h"

/* What this daemon offers: instance types, where they run, how many there are, and at
 * what price. */

struct offer {
    const struct profile *profile; /* the catalog's */
    char *pool;                    /* what reports call it */
    enum pricing pricing;
    char *scheduler;
    int capacity;
    int cpus;      /* that an instance has here: of an emulated one, this host's */
    bool emulated; /* stands in for hardware that is not here */
    bool has_own_price;
    struct profile_price own_price;
};

struct offers {
    struct offer *items; /* pools, then the rest in the order of the catalog */
    size_t count;
    const struct catalog *catalog;
};

/**
 * Pools of the configuration, then `local`, then what this host can carry of ml.c5, or
 * with `emulate` every type of the catalog.
 *
 * ERR_INVALID when a pool names a type or scheduler that is not known.
 */
MUST_CHECK int offers_make(const struct config *config, const struct catalog *catalog,
                           struct offers *out, struct err *err);
void offers_clear(struct offers *offers);

/** NULL when the type is not offered. */
const struct offer *offers_find(const struct offers *offers, const char *instance_type);

/** What the pool and the catalog say of the price at `wall`; NULL: nothing.  The price
 * in force is price_in_force. */
const struct profile_price *offer_price(const struct offer *offer, usec_t wall);

/** Why a type is not offered and which are, as a problem of `instance_type`. */
void offers_explain(const struct offers *offers, const char *instance_type,
                    struct problems *problems);

/** Why this host does not offer a type of the catalog; the caller frees. */
char *offers_reason(const struct offers *offers, const struct profile *profile);

#endif
